"""Sends direct shares, asks about them and reverses them in the background."""

from functools import partial

from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Claim, Due, LeasedWork
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import utc_now
from hundi.payments.direct_shares import actions, store
from hundi.payments.direct_shares.rules import DirectShare
from hundi.payments.orders.actions import PaymentContext

PACE = Pace(poll_s=1.0, in_flight_max=20, peer_in_flight_max=20, idle_s=15.0)


def direct_shares(
    context: PaymentContext, vault: Vault, *, clock: Clock = utc_now
) -> DueLoop[DirectShare]:
    """Return the loop that works on the shares that acquirers settle themselves.

    vault: proves the trail's entries about linked accounts.
    """
    db = context.db
    claim = Claim(actions.LEASE, partial(store.claim, db), partial(store.put_back, db))
    work = LeasedWork(
        "direct shares",
        PACE,
        partial(store.due, db),
        claim,
        partial(actions.work_on, context, vault),
        due=_due,
        able=context.connectors.has,
    )
    return DueLoop(work, hints=partial(db.listen, actions.DUE_CHANNEL), clock=clock)


def _due(share: DirectShare) -> Due:
    return Due(share.merchant_id, share.share_id, share.connector)
