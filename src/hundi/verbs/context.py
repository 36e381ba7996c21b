"""The context of a verb: the database, the keys, who acts, and the entry in the trail."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hundi.acquirers.port.payments import Connector
from hundi.infra.http.addresses import AddressRefusedError
from hundi.infra.http.client import client_for_others
from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.infra.settings import Settings
from hundi.kernel.money import Money, shown
from hundi.kernel.records import replace
from hundi.kernel.states import Actor
from hundi.merchants.directory.actions import BesideChange, Directory, MerchantChange
from hundi.payments.acquirer_accounts.actions import AccountContext
from hundi.staff.people.rules import OPERATOR
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who, at_command_line


class VerbProblemError(Exception):
    """A verb cannot be done; the message is for the person who called it."""


@dataclass(frozen=True, slots=True)
class DocumentFault:
    """One fault of a document.

    place: where in the document, "" for the whole. facts: the same for scripts.
    """

    code: str
    place: str
    words: str
    facts: Mapping[str, Any]


class DocumentFaultsError(Exception):
    """A document has faults; all of them are listed."""

    def __init__(self, faults: Sequence[DocumentFault]) -> None:
        """Keep the faults."""
        super().__init__("; ".join(fault.words for fault in faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class VerbContext:
    """Dependencies of a verb, from the command line or the console.

    trail: the name of the act's entry. across: whether the person looks at all merchants; the entry
    is then the operator's too. name: who acts, as rows name them. told_as: the same, as merchants
    read it. actor: the same, in the story of a payment. payment_page_url: the gateway's address for
    customers; base_url: its address for servers. reference: our own name of what the act creates,
    the same each time one form is sent. allow_private: whether notifications may go to private
    addresses. acquirers: returns all acquirers that have a capability, by default all, to read
    what they say of themselves; a command opens each for it, and closes it again.
    """

    settings: Settings
    db: Database
    vault: Vault
    directory: Directory
    accounts: AccountContext
    now: datetime
    who: Who
    trail: str
    across: bool
    name: str
    told_as: str
    actor: Actor
    payment_page_url: str
    base_url: str
    reference: str
    allow_private: bool
    acquirers: Callable[..., Awaitable[Sequence[Connector]]]

    def recording(
        self, merchant_id: int, about: object = None, made: str = "", **detail: object
    ) -> Beside:
        """Return a writer of the act's trail entry, for the act's own transaction.

        about: None for the number of what the act created or changed. made: the name of that number
        in the entry; "" where the act creates nothing.
        """

        async def write(conn: Connection, number: int) -> None:
            details = {**detail, made: str(number)} if made else detail
            shown_as = number if about is None else about
            for place in self._places(merchant_id):
                details_there = (
                    {**details, "merchant": str(merchant_id)} if place != merchant_id else details
                )
                await trail.record(
                    conn, place, self.who, self.trail, shown_as, self.now, **details_there
                )

        return write

    def recording_change(self, about: object = None, **detail: object) -> BesideChange:
        """Return a writer of the trail entry for a change of a merchant or of its secrets."""
        own = trail.recording_merchant(self.who, self.trail, self.now, about, **detail)

        async def write(conn: Connection, change: MerchantChange) -> None:
            if self.across:
                details = {**detail, "merchant": str(change.merchant_id)}
                shown_as = change.merchant_id if about is None else about
                await trail.record(
                    conn, OPERATOR, self.who, self.trail, shown_as, self.now, **details
                )
            await own(conn, change)

        return write

    def signed(self, name: str) -> Who:
        """Return who acts, from the name that a command was given; "" for none."""
        return at_command_line(name, self.vault) if name and not self.who.person_id else self.who

    def signing(self, name: str) -> "VerbContext":
        """Return this context for an act of a person whom a command names; "" for none."""
        return replace(self, who=self.signed(name))

    @property
    def is_operator(self) -> bool:
        """Return whether the operator acts, and not a person of a merchant."""
        return self.actor is Actor.OPERATOR

    def named(self, act: str) -> "VerbContext":
        """Return this context for an act with another name in the trail."""
        return replace(self, trail=act)

    async def check_reach(self, name: str, url: str) -> None:
        """Raise VerbProblemError unless the gateway may call an address.

        name: of the parameter with the address.
        """
        async with client_for_others(allow_private=self.allow_private) as http:
            try:
                await http.check_address(url)
            except AddressRefusedError as refused:
                message = f"{name}: {refused}"
                raise VerbProblemError(message) from None

    def _places(self, merchant_id: int) -> list[int]:
        """Return the merchants in whose trails an act is written.

        The operator's trail is always first: in another order two acts could deadlock.
        """
        return [OPERATOR, merchant_id] if self.across and merchant_id != OPERATOR else [merchant_id]

    async def check_merchant(self, merchant_id: int) -> None:
        """Raise VerbProblemError unless a merchant has this id."""
        if await self.directory.get(merchant_id) is None:
            message = f"there is no merchant {merchant_id}"
            raise VerbProblemError(message)


def money(paise: int, currency: str = "INR") -> str:
    """Return an amount as the trail writes it."""
    return shown(Money(paise, currency))
