"""What to switch on at the bank beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.sandbox import SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        "merchant id, channel id and key id (KID) of the UAT, then of production;",
        (
            "an RSA key of 2048 bits or more: its public half goes to the bank, which gives the "
            "public key of its stack (*PG Public Key*);"
        ),
        "the address of its interface, where it is not Axis Bank;",
        (
            "the callback address `https://<gateway>/callbacks/<name>`, for payments by intent and "
            "for refunds;"
        ),
        (
            "your gateway's addresses on the bank's list, and how answers and callbacks are signed "
            "and encrypted;"
        ),
        "refunds: online ones with your UPI address, offline ones, or those by complaint (UDIR).",
    ),
    hints={
        "pay": "In the UAT: the test app that the bank gave you.",
    },
)
