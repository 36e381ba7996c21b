"""What to switch on at Razorpay beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.sandbox import SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        "keys of test mode, then of live mode (with your papers approved);",
        (
            "*server-to-server* payments for UPI links, net banking and wallets; typed cards "
            "only with your PCI DSS certificate (`certified`);"
        ),
        (
            "webhooks for payments, refunds and disputes to "
            "`https://<gateway>/callbacks/<name>`, with a secret;"
        ),
        (
            "who bears its fee: *customer fee bearer* and convenience fees hold for the whole "
            "account, in test mode and in live mode."
        ),
    ),
    enabled_for={
        "TakesMandates": (
            "*recurring payments* by UPI, server-to-server; `save_vpa`, so that tokens of UPI are "
            "shown; the webhook events `token.*` (`mandates`)"
        ),
        "TakesCardMandates": ("*recurring payments* by card, with the typed cards of `certified`"),
        "TakesBankMandates": (
            "*emandate* with registration links and `first_payment_amount`, each enabled by "
            "request (`enach`)"
        ),
        "SplitsSettlement": (
            "*Route*, and the webhook events `transfer.processed` and `transfer.failed`"
        ),
    },
    hints={
        "pay": (
            "With test keys: its test cards, or UPI as success@razorpay; on its bank page press"
            " Success."
        ),
        "decline": "With test keys: UPI as failure@razorpay; on its bank page press Failure.",
        "leave": (
            "Close the page. In its test mode a cancelled UPI payment succeeds: leave that step"
            " out there, with this reason."
        ),
    },
)
