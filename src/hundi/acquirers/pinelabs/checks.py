"""An operator's checks of an account at Pine Labs before it takes money (docs/pinelabs.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "unknown-order",
        "/pay/v1/orders/reference of a reference never used",
        "a code that is not published: set it as unknown_order_code",
    ),
    AccountCheck(
        "wrong-secret",
        "/auth/v1/token with another secret",
        "no token; nothing is declined, no secret in the log",
    ),
    AccountCheck(
        "page",
        "/checkout/v1/orders",
        "redirect_url, only cards; set its host in page_origins if it is another one",
    ),
    AccountCheck(
        "order-again",
        "/checkout/v1/orders twice with one reference and Idempotency-Key",
        "the same order",
    ),
    AccountCheck(
        "page-paid",
        "the page, paid by card, then the order by our reference",
        "PROCESSED, this order_amount, payments with an rrn",
        paid=True,
    ),
    AccountCheck(
        "charge",
        "the same where the account has a convenience fee",
        "order_amount without it, payment_amount with it: note it",
        paid=True,
    ),
    AccountCheck(
        "page-failed", "a declined card, then another one", "ATTEMPTED, then PROCESSED", paid=True
    ),
    AccountCheck("page-left", "the page, left", "what the order says an hour later", paid=True),
    AccountCheck("banks", "the pages of net banking and of wallets", "one method only", paid=True),
    AccountCheck(
        "upi-link",
        "/pay/v1/orders, then its payments with INTENT and upi_qr",
        "challenge_url is a upi:// link with a payee and this amount",
    ),
    AccountCheck("upi-paid", "the link, paid by an app", "PROCESSED, with an rrn", paid=True),
    AccountCheck("hold", "the page with pre_auth", "AUTHORIZED, pre_auth true", paid=True),
    AccountCheck("capture", "capture of a part, twice", "one capture; note state and amounts"),
    AccountCheck("void", "cancel of a hold, then of a captured order", "CANCELLED; then refused"),
    AccountCheck(
        "refund",
        "/pay/v1/refunds twice with one reference, then the refund by our reference",
        "one refund; PROCESSED in the end. Their shop plugin says refund_amount: note which holds",
    ),
    AccountCheck(
        "refund-too-much", "a refund of more than was paid", "a code with HTTP 400 or 422"
    ),
    AccountCheck("webhook", "a payment with the webhook", "200 at the callback address", paid=True),
)
