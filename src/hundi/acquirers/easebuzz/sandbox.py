"""What to switch on at Easebuzz beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.sandbox import SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        "key and salt of the test environment, then of production;",
        "the methods of the page that you want: cards, net banking, wallets, pay later;",
        (
            "in the dashboard, *Product settings*, *Webhook*, the *transaction webhook* to "
            "`https://<gateway>/callbacks/<name>`;"
        ),
        "seamless payments for UPI, if you want UPI links here;",
        "who bears its fee: a convenience fee for the customer changes what is debited.",
    ),
    hints={
        "pay": "In the test environment: its test cards.",
    },
)
