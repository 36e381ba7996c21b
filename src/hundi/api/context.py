"""The parts of a running gateway for interfaces and pages.

`bootstrap` makes them once.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
from cachetools import TTLCache

from hundi.acquirers.registry import Registry
from hundi.api.admission import Admission
from hundi.doctor.context import DoctorLooks
from hundi.infra.http.rates import Rates
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.infra.settings import Settings
from hundi.kernel.clock import ticks_s
from hundi.kernel.records import replace
from hundi.merchants.access.actions import Tokens
from hundi.merchants.access.sessions.rules import Sessions
from hundi.merchants.directory.actions import Directory
from hundi.partners.directory.actions import CallLog, PartnerDirectory
from hundi.partners.gst.actions import Registrations
from hundi.partners.identity.keys.actions import Signers
from hundi.partners.offers.actions import Openings
from hundi.partners.prepaid_cards.actions import CustomerCards
from hundi.partners.registers.routing import Registers
from hundi.payments.acquirer_accounts.actions import AccountContext
from hundi.payments.availability.actions import BankHealth
from hundi.payments.availability.use.actions import ChannelUse
from hundi.payments.methods.upi.actions import KnownAddresses
from hundi.payments.orders.actions import PaymentContext
from hundi.staff.sign_in.actions import SignIn

LISTS_MAX, LISTS_KEPT_S = 256, 1.0
BankLists = TTLCache[tuple[tuple[str, ...], str, tuple[str, ...]], msgspec.Raw, float]
"""Bank lists as they are sent, by the merchant's channels and trade, and the requested channels."""
CustomerWords = Callable[[str, str, str], str]
"""What customers read of a try that was not paid, by its method, its state and the bank's code."""


@dataclass(frozen=True, slots=True)
class PartnerServices:
    """The parts for the partners' interfaces."""

    directory: PartnerDirectory
    rates: Rates
    calls: CallLog
    registers: Registers
    registrations: Registrations
    cards: CustomerCards
    openings: Openings
    signers: Signers = field(default_factory=Signers)


@dataclass(frozen=True, slots=True)
class GatewayContext:
    """All parts of a running gateway, open and started."""

    settings: Settings
    db: Database
    vault: Vault
    directory: Directory
    tokens: Tokens
    sessions: Sessions
    mandate_links: Sessions
    consent_links: Sessions
    connectors: Registry
    payments: PaymentContext
    partners: PartnerServices
    bank_health: BankHealth
    admission: Admission
    sign_in: SignIn
    accounts: AccountContext
    customer_words: CustomerWords
    bank_lists: BankLists = field(
        default_factory=lambda: TTLCache(LISTS_MAX, LISTS_KEPT_S, timer=ticks_s)
    )
    upi_addresses: KnownAddresses = field(default_factory=KnownAddresses)
    channel_use: ChannelUse = field(default_factory=ChannelUse)
    doctor_looks: DoctorLooks = field(default_factory=DoctorLooks)
    explained: Rates = field(default_factory=Rates)
    """The explained refusals of each merchant in this minute."""
    console_db: Database | None = None
    """The database with the console's own rights; None where it has none of its own."""

    def for_console(self) -> "GatewayContext":
        """Return the same parts for pages of the console, which write with its rights."""
        db = self.console_db or self.db
        return replace(
            self,
            db=db,
            payments=replace(self.payments, db=db),
            accounts=replace(self.accounts, db=db),
        )
