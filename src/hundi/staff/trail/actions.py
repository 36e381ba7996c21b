"""The actions of the trail: record what a person did, and read what it proves."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from hundi.infra.postgres.database import Connection, Queries
from hundi.infra.secrets.marks import holds, mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.masking import masked
from hundi.kernel.records import replace
from hundi.merchants.directory import store as merchants
from hundi.merchants.directory.actions import BesideChange, MerchantChange
from hundi.staff.trail import rules, store
from hundi.staff.trail.rules import ABOUT_LENGTH_MAX, COMMAND_LINE, Entry, RowKind

_AFTER, _BEFORE = "{}_sha256", "{}_before"
"""Details of an entry: a row's new digest, and the one before."""
EMAIL = "email"
"""Detail of an entry: a person's address, exact; `email_of` refuses one that would be masked."""
TRIES_MAX = 50
"""Entries of one merchant that may be written at the same moment."""


@dataclass(frozen=True, slots=True)
class Who:
    """A person who acts, and the keys that prove it. network: "" for a command on the machine."""

    person_id: int
    name: str
    vault: Vault
    network: str = ""


def at_command_line(user: str, vault: Vault) -> Who:
    """Return the actor of a command on the machine. user: their name there."""
    return Who(COMMAND_LINE, f"{user} (command line)", vault)


def at_worker(vault: Vault) -> Who:
    """Return the actor of acts without a person: the worker, at its time."""
    return Who(COMMAND_LINE, "worker", vault)


async def record(
    source: Queries,
    merchant_id: int,
    who: Who,
    act: str,
    about: object,
    now: datetime,
    **detail: object,
) -> int:
    """Write an entry and return its number.

    source: a transaction's connection, so that act and entry commit together, or the database.
    merchant_id: 0 for acts that concern no merchant. act: a noun and a verb, such as
    `payment.refund`. detail: facts for later; never a secret, a card number or a customer's
    personal data.
    """
    subject = str(about)[:ABOUT_LENGTH_MAX]
    entry = Entry(
        merchant_id, 0, now, who.person_id, who.name, act, subject, _text(detail), who.network
    )
    for _ in range(TRIES_MAX):
        newest = await store.newest(source, merchant_id)
        number, before = (
            (newest["entry_no"] + 1, newest["digest"]) if newest else (1, rules.NOTHING)
        )
        entry = replace(entry, entry_no=number)
        digest = rules.digest_of(entry, before)
        if await store.insert(
            source, replace(entry, digest=digest, mark=mark_of(who.vault, rules.MARK, digest))
        ):
            return number
    message = f"{TRIES_MAX} entries of merchant {merchant_id} were written in the same moment"
    raise AssertionError(message)


@dataclass(frozen=True, slots=True)
class CheckedEntry:
    """An entry. is_proved: a gateway with the key wrote it."""

    entry: Entry
    is_proved: bool


def detail_of(entry: Entry) -> Mapping[str, Any]:
    """Return the details of an entry, none if they are not a JSON object."""
    try:
        return msgspec.json.decode(entry.detail, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return {}


def told(kind: RowKind, after: str, before: str = "") -> dict[str, str]:
    """Return an entry's details with the digests of a row after and before a change.

    before: "" for a new row, and for versions, which never change.
    """
    return {_AFTER.format(kind): after} | ({_BEFORE.format(kind): before} if before else {})


def recording_merchant(
    by: Who, act: str, now: datetime, about: object = None, **detail: object
) -> BesideChange:
    """Return a function that records a change of a merchant or its secrets, with the state before.

    about: None for the merchant.
    """

    async def write(conn: Connection, change: MerchantChange) -> None:
        digests = dict[str, str]()
        for name, after in (await merchants.digests(conn, change.merchant_id)).items():
            digests |= told(RowKind(name), after, change.before.get(name, ""))
        names = {"changed": " ".join(change.names)} if change.names else {}
        subject = change.merchant_id if about is None else about
        await record(conn, change.merchant_id, by, act, subject, now, **names, **detail, **digests)

    return write


def recording_seals(by: Who, now: datetime) -> BesideChange:
    """Return a function that records secrets sealed again, if the trail proves the merchant's."""
    record_change = recording_merchant(by, "keys.reseal", now)

    async def write(conn: Connection, change: MerchantChange) -> None:
        proofs = [
            await newest_told(conn, by.vault, change.merchant_id, RowKind(each), None)
            for each in change.before
        ]
        if proofs == list(change.before.values()):
            await record_change(conn, change)

    return write


async def about_people(
    source: Queries, vault: Vault, person_ids: Iterable[int], merchant_id: int | None = None
) -> dict[str, list[CheckedEntry]]:
    """Return the entries about people, by the id in the entries, oldest first at each place.

    merchant_id: only of this place; None for all places.
    """
    rows, abouts = (
        defaultdict[str, list[CheckedEntry]](list),
        [str(person_id) for person_id in person_ids],
    )
    entries = (
        store.about_people(source, abouts)
        if merchant_id is None
        else store.about_people_at(source, merchant_id, abouts)
    )
    for entry, before in await entries:
        rows[entry.about].append(CheckedEntry(entry, _is_proved(vault, entry, before)))
    return rows


async def proved_about(
    source: Queries, vault: Vault, merchant_id: int, noun: str, about: object
) -> list[Entry]:
    """Return the proved entries about one thing of a merchant, oldest first.

    noun: the beginning of their acts.
    """
    entries = await store.about(source, merchant_id, noun, str(about))
    return [entry for entry, before in entries if _is_proved(vault, entry, before)]


async def newest_told(
    source: Queries, vault: Vault, merchant_id: int, kind: RowKind, about: str | None
) -> str | None:
    """Return the digest in the newest proved entry about a row, None if no entry proves it.

    merchant_id: 0 for a row of the operator's. about: None for the merchant itself.
    """
    digest = _AFTER.format(kind)
    for entry, before in await store.with_detail(source, merchant_id, digest, about):
        if _is_proved(vault, entry, before):
            return str(detail_of(entry).get(digest))
    return None


async def was_done(source: Queries, vault: Vault, merchant_id: int, act: str) -> bool:
    """Return whether a gateway with the key recorded an act at a place."""
    return any(_is_proved(vault, *found) for found in await store.of_act(source, merchant_id, act))


def _is_proved(vault: Vault, entry: Entry, before: bytes) -> bool:
    return entry.digest == rules.digest_of(entry, before) and holds(
        vault, rules.MARK, entry.mark, entry.digest
    )


def _text(detail: Mapping[str, Any]) -> str:
    values = {name: value if name == EMAIL else _kept(value) for name, value in detail.items()}
    return msgspec.json.encode(values, order="sorted").decode()


def _kept(value: object) -> object:
    return masked(value) if isinstance(value, str) else value
