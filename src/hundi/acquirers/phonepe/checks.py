"""An operator's checks of an account at PhonePe before it takes money (docs/phonepe.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "token", "POST /v1/oauth/token", "200 with access_token and an expires_at in the future"
    ),
    AccountCheck(
        "wrong-secret",
        "POST /v1/oauth/token with another secret",
        "no token; nobody can pay, nothing is declined",
    ),
    AccountCheck(
        "unknown-order",
        "GET /payments/v2/order/{a reference never used}/status",
        "400 with code INVALID_MERCHANT_ORDER_ID",
    ),
    AccountCheck(
        "unknown-refund",
        "GET /payments/v2/refund/{an id never used}/status",
        "a code that is not published: set it as unknown_refund_code",
    ),
    AccountCheck(
        "upi-link",
        "POST /payments/v2/pay of ₹1, UPI_QR",
        "intentUrl begins upi://pay? and asks for this amount",
    ),
    AccountCheck(
        "used-before",
        "the same call with the same reference",
        "417; the first link can still be paid",
    ),
    AccountCheck(
        "upi-paid",
        "the link, paid by an app, then inquiry",
        "COMPLETED with amount and rail.utr",
        paid=True,
    ),
    AccountCheck(
        "upi-failed-then-paid",
        "the link, failed once, then paid, with inquiries",
        "PENDING after the failed try, then COMPLETED",
        paid=True,
    ),
    AccountCheck(
        "upi-left",
        "the link, left until it has expired, then inquiry",
        "FAILED, not PENDING for ever",
    ),
    AccountCheck(
        "page",
        "POST /checkout/v2/pay of ₹1, then its redirectUrl from the payment page",
        "an address at one of checkout_origins, and it opens without PhonePe's script",
        paid=True,
    ),
    AccountCheck(
        "page-paid",
        "the page, paid by card, then inquiry",
        "COMPLETED; the browser is back at us",
        paid=True,
    ),
    AccountCheck(
        "net-banking",
        "POST /payments/v2/pay with NET_BANKING, for each bank offered",
        "redirectUrl at one of bank_origins",
    ),
    AccountCheck(
        "refund",
        "POST /payments/v2/refund, twice with one id, then its status",
        "one refund; COMPLETED in time",
    ),
    AccountCheck(
        "refund-too-much",
        "POST /payments/v2/refund of more than was paid",
        "400 with code BAD_REQUEST",
    ),
    AccountCheck(
        "webhook",
        "a payment with the webhook of the dashboard, type SHA",
        "200 at the callback address",
        paid=True,
    ),
    AccountCheck(
        "mandate",
        "POST /subscriptions/v2/setup of ₹1 without targetApp; the link, approved by an app",
        "intentUrl begins upi://mandate?; ACTIVE",
        paid=True,
    ),
    AccountCheck(
        "mandate-notice",
        "POST /subscriptions/v2/notify, then the order's status",
        "NOTIFIED, with validAfter and validUpto",
    ),
    AccountCheck(
        "mandate-debit",
        "POST /subscriptions/v2/redeem a day later, then the order's status",
        "COMPLETED within 48 hours",
    ),
    AccountCheck(
        "mandate-paused",
        "the mandate, paused and resumed in the app",
        "PAUSED, then ACTIVE",
        paid=True,
    ),
    AccountCheck(
        "mandate-end",
        "POST /subscriptions/v2/{id}/cancel",
        "CANCELLED",
    ),
    AccountCheck(
        "upi-address",
        "POST /v2/validate/upi of an address of yours, then of one that nobody has",
        "valid true with name, then false",
    ),
)
