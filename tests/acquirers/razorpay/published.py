"""What Razorpay published: answers and a signed webhook, as short as they still say the same.

From github.com/razorpay/markdown-docs, commit ab3bda5f (the page is named at each), and
github.com/razorpay/razorpay-python, commit b56ac018: `webhook.json` is
tests/mocks/fake_payment_authorized_webhook.json byte for byte, its signature and the dummy secret
are of tests/test_client_utility.py and tests/helpers.py.
"""

import json
from pathlib import Path
from typing import Any

WEBHOOK = (Path(__file__).parent / "webhook.json").read_bytes()
WEBHOOK_SECRET = "key_secret"
WEBHOOK_SIGNATURE = "d60e67fd884556c045e9be7dad57903e33efc7172c17c6e3ef77db42d2b366e9"


def body(said: object) -> bytes:
    """Return what was published as a body."""
    return json.dumps(said).encode()


# api/orders/create.md
ORDER: dict[str, Any] = {
    "amount": 5000,
    "amount_due": 5000,
    "amount_paid": 0,
    "attempts": 0,
    "created_at": 1756455561,
    "currency": "INR",
    "entity": "order",
    "id": "order_RB58MiP5SPFYyM",
    "notes": {"key1": "value3"},
    "offer_id": None,
    "receipt": "receipt#1",
    "status": "created",
}

# api/orders/fetch-payments.md: a failed try, and a later one that was paid, of one order
FAILED: dict[str, Any] = {
    "id": "pay_N8FUmetkCE2hZP",
    "entity": "payment",
    "amount": 100,
    "currency": "INR",
    "status": "failed",
    "order_id": "order_N8FRN5zTm5S3wx",
    "method": "upi",
    "amount_refunded": 0,
    "captured": False,
    "vpa": "failure@razorpay",
    "fee": None,
    "error_code": "BAD_REQUEST_ERROR",
    "error_description": "Payment was unsuccessful due to a temporary issue.",
    "error_source": "gateway",
    "error_step": "payment_response",
    "error_reason": "payment_failed",
    "acquirer_data": {"rrn": None},
    "created_at": 1701688684,
}
PAID: dict[str, Any] = {
    "id": "pay_N8FVRD1DzYzBh1",
    "entity": "payment",
    "amount": 100,
    "currency": "INR",
    "status": "captured",
    "order_id": "order_N8FRN5zTm5S3wx",
    "method": "upi",
    "amount_refunded": 0,
    "captured": True,
    "vpa": "success@razorpay",
    "fee": 2,
    "error_code": None,
    "error_description": None,
    "error_reason": None,
    "acquirer_data": {
        "rrn": "267567962619",
        "upi_transaction_id": "F5B66C7C07CA6FEAD77E956DC2FC7ABE",
    },
    "created_at": 1701688721,
    "upi": {"vpa": "success@razorpay"},
}
PAYMENTS = {"entity": "collection", "count": 2, "items": [FAILED, PAID]}

# api/payments/entity.md: a card that was charged, and one whose holder gave up
CARD_PAID: dict[str, Any] = {
    "id": "pay_L0nSsccovt6zyp",
    "amount": 9900,
    "currency": "INR",
    "status": "captured",
    "order_id": "order_L0nS83FfCHaWqV",
    "captured": True,
    "card": {
        "id": "card_L0nSsfPv1LjA20",
        "name": "",
        "last4": "0153",
        "network": "Visa",
        "type": "debit",
        "issuer": None,
        "international": False,
    },
    "notes": [],
    "error_code": None,
    "error_reason": None,
    "acquirer_data": {
        "auth_code": "299196",
        "authentication_reference_number": "100222021120200000000742753928",
    },
    "created_at": 1672987417,
}
CARD_LEFT: dict[str, Any] = {
    "id": "pay_Kb8P4crStfXJea",
    "amount": 10000,
    "currency": "INR",
    "status": "failed",
    "order_id": None,
    "captured": False,
    "error_code": "BAD_REQUEST_ERROR",
    "error_description": "Your payment has been cancelled. Try again or complete the payment "
    "later.",
    "error_source": "customer",
    "error_step": "payment_authentication",
    "error_reason": "payment_cancelled",
    "acquirer_data": {"auth_code": None},
    "created_at": 1667384312,
}

# api/refunds/normal-refunds-idempotent.md
REFUND: dict[str, Any] = {
    "id": "rfnd_FP8QHiV938haTz",
    "entity": "refund",
    "amount": 500100,
    "receipt": "Receipt No. 31",
    "currency": "INR",
    "payment_id": "pay_29QQoUBi66xm2f",
    "notes": {},
    "acquirer_data": {"arn": None},
    "created_at": 1597078866,
    "status": "processed",
}
OTHER_BODY = {
    "error": {
        "code": "BAD_REQUEST_ERROR",
        "description": "Different request with the same idempotency key has already been "
        "processed.",
        "source": "NA",
        "step": "NA",
        "reason": "NA",
        "metadata": {},
    }
}

# api/orders/fetch-all.md, errors.md, api/orders/create.md
WRONG_KEY = {
    "error": {
        "code": "BAD_REQUEST_ERROR",
        "description": "The api key provided is invalid",
        "source": "NA",
        "step": "NA",
        "reason": "NA",
        "metadata": {},
    }
}
WRONG_OTP = {
    "error": {
        "code": "BAD_REQUEST_ERROR",
        "description": "Authentication failed due to incorrect otp",
        "field": None,
        "source": "customer",
        "step": "payment_authentication",
        "reason": "invalid_otp",
        "metadata": {"payment_id": "pay_EDNBKIP31Y4jl8", "order_id": "order_DBJKIP31Y4jl8"},
    }
}
TOO_LITTLE = {
    "error": {
        "code": "BAD_REQUEST_ERROR",
        "description": "The amount must be at least INR 1.00",
        "source": "business",
        "step": "payment_initiation",
        "reason": "input_validation_failed",
        "metadata": {},
        "field": "amount",
    }
}

# s2s-integration, payment-methods/upi/intent.md; and of json/v2/build-integration, upi/intent.md
# and cards.md
UPI_LINK = {
    "razorpay_payment_id": "pay_CMeM6XvOPGFiF",
    "link": "upi://pay?pa=success@razorpay&pn=xyz&tr=xxxxxxxxxxx&tn=gourav&am=1&cu=INR&mc=xyzw",
}
UPI_STEPS = {
    "razorpay_payment_id": "pay_ERNEungCtXpZqM",
    "next": [
        {
            "action": "intent",
            "url": "upi://pay?pa=upi@razopay&pn=acme&tr=QTeEWVyigzIBlUD&tn=razorpay&am=100&cu=INR&mc=5411",
        },
        {"action": "poll", "url": "https://api.razorpay.com/v1/payments/pay_ERNEungCtXpZqM"},
    ],
}
CARD_STEPS = {
    "razorpay_payment_id": "pay_PSix5yL6ycr4oI",
    "next": [
        {
            "action": "redirect",
            "url": "https://api.razorpay.com/v1/payments/PSix5yL6ycr4oI/authenticate",
        },
        {
            "action": "otp_generate",
            "url": "https://api.razorpay.com/v1/payments/pay_PSix5yL6ycr4oI/otp_generate",
        },
    ],
}

# s2s-integration/payment-methods/methods-api.md
METHODS = {
    "entity": "methods",
    "card": True,
    "netbanking": {
        "UTIB": "Axis Bank",
        "BARB_R": "Bank of Baroda - Retail Banking",
        "DLXB": "Dhanlaxmi Bank",
        "DLXB_C": "Dhanlaxmi Bank - Corporate Banking",
    },
    "wallet": {"mobikwik": True, "payzapp": True, "paypal": True, "olamoney": False},
    "cardless_emi": [],
    "paylater": {"epaylater": True, "hdfc": True},
}

# payments/payment-methods/emi/credit-card-emi.md, with its plans of debit cards and of no bank;
# shortened
EMI_METHODS = {
    "entity": "methods",
    "emi_options": {
        "SCBL": [
            {
                "duration": 6,
                "interest": 13,
                "subvention": "customer",
                "min_amount": 250000,
                "merchant_payback": "3.68",
            },
            {
                "duration": 3,
                "interest": 11.880000000000001,
                "subvention": "customer",
                "min_amount": 250000,
                "merchant_payback": "1.95",
            },
        ],
        "AMEX": [
            {
                "duration": 3,
                "interest": 14,
                "subvention": "customer",
                "min_amount": 500000,
                "merchant_payback": "2.29",
                "processing_fee_plan": {"type": "fixed", "amount": 19900},
            }
        ],
        "onecard": [
            {"duration": 3, "interest": 16, "subvention": "customer", "min_amount": 250000}
        ],
        "HDFC_DC": [
            {"duration": 3, "interest": 16, "subvention": "customer", "min_amount": 300000}
        ],
    },
}

# s2s-integration/payment-methods.md
EMI_REQUEST = {
    "amount": 200000,
    "currency": "INR",
    "contact": "9000090000",
    "email": "gaurav.kumar@example.com",
    "order_id": "order_DPzFe1Q1dEObeD",
    "method": "emi",
    "emi_duration": 9,
    "card": {
        "number": "4386289407660153",
        "name": "Gaurav",
        "expiry_month": 11,
        "expiry_year": 30,
        "cvv": 100,
    },
    "authentication": {"authentication_channel": "browser"},
}

# api/payments/fetch-payment-expanded-emi.md
EMI_PAYMENT = {
    "id": "pay_DG4ZdRK8ZnXC3k",
    "entity": "payment",
    "amount": 200000,
    "currency": "INR",
    "status": "authorized",
    "order_id": None,
    "international": False,
    "method": "emi",
    "captured": False,
    "card_id": "card_DG4ZdUO3xABb20",
    "bank": "ICIC",
    "emi": {"issuer": "ICIC", "rate": 1300, "duration": 6},
    "acquirer_data": {"auth_code": "828553"},
    "created_at": 1568026077,
}

# webhooks/refunds.md
REFUND_WEBHOOK = {
    "entity": "event",
    "account_id": "acc_E7OQJcEANmBHTC",
    "event": "refund.processed",
    "contains": ["refund", "payment"],
    "payload": {
        "refund": {
            "entity": {
                "id": "rfnd_FS8TWyPrCsa0OB",
                "notes": {"comment": "Customer Notes."},
                "receipt": None,
            }
        },
        "payment": {
            "entity": {"id": "pay_FPoJKWQQ8lK13n", "order_id": "order_FPoIeimWki9j8A", "notes": []}
        },
    },
    "created_at": 1597734071,
}

# errors/payments/list.md: every reason of a failed payment
REASONS = tuple((Path(__file__).parent / "reasons.txt").read_text().split())
