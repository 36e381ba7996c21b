"""What a merchant's program does with razorpay, the official client; run by `runs.program`."""

import razorpay
from program import TOLD, serve
from razorpay.errors import SignatureVerificationError


def client():
    """Return the client, at the stand-in."""
    return razorpay.Client(
        auth=(TOLD["key"], TOLD["secret"]), base_url=TOLD["url"].removesuffix("/v1")
    )


def payments():
    """Make an order, and read orders and payments as the client does."""
    made = client().order.create(data={"amount": 50_000, "currency": "INR", "receipt": "r1"})
    return {
        "order": made,
        "again": client().order.fetch(made["id"]),
        "orders": client().order.all({"receipt": "r1"}),
        "payments": client().payment.all(),
        "of_order": client().order.payments(made["id"]),
    }


def paid():
    """Read a payment, capture it if it is held, and refund a part."""
    return {
        "payment": client().payment.fetch(TOLD["payment"]),
        "refund": client().payment.refund(TOLD["payment"], {"amount": 100}),
        "refunds": client().payment.fetch_multiple_refund(TOLD["payment"]),
        "methods": None,
        "report": client().settlement.report({"year": 2026, "month": 11}),
        "some": client().payment.all({"count": 1, "skip": 0}),
    }


def mandate():
    """Register a mandate, and charge it later."""
    if "token" not in TOLD:
        who = {"name": "Gaurav Kumar", "email": "g@example.com", "contact": "+919876543210"}
        customer = client().customer.create(who | {"fail_existing": "0"})
        order = client().order.create(
            {
                "amount": 100,
                "currency": "INR",
                "customer_id": customer["id"],
                "method": "upi",
                "token": {"max_amount": 200_000, "frequency": "as_presented"},
            }
        )
        payment = client().payment.createUpi(
            {
                "amount": 100,
                "currency": "INR",
                "order_id": order["id"],
                "customer_id": customer["id"],
                "recurring": "1",
                "method": "upi",
                "upi": {"flow": "intent"},
            }
        )
        return {"customer": customer["id"], "payment": payment}
    order = client().order.create({"amount": 50_000, "currency": "INR", "payment_capture": True})
    charged = client().payment.createRecurring(
        {
            "email": "g@example.com",
            "contact": "+919876543210",
            "amount": 50_000,
            "currency": "INR",
            "order_id": order["id"],
            "customer_id": TOLD["customer"],
            "token": TOLD["token"],
            "recurring": True,
        }
    )
    return {
        "charged": charged,
        "tokens": client().token.all(TOLD["customer"]),
        "token": client().token.fetch(TOLD["customer"], TOLD["token"]),
        "signed": client().utility.verify_payment_signature(charged),
    }


def enach():
    """Register a mandate at a bank's page, delete it later."""
    if "token" in TOLD:
        return client().token.delete(TOLD["customer"], TOLD["token"])
    who = {"name": "Gaurav Kumar", "email": "g@example.com", "contact": "+919876543210"}
    customer = client().customer.create(who | {"fail_existing": "0"})
    same = {"amount": 0, "currency": "INR", "method": "emandate", "customer_id": customer["id"]}
    token = {"auth_type": "netbanking", "max_amount": 9_999_900}
    order = client().order.create(same | {"token": token, "payment_capture": True})
    account = {"name": "Gaurav Kumar", "account_number": "1121431121541121"}
    account |= {"account_type": "savings", "ifsc": "HDFC0000001"}
    payment = client().payment.createPaymentJson(
        same
        | {
            "order_id": order["id"],
            "email": who["email"],
            "contact": who["contact"],
            "recurring": True,
            "bank": "HDFC",
            "auth_type": "netbanking",
            "bank_account": account,
        }
    )
    return {"customer": customer["id"], "order": order, "payment": payment}


def account():
    """Make a contact's fund account of RazorpayX, the only part of it that the client knows."""
    asked = {
        "contact_id": TOLD["contact"],
        "account_type": "bank_account",
        "bank_account": {
            "name": "Gaurav Kumar",
            "ifsc": "HDFC0000053",
            "account_number": "765432123456789",
        },
    }
    return {
        "made": client().fund_account.create(asked),
        "all": client().fund_account.all({"contact_id": TOLD["contact"]}),
    }


def webhook():
    """Verify a webhook, and one of somebody else."""
    known = client().utility.verify_webhook_signature(
        TOLD["body"], TOLD["signature"], TOLD["webhook_secret"]
    )
    try:
        client().utility.verify_webhook_signature(TOLD["body"], "0" * 64, TOLD["webhook_secret"])
    except SignatureVerificationError:
        return {"known": known, "other": False}
    return {"known": known, "other": True}


serve(payments, paid, mandate, enach, account, webhook)
