"""Later work on disputes: reminders, deadlines, answers, inquiries."""

from functools import partial

from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Claim, Due, LeasedWork
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import utc_now
from hundi.payments.disputes import actions, store
from hundi.payments.disputes.rules import Stage
from hundi.payments.orders.actions import PaymentContext

PACE = Pace(poll_s=5.0, in_flight_max=20, peer_in_flight_max=10, idle_s=30.0)


def disputes(context: PaymentContext, vault: Vault, *, clock: Clock = utc_now) -> DueLoop[Stage]:
    """Return the loop that works on every stage of a dispute that is due."""
    db = context.db
    claim = Claim(actions.LEASE, partial(store.claim, db), partial(store.put_back, db))
    act = partial(actions.work_on, context, vault)
    work = LeasedWork(
        "disputes", PACE, partial(store.due, db), claim, act, due=_due, able=context.connectors.has
    )
    return DueLoop(work, listen=partial(db.listen, actions.DUE_CHANNEL), clock=clock)


def _due(stage: Stage) -> Due:
    return Due(stage.merchant_id, stage.stage_id, stage.connector)
