"""What to switch on at PayU beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.sandbox import SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        "key and salt (version 1, for SHA-512) of the test environment, then of production;",
        (
            "net banking and each wallet that you want; *merchant hosted* checkout, if "
            "customers should go to their bank at once (`hosts_banks`);"
        ),
        (
            "*server to server* for UPI links, *pre-authorise* for holds, instalments for "
            "`instalments_from_rupees`;"
        ),
        (
            "webhooks for *Successful* and *Failed* payments, form encoded, to "
            "`https://<gateway>/callbacks/<name>`;"
        ),
        (
            "the *Chargeback* dashboard with a token of it, and its webhook with a signature, to "
            "the same address, for disputes;"
        ),
        "who bears its fee: *additional charges* change what is debited.",
    ),
    enabled_for={
        "TakesMandates": (
            "*recurring payments* (standing instructions) by UPI, with *server to server* "
            "(`mandates`)"
        ),
    },
    hints={
        "pay": "In the test environment: its test cards and its test bank.",
    },
)
