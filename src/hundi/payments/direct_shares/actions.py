"""The actions of direct shares: begin them with a split, send, ask about, and reverse them.

A call to an acquirer is never made inside a transaction, and its intention is written before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from hundi.acquirers.port.answers import NothingThere, Unknown
from hundi.acquirers.port.splits import PartyStanding, PartyState, SplitsSettlement
from hundi.acquirers.registry import Registry, UnknownConnectorError
from hundi.infra.postgres.database import Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import new_id, next_id, parse_reversal_reference, parse_share_reference
from hundi.kernel.records import replace
from hundi.payments.direct_shares import rules, store
from hundi.payments.direct_shares.reversals import rules as reversing
from hundi.payments.direct_shares.rules import (
    DirectShare,
    DirectShareState,
    ReversalState,
    ShareCause,
    ShareChange,
    ShareGaps,
    ShareReversal,
)
from hundi.payments.orders import store as payments
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.rules import PaymentView
from hundi.staff.trail import actions as trail
from hundi.staff.trail.rules import RowKind

LEASE = timedelta(seconds=30)
"""How long a worker keeps a claimed share; longer than any call to an acquirer."""
DUE_CHANNEL = "direct_shares_due"
"""NOTIFY channel that wakes the workers once a share is committed, or a refund of one is done."""
REPLACED = "the merchant shared the payment anew"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SplitToBegin:
    """A split that was just configured. parts: paise by linked account."""

    request_id: str
    base_paise: int
    parts: Mapping[str, int]


async def take_back(conn: Connection, merchant_id: int, payment_id: int, now: datetime) -> None:
    """Cancel a payment's waiting shares, in the transaction that shares it anew."""
    for share in await store.lock_waiting(conn, merchant_id, payment_id):
        if not await store.write(conn, share, rules.cancelled(share, REPLACED, now), now):
            message = f"direct share {share.share_id} changed under its lock"
            raise AssertionError(message)


async def begin(conn: Connection, view: PaymentView, split: SplitToBegin, now: datetime) -> int:
    """Begin a direct share of each part that the payment's acquirer settles.

    Those are the parts of linked accounts with a party there. Return how many were begun. The
    caller holds the payment's lock.
    """
    paid, merchant_id = view.success, view.payment.merchant_id
    if paid is None:
        return 0
    number = new_id(now)
    count = 0
    for party in await store.parties_of(conn, merchant_id):
        paise = split.parts.get(party.identifier, 0)
        if party.connector != paid.connector or paise <= 0:
            continue
        share = DirectShare(
            merchant_id=merchant_id,
            share_id=number,
            payment_id=view.payment.payment_id,
            request_id=split.request_id,
            identifier=party.identifier,
            attempt_id=paid.attempt_id,
            connector=party.connector,
            party=party.party,
            base_paise=split.base_paise,
            amount_paise=paise,
            state=DirectShareState.WAITING,
            created_at=now,
            due_at=now,
        )
        await store.insert(conn, share)
        number = next_id(now, number)
        count += 1
    return count


async def work_on(context: PaymentContext, vault: Vault, share: DirectShare, now: datetime) -> bool:
    """Take the next step of a claimed share; False when the acquirer could not be asked."""
    connector = _connector(context.connectors, share.connector)
    if connector is None:
        _log.error("direct_share_without_connector", **_named(share))
        return True
    if share.state is DirectShareState.WAITING:
        return await _begin_one(context.db, vault, share, connector, now)
    if share.state is DirectShareState.DONE:
        return await _after_done(context.db, vault, share, connector, now)
    gaps = rules.gaps_of(connector)
    answer = await connector.inquire_share(share.order)
    if isinstance(answer, Unknown) and not answer.sent:
        return False
    if rules.sends_again(share, answer, gaps, now):
        again = await _send_again(context.db, vault, share, now)
        if again is None:
            return True
        share, answer = again, await connector.give_share(again.order)
    await _settle(context.db, share, answer, gaps, now)
    return True


async def _begin_one(
    db: Database, vault: Vault, share: DirectShare, connector: SplitsSettlement, now: datetime
) -> bool:
    """Send a waiting share, if its party gets shares."""
    standing = await connector.inquire_party(share.party)
    if isinstance(standing, Unknown) and not standing.sent:
        return False
    is_active = isinstance(standing, PartyStanding) and standing.state is PartyState.ACTIVE
    sent = await _send(db, vault, share, "" if is_active else _words(standing), now)
    if sent is not None:
        answer = await connector.give_share(sent.order)
        await _settle(db, sent, answer, rules.gaps_of(connector), now)
    return True


async def _send(
    db: Database, vault: Vault, share: DirectShare, why_not: str, now: datetime
) -> DirectShare | None:
    """Write that a share is sent, as far as refunds left it; None where nothing is to be sent.

    why_not: why its party gets nothing yet, "" where it does.
    """
    async with db.transaction() as conn:
        view = await payments.lock_view(conn, share.merchant_id, share.payment_id)
        locked = await store.lock(conn, share.merchant_id, share.share_id)
        if view is None or locked is None or locked.state is not DirectShareState.WAITING:
            return None
        cause = await _cause(conn, vault, view, locked)
        change = rules.next_step(locked, cause, why_not, view.payment.remaining.paise, now)
        if not await store.write(conn, locked, change, now):
            return None
    after = _after(locked, change)
    return after if after.state is DirectShareState.SENT else None


async def _send_again(
    db: Database, vault: Vault, share: DirectShare, now: datetime
) -> DirectShare | None:
    """Write that a share is sent once more; None where it is not, or another worker was first."""
    async with db.transaction() as conn:
        view = await payments.lock_view(conn, share.merchant_id, share.payment_id)
        locked = await store.lock(conn, share.merchant_id, share.share_id)
        if view is None or locked is None or not _is_as_read(locked, share):
            return None
        cause = await _cause(conn, vault, view, locked)
        goes = cause is ShareCause.SHOWN
        change = rules.sent_again(locked, now) if goes else rules.waits(locked, cause, now)
        if not await store.write(conn, locked, change, now):
            return None
    return _after(locked, change) if goes else None


def _is_as_read(locked: DirectShare, share: DirectShare) -> bool:
    return (locked.revision, locked.called_at) == (share.revision, share.called_at)


async def _cause(
    conn: Connection, vault: Vault, view: PaymentView, share: DirectShare
) -> ShareCause:
    """Return what books and trail say of a locked share's cause; unproved is an alarm."""
    key = share.merchant_id, share.identifier
    told = await trail.newest_told(conn, vault, key[0], RowKind.LINKED, key[1])
    paid = view.success
    is_proved = paid is not None and paid.attempt_id == share.attempt_id
    is_proved = is_proved and told is not None and told == await store.digest(conn, *key)
    cause = await store.cause_of(conn, share) if is_proved else ShareCause.UNPROVED
    if cause is ShareCause.UNPROVED:
        _log.error("direct_share_not_backed", **_named(share))
    return cause


async def _settle(
    db: Database,
    share: DirectShare,
    answer: rules.ShareAnswer,
    gaps: ShareGaps,
    now: datetime,
) -> None:
    """Apply the acquirer's answer to a share exactly once."""
    async with db.transaction() as conn:
        locked = await store.lock(conn, share.merchant_id, share.share_id)
        if locked is None:
            message = f"direct share {share.share_id} disappeared"
            raise AssertionError(message)
        change = rules.after_answer(locked, answer, gaps, now)
        if change is not None:
            await store.write(conn, locked, change, now)
            if change.after.late_at is not None:
                _log.error("direct_share_made_after_refusal", **_named(share))


# --- after it was made: reversals, and the transfer to the party's bank account ---


async def _after_done(
    db: Database, vault: Vault, share: DirectShare, connector: SplitsSettlement, now: datetime
) -> bool:
    """Reverse what refunds ask for, else ask whether the share is settled to its party."""
    gaps = rules.gaps_of(connector)
    reversal = await store.open_reversal(db, share)
    if reversal is None:
        reversal = await _new_reversal(db, vault, share, now)
        if reversal is not None:
            answer = await connector.reverse_share(reversal.order(share))
            await _settle_reversal(db, share, reversal, answer, gaps, now)
            return True
        told = await connector.inquire_share(share.order)
        if isinstance(told, Unknown) and not told.sent:
            return False
        await _settle_done(db, share, told, gaps, now)
        return True
    return await _again(db, share, reversal, connector, now)


async def _again(
    db: Database,
    share: DirectShare,
    reversal: ShareReversal,
    connector: SplitsSettlement,
    now: datetime,
) -> bool:
    """Ask about an open reversal, and send it again where the acquirer certainly has none."""
    gaps = rules.gaps_of(connector)
    if reversal.state is ReversalState.OWED and not reversing.is_due_again(reversal, now):
        await _put_off(db, share, reversing.reversal_due(reversal, gaps, now), now)
        return True
    answer = await connector.inquire_reversal(reversal.order(share))
    if isinstance(answer, Unknown) and not answer.sent:
        return False
    if reversing.reverses_again(reversal, answer, gaps, now):
        after = reversing.reversal_again(reversal, now)
        async with db.transaction() as conn:
            if not await store.update_reversal(conn, reversal, after):
                return True
        reversal, answer = after, await connector.reverse_share(after.order(share))
    await _settle_reversal(db, share, reversal, answer, gaps, now)
    return True


async def _new_reversal(
    db: Database, vault: Vault, share: DirectShare, now: datetime
) -> ShareReversal | None:
    """Write that a part of a share is taken back; None where refunds ask for nothing."""
    async with db.transaction() as conn:
        paise = await _locked_to_reverse(conn, share)
        view = await payments.lock_view(conn, share.merchant_id, share.payment_id)
        if not paise or view is None:
            return None
        if await _cause(conn, vault, view, share) is ShareCause.UNPROVED:
            return None
        new = ShareReversal(
            share.merchant_id, new_id(now), share.share_id, paise, ReversalState.SENT, now, now
        )
        await store.insert_reversal(conn, new)
    return new


async def _locked_to_reverse(conn: Connection, share: DirectShare) -> int:
    """Return what is to be taken back; payment and share stay locked until the end."""
    view = await payments.lock_view(conn, share.merchant_id, share.payment_id)
    locked = await store.lock(conn, share.merchant_id, share.share_id)
    if view is None or locked is None or await store.open_reversal(conn, locked) is not None:
        return 0
    refunded = await store.refunded(conn, share.merchant_id, share.payment_id)
    left = view.payment.captured_paise - refunded
    return reversing.to_reverse(locked, left, await store.reversed_of(conn, locked))


async def _settle_reversal(
    db: Database,
    share: DirectShare,
    reversal: ShareReversal,
    answer: rules.ReversalAnswer,
    gaps: ShareGaps,
    now: datetime,
) -> None:
    """Apply the acquirer's answer to a reversal exactly once."""
    after = reversing.reversal_after(reversal, answer, now)
    is_done = after.state is ReversalState.DONE
    postings = (reversing.reversal_posting(share, after, now),) if is_done else ()
    async with db.transaction() as conn:
        locked = await store.lock(conn, share.merchant_id, share.share_id)
        if locked is None or not await store.update_reversal(conn, reversal, after, postings):
            return
        due_at = reversing.reversal_due(after, gaps, now)
        await store.write(conn, locked, ShareChange(replace(locked, due_at=due_at)), now)
    if after.state is ReversalState.OWED:
        _log.warning("share_reversal_owed", reversal_id=reversal.reversal_id, **_named(share))


async def _settle_done(
    db: Database,
    share: DirectShare,
    told: rules.ShareAnswer,
    gaps: ShareGaps,
    now: datetime,
) -> None:
    """Write whether a share is settled, unless a refund was done meanwhile: it is looked at then.

    The payment's lock makes the refund come before, or after this write.
    """
    async with db.transaction() as conn:
        paise = await _locked_to_reverse(conn, share)
        locked = await store.lock(conn, share.merchant_id, share.share_id)
        if locked is None:
            return
        change = rules.after_answer(locked, told, gaps, now)
        if change is not None:
            after = replace(change.after, due_at=now) if paise else change.after
            await store.write(conn, locked, replace(change, after=after), now)


async def _put_off(
    db: Database, share: DirectShare, due_at: datetime | None, now: datetime
) -> None:
    await _write(db, share, ShareChange(replace(share, due_at=due_at)), now)


async def _write(
    db: Database, share: DirectShare, change: ShareChange, now: datetime
) -> DirectShare | None:
    """Write a share's change in a transaction of its own; None if another one was first."""
    async with db.transaction() as conn:
        if not await store.write(conn, share, change, now):
            return None
    return _after(share, change)


def _after(before: DirectShare, change: ShareChange) -> DirectShare:
    is_event = change.after.state is not before.state
    return replace(change.after, revision=before.revision + is_event)


# --- from outside ---


async def ask_now(db: Database, connector: str, reference: str, now: datetime) -> bool:
    """Request an inquiry about a share or a reversal, as a proven webhook asks.

    It is stored on return. Return whether the reference is of one.
    """
    share, reversal = parse_share_reference(reference), parse_reversal_reference(reference)
    if share is None and reversal is None:
        return False
    if reversal is not None:
        share_id = await store.share_of_reversal(db, *reversal)
        share = (reversal[0], share_id) if share_id else None
    if share is not None:
        await store.ask_now(db, *share, connector, now)
        db.wake(DUE_CHANNEL)
    return True


def _connector(connectors: Registry, name: str) -> SplitsSettlement | None:
    try:
        connector = connectors.get(name)
    except UnknownConnectorError:
        return None
    return connector if isinstance(connector, SplitsSettlement) else None


def _words(standing: PartyStanding | NothingThere | Unknown) -> str:
    match standing:
        case PartyStanding():
            return " ".join(filter(None, (f"the party is {standing.state}", standing.message)))
        case NothingThere():
            return "the acquirer has no such party"
        case Unknown():
            return "the acquirer says nothing of the party"


def _named(share: DirectShare) -> dict[str, int]:
    return {"merchant_id": share.merchant_id, "share_id": share.share_id}
