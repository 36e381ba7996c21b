"""An operator's checks of an account at PayU before it takes money (docs/payu.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "unknown-transaction",
        "verify_payment of a reference never used",
        "status 0 with mihpayid and status Not Found",
    ),
    AccountCheck(
        "wrong-salt",
        "verify_payment with another salt",
        "status 0 and Invalid Hash; nothing is declined, none in the log",
    ),
    AccountCheck(
        "page", "the signed form, posted to _payment", "PayU's page, with cards only", paid=True
    ),
    AccountCheck(
        "instalments",
        "the form of the smallest amount with enforce_paymethod emi, paid, then verify_payment",
        "a page with instalments alone; mode EMI, and the whole amount",
        paid=True,
    ),
    AccountCheck(
        "banks",
        "the form of a bank and of a wallet, paid",
        "this bank alone, or its own page with hosts_banks; mode NB and CASH",
        paid=True,
    ),
    AccountCheck(
        "page-paid",
        "the page, paid by card, then verify_payment",
        "success, captured, one amount in amt and transaction_amount",
        paid=True,
    ),
    AccountCheck(
        "charge",
        "the same where the account has additional charges, and its webhook",
        "additional_charges, and which amounts have it: note it; the webhook's hash holds",
        paid=True,
    ),
    AccountCheck(
        "page-declined",
        "the page with a card that is declined",
        "failure, failed, with an error_code",
        paid=True,
    ),
    AccountCheck(
        "page-left", "the page, cancelled and left", "failure: userCancelled, bounced", paid=True
    ),
    AccountCheck(
        "posted-again",
        "the form of a declined payment, posted again",
        "what PayU makes of it: note it",
        paid=True,
    ),
    AccountCheck(
        "upi-link",
        "_payment with txn_s2s_flow 4 and bankcode INTENT",
        "intentURIData with a payee and this amount",
    ),
    AccountCheck(
        "upi-paid",
        "the link, paid by an app, then verify_payment",
        "success with bank_ref_num",
        paid=True,
    ),
    AccountCheck(
        "upi-late", "the link, paid after its page is over", "found by its webhook", paid=True
    ),
    AccountCheck(
        "hold", "the page with pre_authorize, then verify_payment", "success, auth", paid=True
    ),
    AccountCheck(
        "capture",
        "capture_transaction of a part, twice, then check_action_status",
        "one capture of this part",
    ),
    AccountCheck(
        "void",
        "cancel_transaction of a hold, then of a captured payment",
        "one cancel; the captured one is refused",
    ),
    AccountCheck(
        "refund",
        "cancel_refund_transaction, twice with one token, then check_action_status",
        "102, then 106; one refund",
    ),
    AccountCheck(
        "refund-too-much",
        "cancel_refund_transaction of more than was paid",
        "status 0 with error_code 105",
    ),
    AccountCheck(
        "second-refund",
        "verify_payment after a part was refunded, and another refund",
        "both refunds succeed",
    ),
    AccountCheck(
        "webhook",
        "a payment with the dashboard's webhook",
        "200 at the callback address: its hash holds",
        paid=True,
    ),
    AccountCheck(
        "mandate",
        "the UPI link's form with si, approved by an app, then upi_mandate_status",
        "intentURIData of a mandate, note how it begins; active",
        paid=True,
    ),
    AccountCheck(
        "mandate-adhoc",
        "the same for a period of a quarter",
        "billingCycle ADHOC is taken",
        paid=True,
    ),
    AccountCheck(
        "mandate-notice",
        "pre_debit_SI, then again with another requestId and action retrieve",
        "status 1 with invoiceId; the second one says the same, and the customer has one notice",
    ),
    AccountCheck(
        "mandate-debit",
        "si_transaction two days later, then verify_payment of its txnid",
        "captured, and found by its txnid",
    ),
    AccountCheck(
        "mandate-paused",
        "the mandate, paused and resumed in the app",
        "pause, then active",
        paid=True,
    ),
    AccountCheck(
        "mandate-webhook",
        "the webhook about a mandate that its customer pauses",
        "200 at the callback address: its hash holds; note JSON or form",
        paid=True,
    ),
    AccountCheck(
        "mandate-end",
        "upi_mandate_revoke, then upi_mandate_status",
        "status 1, then revoked",
    ),
    AccountCheck(
        "dispute",
        "GET /chargebacks of the day of a chargeback that PayU has raised",
        "its id, reply-before and debit-date; our reference in transaction-id",
    ),
    AccountCheck(
        "dispute-webhook",
        "the webhook about it, with its signature",
        "200 at the callback address; note txn_id and how cb_status is written",
    ),
    AccountCheck(
        "dispute-accept",
        "PATCH /chargebacks/dispute with accept and the reason Others",
        "a closed status, then a debit-date",
    ),
    AccountCheck(
        "upi-address",
        "validateVPA of an address of yours, then of one that nobody has",
        "SUCCESS with isVPAValid 1 and payerAccountName, then 0",
    ),
)
