"""The actions of leads: create, change, review, approve (which makes a merchant), reject."""

import hashlib
import hmac
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime

import msgspec
from asyncpg import UniqueViolationError

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.infra.secrets.key_sources import VaultError
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import ID_TRIES_MAX, new_id, recipient_of_partner
from hundi.kernel.masking import Swept
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.actions import BesideChange
from hundi.merchants.directory.keys.rules import StoredKeys
from hundi.merchants.directory.rules import MerchantSettings
from hundi.notifications import actions as notifications
from hundi.notifications.rules import DeliveryKey
from hundi.partners.directory.rules import Partner
from hundi.partners.leads import rules, store
from hundi.partners.leads.rules import Content, Groups, Lead, LeadFacts, LeadState
from hundi.partners.leads.store import KnownLead

_HASH_PURPOSE = "lead-business"


@dataclass(frozen=True, slots=True)
class LeadContext:
    """Dependencies of the lead actions."""

    db: Database
    vault: Vault


@dataclass(frozen=True, slots=True)
class LeadChange:
    """One change of a lead, by whom and why.

    merchant_id: of the merchant that it became, else None. words: for the operator's record. told:
    the reason in the notification to the partner's server.
    """

    kind: str
    actor: str
    words: str = ""
    merchant_id: int | None = None
    told: str = ""


@dataclass(frozen=True, slots=True)
class LeadResult:
    """The result of sending a lead. created: False for an update, or the same lead sent again."""

    lead_id: int
    notes: tuple[str, ...]
    created: bool


async def create(
    context: LeadContext, partner: Partner, groups: Groups, now: datetime
) -> LeadResult:
    """Create a lead, or return the one of the earlier same request.

    Raises Refused (LEAD_EXISTS) when this partner has another lead of this business.
    """
    content = Content(groups)
    found_by, same, notes = (
        _business_hashes(context, content),
        _content_hashes(context, content),
        rules.notes(content),
    )
    for _ in range(ID_TRIES_MAX):
        try:
            async with context.db.transaction() as conn:
                existing = await store.of_business(conn, partner.affiliate, found_by)
                if existing is not None:
                    return _again(existing, same, notes)
                lead_id = new_id(now)
                sealed = store.sealed(context.vault, partner.affiliate, lead_id, content)
                await store.insert(
                    conn, partner.affiliate, lead_id, sealed, found_by[0], same[0], list(notes), now
                )
                return LeadResult(lead_id, notes, created=True)
        except UniqueViolationError:
            continue  # a duplicate id, or another request is writing the same business
    message = "no free lead id found"
    raise RuntimeError(message)


def _again(existing: KnownLead, same: tuple[bytes, ...], notes: tuple[str, ...]) -> LeadResult:
    if existing.content_hash not in same:
        raise refuse(RefusalCode.LEAD_EXISTS, allowed=f"an update of lead_id {existing.lead_id}")
    return LeadResult(existing.lead_id, notes, created=False)


async def change(
    context: LeadContext,
    partner: Partner,
    lead_id: int,
    revise: Callable[[Groups], Groups],
    now: datetime,
) -> LeadResult:
    """Change a lead under its lock, so that no update is lost. revise: returns the new content.

    The lead is reviewed again. Raises Refused (NO_RECORDS, LEAD_CLOSED, LEAD_EXISTS), and what
    `revise` raises.
    """
    try:
        async with context.db.transaction() as conn:
            lead = await _locked(conn, context, partner.affiliate, lead_id)
            if lead.state not in rules.OPEN:
                raise refuse(
                    RefusalCode.LEAD_CLOSED,
                    field="lead_id",
                    received=str(lead_id),
                    detail=lead.state,
                )
            content = Content(revise(lead.content.groups))
            existing = await store.of_business(
                conn, partner.affiliate, _business_hashes(context, content)
            )
            if existing is not None and existing.lead_id != lead_id:
                raise _business_taken()
            after = replace(lead, state=LeadState.LEAD, content=content)
            await _write(conn, context, after, LeadChange("changed", "partner"), now)
    except UniqueViolationError:
        raise _business_taken() from None
    return LeadResult(lead_id, rules.notes(content), created=False)


def _business_taken() -> Exception:
    return refuse(RefusalCode.LEAD_EXISTS, allowed="a business_pan that no other lead has")


async def move(
    context: LeadContext,
    affiliate: str,
    lead_id: int,
    state: LeadState,
    event: LeadChange,
    now: datetime,
    beside: Beside | None = None,
) -> None:
    """Send a lead to review, return it to its partner, or reject it.

    beside: what is written with it. Raises Refused (NO_RECORDS, LEAD_CLOSED).
    """
    async with context.db.transaction() as conn:
        lead = await _locked(conn, context, affiliate, lead_id)
        _check_move(lead, state)
        await _write(conn, context, replace(lead, state=state), event, now)
        if beside is not None:
            await beside(conn, lead_id)
    _wake(context, affiliate)


async def approve(
    context: LeadContext,
    affiliate: str,
    lead_id: int,
    actor: str,
    now: datetime,
    beside: BesideChange,
) -> tuple[int, StoredKeys]:
    """Make a merchant of a lead under review; return its id and secrets, which are shown once.

    Raises Refused (NO_RECORDS, LEAD_CLOSED).
    """
    async with context.db.transaction() as conn:
        lead = await _locked(conn, context, affiliate, lead_id)
        _check_move(lead, LeadState.APPROVED)
        settings = MerchantSettings(mcc=lead.content.field("business_info", "business_category"))
        name = lead.content.field("company_info", "company_name")
        merchant_id, keys = await merchants.add_within(
            conn, context.vault, name=name, mode="live", settings=settings, now=now, beside=beside
        )
        event = LeadChange("approved", actor, f"merchant {merchant_id}", merchant_id)
        await _write(conn, context, replace(lead, state=LeadState.APPROVED), event, now)
    _wake(context, affiliate)
    return merchant_id, keys


async def reseal(context: LeadContext) -> int:
    """Seal and index every lead with the newest key.

    Return how many were sealed with another.
    """
    done = 0
    for affiliate, lead_id in await store.all_keys(context.db):
        async with context.db.transaction() as conn:
            lead = await store.lock_sealed_with_older(conn, context.vault, affiliate, lead_id)
            if lead is not None:
                await _reseal(conn, context, lead)
                done += 1
    return done


async def mask_kept(
    context: LeadContext, without_numbers: Callable[[Groups], Groups], *, is_applied: bool
) -> AsyncIterator[tuple[str, Swept]]:
    """Mask numbers in leads that were stored before texts were masked.

    Yields each lead's name and its result. is_applied: False changes nothing.
    """
    for affiliate, lead_id in await store.all_keys(context.db):
        try:
            async with context.db.transaction() as conn:
                lead = await store.lock(conn, context.vault, affiliate, lead_id)
                if lead is None:
                    continue
                content = Content(without_numbers(lead.content.groups))
                swept = Swept.CLEAN if content == lead.content else Swept.FOUND
                if swept is Swept.FOUND and is_applied:
                    await _reseal(conn, context, replace(lead, content=content))
        except VaultError:
            swept = Swept.UNOPENED
        yield f"{affiliate}/{lead_id}", swept


async def _reseal(conn: Connection, context: LeadContext, lead: Lead) -> None:
    """Write a locked lead's content and search hashes under the newest key."""
    hashes = _business_hashes(context, lead.content)[0], _content_hashes(context, lead.content)[0]
    anew = store.sealed(context.vault, lead.affiliate, lead.lead_id, lead.content)
    await store.reseal(conn, lead.affiliate, lead.lead_id, anew, *hashes)


async def _locked(conn: Connection, context: LeadContext, affiliate: str, lead_id: int) -> Lead:
    lead = await store.lock(conn, context.vault, affiliate, lead_id)
    if lead is None:
        raise refuse(RefusalCode.NO_RECORDS, field="lead_id", received=str(lead_id))
    return lead


async def _write(
    conn: Connection, context: LeadContext, after: Lead, event: LeadChange, now: datetime
) -> None:
    """Write a locked lead, its event, and the notification to the partner.

    after.revision: the one that was read.
    """
    event_no = await store.update(
        conn,
        after.affiliate,
        after.lead_id,
        after.revision,
        after.state,
        store.sealed(context.vault, after.affiliate, after.lead_id, after.content),
        _business_hashes(context, after.content)[0],
        _content_hashes(context, after.content)[0],
        list(rules.notes(after.content)),
        event.merchant_id,
        now,
        event.kind,
        event.actor,
        event.words,
    )
    if event_no is None:
        message = "a locked lead changed"
        raise AssertionError(message)
    if news := rules.NEWS_OF.get(event.kind):
        facts = LeadFacts(after.affiliate, after.state, event.told, event.merchant_id or 0)
        key = DeliveryKey(recipient_of_partner(after.affiliate), after.lead_id, event_no)
        await notifications.announce(conn, key, news, facts, now)


def _wake(context: LeadContext, affiliate: str) -> None:
    context.db.wake(notifications.CHANNEL, str(recipient_of_partner(affiliate)))


def _check_move(lead: Lead, state: LeadState) -> None:
    if state not in rules.MOVES[lead.state]:
        raise refuse(
            RefusalCode.LEAD_CLOSED,
            field="state",
            received=lead.state,
            allowed=" ".join(sorted(rules.MOVES[lead.state])),
        )


def _business_hashes(context: LeadContext, content: Content) -> tuple[bytes, ...]:
    return _hashes(context, content.field("business_info", "business_pan").encode())


def _content_hashes(context: LeadContext, content: Content) -> tuple[bytes, ...]:
    return _hashes(context, msgspec.json.encode(content, order="deterministic"))


def _hashes(context: LeadContext, text: bytes) -> tuple[bytes, ...]:
    """Return keyed hashes of a text.

    The newest key first, then older keys of stored rows.
    """
    return tuple(
        hmac.digest(key, text, hashlib.sha256) for key in context.vault.derive_all(_HASH_PURPOSE)
    )
