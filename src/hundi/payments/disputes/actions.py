"""The actions of disputes: take the bank's news, answer, add documents, work on what is due."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial

import structlog
from asyncpg import UniqueViolationError

from hundi.acquirers.port.answers import Declined, Unknown
from hundi.acquirers.port.disputes import (
    AcceptsDisputes,
    ContestsDisputes,
    DisputePage,
    DisputeWord,
    EvidenceFile,
    ListsDisputes,
    PhaseName,
    Standing,
    TellsDisputes,
)
from hundi.infra.monitoring import traces
from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import ID_TRIES_MAX, evidence_reference, new_id, parse_reference
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, DisputeState, EventKind
from hundi.notifications.actions import CHANNEL as DELIVERIES_DUE
from hundi.payments.disputes import rules, store
from hundi.payments.disputes.answers import rules as answer_rules
from hundi.payments.disputes.documents import actions as sealed
from hundi.payments.disputes.rules import Stage
from hundi.payments.disputes.steps import rules as steps
from hundi.payments.orders import store as payments
from hundi.payments.orders.actions import PaymentContext, write_locked
from hundi.payments.orders.rules import Attempt, PaymentView, Step

LEASE = timedelta(minutes=5)
"""How long a worker holds a claimed stage; longer than sending its documents takes."""
LOOKBACK = timedelta(days=30)
"""The time after its last change for which a dispute is in the list requested from the bank."""
PAGES_MAX = 1_000
"""The most pages of one acquirer's disputes in one look."""
DUE_CHANNEL = "disputes_due"
_log = structlog.get_logger(__name__)
Decide = Callable[[Stage, PaymentView], tuple[Stage, Step | None]]
"""Returns the changed stage, and the step of its payment or None."""


async def handle_callback(
    context: PaymentContext, connector: str, phase: tuple[PhaseName, str], now: datetime
) -> bool:
    """Ask the bank about the dispute in a callback, and take its answer.

    Return False while that is not possible.
    """
    name, _ = phase
    acquirer = context.connectors.get(connector)
    if not isinstance(acquirer, TellsDisputes):
        return False
    word = await acquirer.inquire_dispute(name)
    return isinstance(word, DisputeWord) and await learn(context, connector, word, now)


async def look(context: PaymentContext, now: datetime) -> int:
    """Ask every acquirer that lists its disputes for them, as callbacks get lost.

    Return how many were taken.
    """
    count = 0
    for connector in context.connectors.all():
        if not isinstance(connector, ListsDisputes):
            continue
        after = ""
        for _ in range(PAGES_MAX):
            page = await connector.disputes(now - LOOKBACK, after)
            if not isinstance(page, DisputePage):
                _log.warning("disputes_not_listed", connector=connector.name)
                break
            for word in page.words:
                count += await _learn_safely(context, connector.name, word, now)
            if not page.next:
                break
            after = page.next
    return count


async def _learn_safely(
    context: PaymentContext, connector: str, word: DisputeWord, now: datetime
) -> bool:
    try:
        return await learn(context, connector, word, now)
    except Exception:  # noqa: BLE001 (logged; one that cannot be taken must not stop the others)
        _log.exception("dispute_not_taken", connector=connector, original=word.original)
        return False


async def learn(context: PaymentContext, connector: str, word: DisputeWord, now: datetime) -> bool:
    """Take an acquirer's news of one phase; False while its payment is not known here.

    A repeat changes nothing.
    """
    key = parse_reference(word.original)
    if key is None:
        _log.warning("dispute_of_unknown_payment", connector=connector)
        return False
    merchant_id, _ = key
    stages = await store.phases_of(context.db, merchant_id, connector, word.name.case)
    stage = next((stage for stage in stages if stage.phase is word.name.phase), None)
    if stage is None:
        if not await _earlier_told(context, stages, now) or not await _open(
            context, connector, word, key, now
        ):
            return False
        stages = await store.phases_of(context.db, merchant_id, connector, word.name.case)
        stage = next((stage for stage in stages if stage.phase is word.name.phase), None)
    if stage is not None and rules.after_word(stage, word, now) != stage:
        await _end(context.db, stage, word, now)
    return True


async def _earlier_told(context: PaymentContext, stages: Sequence[Stage], now: datetime) -> bool:
    """Take the bank's news of the phases before a new one; False while it gives none.

    The new phase takes over what an ended one still held. News of the ended one may come later, or
    get lost.
    """
    for stage in stages:
        acquirer = context.connectors.get(stage.connector)
        if stage.state in rules.ENDED or not isinstance(acquirer, TellsDisputes):
            continue
        word = await acquirer.inquire_dispute(stage.name)
        if isinstance(word, Unknown):
            return False
        if isinstance(word, DisputeWord):
            await _end(context.db, stage, word, now)
    return True


async def _open(
    context: PaymentContext,
    connector: str,
    word: DisputeWord,
    key: tuple[int, int],
    now: datetime,
) -> bool:
    """Open a phase; True also when another process has just opened it."""
    merchant_id, attempt_id = key
    merchant = await context.directory.get(merchant_id)
    view = await payments.select_by_attempt(context.db, merchant_id, attempt_id)
    attempt = rules.disputed_attempt(view, attempt_id, word) if view else None
    if merchant is None or view is None or attempt is None or attempt.connector != connector:
        _log.warning("dispute_of_unknown_payment", connector=connector, merchant_id=merchant_id)
        return False
    if word.amount.currency != attempt.amount.currency:
        _log.error("dispute_in_another_currency", connector=connector, merchant_id=merchant_id)
        return False
    fee_paise = merchant.settings.dispute_fee_paise
    for _ in range(ID_TRIES_MAX):
        try:
            async with context.db.transaction() as conn:
                locked = await payments.lock_view(conn, merchant_id, view.payment.payment_id)
                paid = locked.attempt(attempt.attempt_id) if locked else None
                if locked is None or paid is None or not rules.may_open(locked, paid):
                    return False  # the capture is not known yet; the bank repeats its news
                before = await store.phases_of(conn, merchant_id, connector, word.name.case)
                if any(stage.payment_id != locked.payment.payment_id for stage in before):
                    _log.error(
                        "dispute_of_another_payment", connector=connector, merchant_id=merchant_id
                    )
                    return False
                if any(stage.phase is word.name.phase for stage in before):
                    return True
                stage = await _new_stage(conn, word, locked, paid, before, fee_paise, now)
                await store.insert(conn, stage)
                await write_locked(conn, locked, steps.step_opened(locked.payment, stage), now)
        except UniqueViolationError:
            continue  # an id is a duplicate
        context.db.wake(DELIVERIES_DUE, str(merchant_id))
        return True
    message = "no free stage id found"
    raise RuntimeError(message)


async def _new_stage(
    conn: Connection,
    word: DisputeWord,
    locked: PaymentView,
    attempt: Attempt,
    before: Sequence[Stage],
    fee_paise: int,
    now: datetime,
) -> Stage:
    payment = locked.payment
    disputed = await payments.disputed(conn, payment.merchant_id, payment.payment_id)
    goes_back = await store.goes_back(conn, payment.merchant_id, attempt.attempt_id)
    most = rules.disputable_paise(payment, attempt, disputed, goes_back=goes_back)
    last = before[-1] if before else None
    return rules.new_stage(new_id(now), word, attempt, last, most, fee_paise, now)


async def _end(db: Database, current: Stage, word: DisputeWord, now: datetime) -> None:
    """Apply the bank's news exactly once.

    The postings, the event and the notification are written with an end, and with an answer that
    was given in the acquirer's own dashboard.
    """

    def decide(stage: Stage, view: PaymentView) -> tuple[Stage, Step | None]:
        if not rules.is_of(word, view):
            _log.error(
                "dispute_of_another_payment", merchant_id=stage.merchant_id, stage_id=stage.stage_id
            )
            return stage, None
        if rules.takes_more(stage, word):
            _log.error("dispute_took_more", merchant_id=stage.merchant_id, stage_id=stage.stage_id)
        after = rules.after_word(stage, word, now)
        if after.settled_at is not None and stage.settled_at is None:
            return after, steps.step_ended(view.payment, after, now)
        if after.answered_at is not None and stage.answered_at is None:
            return after, steps.step_answered(view.payment, after, Actor.BANK)
        return after, None

    await change(db, current, decide, now)


async def change(
    db: Database, current: Stage, decide: Decide, now: datetime, beside: Beside | None = None
) -> Stage:
    """Change a stage and its payment under the payment's lock, and return the stage."""
    async with db.transaction() as conn:
        locked = await payments.lock_view(conn, current.merchant_id, current.payment_id)
        stage = await store.lock(conn, current.merchant_id, current.stage_id)
        if locked is None or stage is None:
            message = f"stage {current.stage_id} or its payment disappeared"
            raise AssertionError(message)
        after, step = decide(stage, locked)
        if after == stage:
            return stage
        if not await store.update(conn, stage, after):
            message = f"stage {current.stage_id} changed under its lock"
            raise AssertionError(message)
        if step is not None:
            await write_locked(conn, locked, step, now)
        if beside is not None:
            await beside(conn, after.stage_id)
    if step is not None:
        db.wake(DELIVERIES_DUE, str(current.merchant_id))
    return after


async def work_on(context: PaymentContext, vault: Vault, claimed: Stage, now: datetime) -> bool:
    """Remind of a claimed stage, send its answer, or ask the bank.

    Return False when nothing could be sent.
    """
    traces.note(claimed.merchant_id, claimed.payment_id)
    connector = context.connectors.get(claimed.connector)
    if claimed.state is DisputeState.OPEN:
        if now >= claimed.respond_by and isinstance(connector, TellsDisputes):
            await _last_inquiry(context.db, connector, claimed, now)
        await change(context.db, claimed, partial(_watched, now), now)
        return True
    if not isinstance(connector, TellsDisputes):
        _log.error(
            "dispute_without_connector", merchant_id=claimed.merchant_id, stage_id=claimed.stage_id
        )
        return True
    takes = isinstance(connector, answer_rules.capability_of(claimed))
    if claimed.unsent and takes and isinstance(connector, AcceptsDisputes):
        word = await _send(context, vault, connector, claimed, now)
    else:
        if claimed.unsent:
            await _told_elsewhere(context.db, claimed, now)
        word = await connector.inquire_dispute(claimed.name)
    if isinstance(word, Unknown) and not word.sent:
        return False
    if isinstance(word, DisputeWord):
        await _end(context.db, claimed, word, now)
    await store.reschedule(
        context.db, claimed, rules.asked_again(claimed, connector.dispute_gaps_s, now)
    )
    return True


async def _last_inquiry(
    db: Database, connector: TellsDisputes, stage: Stage, now: datetime
) -> None:
    """Inquire at the deadline whether a stage was contested in the acquirer's own dashboard.

    Its webhook may be lost or late. Any other word is for an expired stage.
    """
    word = await connector.inquire_dispute(stage.name)
    if isinstance(word, DisputeWord) and word.standing is Standing.UNDER_REVIEW:
        await _end(db, stage, word, now)


async def _told_elsewhere(db: Database, stage: Stage, now: datetime) -> None:
    """Say that an answer which was taken here cannot be sent: its acquirer takes none any more.

    Settings or an upgrade changed what the acquirer takes, after the merchant had answered.
    """
    _log.error("dispute_answer_not_taken", merchant_id=stage.merchant_id, stage_id=stage.stage_id)

    def noted(current: Stage, _view: PaymentView) -> tuple[Stage, Step | None]:
        words = answer_rules.NOT_TAKEN if current.unsent else current.bank_message
        return replace(current, bank_message=words), None

    await change(db, stage, noted, now)


def _watched(now: datetime, stage: Stage, view: PaymentView) -> tuple[Stage, Step | None]:
    """Return an open stage after its reminder, or after its deadline."""
    if stage.state is not DisputeState.OPEN:
        return stage, None
    if now >= stage.respond_by:
        expired = rules.moved(stage, DisputeState.EXPIRED, expired_at=now, due_at=now, inquiries=0)
        return expired, steps.step_expired(view.payment, expired)
    at = rules.remind_at(stage)
    if at is not None and now >= at:
        reminded = replace(stage, reminded_at=now, due_at=stage.respond_by, inquiries=0)
        return reminded, steps.step_reminded(view.payment, reminded)
    return replace(stage, due_at=rules.open_due(stage), inquiries=0), None


async def _send(
    context: PaymentContext, vault: Vault, connector: AcceptsDisputes, stage: Stage, now: datetime
) -> DisputeWord | Declined | Unknown:
    """Send a merchant's documents and answer.

    Each has a key, so that a repeat changes nothing.
    """
    db = context.db
    caused = (
        EventKind.DISPUTE_ACCEPTED
        if stage.state is DisputeState.ACCEPTING
        else EventKind.DISPUTE_CONTESTED
    )
    if not await payments.has_event(
        db, stage.merchant_id, stage.payment_id, caused, stage.answered_at
    ):
        # Somebody changed the books: nothing is sent, and the audit names what is wrong.
        _log.error(
            "dispute_answer_not_backed", merchant_id=stage.merchant_id, stage_id=stage.stage_id
        )
        return Unknown(message="the answer has no event")
    for document in await store.evidence_of(db, stage.merchant_id, [stage.stage_id]):
        if document.sent_at is not None or not isinstance(connector, ContestsDisputes):
            continue
        content = await sealed.content(db, vault, stage.merchant_id, document.evidence_id)
        key = evidence_reference(stage.merchant_id, document.evidence_id)
        answer = await connector.send_evidence(
            stage.name, EvidenceFile(key, document.media_type, content, stage.note)
        )
        if isinstance(answer, Unknown):
            return answer
        if isinstance(answer, Declined):
            _log.warning(
                "evidence_declined",
                merchant_id=stage.merchant_id,
                stage_id=stage.stage_id,
                code=answer.code,
            )
        await store.evidence_sent(db, stage.merchant_id, document.evidence_id, now)
    word = await connector.answer_dispute(rules.answer_of(stage))
    if not isinstance(word, Unknown):
        words = f"{word.code} {word.message}" if isinstance(word, Declined) else ""
        taken = partial(_taken, words, now)
        await change(db, stage, taken, now)
    return word


def _taken(
    words: str, now: datetime, stage: Stage, _view: PaymentView
) -> tuple[Stage, Step | None]:
    """Return a stage whose answer the bank received.

    words: why the bank refused it, "" if it did not.
    """
    return (replace(stage, sent_at=now, bank_message=words) if stage.unsent else stage), None
