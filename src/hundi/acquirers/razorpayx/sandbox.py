"""What to switch on at RazorpayX beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.answers import BankAccount
from hundi.acquirers.port.sandbox import SandboxAccount, SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        (
            "A current account at RazorpayX. Lite is not open to new customers; account "
            "validations are for Lite alone."
        ),
        (
            "An API key. It is the one of the payment gateway: another key there is another key"
            " here, so change both accounts together."
        ),
        (
            "The addresses from which the gateway calls, at *My Account & Settings*, *Developer"
            " Controls*: up to 20, for live keys. From any other address nothing is paid."
        ),
        (
            "A webhook at `https://<gateway>/callbacks/<name>` with a secret, and the events "
            "`payout.*` (`payout.failed` is mandatory there) and `fund_account.validation.*`. "
            "It is another entry than the payment gateway's."
        ),
        (
            "Whether payouts need approvals there. Two people have released each payout here; a"
            " workflow there makes people approve it once more."
        ),
        (
            "The name of the purpose of your payouts, if it is not `payout`: purposes are made "
            "in the dashboard alone."
        ),
        "An alarm for a low balance there, beside [the alarms here](payouts.md).",
    ),
    hints={
        "payout": (
            "In the test mode a payout stays in process until you move it on, in the dashboard:"
            " this one to processed."
        ),
        "payout-bad": "In the test mode: move this payout to reversed, in the dashboard.",
    },
    good_account=SandboxAccount(BankAccount("765432123456789", "HDFC0000053"), "John Doe"),
    bad_account=SandboxAccount(BankAccount("765432123456780", "HDFC0000053"), "John Doe"),
)
