"""What a merchant's program does with pinelabs-python; run by `runs.program`."""

import json

from pinelabs import Amount, PinelabsApi
from pinelabs.core.api_error import ApiError
from program import TOLD, serve


def client():
    """Return the client with a token, at the stand-in."""
    given = PinelabsApi(base_url=TOLD["url"], token="none yet").authentication.generate_token(
        grant_type="client_credentials",
        client_id=TOLD["client_id"],
        client_secret=TOLD["client_secret"],
    )
    return PinelabsApi(base_url=TOLD["url"], token=given.access_token)


def as_json(answer):
    return json.loads(answer.json())


def page():
    """Begin a payment at Pine's page, and read the order by our reference."""
    one = client()
    made = one.checkout.generate_checkout_link(
        merchant_order_reference="o1",
        order_amount=Amount(value=50_000, currency="INR"),
        integration_mode="REDIRECT",
        callback_url="https://pay.example.in/done",
    )
    read = one.orders.get_order_by_merchant_reference("o1")
    return {"made": as_json(made), "read": as_json(read)}


def paid():
    """Read a paid order, give a part back, read settlements."""
    one = client()
    order = one.orders.get_order_by_merchant_reference("o1")
    refund = one.refunds.create_refund(
        order.data.order_id,
        merchant_order_reference="r1",
        order_amount={"value": 100, "currency": "INR"},
    )
    return {
        "order": as_json(order),
        "refund": as_json(refund),
        "again": as_json(one.orders.get_order_by_merchant_reference("r1")),
        "detail": as_json(one.settlements.get_settlements_by_utr("UTR1")),
    }


def refused():
    """Read an order that is not there."""
    try:
        client().orders.get_order_by_id("nothing")
    except ApiError as error:
        return {"status": error.status_code}
    return {}


serve(page, paid, refused)
