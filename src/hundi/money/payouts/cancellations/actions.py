"""The action of cancelling a payout that has not left."""

from datetime import datetime

from hundi.infra.postgres.database import Beside, Database
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.money.payouts import rules, store
from hundi.money.payouts.rules import CANCELLED_WORDS, PayoutTry


async def cancel(
    db: Database,
    merchant_id: int,
    payout_id: int,
    person: str,
    reason: str,
    now: datetime,
    beside: Beside | None = None,
) -> PayoutTry:
    """Hold back a payout of which certainly nothing left: its share is owed again.

    Nothing was posted yet. One person does it, because money leaves only when two release another
    payout. The row is locked against a worker that sends it: either the worker finds it changed, or
    this finds it sent and refuses. beside: also written in the transaction. Raises Refused.
    """
    async with db.transaction() as conn:
        payout = await store.lock(conn, merchant_id, payout_id)
        if payout is None:
            raise refuse(RefusalCode.NO_RECORDS, field="payout", received=str(payout_id))
        refusal = rules.cancel_refusal(payout, person)
        if refusal is not None:
            raise Refused(refusal)
        change = rules.held_back(payout, person, f"{CANCELLED_WORDS}{reason}")
        written = await store.write(conn, payout, change, now)
        assert written, "nobody changes a payout that is locked"
        if beside is not None:
            await beside(conn, payout_id)
    return replace(change.after, revision=payout.revision + 1)
