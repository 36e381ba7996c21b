"""An operator's checks of an account at Cashfree before it takes money (docs/cashfree.md)."""

from hundi.acquirers.port.account_checks import AccountCheck

CHECKS = (
    AccountCheck(
        "credentials",
        "GET /orders/{a reference never used}",
        "404 with code order_not_found, not 401",
    ),
    AccountCheck(
        "order",
        "POST /orders of ₹1, twice with one reference",
        "200, then 200 again or 409; one order",
    ),
    AccountCheck(
        "order-closed", "PATCH /orders/{order_id} TERMINATED", "200 with order_status TERMINATED"
    ),
    AccountCheck(
        "expiry", "POST /orders that ends in 16 minutes", "200 with this order_expiry_time"
    ),
    AccountCheck(
        "upi-link",
        "POST /orders/sessions with upi, channel link",
        "data.payload.default begins upi://",
    ),
    AccountCheck(
        "upi-paid",
        "the link, paid by an app, then inquiry",
        "SUCCESS, payment_amount and bank_reference",
        paid=True,
    ),
    AccountCheck(
        "upi-declined",
        "the link, declined in the app, then inquiry",
        "Declined; the order TERMINATED",
        paid=True,
    ),
    AccountCheck(
        "net-banking",
        "POST /orders/sessions with each bank offered",
        "a page at one of page_origins",
    ),
    AccountCheck(
        "wallet", "POST /orders/sessions with each wallet offered", "a page at one of page_origins"
    ),
    AccountCheck(
        "page",
        "POST /links of ₹1, then GET /links/{link_id}",
        "link_url at one of link_origins; ACTIVE",
    ),
    AccountCheck(
        "page-paid",
        "the page, failed once, then paid, then inquiry",
        "Unknown, then SUCCESS by card",
        paid=True,
    ),
    AccountCheck(
        "card",
        "POST /orders/sessions with card, channel link",
        "a challenge at one of page_origins",
        paid=True,
    ),
    AccountCheck(
        "instalments",
        "POST /links of the smallest amount, with payment_methods ccemi, paid",
        "a page with instalments alone; SUCCESS, with emi_tenure",
        paid=True,
    ),
    AccountCheck(
        "hold",
        "POST /orders/{order_id}/authorization CAPTURE, VOID",
        "authorization.status SUCCESS",
        paid=True,
    ),
    AccountCheck(
        "refund",
        "POST /orders/{order_id}/refunds, twice with one id",
        "one refund; refund_id as it was sent",
    ),
    AccountCheck(
        "refund-unknown",
        "GET /orders/{order_id}/refunds/{one never made}",
        "404 with a code that ends _not_found",
    ),
    AccountCheck(
        "webhook",
        "a webhook of the dashboard's test, to the callback address",
        "200: its signature holds",
    ),
    AccountCheck(
        "dispute",
        "GET /disputes/{dispute_id} of one that Cashfree's support has raised",
        "a webhook before it; order_id as it was sent",
    ),
    AccountCheck(
        "dispute-books",
        "POST /recon of the day of that dispute",
        "an entry DISPUTE or CHARGEBACK with its order_id",
    ),
    AccountCheck(
        "dispute-contest",
        "POST /disputes/{dispute_id}/documents, twice with one file",
        "one document, under the file's name; DOCS_RECEIVED",
    ),
    AccountCheck(
        "wrong-secret",
        "GET /orders/{order_id} with another secret",
        "401 with authentication_error; not declined",
    ),
    AccountCheck(
        "mandate",
        "POST /subscriptions, /subscriptions/pay AUTH; the link, approved by an app",
        "data.payload has a link that begins upi://mandate?; ACTIVE",
        paid=True,
    ),
    AccountCheck(
        "mandate-notice",
        "POST /subscriptions/pay/controlled/notify-mandate, twice with one id",
        "one notification, SUCCESS",
    ),
    AccountCheck(
        "mandate-debit",
        "POST /subscriptions/pay/controlled/execute-mandate a day later, twice with one id",
        "one execution, SUCCESS",
    ),
    AccountCheck(
        "mandate-paused",
        "the mandate, paused and resumed in the app",
        "CUSTOMER_PAUSED, then ACTIVE",
        paid=True,
    ),
    AccountCheck(
        "mandate-refund",
        "POST /subscriptions/{id}/refunds of a debit",
        "SUCCESS in time",
    ),
    AccountCheck(
        "mandate-end",
        "POST /subscriptions/{id}/manage CANCEL",
        "CANCELLED",
    ),
)
