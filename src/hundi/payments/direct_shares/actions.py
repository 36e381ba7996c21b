"""The actions of direct shares: begin them with a split, send and ask about them.

A call to an acquirer is never made inside a transaction, and its intention is written before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from hundi.acquirers.port.answers import NothingThere, Unknown
from hundi.acquirers.port.splits import (
    PartyStanding,
    PartyState,
    RefundsShares,
    ShareMade,
    SplitsSettlement,
)
from hundi.acquirers.registry import Registry, UnknownConnectorError
from hundi.infra.postgres.database import Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import new_id, next_id, parse_reversal_reference, parse_share_reference
from hundi.kernel.records import replace
from hundi.payments.direct_shares import rules, store
from hundi.payments.direct_shares.causes.actions import cause_of
from hundi.payments.direct_shares.reversals import store as reversals
from hundi.payments.direct_shares.reversals.actions import after_done
from hundi.payments.direct_shares.rules import (
    DirectShare,
    DirectShareState,
    ShareCause,
    ShareChange,
    ShareGaps,
    ShareHindrance,
)
from hundi.payments.orders import store as payments
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.rules import PaymentView

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
        return await after_done(context.db, vault, share, connector, now)
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
    sent = await _send(_Sending(db, vault, connector), share, _hindrance(standing), now)
    if sent is not None:
        answer = await connector.give_share(sent.order)
        await _settle(db, sent, answer, rules.gaps_of(connector), now)
    return True


@dataclass(frozen=True, slots=True)
class _Sending:
    """Where shares of one acquirer are sent from. vault: proves the trail."""

    db: Database
    vault: Vault
    connector: SplitsSettlement


async def _send(
    sending: _Sending, share: DirectShare, hindrance: ShareHindrance | None, now: datetime
) -> DirectShare | None:
    """Write that a share is sent, as far as refunds left it; None where nothing is to be sent.

    hindrance: why its party gets nothing yet, None where it does.
    """
    async with sending.db.transaction() as conn:
        view = await payments.lock_view(conn, share.merchant_id, share.payment_id)
        locked = await store.lock(conn, share.merchant_id, share.share_id)
        if view is None or locked is None or locked.state is not DirectShareState.WAITING:
            return None
        cause = await cause_of(conn, sending.vault, view, locked)
        disputed = await payments.disputed(conn, share.merchant_id, share.payment_id)
        left_paise = max(view.payment.remaining.paise - disputed.paise, 0)
        if hindrance is None and disputed.open:
            hindrance = rules.DISPUTED
        elif hindrance is None and isinstance(sending.connector, RefundsShares):
            is_being_refunded = await store.is_being_refunded(conn, locked)
            hindrance = rules.BEING_REFUNDED if is_being_refunded else None
        change = rules.next_step(locked, cause, hindrance, left_paise, now)
        if not await store.write(conn, locked, change, now):
            return None
    after = _after(locked, change)
    return after if after.state is DirectShareState.SENT else None


async def _send_again(
    db: Database, vault: Vault, share: DirectShare, now: datetime
) -> DirectShare | None:
    """Write that a share is sent once more; None where it is not, or another worker was first.

    The acquirer certainly has none of it.
    """
    async with db.transaction() as conn:
        view = await payments.lock_view(conn, share.merchant_id, share.payment_id)
        locked = await store.lock(conn, share.merchant_id, share.share_id)
        if view is None or locked is None or not _is_as_read(locked, share):
            return None
        cause = await cause_of(conn, vault, view, locked)
        goes = cause is ShareCause.SHOWN
        if goes:
            change = rules.sent_again(locked, now)
        else:
            held_paise = await store.held_paise(conn, locked)
            change = rules.not_sent_again(locked, cause, held_paise, now)
        if not await store.write(conn, locked, change, now):
            return None
    return _after(locked, change) if goes else None


def _is_as_read(locked: DirectShare, share: DirectShare) -> bool:
    return (locked.revision, locked.called_at) == (share.revision, share.called_at)


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
            elif locked.state is DirectShareState.REFUSED and isinstance(answer, ShareMade):
                _log.error("direct_share_of_another_amount", **_named(share))


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
        share_id = await reversals.share_of(db, *reversal)
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


def _hindrance(standing: PartyStanding | NothingThere | Unknown) -> ShareHindrance | None:
    match standing:
        case PartyStanding(PartyState.ACTIVE):
            return None
        case PartyStanding():
            words = " ".join(filter(None, (f"the party is {standing.state}", standing.message)))
        case NothingThere():
            words = "the acquirer has no such party"
        case Unknown():
            words = "the acquirer says nothing of the party"
    return ShareHindrance(words)


def _named(share: DirectShare) -> dict[str, int]:
    return {"merchant_id": share.merchant_id, "share_id": share.share_id}
