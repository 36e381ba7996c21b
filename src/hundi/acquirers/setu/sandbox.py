"""What to switch on at Setu beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.answers import BankAccount
from hundi.acquirers.port.sandbox import SandboxAccount, SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        (
            "An account at Setu with the product *Bank account verification* and its "
            "asynchronous calls. Setu hands over client id, secret and product instance."
        ),
        "Money for the rupees that are paid in, as agreed.",
    ),
    good_account=SandboxAccount(BankAccount("1234567890", "ABCD0123456"), "John Doe"),
    bad_account=SandboxAccount(BankAccount("1234567890", "ABCD0123467"), "John Doe"),
    pending_account=SandboxAccount(BankAccount("1234567890", "ABCD0123450"), "John Doe"),
)
