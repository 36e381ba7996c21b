"""What to switch on at Cashfree beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.sandbox import SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        (
            "keys of the sandbox, then of production; your gateway's addresses, where the "
            "account demands them;"
        ),
        (
            "the S2S flag for UPI links, banks and wallets; typed cards (`cards_certified`), "
            "pre-authorisation (`holds_cards`) and instalments as you need them;"
        ),
        (
            "*Developers*, *Webhooks*: payments, refunds, auto-refunds, payment links and "
            "disputes to `https://<gateway>/callbacks/<name>`, with repeats;"
        ),
        "who bears its fee: a surcharge for the customer changes what is paid.",
    ),
    enabled_for={
        "TakesMandates": (
            "*Subscriptions* with UPI AutoPay, its S2S flag, the controlled payment flow, and the "
            "webhooks of subscriptions (`mandates`)"
        ),
        "SplitsSettlement": "*Easy Split* for the account",
    },
    hints={
        "pay": (
            "In the sandbox: its test cards with the OTP 111000, or UPI as testsuccess@gocash."
        ),
        "leave": "Close the page.",
    },
)
