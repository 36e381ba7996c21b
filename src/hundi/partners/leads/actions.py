"""The business verbs of leads: take in, change, review, approve (a merchant comes of it), reject."""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec
from asyncpg import Record, UniqueViolationError

from hundi.infra.database import Connection, Database
from hundi.infra.vault import Vault
from hundi.kernel.ids import new_id
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.rules import MerchantSettings, StoredKeys
from hundi.partners.directory.rules import Partner
from hundi.partners.leads import rules, store
from hundi.partners.leads.rules import Content, Groups, Lead, LeadState

_ID_TRIES_MAX = 5
_HASH_PURPOSE = "lead-business"


@dataclass(frozen=True, slots=True)
class Desk:
    """What leads are worked on with."""

    db: Database
    vault: Vault


@dataclass(frozen=True, slots=True)
class Deed:
    """What is done to a lead, by whom and why. merchant_id: of the merchant that came of it, else None."""

    kind: str
    actor: str
    words: str = ""
    merchant_id: int | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a lead that was sent. created: False for an update, or the same lead sent again."""

    lead_id: int
    notes: tuple[str, ...]
    created: bool


async def create(desk: Desk, partner: Partner, groups: Groups, now: datetime) -> Taken:
    """Take a new lead in; the same one again is the same lead.

    Raises Refused (LEAD_EXISTS) when this partner has another lead of this business.
    """
    content = Content(groups)
    found_by, same, notes = _business_hashes(desk, content), _content_hashes(desk, content), rules.notes(content)
    for _ in range(_ID_TRIES_MAX):
        try:
            async with desk.db.transaction() as conn:
                known = await store.of_business(conn, partner.affiliate, found_by)
                if known is not None:
                    return _again(known, same, notes)
                lead_id = new_id(now)
                sealed = store.sealed(desk.vault, content)
                await store.insert(conn, partner.affiliate, lead_id, sealed, found_by[0], same[0], list(notes), now)
                return Taken(lead_id, notes, created=True)
        except UniqueViolationError:
            continue  # the id met its twin, or the same business is being written at this moment
    message = "no free lead id found"
    raise RuntimeError(message)


def _again(known: Record, same: tuple[bytes, ...], notes: tuple[str, ...]) -> Taken:
    if known["content_hash"] not in same:
        raise refuse(RefusalCode.LEAD_EXISTS, allowed=f"an update of lead_id {known['lead_id']}")
    return Taken(known["lead_id"], notes, created=False)


async def change(
    desk: Desk, partner: Partner, lead_id: int, revise: Callable[[Groups], Groups], now: datetime
) -> Taken:
    """Put what `revise` makes of a lead in its place, under its lock: of two updates at once neither is lost.

    It is to be reviewed anew. Raises Refused (NO_RECORDS, LEAD_CLOSED, LEAD_EXISTS), and what `revise` raises.
    """
    try:
        async with desk.db.transaction() as conn:
            lead = await _locked(conn, desk, partner.affiliate, lead_id)
            if lead.state not in rules.OPEN:
                raise refuse(RefusalCode.LEAD_CLOSED, field="lead_id", received=str(lead_id), detail=lead.state)
            content = Content(revise(lead.content.groups))
            known = await store.of_business(conn, partner.affiliate, _business_hashes(desk, content))
            if known is not None and known["lead_id"] != lead_id:
                raise _business_taken()
            after = replace(lead, state=LeadState.LEAD, content=content)
            await _write(conn, desk, after, Deed("changed", "partner"), now)
    except UniqueViolationError:
        raise _business_taken() from None
    return Taken(lead_id, rules.notes(content), created=False)


def _business_taken() -> Exception:
    return refuse(RefusalCode.LEAD_EXISTS, allowed="a business_pan that no other lead has")


async def move(  # noqa: PLR0913 (whose lead, where to, by whom and why)
    desk: Desk, affiliate: str, lead_id: int, state: LeadState, deed: Deed, now: datetime
) -> None:
    """Review, give back or reject a lead. Raises Refused (NO_RECORDS, LEAD_CLOSED)."""
    async with desk.db.transaction() as conn:
        lead = await _locked(conn, desk, affiliate, lead_id)
        _check_move(lead, state)
        await _write(conn, desk, replace(lead, state=state), deed, now)


async def approve(desk: Desk, affiliate: str, lead_id: int, actor: str, now: datetime) -> tuple[int, StoredKeys]:
    """Make a merchant of a lead under review; return its id and secrets, to be shown once.

    Raises Refused (NO_RECORDS, LEAD_CLOSED).
    """
    async with desk.db.transaction() as conn:
        lead = await _locked(conn, desk, affiliate, lead_id)
        _check_move(lead, LeadState.APPROVED)
        settings = MerchantSettings(mcc=lead.content.field("business_info", "business_category"))
        name = lead.content.field("company_info", "company_name")
        merchant_id, keys = await merchants.add_within(
            conn, desk.vault, name=name, mode="live", settings=settings, now=now
        )
        deed = Deed("approved", actor, f"merchant {merchant_id}", merchant_id)
        await _write(conn, desk, replace(lead, state=LeadState.APPROVED), deed, now)
    return merchant_id, keys


async def reseal(desk: Desk) -> int:
    """Seal every lead with the newest key, which also finds it; return how many were sealed with another."""
    done = 0
    for named in await store.all_keys(desk.db):
        async with desk.db.transaction() as conn:
            row = await store.lock(conn, named["affiliate"], named["lead_id"])
            if row is not None and not desk.vault.is_sealed_with_newest(row["sealed_content"]):
                content = store.lead_of(row, desk.vault).content
                hashes = _business_hashes(desk, content)[0], _content_hashes(desk, content)[0]
                await store.reseal(
                    conn, named["affiliate"], named["lead_id"], store.sealed(desk.vault, content), *hashes
                )
                done += 1
    return done


async def _locked(conn: Connection, desk: Desk, affiliate: str, lead_id: int) -> Lead:
    row = await store.lock(conn, affiliate, lead_id)
    if row is None:
        raise refuse(RefusalCode.NO_RECORDS, field="lead_id", received=str(lead_id))
    return store.lead_of(row, desk.vault)


async def _write(conn: Connection, desk: Desk, after: Lead, deed: Deed, now: datetime) -> None:
    """Write a locked lead as it is now. after.revision: of before."""
    written = await store.update(
        conn,
        after.affiliate,
        after.lead_id,
        after.revision,
        after.state,
        store.sealed(desk.vault, after.content),
        _business_hashes(desk, after.content)[0],
        _content_hashes(desk, after.content)[0],
        list(rules.notes(after.content)),
        deed.merchant_id,
        now,
        deed.kind,
        deed.actor,
        deed.words,
    )
    if not written:
        message = "a locked lead changed"
        raise AssertionError(message)


def _check_move(lead: Lead, state: LeadState) -> None:
    if state not in rules.MOVES[lead.state]:
        raise refuse(
            RefusalCode.LEAD_CLOSED,
            field="state",
            received=lead.state,
            allowed=" ".join(sorted(rules.MOVES[lead.state])),
        )


def _business_hashes(desk: Desk, content: Content) -> tuple[bytes, ...]:
    return _hashes(desk, content.field("business_info", "business_pan").encode())


def _content_hashes(desk: Desk, content: Content) -> tuple[bytes, ...]:
    return _hashes(desk, msgspec.json.encode(content, order="deterministic"))


def _hashes(desk: Desk, told: bytes) -> tuple[bytes, ...]:
    """Return what something is found by: the newest key's to be written, then those of what an older one wrote."""
    return tuple(hmac.digest(key, told, hashlib.sha256) for key in desk.vault.derive_all(_HASH_PURPOSE))
