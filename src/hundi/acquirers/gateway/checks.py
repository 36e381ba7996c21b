"""An operator's checks of an account at another gateway (docs/another-gateway.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "credentials", "verify of an order id never used", "response_code 503, not 108, 501 or 903"
    ),
    AccountCheck(
        "live-merchant",
        "verify of an order id never used",
        "not response_code 130: no sandbox merchant",
    ),
    AccountCheck(
        "wrong-secret", "verify with another API secret", "response_code 108; nothing is declined"
    ),
    AccountCheck(
        "addresses",
        "success, failure and notification address, set there",
        "as hundi acquirer show says",
    ),
    AccountCheck(
        "encrypted-replies",
        "reply_format, set there",
        "both or encrypted: a plain reply is not believed",
    ),
    AccountCheck(
        "no-surcharge",
        "the fees that the account charges customers",
        "none: customers pay our amount",
    ),
    AccountCheck(
        "page",
        "the form of a payment, posted to /pay/v4/",
        "the other gateway's page, with cards only",
    ),
    AccountCheck(
        "page-paid",
        "the page, paid by card, then verify",
        "200 SUCCESS with rrn; the browser is back here",
        paid=True,
    ),
    AccountCheck(
        "page-declined",
        "the page, declined, then left",
        "400 or 405; our page offers the ways again",
        paid=True,
    ),
    AccountCheck(
        "page-again",
        "the form of a paid order, posted again",
        "response_code 112; nothing is charged",
        paid=True,
    ),
    AccountCheck(
        "upi-link",
        "generateorder of Rs 1, twice with one order id",
        "qr_string of upi://pay with am and cu; one order",
    ),
    AccountCheck(
        "upi-paid", "the link, paid by an app, then verify", "200 SUCCESS with rrn", paid=True
    ),
    AccountCheck(
        "address",
        "validatevpa of an address that exists, and of one that does not",
        "valid true, valid false",
    ),
    AccountCheck("hold", "the page with txnsubtype 1, then verify", "200 AUTHORIZE", paid=True),
    AccountCheck(
        "capture",
        "capture of a part, twice",
        "CAPTURE with captured_amount, then response_code 120",
    ),
    AccountCheck(
        "void", "void of a hold, then of a captured payment", "VOIDED, then response_code 120"
    ),
    AccountCheck(
        "refund", "refund of a part, twice with one refund_request_id", "one refund_id, two times"
    ),
    AccountCheck(
        "refund-end",
        "verify with the refund_id, a minute later",
        "refund_status done, refund_rrn and its amount",
    ),
    AccountCheck(
        "second-refund", "refund of the rest", "another refund_id: multiple_partial_refunds is on"
    ),
    AccountCheck(
        "refund-too-much", "refund of more than remains", "success false with response_code 121"
    ),
    AccountCheck(
        "webhook",
        "a payment, with the notification address set",
        "200 at the callback address",
        paid=True,
    ),
    AccountCheck(
        "seamless",
        "seamless to each bank offered",
        "next_action redirect or form, at one of bank_origins",
        paid=True,
    ),
)
