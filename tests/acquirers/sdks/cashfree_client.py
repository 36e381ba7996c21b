"""What a merchant's program does with cashfree_pg; run by `runs.program`."""

import json

from cashfree_pg import rest
from cashfree_pg.api_client import Cashfree
from cashfree_pg.exceptions import ApiException
from cashfree_pg.models.create_order_request import CreateOrderRequest
from cashfree_pg.models.create_subscription_payment_request import CreateSubscriptionPaymentRequest
from cashfree_pg.models.create_subscription_request import CreateSubscriptionRequest
from cashfree_pg.models.customer_details import CustomerDetails
from cashfree_pg.models.manage_subscription_request import ManageSubscriptionRequest
from cashfree_pg.models.order_create_refund_request import OrderCreateRefundRequest
from program import TOLD, serve

SANDBOX = "https://sandbox.cashfree.com"
_request = rest.RESTClientObject.request


def request(self, method, url, *arguments, **named):
    """Call the stand-in: the client has no setting for another address."""
    assert url.startswith(SANDBOX), url
    return _request(self, method, TOLD["url"] + url.removeprefix(SANDBOX), *arguments, **named)


rest.RESTClientObject.request = request


def client():
    return Cashfree(
        XEnvironment=Cashfree.SANDBOX,
        XClientId=TOLD["client_id"],
        XClientSecret=TOLD["client_secret"],
    )


def as_json(answer):
    """Return what the client read, whatever it calls its form."""
    data = answer.data
    if isinstance(data, list):
        return [json.loads(each.to_json()) for each in data]
    return json.loads(data.to_json())


def order():
    """Make an order and read it."""
    customer = CustomerDetails(customer_id="c10", customer_phone="9999999999")
    asked = CreateOrderRequest(
        order_id="o_1", order_amount=100.5, order_currency="INR", customer_details=customer
    )
    made = as_json(client().PGCreateOrder(asked))
    return {"made": made, "read": as_json(client().PGFetchOrder("o_1"))}


def paid():
    """Read the payments of an order, and give a part back."""
    refund = OrderCreateRefundRequest(refund_id="ref_1", refund_amount=1.5)
    return {
        "payments": as_json(client().PGOrderFetchPayments("o_1")),
        "refund": as_json(client().PGOrderCreateRefund("o_1", refund)),
        "refunds": as_json(client().PGOrderFetchRefunds("o_1")),
    }


def subscription():
    """Make a subscription, authorise it, charge it, end it."""
    step = TOLD["what"]
    if step == "create":
        asked = {
            "subscription_id": "m1",
            "customer_details": {
                "customer_email": "a@example.com",
                "customer_phone": "9999999999",
            },
            "plan_details": {"plan_name": "P", "plan_type": "ON_DEMAND", "plan_max_amount": 500},
            "authorization_details": {"authorization_amount": 1, "payment_methods": ["upi"]},
        }
        made = as_json(client().SubsCreateSubscription(CreateSubscriptionRequest.from_dict(asked)))
        auth = {
            "subscription_id": "m1",
            "subscription_session_id": made["subscription_session_id"],
            "payment_id": "m1_0",
            "payment_type": "AUTH",
            "payment_method": {"upi": {"channel": "link"}},
        }
        begun = client().SubsCreatePayment(CreateSubscriptionPaymentRequest.from_dict(auth))
        return {"made": made, "begun": as_json(begun)}
    if step == "charge":
        asked = {
            "subscription_id": "m1",
            "payment_id": "m1_1",
            "payment_type": "CHARGE",
            "payment_amount": 99.5,
            "payment_schedule_date": "2026-12-01T00:00:00Z",
        }
        made = client().SubsCreatePayment(CreateSubscriptionPaymentRequest.from_dict(asked))
        return {
            "made": as_json(made),
            "read": as_json(client().SubsFetchSubscriptionPayment("m1", "m1_1")),
            "all": as_json(client().SubsFetchSubscriptionPayments("m1")),
        }
    asked = ManageSubscriptionRequest(subscription_id="m1", action="CANCEL")
    client().SubsManageSubscription("m1", asked)
    return as_json(client().SubsFetchSubscription("m1"))


def refused():
    """Read an order that is not there."""
    try:
        client().PGFetchOrder("nothing")
    except ApiException as error:
        return {"status": error.status, "said": json.loads(error.body)}
    return {}


def webhook():
    """Verify a webhook."""
    known = client().PGVerifyWebhookSignature(TOLD["signature"], TOLD["body"], TOLD["timestamp"])
    return {"type": known.type}


serve(order, paid, subscription, refused, webhook)
