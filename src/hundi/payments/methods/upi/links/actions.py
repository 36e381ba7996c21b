"""UPI links that an acquirer makes: requested on demand, stored with the attempt, never changed."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial

import structlog

from hundi.acquirers.port.answers import NEVER_SENT_CODE, Unknown
from hundi.acquirers.port.checkout import MakesUpiLinks, UpiLink
from hundi.acquirers.port.mandates import MandateRequest
from hundi.instruments.methods import UPI, UPI_LINK
from hundi.kernel.ids import next_id
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, AttemptState, EventKind, PaymentState
from hundi.payments.acquirer_words.actions import KeptWords
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.answers.rules import expire
from hundi.payments.attempts.failover.actions import ACQUIRERS_MAX, in_place_of
from hundi.payments.attempts.rules import may_start, scannable
from hundi.payments.methods.upi import rules
from hundi.payments.orders.actions import (
    PaymentCase,
    PaymentContext,
    is_blocked,
    new_offer,
    write,
    write_block,
)
from hundi.payments.orders.rules import Attempt, PaymentView, Step
from hundi.payments.routing.rules import AttemptRoute

LINK, ENDS, LOST = "upi_link", "upi_link_ends", "upi_link_lost"
"""Keys of an attempt's words: its link, the link's end, and that none came."""
ANSWERED_WITHIN = timedelta(seconds=15)
"""A link that was not written down by now was lost: our calls end sooner."""
_log = structlog.get_logger(__name__)


async def link_of(context: PaymentContext, attempt: Attempt) -> UpiLink | None:
    """Return the link of an attempt, None where its acquirer's answer did not come, or not yet."""
    return _read(await KeptWords(context.db).known(attempt.reference))


def _read(words: Mapping[str, str]) -> UpiLink | None:
    if LINK not in words or ENDS not in words:
        return None
    return UpiLink(words[LINK], datetime.fromtimestamp(int(words[ENDS]), UTC))


async def offer(
    case: PaymentCase, attempt_route: AttemptRoute, mandate: MandateRequest | None = None
) -> Attempt:
    """Return the attempt whose link can be paid now, else a new one with its link.

    mandate: what the link approves beside the payment.

    After a lost answer the attempt is asked about until it ends, and the customer gets another one.
    If an acquirer certainly was not called, the next one of the route is, or its QR that needs no
    call. Raises Refused: STATE_FORBIDS, ORDER_ALREADY_PAID, RISK_BLOCKED, BANK_UNREACHABLE.
    """
    context, now = case.context, case.now
    standing, lost = scannable(case.view, now), 0
    if standing is not None:
        words = await KeptWords(context.db).known(standing.reference)
        link = _read(words)
        if link is not None and link.expires_at > now:
            return standing
        if link is None and LOST not in words and now < standing.created_at + ANSWERED_WITHIN:
            # Another request is asking for it at this moment.
            return standing
        lost = standing.attempt_id
    routed, answer = attempt_route.routed, Unknown()
    for way in attempt_route.ways[:ACQUIRERS_MAX]:
        after, attempt = await _begin(case, AttemptRoute((way,), routed), lost)
        offered = attempt or after.offered
        if offered is None:
            raise refuse(RefusalCode.STATE_FORBIDS)
        if attempt is None or attempt.method != UPI_LINK.name:
            return offered
        case = case.with_view(after)
        answer = await _ask(case, attempt, mandate)
        if isinstance(answer, Attempt):
            return answer
        if answer.sent:
            await KeptWords(context.db).keep(attempt.reference, {LOST: "yes"})
            break
        after, _ = await write(case, partial(_closed, attempt.attempt_id, now))
        case = case.with_view(after)
        routed, lost = in_place_of(routed, attempt), 0
    raise refuse(RefusalCode.BANK_UNREACHABLE, detail=answer.message)


async def _begin(
    case: PaymentCase, attempt_route: AttemptRoute, lost: int
) -> tuple[PaymentView, Attempt | None]:
    """Write an attempt on offer; None in its place where another was offered meanwhile.

    lost: the attempt whose answer was lost.
    """
    now, most = case.now, case.merchant.settings.attempts_an_hour
    fresh = await new_offer(case, attempt_route)
    if is_blocked(fresh):
        await write_block(case, fresh)
        raise refuse(RefusalCode.RISK_BLOCKED, detail=f"rule {fresh.risk.verdict.rule}")

    def decide(current: PaymentView) -> Step | None:
        attempts.raise_if(may_start(current, UPI.code, most, now))
        scannable_attempt = scannable(current, now)
        if scannable_attempt is not None and scannable_attempt.attempt_id != lost:
            return None
        offered = replace(fresh, attempt_id=next_id(now, attempt_route.routed.instead_of))
        reopened = replace(
            current.payment, state=PaymentState.IN_PROCESS if current.live else PaymentState.OPEN
        )
        return Step(EventKind.QR_OFFERED, Actor.CUSTOMER, reopened, offered, new_attempt=True)

    after, step = await write(case, decide)
    return after, step.attempt if step else None


async def _ask(
    case: PaymentCase, attempt: Attempt, mandate: MandateRequest | None
) -> Attempt | Unknown:
    """Ask once for the link of a stored attempt; Unknown where none came."""
    context, now = case.context, case.now
    connector = context.connectors.get(attempt.connector)
    assert isinstance(connector, MakesUpiLinks), "chosen by it"
    charge = attempts.charge_of(attempt)
    customer = attempts.customer_of(case)
    charge = replace(charge, mandate=mandate, payee_name=case.merchant.name, customer=customer)
    answer = await connector.upi_link(
        charge, expires_in_s=int((attempt.expires_at - now).total_seconds())
    )
    if isinstance(answer, UpiLink) and not rules.is_link(answer.url, mandate=mandate is not None):
        _log.error("upi_link_unusable", connector=attempt.connector, reference=attempt.reference)
        answer = Unknown(message="the acquirer's link is none")
    if isinstance(answer, UpiLink):
        ends = str(int(answer.expires_at.timestamp()))
        await KeptWords(context.db).keep(attempt.reference, {LINK: answer.url, ENDS: ends})
        return attempt
    if not isinstance(answer, Unknown):
        return await attempts.settle(case, attempt, answer)
    return answer


def _closed(attempt_id: int, now: datetime, current: PaymentView) -> Step | None:
    """Return the step that closes an attempt which certainly never reached its acquirer."""
    ours = current.attempt(attempt_id)
    if ours is None or ours.state is not AttemptState.OFFERED:
        return None
    # The acquirer's health is read from this code.
    return expire(current, replace(ours, bank_code=NEVER_SENT_CODE), Actor.INQUIRY, now)
