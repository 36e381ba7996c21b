"""What to switch on at Juspay beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.sandbox import SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        (
            "the merchant id and an API key (*Settings*, *Security*), of the sandbox, then of "
            "production;"
        ),
        "the client id of the payment page; in HDFC's sandbox it is `hdfcmaster`;",
        (
            "the methods that you want: cards, UPI, net banking, wallets, pay later, each with "
            "its gateway behind it;"
        ),
        (
            "the webhook (*Settings*, *Webhooks*) to `https://<gateway>/callbacks/<name>`, with"
            " a user name and a password, for orders and refunds;"
        ),
        "UPI by intent with `sdk_params`, if you want UPI links here.",
    ),
    hints={
        "pay": "In the sandbox: its test cards.",
    },
)
