"""The action of the trail: record what a person did, behind the entry before."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from hundi.infra.postgres.database import Queries
from hundi.infra.secrets.marks import mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.masking import masked
from hundi.staff.trail import rules, store
from hundi.staff.trail.rules import ABOUT_LENGTH_MAX, COMMAND_LINE, Entry

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


def _text(detail: Mapping[str, Any]) -> str:
    kept = {name: _kept(value) for name, value in detail.items()}
    return msgspec.json.encode(kept, order="sorted").decode()


def _kept(value: object) -> object:
    return masked(value) if isinstance(value, str) else value
