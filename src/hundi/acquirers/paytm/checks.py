"""An operator's checks of an account at Paytm before it takes money (docs/paytm.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "unknown-order",
        "/v3/order/status of a reference never used",
        "TXN_FAILURE with 334 or 331, and no txnId",
    ),
    AccountCheck(
        "wrong-key",
        "/v3/order/status with another key",
        "a code of the checksum; nothing is declined, no key in the log",
    ),
    AccountCheck(
        "page",
        "initiateTransaction, then the form posted to showPaymentPage",
        "S with txnToken; only cards",
    ),
    AccountCheck(
        "page-unpaid",
        "/v3/order/status while nobody has paid on the page",
        "PENDING, or no record: note which",
    ),
    AccountCheck(
        "page-paid",
        "the page, paid by card, then /v3/order/status",
        "TXN_SUCCESS, 01, this txnAmount",
        paid=True,
    ),
    AccountCheck(
        "page-failed",
        "a declined card, then another one on the same page",
        "one order, TXN_SUCCESS at its end",
        paid=True,
    ),
    AccountCheck(
        "page-left",
        "the page, left",
        "what /v3/order/status says 20 minutes later: note the code",
        paid=True,
    ),
    AccountCheck("again", "initiateTransaction twice for one order", "0002 with the same txnToken"),
    AccountCheck(
        "qr", "/paymentservices/qr/create", "QR_0001, qrData with a payee and this amount"
    ),
    AccountCheck(
        "qr-again",
        "/paymentservices/qr/create twice for one order",
        "QR_1033 or QR_0001 with the same qrData",
    ),
    AccountCheck(
        "qr-paid",
        "the QR, paid by an app, then /v3/order/status",
        "TXN_SUCCESS with bankTxnId",
        paid=True,
    ),
    AccountCheck(
        "banks",
        "the pages of net banking and of the wallet",
        "one mode only: NET_BANKING and BALANCE, or NB; the wallet asks its holder to sign in",
        paid=True,
    ),
    AccountCheck(
        "intent",
        "processTransaction with UPI_INTENT",
        "S, deepLinkInfo.deepLink is a upi:// link with a payee and this amount; then set upi",
    ),
    AccountCheck("qr-late", "the QR, paid after its expiryDate", "the app refuses", paid=True),
    AccountCheck(
        "refund",
        "/refund/apply twice with one refId, then /v2/refund/status",
        "601, then 617; one refund",
    ),
    AccountCheck("refund-too-much", "/refund/apply of more than was paid", "TXN_FAILURE with 619"),
    AccountCheck(
        "unknown-refund", "/v2/refund/status of a refId never used", "TXN_FAILURE with 631"
    ),
    AccountCheck(
        "webhook",
        "a payment with the dashboard's webhook",
        "200 at the callback address: its checksum holds",
        paid=True,
    ),
    AccountCheck(
        "settlements",
        "/merchant-settlement-service/settlement/list of a day with a payout, in production",
        "SUCCESS with its lines: note the list's name, the words of txnType, and the txnId of a"
        " refund's line",
    ),
    AccountCheck(
        "dispute",
        "the Dispute Status API of a dispute that a customer raised, and its webhook",
        "the address, as Paytm gave it: set dispute_path; note each disputeStatus for"
        " dispute_words",
    ),
)
