"""The actions of payouts: prepare, release by two people, apply the bank's answer, retry."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog

from hundi.acquirers.port.answers import Approved, SentBack
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import new_id, parse_payout_reference
from hundi.kernel.masking import masked
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, Refused, refuse
from hundi.money.bank_accounts import store as accounts
from hundi.money.payouts import rules, store
from hundi.money.payouts.answers import rules as answers
from hundi.money.payouts.fees import store as fees
from hundi.money.payouts.fees.rules import fee_taken
from hundi.money.payouts.rails import rules as rails
from hundi.money.payouts.rails.rules import PayoutChannel
from hundi.money.payouts.routing.actions import PayoutRouter, paying
from hundi.money.payouts.rules import (
    BANK,
    CAME_TO_NOTHING,
    GATEWAY,
    Answer,
    Gaps,
    PayoutState,
    PayoutTry,
    Reported,
)
from hundi.money.payouts.utrs import store as utrs

LEASE = timedelta(seconds=30)
"""How long a worker keeps a claimed payout; longer than any call to a bank."""
DUE_CHANNEL = "payouts_due"
"""NOTIFY channel that wakes the workers once an approved payout is committed."""
HASTEN_GAP = timedelta(seconds=5)
"""The least time between two inquiries that webhooks cause."""
PREPARED_MAX = 1_000
"""Payouts that one round prepares."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PayoutContext:
    """Dependencies of the payout actions."""

    db: Database
    vault: Vault
    connectors: Registry
    router: PayoutRouter = field(default_factory=PayoutRouter)


async def prepare(context: PayoutContext, now: datetime) -> int:
    """Prepare a payout for each share whose account is verified, and return how many were prepared.

    After a failed payout a new one is prepared only if the account was changed since; otherwise a
    person retries it.
    """
    prepared = 0
    for share in await store.to_prepare(context.db, PREPARED_MAX):
        async with context.db.transaction() as conn:
            new = _new_payout(share, _first_name(context.connectors, share.merchant_id), now)
            # If the account was changed since it was read, nobody would hold this payout back, and
            # it would stand for ever.
            if not await accounts.keep(conn, new.merchant_id, new.beneficiary, new.account_no):
                continue
            prepared += await store.insert(conn, new, GATEWAY, f"try {new.try_no}")
    return prepared


def _first_name(connectors: Registry, merchant_id: int) -> str:
    """Return a connector that pays out for a merchant, or "": then payouts leave in files only."""
    serving = (member.connector.name for member in paying(connectors) if member.is_for(merchant_id))
    return next(serving, "")


def _new_payout(share: store.ToPrepare, connector: str, now: datetime) -> PayoutTry:
    channel = PayoutChannel.API if connector else PayoutChannel.FILE
    return PayoutTry(
        merchant_id=share.merchant_id,
        payout_id=new_id(now),
        share_id=share.share_id,
        try_no=share.tries + 1,
        beneficiary=share.beneficiary,
        account_no=share.account_no,
        amount_paise=share.amount_paise,
        source=share.source,
        state=PayoutState.PREPARED,
        channel=channel,
        rail=rails.rail_for(share.amount_paise, channel),
        connector=connector,
        created_at=now,
        revision=1,
    )


async def approve(
    db: Database,
    merchant_id: int,
    payout_id: int,
    person: str,
    channel: PayoutChannel | None,
    now: datetime,
    seen: PayoutTry | None = None,
    beside: Beside | None = None,
) -> PayoutTry:
    """Release a payout: the first person proposes it, the second approves it.

    seen: the payout as the person saw it; a changed one is refused. beside: also written in the
    transaction. Raises Refused.
    """
    payout = await _found(db, merchant_id, payout_id)
    if seen is not None and seen.revision != payout.revision:
        raise _changed_meanwhile(payout)
    refusal = rules.approval_refusal(payout, person)
    if (
        refusal is None
        and payout.state is PayoutState.PROPOSED
        and channel not in {None, payout.channel}
    ):
        allowed = f"{payout.channel}, as it was proposed"
        refusal = Refusal(
            RefusalCode.FIELD_INVALID, field="by", received=str(channel), allowed=allowed
        )
    refusal = refusal or _no_call(payout, channel)
    if refusal is not None:
        raise Refused(refusal)
    change = rules.approved(payout, person, channel, now)
    async with db.transaction() as conn:
        if not await store.write(conn, payout, change, now):
            raise _changed_meanwhile(payout)
        if beside is not None:
            await beside(conn, payout_id)
    if change.after.due_at is not None:
        db.wake(DUE_CHANNEL)
    return replace(change.after, revision=payout.revision + 1)


def _no_call(payout: PayoutTry, channel: PayoutChannel | None) -> Refusal | None:
    """Return why a payout may not be made to leave by a call, or None."""
    if channel is not PayoutChannel.API or payout.connector:
        return None
    allowed = f"{PayoutChannel.FILE}: no connector pays out"
    return Refusal(RefusalCode.FIELD_INVALID, field="by", received=str(channel), allowed=allowed)


async def retry(
    db: Database,
    merchant_id: int,
    payout_id: int,
    person: str,
    now: datetime,
    beside: Beside | None = None,
    channel: PayoutChannel | None = None,
) -> PayoutTry:
    """Propose another payout of the same share, to the current account.

    beside: also written in the transaction. channel: how it leaves; None: as the one before. Raises
    Refused.
    """
    before = await _found(db, merchant_id, payout_id)
    account = await accounts.newest(db, merchant_id, before.beneficiary)
    if before.state not in CAME_TO_NOTHING:
        allowed = ", ".join(sorted(CAME_TO_NOTHING))
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="payout", received=before.state, allowed=allowed
        )
    if account is None or account.state != "verified":
        received = account.state if account else "none"
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="bank account", received=received, allowed="verified"
        )
    anew = PayoutTry(
        merchant_id=merchant_id,
        payout_id=new_id(now),
        share_id=before.share_id,
        try_no=0,
        beneficiary=before.beneficiary,
        account_no=account.account_no,
        amount_paise=before.amount_paise,
        source=before.source,
        state=PayoutState.PREPARED,
        channel=before.channel,
        rail=before.rail,
        connector=before.connector,
        created_at=now,
        revision=1,
    )
    refusal = rules.approval_refusal(anew, person) or _no_call(anew, channel)
    if refusal is not None:
        raise Refused(refusal)
    async with db.transaction() as conn:
        if not await accounts.keep(conn, merchant_id, anew.beneficiary, anew.account_no):
            raise refuse(
                RefusalCode.STATE_FORBIDS,
                field="bank account",
                received="changed",
                allowed="verified",
            )
        if not await store.is_owed(conn, merchant_id, before.share_id):
            allowed = "one whose share no other payout pays"
            raise refuse(
                RefusalCode.STATE_FORBIDS, field="payout", received=before.state, allowed=allowed
            )
        anew = replace(anew, try_no=await store.count_tries(conn, merchant_id, before.share_id) + 1)
        if not await store.insert(conn, anew, person, f"instead of {payout_id}"):
            raise _changed_meanwhile(before)
        change = rules.approved(anew, person, channel, now)
        await store.write(conn, anew, change, now)
        if beside is not None:
            await beside(conn, anew.payout_id)
    return replace(change.after, revision=anew.revision + 1)


async def hold_back(
    conn: Connection, merchant_id: int, beneficiary: str, person: str, now: datetime
) -> int:
    """Hold back unsent payouts to an account, in the transaction that changes the account."""
    waiting = await store.waiting_of(conn, merchant_id, beneficiary)
    for payout in waiting:
        await store.write(conn, payout, rules.held_back(payout, person), now)
    return len(waiting)


async def _found(db: Database, merchant_id: int, payout_id: int) -> PayoutTry:
    payout = await store.select(db, merchant_id, payout_id)
    if payout is None:
        raise refuse(RefusalCode.NO_RECORDS, field="payout", received=str(payout_id))
    return payout


def _changed_meanwhile(payout: PayoutTry) -> Refused:
    return refuse(
        RefusalCode.STATE_FORBIDS,
        field="payout",
        received=payout.state,
        allowed="one that nobody changes now",
    )


async def settle(
    db: Database, payout: PayoutTry, answer: Answer, gaps: Gaps, now: datetime
) -> bool:
    """Apply the bank's answer to a payout exactly once, and return whether its state changed.

    payout: as it was when its provider was asked. An answer that comes after another provider got
    it changes nothing.
    """
    async with db.transaction() as conn:
        utr_of = await _utr_of(db, conn, payout, answer)
        locked = await store.lock(conn, payout.merchant_id, payout.payout_id)
        if locked is None:
            message = f"payout {payout.payout_id} disappeared"
            raise AssertionError(message)
        if locked.provider != payout.provider:
            key = {"merchant_id": payout.merchant_id, "payout_id": payout.payout_id}
            caller = {"of": payout.provider, "answer": type(answer).__name__}
            _log.error("payout_has_another_provider", by=locked.provider, **caller, **key)
            return False
        return await _settle_locked(conn, locked, answer, gaps, now, utr_of)


async def _utr_of(db: Database, conn: Connection, payout: PayoutTry, answer: Answer) -> str:
    """Return the reference of another payout that has an answer's UTR, "" for none.

    Until the transaction ends no other answer with this UTR is applied: of two at the same moment
    the second one sees the first. It is called before the payout is locked, so that no two wait for
    each other.
    """
    if not isinstance(answer, Approved) or not answer.rrn:
        return ""
    other = await utrs.lock_utr(db, conn, payout, answer.rrn)
    if other:
        key = {"merchant_id": payout.merchant_id, "payout_id": payout.payout_id}
        _log.error("payout_utr_of_another", **key, other=other)
    return other


async def _settle_locked(
    conn: Connection,
    locked: PayoutTry,
    answer: Answer,
    gaps: Gaps,
    now: datetime,
    utr_of: str = "",
) -> bool:
    """Write a payout after an answer, in the transaction that locked it.

    After a refusal that was none, payouts of the same share that have not left are held back.
    utr_of: another payout that has the answer's UTR.
    """
    others: list[PayoutTry] = []
    if locked.state is PayoutState.REFUSED and isinstance(answer, Approved):
        others = await store.lock_others(conn, locked)
    stands = any(other.state not in rules.WAITING for other in others)
    change = answers.after_answer(locked, answer, gaps, now, stands=stands, utr_of=utr_of)
    if change is None:
        await _take_fee(conn, locked, answer, now)
        return False
    if change.after.state is not locked.state:
        for other in others:
            if other.state in rules.WAITING:
                await store.write(conn, other, rules.held_back(other, BANK, rules.PAID_WORDS), now)
    if not await store.write(conn, locked, change, now):
        message = f"payout {locked.payout_id} changed under its lock"
        raise AssertionError(message)
    if change.after.state is PayoutState.PAID_LATE:
        await store.share_is_paid(conn, locked)
    if change.after.state is PayoutState.PAID_TWICE:
        _log.error("share_paid_twice", merchant_id=locked.merchant_id, payout_id=locked.payout_id)
    await _take_fee(conn, change.after, answer, now)
    return change.after.state is not locked.state


async def _take_fee(conn: Connection, payout: PayoutTry, answer: Answer, now: datetime) -> None:
    """Write what the provider of a paid payout took for it, or gave back.

    It is booked once. A provider that says another fee later is named in the log: its invoice
    decides.
    """
    if isinstance(answer, SentBack) and answer.fee_back and payout.state is PayoutState.REVERSED:
        await fees.refund(conn, payout.merchant_id, payout.payout_id, now)
    fee = answer.provider_fee if isinstance(answer, Approved) else None
    if fee is None or payout.state not in rules.PAID:
        return
    if await fees.write(conn, fee_taken(payout, fee, now)):
        return
    booked = await fees.of_payout(conn, payout.merchant_id, payout.payout_id)
    if any(known.differs(fee) for known in booked):
        key = {"merchant_id": payout.merchant_id, "payout_id": payout.payout_id}
        _log.error("payout_fee_differs", **key, told_paise=fee.amount.paise)


async def ask_now(db: Database, connector: str, reference: str, now: datetime) -> None:
    """Request an inquiry about a payout, as a proven webhook asks. It is stored on return.

    connector: the sender; payouts at other providers stay as they are. Another webhook within
    HASTEN_GAP causes one more inquiry at its end.
    """
    key = parse_payout_reference(reference)
    if key is not None and await store.hasten(db, *key, connector, now, HASTEN_GAP):
        db.wake(DUE_CHANNEL)


@dataclass(slots=True)
class ReportOutcome:
    """The result of a bank's report.

    strange: the references of lines that are not about our payouts, or that contradict an earlier
    answer of the bank.
    """

    changed: int = 0
    unchanged: int = 0
    strange: tuple[str, ...] = ()


async def take_report(db: Database, lines: Sequence[Reported], now: datetime) -> ReportOutcome:
    """Apply a bank's answers about payouts; the same report again changes nothing."""
    outcome = ReportOutcome()
    for line in lines:
        changed = await _take_line(db, line, now)
        if changed is None:
            outcome.strange += (masked(line.reference)[:40],)
        elif changed:
            outcome.changed += 1
        else:
            outcome.unchanged += 1
    return outcome


async def _take_line(db: Database, line: Reported, now: datetime) -> bool | None:
    """Return whether a line changed its payout's state, None for a strange one."""
    key = parse_payout_reference(line.reference)
    payout = await store.select(db, *key) if key else None
    if key is None or payout is None:
        return None
    async with db.transaction() as conn:
        if await _utr_of(db, conn, payout, line.answer):
            return None
        payout = await store.lock(conn, *key)
        if payout is None or payout.sent_at is None:
            return None
        if line.paise != payout.amount_paise or answers.contradicts(payout, line.answer):
            return None
        return await _settle_locked(conn, payout, line.answer, Gaps(), now)
