"""What a merchant's program does with phonepe-pg-sdk-python; run by `runs.program`."""

import json

from phonepe.sdk.pg import env
from phonepe.sdk.pg.common.exceptions import PhonePeException
from phonepe.sdk.pg.common.models.request.pg_payment_request import PgPaymentRequest
from phonepe.sdk.pg.common.models.request.refund_request import RefundRequest
from phonepe.sdk.pg.payments.v2.custom_checkout_client import CustomCheckoutClient
from phonepe.sdk.pg.payments.v2.models.request.standard_checkout_pay_request import (
    StandardCheckoutPayRequest,
)
from phonepe.sdk.pg.payments.v2.standard_checkout_client import StandardCheckoutClient
from phonepe.sdk.pg.subscription.v2.models.request.amount_type import AmountType
from phonepe.sdk.pg.subscription.v2.models.request.auth_workflow_type import AuthWorkflowType
from phonepe.sdk.pg.subscription.v2.models.request.frequency import Frequency
from phonepe.sdk.pg.subscription.v2.models.request.redemption_retry_strategy import (
    RedemptionRetryStrategy,
)
from phonepe.sdk.pg.subscription.v2.subscription_client import SubscriptionClient
from program import TOLD, serve

# The client has no setting for another address.
env.SANDBOX_PG_BASE_URL = env.SANDBOX_OAUTH_BASE_URL = TOLD["url"]


def client(kind):
    """Return a client, at the stand-in."""
    return kind.get_instance(
        client_id=TOLD["client_id"],
        client_secret=TOLD["client_secret"],
        client_version=int(TOLD["client_version"]),
        env=env.Env.SANDBOX,
    )


def as_json(answer):
    return json.loads(answer.to_json())


def page():
    """Begin a payment at PhonePe's page, with no optional field."""
    asked = StandardCheckoutPayRequest.build_request(
        merchant_order_id="o1", amount=50_000, redirect_url="https://pay.example.in/done"
    )
    made = client(StandardCheckoutClient).pay(asked)
    return {"made": as_json(made), "status": as_json(status("o1"))}


def status(order):
    return client(StandardCheckoutClient).get_order_status(order, details=True)


def paid():
    """Read a paid order, and give a part back."""
    refund = RefundRequest.build_refund_request(
        merchant_refund_id="r1", original_merchant_order_id="o1", amount=100
    )
    return {
        "status": as_json(status("o1")),
        "refund": as_json(client(StandardCheckoutClient).refund(refund)),
        "refund_status": as_json(client(StandardCheckoutClient).get_refund_status("r1")),
    }


def qr():
    """Begin a payment by a UPI link."""
    asked = PgPaymentRequest.build_upi_qr_pay_request(merchant_order_id="o2", amount=50_000)
    return as_json(client(CustomCheckoutClient).pay(asked))


def mandate():
    """Set a mandate up, and give notice of a debit."""
    play = client(SubscriptionClient)
    if "order" not in TOLD:
        asked = PgPaymentRequest.build_subscription_setup_upi_intent(
            merchant_order_id="m1-0",
            merchant_subscription_id="m1",
            amount=200,
            device_os="ANDROID",
            target_app="com.phonepe.app",
            auth_workflow_type=AuthWorkflowType.PENNY_DROP,
            amount_type=AmountType.VARIABLE,
            frequency=Frequency.MONTHLY,
            max_amount=49_900,
        )
        return as_json(play.setup(asked))
    if TOLD["order"] == "cancel":
        play.cancel_subscription("m1")
    elif TOLD["order"] == "redeem":
        return as_json(play.redeem("m1-1"))
    elif TOLD["order"] == "notify":
        asked = PgPaymentRequest.build_subscription_notify_request(
            "m1-1", "m1", 47_900, RedemptionRetryStrategy.STANDARD
        )
        return as_json(play.notify(asked))
    return {
        "subscription": as_json(play.get_subscription_status("m1")),
        "order": as_json(play.get_order_status("m1-1")),
    }


def refused():
    """Use an order's id a second time."""
    try:
        page()
    except PhonePeException as error:
        return {"status": error.http_status_code, "code": error.code}
    return {}


def callback():
    """Verify a webhook."""
    known = client(StandardCheckoutClient).validate_callback(
        username=TOLD["username"],
        password=TOLD["password"],
        callback_header_data=TOLD["header"],
        callback_response_data=TOLD["body"],
    )
    return as_json(known)


serve(page, paid, qr, mandate, refused, callback)
