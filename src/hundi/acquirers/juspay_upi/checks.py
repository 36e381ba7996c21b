"""An operator's checks of an account at a bank with Juspay's stack (docs/juspay-upi.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "unknown-payment",
        "status360 of a reference never used",
        "responseCode REQUEST_NOT_FOUND with HTTP 200; note whether the refusal is encrypted",
    ),
    AccountCheck(
        "wrong-key",
        "status360 signed by another key",
        "HTTP 401 with UNAUTHORIZED; nothing is declined, no key in the log",
    ),
    AccountCheck(
        "intent",
        "registerIntent",
        "SUCCESS with all fields of the link, encrypted, signed or plain as `answers` says; an app "
        "opens the link",
    ),
    AccountCheck(
        "intent-again", "registerIntent twice for one merchantRequestId", "DUPLICATE_REQUEST"
    ),
    AccountCheck(
        "intent-unpaid",
        "status360 of an intent that nobody pays, before and after its end",
        "REQUEST_PENDING, then REQUEST_EXPIRED: note what comes",
    ),
    AccountCheck(
        "intent-paid",
        "the link, paid by an app, then status360",
        "00 with SUCCESS, this amount and gatewayReferenceId, which is the RRN",
        paid=True,
    ),
    AccountCheck(
        "intent-failed",
        "a declined payment, then another one by the same link",
        "ZA or another code with FAILURE, then 00: note whether status360 tells the second one",
        paid=True,
    ),
    AccountCheck(
        "intent-late",
        "the link, paid after its end and with another amount",
        "the app refuses; X1 and YG",
        paid=True,
    ),
    AccountCheck(
        "refund",
        "refund360 of a part, twice with one refundRequestId",
        "one refund; SUCCESS in the end, with gatewayRefundReferenceId. Of OFFLINE note whether 00 "
        "comes before the money",
    ),
    AccountCheck(
        "refund-too-much", "a refund of more than was paid", "INVALID_REFUND_AMOUNT, nothing back"
    ),
    AccountCheck(
        "callback",
        "a payment and a refund with the bank's callbacks",
        "200 at the callback address, with callback_text and callback_algorithm as the bank signs",
        paid=True,
    ),
)
