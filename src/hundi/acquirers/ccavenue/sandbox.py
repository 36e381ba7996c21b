"""What to switch on at CCAvenue beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.sandbox import SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        (
            "access code and working key of your web address, and your gateway's addresses, "
            "registered;"
        ),
        (
            "an account with cards alone for `card_page`; net banking beside it, if you want "
            "it: its form chooses the option;"
        ),
        "UPI intents, if you want UPI links here (`upi`);",
        "whether the account confirms orders by itself (`holds`);",
        "*order status echo URL* to `https://<gateway>/callbacks/<name>`;",
        "no charges on top: two amounts that differ approve nothing.",
    ),
    hints={
        "pay": "In the test environment: the test cards that CCAvenue gave you.",
    },
)
