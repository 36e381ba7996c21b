"""What to switch on at PhonePe beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.sandbox import SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        "client id, secret and version of the sandbox, then of production;",
        "*custom checkout* for UPI links and net banking, HDFC and SBI apart;",
        (
            "the webhook with a user name and a password, for orders and refunds, to "
            "`https://<gateway>/callbacks/<name>`;"
        ),
        "the host of your payment page, registered as referrer;",
        "who bears its fee: `feeAmount` is paid on top of the order.",
    ),
    enabled_for={
        "TakesMandates": (
            "*AutoPay* of custom checkout, and the webhook events `subscription.*` (`mandates`)"
        ),
    },
    good_vpa="success@ybl",
    hints={
        "pay": "In the sandbox: its test app and its test cards.",
    },
)
