"""What to switch on at Cashfree Payouts beforehand, and what to pay with in a certification."""

from hundi.acquirers.port.answers import BankAccount
from hundi.acquirers.port.sandbox import SandboxAccount, SandboxData

SANDBOX_DATA = SandboxData(
    switch_on=(
        (
            "The product Payouts, and its API. Until then calls are answered "
            "`apis_not_enabled`, and nothing is paid."
        ),
        (
            "An API key of Payouts (*Payouts*, *Developers*, *API Keys*). It is another one "
            "than that of payments."
        ),
        (
            "Either the IPv4 addresses from which the gateway calls (*Two-Factor "
            "Authentication*; one page says ten, another 25), or a public key that you make "
            "there, for calls from anywhere. The sandbox needs neither."
        ),
        (
            "A webhook at `https://<gateway>/callbacks/<name>`, of version **V2**, with all "
            "transfer events. It is signed with the **oldest** secret that is still active: "
            "after a rotation delete the old key, or tell its secret to the gateway."
        ),
        (
            "Whether a transfer waits where the balance is short, and for how long (an hour to "
            "ten days), and which transfers need approvals."
        ),
        (
            "For checks of accounts: Secure ID with *Bank Account Verification*, an API key of "
            "its own, its own list of addresses or public key, and a webhook."
        ),
        (
            "For checks of UPI addresses (`address_checks`): *UPI Verification* of Secure ID, "
            "with money."
        ),
    ),
    good_vpa="success@upi",
    good_account=SandboxAccount(BankAccount("026291800001191", "YESB0000262"), "John Doe"),
    bad_account=SandboxAccount(BankAccount("026291800001190", "YESB0000262"), "John Doe"),
    pending_account=SandboxAccount(BankAccount("007711000031", "HDFC0000077"), "John Doe"),
)
