"""An operator's checks of an account at Juspay before it takes money (docs/juspay.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "unknown-order",
        "/orders of a reference never used",
        "status NOT_FOUND, whatever the HTTP status",
    ),
    AccountCheck(
        "wrong-key",
        "/orders with another API key",
        "a refusal; nothing is declined, no key in the log",
    ),
    AccountCheck(
        "page",
        "/session",
        "NEW with payment_links.web, a page with cards only; set its host in page_origins if it is "
        "another one",
    ),
    AccountCheck("session-again", "/session twice for one order_id", "what comes: note it"),
    AccountCheck(
        "page-paid",
        "the page, paid by card, then /orders",
        "CHARGED, this amount; note effective_amount",
        paid=True,
    ),
    AccountCheck(
        "surcharge",
        "the same where the account has a surcharge",
        "amount without it; surcharge_amount and tax_amount apart",
        paid=True,
    ),
    AccountCheck(
        "page-failed",
        "a declined card, then another one on the same page",
        "AUTHORIZATION_FAILED, then CHARGED",
        paid=True,
    ),
    AccountCheck("page-left", "the page, left", "what /orders says an hour later", paid=True),
    AccountCheck("banks", "the pages of net banking and of wallets", "one method only", paid=True),
    AccountCheck(
        "upi-link",
        "/session, then /txns with UPI_PAY and sdk_params",
        "sdk_params with merchant_vpa and this amount: an app opens the link",
    ),
    AccountCheck("upi-paid", "the link, paid by an app", "CHARGED, with an rrn", paid=True),
    AccountCheck(
        "refund",
        "/orders/.../refunds of a part, twice with one unique_request_id, then /orders",
        "one refund; SUCCESS in the end",
    ),
    AccountCheck(
        "refund-too-much", "a refund of more than was paid", "an error_code with HTTP 400 or 422"
    ),
    AccountCheck(
        "webhook",
        "a payment with the dashboard's webhook",
        "200 at the callback address",
        paid=True,
    ),
    AccountCheck(
        "upi-address",
        "/v2/upi/verify-vpa of an address of yours, then of one that nobody has",
        "VALID with customer_name, then INVALID",
    ),
)
