"""What to switch on at BillDesk beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.sandbox import SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        (
            "keys and client id of the UAT, then of production; your gateway's addresses, "
            "registered;"
        ),
        "an account with cards alone for `card_page`: its page cannot be restricted;",
        (
            "*server to server* for `transactions/create`, with the ids of your banks and of "
            "UPI, if you want net banking or UPI links here;"
        ),
        "webhooks for transactions and refunds to `https://<gateway>/callbacks/<name>`.",
    ),
    hints={
        "pay": "In the UAT: the cards that BillDesk gave you.",
    },
)
