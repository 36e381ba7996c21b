"""Failover: try at the next acquirer, as a new attempt, what the first one certainly did not take.

Only a call that certainly never reached the first acquirer, or that it turned away unread, goes on.
Silence after the call was sent never does, and neither does a decline: the money may have moved, or
the customer was answered.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

import structlog

from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown
from hundi.acquirers.registry import Way
from hundi.kernel.ids import next_id
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, AttemptState, EventKind, PaymentState
from hundi.payments.attempts import actions, rules
from hundi.payments.attempts.actions import Choice
from hundi.payments.attempts.answers import rules as answers
from hundi.payments.orders.actions import PaymentCase, new_attempt, write
from hundi.payments.orders.rules import Attempt, PaymentView, Step, channel_of
from hundi.payments.routing.rules import AttemptRoute, Routed

ACQUIRERS_MAX = 3
"""The most acquirers for one try of a customer, who waits meanwhile."""
_STEPS_MAX = 4
"""Writes to close one attempt and begin the next, with room for writers in between."""
Answer = Redirect | Approved | Declined | Unknown
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FailoverTry:
    """A customer's try, whichever acquirer takes it.

    choice: returns what is stored of it at an acquirer. ask: makes the call. life: how long the
    attempt lasts.
    """

    choice: Callable[[Way], Choice]
    ask: Callable[[PaymentView, Attempt, Way], Awaitable[Answer]]
    life: timedelta


def took_nothing(answer: object) -> bool:
    """Return whether an acquirer certainly did not take a call, so that no money can move by it."""
    return isinstance(answer, Unknown) and not answer.sent


async def in_turn(
    case: PaymentCase, route: AttemptRoute, customer_try: FailoverTry
) -> tuple[PaymentCase, Attempt, Answer]:
    """Begin an attempt and call its acquirer; if it certainly took nothing, go on with the next.

    Return the last attempt and its answer; the caller settles it. A crash leaves at most one
    attempt that may have moved money: the books close it before the next begins. Raises Refused:
    what `attempts.begin` raises.
    """
    first, *others = route.ways[:ACQUIRERS_MAX]
    case, attempt = await actions.begin(
        case, customer_try.choice(first), first.connector, customer_try.life, route.routed
    )
    answer = await customer_try.ask(case.view, attempt, first)
    for way in others:
        if not took_nothing(answer):
            break
        following = await _again(
            case, attempt, way, customer_try, in_place_of(route.routed, attempt)
        )
        if following is None:
            break
        _log.info("attempt_fails_over", reference=attempt.reference, to=way.connector.name)
        case, attempt = following
        answer = await customer_try.ask(case.view, attempt, way)
    return case, attempt, answer


def in_place_of(routed: Routed, failed: Attempt) -> Routed:
    """Return the routing reason of an attempt that replaces a failed one."""
    return Routed(routed.plan, routed.rule, routed.because, routed.passed, failed.attempt_id)


async def _again(
    case: PaymentCase, failed: Attempt, way: Way, customer_try: FailoverTry, routed: Routed
) -> tuple[PaymentCase, Attempt] | None:
    """Close an attempt and begin the next; None where the payment was changed meanwhile.

    The risk rules and the limit of attempts do not count it again: the customer tried once.
    """
    choice, now = customer_try.choice(way), case.now

    def decide(current: PaymentView) -> Step | None:
        before = current.attempt(failed.attempt_id)
        if before is not None and before.state is AttemptState.SENT:
            return answers.after_decline(current, before, answers.NEVER_HAD, now)
        if before is None or not rules.goes_on(current, before, now):
            return None
        attempt = actions.of_choice(
            new_attempt(current.payment, choice.method, way.connector, customer_try.life, now),
            choice,
        )
        # Attempts with one time are ordered by their ids.
        attempt_id = next_id(now, failed.attempt_id)
        attempt = replace(attempt, attempt_id=attempt_id, risk=failed.risk, route=routed)
        channel = channel_of(current.payment, choice.method)
        started = replace(current.payment, state=PaymentState.IN_PROCESS, method=channel)
        return Step(EventKind.ATTEMPT_STARTED, Actor.GATEWAY, started, attempt, new_attempt=True)

    for _ in range(_STEPS_MAX):
        after, step = await write(case, decide)
        if step is None:
            break
        case = case.with_view(after)
        if step.attempt is not None and step.new_attempt:
            return case, step.attempt
    return None
