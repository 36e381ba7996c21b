"""An operator's checks of an account at CCAvenue before it takes money (docs/ccavenue.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "unknown-order",
        "orderStatusTracker of a reference never used",
        "status 0, error_code 51313 or 51308",
    ),
    AccountCheck(
        "wrong-key",
        "orderStatusTracker with another working key",
        "status 1 with an error_code; no key in the log",
    ),
    AccountCheck(
        "page", "the encrypted form, posted to transaction.do", "the page, with cards only"
    ),
    AccountCheck(
        "page-unpaid",
        "orderStatusTracker while nobody has paid on the page",
        "Initiated, or no record: note which",
    ),
    AccountCheck(
        "page-paid",
        "the page, paid by card, then orderStatusTracker",
        "Successful or Shipped; order_amt and order_gross_amt alike",
        paid=True,
    ),
    AccountCheck(
        "confirm",
        "confirmOrder of it, twice, then orderStatusTracker",
        "success_count 1, then 51301; Shipped",
    ),
    AccountCheck(
        "page-declined",
        "a declined card, then another one on the same page",
        "one order, Successful",
        paid=True,
    ),
    AccountCheck("page-left", "the page, cancelled", "Aborted", paid=True),
    AccountCheck(
        "hold",
        "the page, paid by card, and left for an hour",
        "Successful still: the account confirms nothing",
        paid=True,
    ),
    AccountCheck("capture", "confirmOrder of a part", "Shipped, order_capt_amt is the part"),
    AccountCheck(
        "void",
        "cancelOrder of a hold, then of a confirmed order",
        "Cancelled; the confirmed one is refused",
    ),
    AccountCheck(
        "bank", "the form with OPTNBK, paid at a bank", "net banking alone; Successful", paid=True
    ),
    AccountCheck(
        "intent",
        "the form with OPTUPI, sent by the gateway",
        "status 0, intentUrl with a payee and this amount; then set upi",
        paid=True,
    ),
    AccountCheck(
        "payouts",
        "payoutSummary of a day with a payout, then payIdDetails",
        "lines whose amt_payable is amount less fees and tax; note the signs of debits",
    ),
    AccountCheck(
        "refund",
        "refundOrder twice with one refund_ref_no, then getRefundDetails",
        "0, then 51309; one refund",
    ),
    AccountCheck(
        "refund-too-much",
        "refundOrder of more than was paid",
        "refund_status 1 with 51314 or 51312",
    ),
    AccountCheck(
        "second-refund", "refundOrder of two parts", "both, or 51311: the bank takes one refund"
    ),
    AccountCheck(
        "webhook",
        "a payment with the dashboard's order status echo URL",
        "200 at the callback address",
        paid=True,
    ),
)
