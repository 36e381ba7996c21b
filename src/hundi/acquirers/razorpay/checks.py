"""An operator's checks of an account at Razorpay before it takes money (docs/razorpay.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "credentials", "GET /orders?receipt={a reference never used}", "200 with no items, not 401"
    ),
    AccountCheck(
        "wrong-secret", "the same with another secret", "401; nobody can pay, nothing is declined"
    ),
    AccountCheck(
        "order",
        "POST /orders of ₹1, twice with one receipt and unique_receipt",
        "200 twice, with one order id",
    ),
    AccountCheck(
        "capture-options",
        "POST /orders with payment.capture_options of 12 minutes",
        "200, not extra_field_sent",
    ),
    AccountCheck(
        "methods",
        "GET /methods with the key id alone",
        "200 with the banks and wallets of the account",
    ),
    AccountCheck(
        "upi-link",
        "POST /payments/create/upi with flow intent",
        "a link that begins upi://pay? and asks for this amount",
    ),
    AccountCheck(
        "upi-paid",
        "the link, paid by an app, then inquiry",
        "captured, with amount and acquirer_data.rrn",
        paid=True,
    ),
    AccountCheck(
        "upi-left",
        "the link, left alone for 15 minutes, then inquiry",
        "failed after 10 minutes, then declined by us",
    ),
    AccountCheck(
        "page",
        "POST /checkout/embedded, the form of the payment page",
        "Razorpay's page, with cards",
    ),
    AccountCheck(
        "page-paid",
        "the page, failed once, then paid, with inquiries",
        "Unknown, then captured, of one order",
        paid=True,
    ),
    AccountCheck(
        "notes",
        "GET /orders/{id}/payments after that",
        "notes.hundi_reference is our reference, also from the page",
    ),
    AccountCheck(
        "net-banking",
        "POST /payments/create/json for each bank offered",
        "next has redirect, at api.razorpay.com",
    ),
    AccountCheck(
        "wallet",
        "POST /payments/create/json for each wallet offered",
        "next has redirect, at api.razorpay.com",
    ),
    AccountCheck(
        "card",
        "POST /payments/create/json with a card, where it is certified",
        "a challenge, then captured",
        paid=True,
    ),
    AccountCheck(
        "instalments",
        "the same with method emi and emi_duration, with a card of the bank and with "
        "one of another bank",
        "captured, with this emi when expanded; what the other card gets",
        paid=True,
    ),
    AccountCheck(
        "hold",
        "an order with capture manual, paid on the page, then its capture",
        "authorized, then captured",
        paid=True,
    ),
    AccountCheck(
        "hold-lapses",
        "a hold that nobody captures, after three days",
        "refunded, with captured false",
        paid=True,
    ),
    AccountCheck(
        "refund",
        "POST /payments/{id}/refund, twice with one X-Refund-Idempotency",
        "one refund, with our receipt",
    ),
    AccountCheck(
        "refund-too-much", "a refund of more than was paid", "400, and no such refund in the list"
    ),
    AccountCheck(
        "webhook",
        "a payment and a refund with webhooks on",
        "200 at the callback address for each event",
        paid=True,
    ),
    AccountCheck(
        "mandate",
        "POST /customers, /orders with token, /payments/create/upi with recurring; the link,"
        " approved by an app",
        "captured, with a token_id; GET /customers/{id}/tokens/{token} says confirmed",
        paid=True,
    ),
    AccountCheck(
        "mandate-shown",
        "GET /customers/{id}/tokens/{token} of a UPI mandate",
        "200, else ask for save_vpa",
    ),
    AccountCheck(
        "mandate-notice",
        "POST /orders with notification, twice with one receipt, then GET /orders/{id}",
        "one order; notification.status delivered",
    ),
    AccountCheck(
        "mandate-debit",
        "POST /payments/create/recurring after payment_after, then inquiry",
        "captured within 36 hours, with notes.hundi_reference",
    ),
    AccountCheck(
        "mandate-paused",
        "the mandate, paused and resumed in the app, with webhooks on",
        "paused, then confirmed; 200 at the callback address",
        paid=True,
    ),
    AccountCheck(
        "mandate-end",
        "PUT /customers/{id}/tokens/{token}/cancel",
        "cancellation_initiated, then cancelled",
    ),
    AccountCheck(
        "account-mandate",
        "POST /subscription_registration/auth_links with method emandate and first_payment_amount;"
        " an account, registered at its short_url",
        "a captured payment of 0 with a token_id; on the same order, within two days, one of the"
        " first amount; a page at rzp.io that asks for account number and IFSC",
        paid=True,
    ),
    AccountCheck(
        "account-debit",
        "POST /orders and /payments/create/recurring for that token, then inquiry",
        "captured within two working days; note token.mrn",
    ),
    AccountCheck(
        "upi-address",
        "POST /payments/validate/vpa of an address of yours, then of one that nobody has",
        "success true with customer_name; then false: note a refusal",
    ),
)
