"""What Razorpay published of recurring payments, as short as it still says the same.

From github.com/razorpay/markdown-docs, commit ab3bda5, api/payments/recurring-payments; the page is
named at each.
"""

from pathlib import Path
from typing import Any


def webhook(event: str, kind: str, entity: dict[str, Any]) -> dict[str, Any]:
    """Return the frame of webhooks.md around an entity."""
    return {
        "entity": "event",
        "account_id": "acc_8TgNt9DVrJB0bl",
        "event": event,
        "contains": [kind],
        "payload": {kind: {"entity": entity}},
        "created_at": 1595447383,
    }


# Page webhooks.md: a token of UPI, and one of eNACH
UPI_TOKEN: dict[str, Any] = {
    "id": "token_FVIP5DVexjoZjF",
    "entity": "token",
    "token": "5ESJrtR1V6k6mp",
    "bank": None,
    "wallet": None,
    "method": "upi",
    "vpa": {"username": "56546", "handle": "upi", "name": None},
    "recurring": True,
    "recurring_details": {"status": "cancelled", "failure_reason": None},
    "auth_type": None,
    "mrn": None,
    "used_at": 1598424055,
    "created_at": 1598424055,
    "start_time": 1598510437,
    "dcc_enabled": False,
    "max_amount": 5600,
    "expired_at": 1913956837,
}
ENACH_TOKEN: dict[str, Any] = {
    "id": "token_FHf94Uym9tdYFJ",
    "entity": "token",
    "token": "2wDPM7VAlXtjAR",
    "bank": "HDFC",
    "wallet": None,
    "method": "emandate",
    "recurring": True,
    "recurring_details": {"status": "confirmed", "failure_reason": None},
    "auth_type": "netbanking",
    "mrn": None,
    "used_at": 1595447381,
    "created_at": 1595447381,
    "bank_details": {
        "beneficiary_name": "Gaurav Kumar",
        "account_number": "1121431121541121",
        "ifsc": "HDFC0000001",
        "account_type": "savings",
    },
    "max_amount": 9999900,
    "expired_at": 1689971140,
    "dcc_enabled": False,
}
CONFIRMED = webhook("token.confirmed", "token", ENACH_TOKEN)
REJECTED = webhook(
    "token.rejected",
    "token",
    ENACH_TOKEN
    | {
        "recurring": False,
        "recurring_details": {"status": "rejected", "failure_reason": "Rejected by bank"},
    },
)
CANCELLED = webhook("token.cancelled", "token", UPI_TOKEN)
PAUSED = webhook(
    "token.paused",
    "token",
    UPI_TOKEN | {"recurring_details": {"status": "paused", "failure_reason": None}},
)
NOTIFICATION: dict[str, Any] = {
    "id": "notification_00000000000001",
    "entity": "notification",
    "order_id": "order_1Aa00000000002",
    "token_id": "token_M7K2eFBU7vToaQ",
    "delivered_at": 1634057113,
    "status": "delivered",
    "payment_after": 1634057114,
}
DELIVERED = webhook("order.notification.delivered", "notification", NOTIFICATION)
NOT_DELIVERED = webhook(
    "order.notification.failed",
    "notification",
    NOTIFICATION | {"id": "notification_00000000000002", "delivered_at": None, "status": "failed"},
)
# Page upi/create-subsequent-payments.md: the order of a debit, and what GET adds to its notice
ORDER: dict[str, Any] = {
    "id": "order_1Aa00000000002",
    "entity": "order",
    "amount": 1000,
    "amount_paid": 0,
    "amount_due": 1000,
    "currency": "INR",
    "receipt": "Receipt No. 1",
    "notification": {
        "token_id": "token_M7K2eFBU7vToaQ",
        "payment_after": 1634057114,
        "id": "notification_00000000000001",
    },
    "offer_id": None,
    "status": "created",
    "attempts": 0,
    "notes": [],
    "created_at": 1579782776,
}
NOTICED_ORDER = ORDER | {
    "notification": ORDER["notification"] | {"status": "delivered", "delivered_at": 1634057113}
}
# Page upi/tokens.md: the payment of a debit
DEBIT: dict[str, Any] = {
    "id": "pay_FHfAzEJ51k8NLj",
    "entity": "payment",
    "amount": 100,
    "currency": "INR",
    "status": "captured",
    "order_id": "order_FHfANdTUYeP8lb",
    "method": "upi",
    "amount_refunded": 0,
    "captured": True,
    "vpa": "gaurav.kumar@upi",
    "customer_id": "cust_DtHaBuooGHTuyZ",
    "token_id": "token_FHfAzGzREc1ug6",
    "fee": 0,
    "tax": 0,
    "error_code": None,
    "acquirer_data": {
        "rrn": "854977234911",
        "upi_transaction_id": "D0BED5A062ECDB3E9B3A1071C96BB273",
    },
    "created_at": 1595447490,
}
# payments/payment-gateway/s2s-integration/recurring-payments/emandate/auto-debit.md: a page at
# which an account is registered, and its first amount debited later; the answer is shortened
REGISTRATION: dict[str, Any] = {
    "customer": {
        "name": "Gaurav Kumar",
        "email": "gaurav.kumar@example.com",
        "contact": "9123456780",
    },
    "type": "link",
    "amount": 0,
    "currency": "INR",
    "description": "12 p.m. Meals",
    "subscription_registration": {
        "first_payment_amount": 100,
        "method": "emandate",
        "auth_type": "netbanking",
        "expire_at": 1580480689,
        "max_amount": 50000,
        "bank_account": {
            "beneficiary_name": "Gaurav Kumar",
            "account_number": "11214311215411",
            "account_type": "savings",
            "ifsc_code": "HDFC0001233",
        },
    },
    "receipt": "Receipt no. 1",
    "expire_by": 1880480689,
    "sms_notify": True,
    "email_notify": True,
    "notes": {"note_key 1": "Beam me up Scotty"},
}
REGISTRATION_LINK: dict[str, Any] = {
    "id": "inv_FHrY6tDtVP2dHg",
    "entity": "invoice",
    "receipt": "Receipt no. 25",
    "customer_id": "cust_BMB3EwbqnqZ2EI",
    "order_id": "order_FHrY6tiC2y7NNN",
    "payment_id": None,
    "status": "issued",
    "amount": 0,
    "currency": "INR",
    "short_url": "https://rzp.io/i/DxEcNtR",
    "type": "link",
}
# Page emandate/tokens.md: the payment of nothing that registered an account
REGISTERED: dict[str, Any] = {
    "id": "pay_FHf9a7AO0iXM9I",
    "entity": "payment",
    "amount": 0,
    "currency": "INR",
    "status": "captured",
    "order_id": "order_FHf9OwSeyetnKC",
    "invoice_id": "inv_FHf9P2hhXEti7i",
    "method": "emandate",
    "captured": True,
    "bank": "HDFC",
    "customer_id": "cust_DtHaBuooGHTuyZ",
    "token_id": "token_FHf9aAZR9hWJkq",
    "fee": 0,
    "tax": 0,
    "acquirer_data": {},
    "created_at": 1595447410,
}
# Page upi/tokens.md: what ends a mandate, and what only forgets it
CANCELLATION = {"status": "cancellation_initiated"}
DELETION = {"deleted": True}
# Page upi/create-subsequent-payments.md: each reason of a failed debit, and what it says next
_LINES = (Path(__file__).parent / "mandate_reasons.txt").read_text().splitlines()
REASONS = dict(line.split() for line in _LINES)
