"""Sends payouts and inquires about them in the background."""

from functools import partial

from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Claim, Due, LeasedWork
from hundi.kernel.clock import utc_now
from hundi.money.payouts import actions, store
from hundi.money.payouts.actions import PayoutContext
from hundi.money.payouts.rules import PayoutTry
from hundi.money.payouts.sending import actions as sending

PACE = Pace(poll_s=1.0, in_flight_max=20, peer_in_flight_max=20, idle_s=15.0)


def payouts(context: PayoutContext, *, clock: Clock = utc_now) -> DueLoop[PayoutTry]:
    """Return the loop that sends approved payouts and inquires about sent ones."""
    db = context.db
    claim = Claim(actions.LEASE, partial(store.claim, db), partial(store.put_back, db))

    def able(provider: str) -> bool:
        # A payout that was not sent has no provider yet.
        return not provider or context.connectors.has(provider)

    work = LeasedWork(
        "payouts",
        PACE,
        partial(store.due, db),
        claim,
        partial(sending.work_on, context),
        due=_due,
        able=able,
    )
    return DueLoop(work, hints=partial(db.listen, actions.DUE_CHANNEL), clock=clock)


def _due(payout: PayoutTry) -> Due:
    provider = payout.provider if payout.sent_at else ""
    return Due(payout.merchant_id, payout.payout_id, provider)
