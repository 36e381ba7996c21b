"""An operator's checks of an account at BillDesk before it takes money (docs/billdesk.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "unknown-order",
        "/transactions/get of a reference never used",
        "an error_code that is not published: set it as unknown_order_code",
    ),
    AccountCheck(
        "unknown-refund",
        "/refunds/get of a reference never used",
        "an error_code that is not published: set it as unknown_refund_code",
    ),
    AccountCheck(
        "wrong-key",
        "/transactions/get with another signing key",
        "nothing that is believed; no key in the log",
    ),
    AccountCheck("timestamp", "any call", "BD-Timestamp as 20261123141213 in Indian time is taken"),
    AccountCheck(
        "page",
        "/orders/create, then the form posted to links[rel=redirect]",
        "the page, with cards only",
    ),
    AccountCheck(
        "order-again",
        "/orders/create twice with one orderid and BD-Traceid",
        "the second one is refused: note its code",
    ),
    AccountCheck(
        "page-unpaid",
        "/transactions/get while nobody has paid on the page",
        "an error_code, or auth_status 0002: note which",
    ),
    AccountCheck(
        "page-paid",
        "the page, paid by card, then /transactions/get",
        "0300, amount and charge_amount alike",
        paid=True,
    ),
    AccountCheck(
        "surcharge",
        "the same where the account has a surcharge, and a refund of all",
        "charge_amount is amount and surcharge, less discount; note what is given back",
        paid=True,
    ),
    AccountCheck(
        "page-failed",
        "a declined card, then another one on the same page",
        "the order's last transaction",
        paid=True,
    ),
    AccountCheck(
        "page-left",
        "the page, left",
        "0398, or what /transactions/get says 30 minutes later",
        paid=True,
    ),
    AccountCheck(
        "bank",
        "/transactions/create with netbanking, nb and a bankid",
        "note its answer: a link with rel redirect at BillDesk's host; then set banks",
        paid=True,
    ),
    AccountCheck(
        "intent",
        "/transactions/create with upi, intent and a bankid",
        "note its answer: a upi:// link with a payee and this amount; then set upi_bank_id",
        paid=True,
    ),
    AccountCheck(
        "refund",
        "/refunds/create of a part, then /refunds/get, on the same day and a day later",
        "0699 and 0799: note which",
    ),
    AccountCheck("refund-again", "/refunds/create twice with one merc_refund_ref_no", "one refund"),
    AccountCheck(
        "refund-too-much",
        "/refunds/create of more than was paid",
        "an error_code with HTTP 400 or 422",
    ),
    AccountCheck(
        "settlements",
        "/pasettlements/v1_2/settlements/get of a day that BillDesk paid out",
        "its vouchers with payout_amount and, once paid, utr: note status and the day's field",
    ),
    AccountCheck(
        "webhook", "a payment with the portal's webhook", "200 at the callback address", paid=True
    ),
)
