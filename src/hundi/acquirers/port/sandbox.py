"""What an operator needs to try an account: what to switch on, and what to pay with there."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hundi.acquirers.port.answers import BankAccount
from hundi.instruments.card import CardNumber


@dataclass(frozen=True, slots=True)
class SandboxAccount:
    """A bank account of an acquirer's sandbox. holder: as its bank has it."""

    account: BankAccount
    holder: str


@dataclass(frozen=True, slots=True)
class SandboxData:
    """Data of a connector for `hundi acquirer certify`, from what its acquirer published.

    switch_on: what to switch on at the acquirer beforehand, as its page lists it. enabled_for: by
    the name of a capability, what it enables for that alone; its page lists it after them. hints:
    what to click or type there, by the step's name, or by what is done (`pay`, `decline`, `leave`,
    `approve`). card, declined_card: typed cards. good_vpa, nobody_vpa: UPI addresses. good_account,
    bad_account, pending_account: bank accounts for payouts and checks. banks: by the method of
    attempt, the code of the bank or wallet that can be paid at. least_paise: by the method, the
    smallest amount, where two rupees are too little. Anything may be missing.
    """

    switch_on: tuple[str, ...] = ()
    enabled_for: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    card: CardNumber | None = None
    declined_card: CardNumber | None = None
    good_vpa: str = ""
    nobody_vpa: str = ""
    good_account: SandboxAccount | None = None
    bad_account: SandboxAccount | None = None
    pending_account: SandboxAccount | None = None
    banks: Mapping[str, str] = field(default_factory=dict)
    least_paise: Mapping[str, int] = field(default_factory=dict)

    def for_real_money(self) -> "SandboxData":
        """Return what holds for a live account as well: no card, address or account of others."""
        return SandboxData(self.switch_on, self.enabled_for, least_paise=self.least_paise)


UNKNOWN_SANDBOX = SandboxData()
"""Nothing is known of it."""
