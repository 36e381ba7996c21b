"""What a marketplace's program does with razorpay; run by `runs.program`."""

import razorpay
from program import TOLD, serve


def client():
    """Return the client, at the stand-in."""
    return razorpay.Client(
        auth=(TOLD["key"], TOLD["secret"]), base_url=TOLD["url"].removesuffix("/v1")
    )


def account():
    """Open a linked account with all that it needs."""
    made = client().account.create(TOLD["seller"])
    person = {"name": "Gaurav Kumar", "email": "gaurav.kumar@example.com"}
    stakeholder = client().stakeholder.create(made["id"], person)
    asked = {"product_name": "route", "tnc_accepted": True}
    product = client().product.requestProductConfiguration(made["id"], asked)
    asked = {"settlements": TOLD["bank"], "tnc_accepted": True}
    changed = client().product.edit(made["id"], product["id"], asked)
    return {
        "made": made,
        "read": client().account.fetch(made["id"]),
        "stakeholders": client().stakeholder.all(made["id"]),
        "stakeholder": stakeholder,
        "changed": changed,
        "product": client().product.fetch(made["id"], product["id"]),
    }


def order():
    """Make an order with a part."""
    part = {"account": TOLD["account"], "amount": 500, "currency": "INR"}
    made = client().order.create({"amount": 1_000, "currency": "INR", "transfers": [part]})
    return {"made": made, "read": client().order.fetch(made["id"], {"expand[]": "transfers"})}


def split():
    """Transfer a part of a payment, read it in every way, hold it, and take it back."""
    part = {"account": TOLD["account"], "amount": 200, "currency": "INR"}
    made = client().payment.transfer(TOLD["payment"], {"transfers": [part]})
    number = made["items"][0]["id"]
    return {
        "of_payment": client().payment.transfers(TOLD["payment"]),
        "again": client().transfer.all({"payment_id": TOLD["payment"]}),
        "held": client().transfer.edit(number, {"on_hold": True}),
        "settled": client().transfer.all({"expand[]": "recipient_settlement"}),
        "reversal": client().transfer.reverse(number, {"amount": 100}),
        "reversals": client().transfer.reversals(number),
        "read": client().transfer.fetch(number),
        "refund": client().payment.refund(TOLD["payment"], {"amount": 100}),
    }


def direct():
    """Transfer from the balance, twice under one key."""
    asked = {"account": TOLD["account"], "amount": 100, "currency": "INR"}
    named = {"headers": {"X-Transfer-Idempotency": "fbdabb70-9548-4cfe-8da1-c9bbf39e96b0"}}
    return [client().transfer.create(asked, **named) for _time in range(2)]


serve(account, order, split, direct)
