"""The actions of reversals: write, send and ask about them, or let a refund carry them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.splits import (
    RefundsShares,
    ReversalOrder,
    ReversesShares,
    SplitsSettlement,
)
from hundi.infra.postgres.database import Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import new_id, next_id
from hundi.kernel.records import replace
from hundi.payments.direct_shares import rules as shares
from hundi.payments.direct_shares import store as share_store
from hundi.payments.direct_shares.causes.actions import cause_of
from hundi.payments.direct_shares.reversals import rules, store
from hundi.payments.direct_shares.reversals.rules import ReversalState, ShareReversal
from hundi.payments.direct_shares.rules import (
    DirectShare,
    ShareCause,
    ShareChange,
    ShareGaps,
    ShareHindrance,
)
from hundi.payments.orders import store as payments
from hundi.payments.orders.rules import PaymentView

WAITS_FOR_SHARE = timedelta(minutes=1)
"""How long a refund waits that a share of its payment holds back, each time."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RefundToCarry:
    """A refund that is about to be sent. is_new: it was never sent before."""

    refund_id: int
    attempt_id: int
    paise: int
    is_new: bool


async def is_held_back(conn: Connection, view: PaymentView, attempt_id: int) -> bool:
    """Return whether a refund may not be sent yet with the shares of its attempt.

    The acquirer has not answered about one, or the books do not show the cause of one that it would
    take from, which is an alarm. The caller holds the payment's lock.
    """
    merchant_id, payment_id = view.payment.merchant_id, view.payment.payment_id
    if await share_store.is_being_given(conn, view, attempt_id):
        return True
    for share in await share_store.lock_made(conn, merchant_id, payment_id, attempt_id):
        if await share_store.cause_of(conn, share) is ShareCause.UNPROVED:
            numbers = {"merchant_id": merchant_id, "share_id": share.share_id}
            _log.error("direct_share_not_backed", **numbers)
            return True
    return False


async def carried_by(
    conn: Connection, view: PaymentView, refund: RefundToCarry, now: datetime
) -> tuple[ReversalOrder, ...]:
    """Return what a refund takes of shares, written here before it is sent the first time.

    The caller holds the payment's lock, and knows that nothing holds the refund back.
    """
    merchant_id, payment_id = view.payment.merchant_id, view.payment.payment_id
    made = await share_store.lock_made(conn, merchant_id, payment_id, refund.attempt_id)
    if refund.is_new:
        await _write_carried(conn, view, made, refund, now)
    of = {share.share_id: share for share in made}
    reversals = await store.carried_by(conn, merchant_id, refund.refund_id)
    return tuple(reversal.order(of[reversal.share_id]) for reversal in reversals)


async def _write_carried(
    conn: Connection,
    view: PaymentView,
    made: list[DirectShare],
    refund: RefundToCarry,
    now: datetime,
) -> None:
    merchant_id, payment_id = view.payment.merchant_id, view.payment.payment_id
    before = await store.refunded_before(conn, merchant_id, payment_id, refund.refund_id)
    taken = [(share, await store.reversed_of(conn, share)) for share in made]
    left = view.payment.captured_paise - before - refund.paise
    number = new_id(now)
    for share, paise in rules.carried(taken, left, refund.paise):
        new = ShareReversal(
            merchant_id,
            number,
            share.share_id,
            paise,
            ReversalState.SENT,
            now,
            now,
            refund_id=refund.refund_id,
        )
        await store.insert(conn, new)
        number = next_id(now, number)


async def after_done(
    db: Database, vault: Vault, share: DirectShare, connector: SplitsSettlement, now: datetime
) -> bool:
    """Reverse what refunds ask for, else ask whether the share is settled to its party.

    False when the acquirer could not be asked.
    """
    gaps = shares.gaps_of(connector)
    reversal = await store.select_open(db, share)
    if reversal is not None:
        return await _again(db, share, reversal, connector, now)
    if isinstance(connector, ReversesShares):
        reversal = await _new_reversal(db, vault, share, now)
        if isinstance(reversal, ShareCause):
            # Nothing is asked of an acquirer about a share that somebody may have invented.
            return True
        if reversal is not None:
            answer = await connector.reverse_share(reversal.order(share))
            await _settle_reversal(db, share, reversal, answer, gaps, now)
            return True
    answer = await connector.inquire_share(share.order)
    if isinstance(answer, Unknown) and not answer.sent:
        return False
    await _settle_done(db, share, answer, connector, now)
    return True


async def _again(
    db: Database,
    share: DirectShare,
    reversal: ShareReversal,
    connector: SplitsSettlement,
    now: datetime,
) -> bool:
    """Ask about an open reversal, and send it again where the acquirer certainly has none."""
    gaps = shares.gaps_of(connector)
    if reversal.state is ReversalState.OWED and not rules.is_due_again(reversal, now):
        await _put_off(db, share, rules.reversal_due(reversal, gaps, now), now)
        return True
    answer = await connector.inquire_reversal(reversal.order(share))
    if isinstance(answer, Unknown) and not answer.sent:
        return False
    if isinstance(connector, ReversesShares) and rules.reverses_again(reversal, answer, gaps, now):
        after = rules.reversal_again(reversal, now)
        async with db.transaction() as conn:
            if not await store.update(conn, reversal, after):
                return True
        reversal, answer = after, await connector.reverse_share(after.order(share))
    await _settle_reversal(db, share, reversal, answer, gaps, now)
    return True


async def _new_reversal(
    db: Database, vault: Vault, share: DirectShare, now: datetime
) -> ShareReversal | ShareCause | None:
    """Write that a part of a share is taken back; None where refunds ask for nothing.

    The cause where the books do not show one: the share waits, and is looked at again.
    """
    async with db.transaction() as conn:
        paise = await _locked_to_reverse(conn, share)
        view = await payments.lock_view(conn, share.merchant_id, share.payment_id)
        if not paise or view is None:
            return None
        cause = await cause_of(conn, vault, view, share)
        if cause is ShareCause.UNPROVED:
            later = shares.waits(share, ShareHindrance(cause.value), now)
            await share_store.write(conn, share, later, now)
            return cause
        new = ShareReversal(
            share.merchant_id, new_id(now), share.share_id, paise, ReversalState.SENT, now, now
        )
        await store.insert(conn, new)
    return new


async def _locked_to_reverse(conn: Connection, share: DirectShare) -> int:
    """Return what is to be taken back; payment and share stay locked until the end."""
    view = await payments.lock_view(conn, share.merchant_id, share.payment_id)
    locked = await share_store.lock(conn, share.merchant_id, share.share_id)
    if view is None or locked is None or await store.select_open(conn, locked) is not None:
        return 0
    refunded = await store.refunded(conn, share.merchant_id, share.payment_id)
    left = view.payment.captured_paise - refunded
    return rules.to_reverse(locked, left, await store.reversed_of(conn, locked))


async def _locked_is_carried(conn: Connection, share: DirectShare) -> bool:
    """Return whether a refund that is done took a part; payment and share stay locked."""
    await payments.lock_view(conn, share.merchant_id, share.payment_id)
    locked = await share_store.lock(conn, share.merchant_id, share.share_id)
    return locked is not None and await store.select_open(conn, locked) is not None


async def _settle_reversal(
    db: Database,
    share: DirectShare,
    reversal: ShareReversal,
    answer: rules.ReversalAnswer,
    gaps: ShareGaps,
    now: datetime,
) -> None:
    """Apply the acquirer's answer to a reversal exactly once."""
    after = rules.reversal_after(reversal, answer, now)
    is_done = after.state is ReversalState.DONE
    postings = (rules.reversal_posting(share, after, now),) if is_done else ()
    async with db.transaction() as conn:
        locked = await share_store.lock(conn, share.merchant_id, share.share_id)
        if locked is None or not await store.update(conn, reversal, after, postings):
            return
        due_at = rules.reversal_due(after, gaps, now)
        await share_store.write(conn, locked, ShareChange(replace(locked, due_at=due_at)), now)
    if after.state is ReversalState.OWED:
        numbers = {"merchant_id": share.merchant_id, "share_id": share.share_id}
        _log.warning("share_reversal_owed", reversal_id=reversal.reversal_id, **numbers)


async def _settle_done(
    db: Database,
    share: DirectShare,
    answer: shares.ShareAnswer,
    connector: SplitsSettlement,
    now: datetime,
) -> None:
    """Write whether a share is settled, unless a refund was done meanwhile: it is looked at then.

    The payment's lock makes the refund come before, or after this write.
    """
    async with db.transaction() as conn:
        if isinstance(connector, RefundsShares):
            more = await _locked_is_carried(conn, share)
        else:
            more = bool(await _locked_to_reverse(conn, share))
        locked = await share_store.lock(conn, share.merchant_id, share.share_id)
        if locked is None:
            return
        change = shares.after_answer(locked, answer, shares.gaps_of(connector), now)
        if change is not None:
            after = replace(change.after, due_at=now) if more else change.after
            await share_store.write(conn, locked, replace(change, after=after), now)


async def _put_off(
    db: Database, share: DirectShare, due_at: datetime | None, now: datetime
) -> None:
    async with db.transaction() as conn:
        await share_store.write(conn, share, ShareChange(replace(share, due_at=due_at)), now)
