"""An operator's checks of an account at Easebuzz before it takes money (docs/easebuzz.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "unknown-transaction",
        "transaction/v2/retrieve of a reference never used",
        "status false, and msg with words that are not published: set them as unknown_words",
    ),
    AccountCheck(
        "wrong-salt",
        "transaction/v2/retrieve with another salt",
        "status false and other words; nothing is declined, none in the log",
    ),
    AccountCheck("page", "payment/initiateLink", "status 1 with an access key; only cards"),
    AccountCheck(
        "page-again",
        "payment/initiateLink twice for one txnid",
        "what the second call says: note it",
    ),
    AccountCheck(
        "page-unpaid",
        "transaction/v2/retrieve while nobody has paid on the page",
        "initiated, pending, or no record: note which",
    ),
    AccountCheck(
        "page-paid",
        "the page, paid by card, then transaction/v2/retrieve",
        "success, this amount, easepayid",
        paid=True,
    ),
    AccountCheck(
        "charge",
        "the same where the account has a convenience fee",
        "amount is the order's, net_amount_debit has the fee",
        paid=True,
    ),
    AccountCheck(
        "page-failed", "a declined card", "failure, with error and error_Message", paid=True
    ),
    AccountCheck(
        "page-left", "the page, cancelled and left", "userCancelled, bounced: note them", paid=True
    ),
    AccountCheck(
        "banks",
        "the page of net banking, and that of wallets",
        "show_payment_mode holds",
        paid=True,
    ),
    AccountCheck(
        "upi-link",
        "initiate_seamless_payment with UPI and upi_qr",
        "a upi:// link with a payee and this amount: note its field, then set upi",
    ),
    AccountCheck(
        "upi-paid",
        "the link, paid by an app, then transaction/v2/retrieve",
        "success with bank_ref_num",
        paid=True,
    ),
    AccountCheck(
        "refund",
        "transaction/v2/refund twice with one merchant_refund_id, then refund/v1/retrieve",
        "one refund with our merchant_refund_id; note what the second call says",
    ),
    AccountCheck(
        "refund-too-much", "transaction/v2/refund of more than was paid", "status false, a reason"
    ),
    AccountCheck(
        "webhook",
        "a payment with the dashboard's webhook",
        "200 at the callback address: its hash holds; a form or JSON: note which",
        paid=True,
    ),
)
