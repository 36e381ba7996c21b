"""What to switch on at Paytm beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.sandbox import SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        "merchant id and key of staging, then of production, and the name of your *website*;",
        "net banking and the wallet for the page, if you want them;",
        '*dynamic QR* for UPI links, or UPI intents (*custom checkout*) with `upi = "intent"`;',
        (
            "in the dashboard, *Developer settings*, *Webhooks*, payments and refunds to "
            "`https://<gateway>/callbacks/<name>`."
        ),
    ),
    hints={
        "pay": "In staging: its test cards.",
    },
)
