"""Ask acquirers how mandates stand, and end those that were approved beside the one that counts."""

from datetime import datetime
from functools import partial

import structlog

from hundi.acquirers.port.answers import Accepted, NothingThere, Unknown
from hundi.acquirers.port.mandates import MandateStanding, MandateState, TakesMandates
from hundi.infra.background.due import Clock, DueLoop
from hundi.infra.background.due_rows import Claim, Due, LeasedWork
from hundi.kernel.clock import utc_now
from hundi.kernel.records import replace
from hundi.payments.orders import store as payments
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.rules import Attempt
from hundi.payments.subscriptions import store
from hundi.payments.subscriptions.approvals.actions import RUNS
from hundi.payments.subscriptions.jobs import LEASE, PACE, bank_of
from hundi.payments.subscriptions.locking.actions import DUE_CHANNEL, locked
from hundi.payments.subscriptions.rules import Subscription
from hundi.payments.subscriptions.standings import rules
from hundi.payments.subscriptions.standings.actions import follow

_STANDS = frozenset({MandateState.ACTIVE, MandateState.PAUSED})
_log = structlog.get_logger(__name__)


def standings(context: PaymentContext, *, clock: Clock = utc_now) -> DueLoop[Subscription]:
    """Return the loop that asks how mandates stand."""
    db = context.db
    claim = Claim(LEASE, partial(store.claim_to_ask, db), partial(store.put_back_to_ask, db))
    find, act = partial(store.to_ask, db), partial(_work_on, context)
    work = LeasedWork("standings", PACE, find, claim, act, due=_due, able=context.connectors.has)
    return DueLoop(work, listen=partial(db.listen, DUE_CHANNEL), clock=clock)


def _due(subscription: Subscription) -> Due:
    return Due(subscription.merchant_id, subscription.subscription_id, subscription.connector)


async def _work_on(context: PaymentContext, claimed: Subscription, now: datetime) -> bool:
    key = claimed.merchant_id, claimed.subscription_id
    view = await payments.select_view(context.db, *key)
    assert view is not None, "a subscription has an order"
    standing: MandateStanding | NothingThere | Unknown = NothingThere()
    if claimed.state in RUNS:
        standing = await bank_of(context, claimed).inquire_mandate(claimed.mandate_reference)
        if isinstance(standing, Unknown) and not standing.sent:
            return False
    others = [
        await _is_settled(context, attempt)
        for attempt in rules.beside(view, claimed)
        if context.connectors.has(attempt.connector)
        and attempt.expires_at + rules.LINK_GRACE <= now
    ]
    undecided = isinstance(standing, Unknown) or not all(others)
    async with locked(context.db, *key, now) as one:
        # First, because a step may ask again at another time.
        again = rules.next_question(one.view, one.subscription, now, undecided=undecided)
        asked = replace(one.subscription, ask_at=again)
        if isinstance(standing, MandateStanding):
            asked = rules.named(asked, standing)
        await one.write(asked)
        if isinstance(standing, MandateStanding):
            await follow(one, rules.step_of(one.subscription, standing.state))
    return True


async def _is_settled(context: PaymentContext, attempt: Attempt) -> bool:
    """End the mandate of an attempt if it stands; return whether nobody can approve it any more.

    Nobody knows of this mandate: its payment failed, or came back, and another one counts.
    """
    connector = context.connectors.get(attempt.connector)
    if not isinstance(connector, TakesMandates):
        return True
    standing = await connector.inquire_mandate(attempt.reference)
    if not isinstance(standing, MandateStanding):
        return isinstance(standing, NothingThere)
    if standing.state in _STANDS:
        answer = await connector.end_mandate(attempt.reference)
        _log.info("mandate_beside_ended", reference=attempt.reference, answer=type(answer).__name__)
        return isinstance(answer, Accepted)
    return standing.state is not MandateState.PENDING
