"""The action of the trail: record what a person did, behind the entry before."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from hundi.infra.postgres.database import Beside, Connection, Queries
from hundi.infra.secrets.marks import holds, mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.masking import masked
from hundi.merchants.directory import store as merchants
from hundi.staff.trail import rules, store
from hundi.staff.trail.rules import ABOUT_LENGTH_MAX, COMMAND_LINE, Entry

MERCHANT_DIGEST = "merchant_sha256"
"""Detail of an entry: of what a merchant is and may do from then on."""
TRIES_MAX = 50
"""Entries of one merchant that may be written in the same moment."""


@dataclass(frozen=True, slots=True)
class Who:
    """Somebody who acts, and the keys that prove it. network: "" for a command on the machine."""

    person_id: int
    name: str
    vault: Vault
    network: str = ""


def at_command_line(user: str, vault: Vault) -> Who:
    """Return who runs a command on the machine. user: their name there."""
    return Who(COMMAND_LINE, f"{user} (command line)", vault)


def at_worker(vault: Vault) -> Who:
    """Return who acts where nobody asked: the worker, at its time."""
    return Who(COMMAND_LINE, "worker", vault)


async def record(  # noqa: PLR0913 (what an entry says)
    source: Queries, merchant_id: int, who: Who, act: str, about: object, now: datetime, **detail: object
) -> int:
    """Write an entry and return its number.

    source: a transaction's connection, so that act and entry stand or fall together, or the database.
    merchant_id: 0 for what concerns no merchant. act: a noun and a verb, such as `payment.refund`.
    detail: what should be known later; never a secret, a card number or a customer's personal data.
    """
    shown = str(about)[:ABOUT_LENGTH_MAX]
    entry = Entry(merchant_id, 0, now, who.person_id, who.name, act, shown, _text(detail), who.network)
    for _ in range(TRIES_MAX):
        newest = await store.newest(source, merchant_id)
        number, before = (newest["entry_no"] + 1, newest["digest"]) if newest else (1, rules.NOTHING)
        entry = replace(entry, entry_no=number)
        digest = rules.digest_of(entry, before)
        if await store.insert(source, replace(entry, digest=digest, mark=mark_of(who.vault, rules.MARK, digest))):
            return number
    message = f"{TRIES_MAX} entries of merchant {merchant_id} were written in the same moment"
    raise AssertionError(message)


@dataclass(frozen=True, slots=True)
class Told:
    """An entry, and whether it was written by a gateway that has the key."""

    entry: Entry
    is_proved: bool


def told(by: Who, act: str, now: datetime, about: object = "", **detail: object) -> Beside:
    """Return what tells of a change of a merchant, with what the merchant is from then on.

    about: the merchant, where nothing else is named.
    """

    async def write(conn: Connection, merchant_id: int) -> None:
        digest = await merchants.digest(conn, merchant_id)
        named = {**detail, MERCHANT_DIGEST: digest}
        await record(conn, merchant_id, by, act, about or merchant_id, now, **named)

    return write


async def about_people(source: Queries, vault: Vault, person_ids: Iterable[int]) -> dict[str, list[Told]]:
    """Return what was done about people, by the id as an entry names it; oldest first at each place."""
    found = defaultdict[str, list[Told]](list)
    for entry, before in await store.about_people(source, [str(each) for each in person_ids]):
        found[entry.about].append(Told(entry, _is_proved(vault, entry, before)))
    return found


async def last_told(source: Queries, vault: Vault, merchant_id: int, noun: str, about: str) -> Mapping[str, Any]:
    """Return the detail of the newest entry about one thing of a merchant, nothing where there is none.

    An entry that was written without the key is none. noun: that its act begins with.
    """
    entries = await store.about(source, merchant_id, noun, about)
    proved = (entry for entry, before in reversed(entries) if _is_proved(vault, entry, before))
    found = next(proved, None)
    return msgspec.json.decode(found.detail) if found else {}


async def tells_of_merchant(source: Queries, merchant_id: int) -> bool:
    """Return whether an entry tells what a merchant is and may do."""
    return bool(await source.fetchval(store.TELLS_OF_MERCHANT, merchant_id))


async def is_told(source: Queries, vault: Vault, act: str) -> bool:
    """Return whether an act about people was done anywhere, by a gateway that has the key."""
    return any(_is_proved(vault, *each) for each in await store.of_act(source, act))


def _is_proved(vault: Vault, entry: Entry, before: bytes) -> bool:
    return entry.digest == rules.digest_of(entry, before) and holds(vault, rules.MARK, entry.mark, entry.digest)


def _text(detail: Mapping[str, Any]) -> str:
    kept = {name: _kept(value) for name, value in detail.items()}
    return msgspec.json.encode(kept, order="sorted").decode()


def _kept(value: object) -> object:
    return masked(value) if isinstance(value, str) else value
