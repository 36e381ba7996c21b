"""What to switch on at Pine Labs beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.sandbox import SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        "client id and secret of the UAT, then of production;",
        ("the methods of the checkout that you want: cards, UPI, net banking, wallets, pay later;"),
        "server-to-server payments for UPI, if you want UPI links here;",
        "pre-authorisation, if you want holds;",
        (
            "the webhook's address `https://<gateway>/callbacks/<name>` and its secret, by "
            "their support;"
        ),
        "who bears its fee: a convenience fee for the customer changes what is paid.",
    ),
    hints={
        "pay": "In the UAT: its test cards.",
    },
)
