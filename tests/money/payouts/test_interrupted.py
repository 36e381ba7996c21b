"""A share is paid out once, whichever call of a process is interrupted."""

from contextlib import suppress
from datetime import timedelta

from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.money.payouts import actions
from tests.money.payouts.till import CHECKER, LATER, MAKER, PAISE, Till
from tests.payments.interrupted import Start, Step, shop_on, whichever_call_is_interrupted
from tests.shop import NOW

GRACE = timedelta(seconds=60)
TIMES = (timedelta(), timedelta(seconds=31), GRACE + timedelta(minutes=1), timedelta(hours=1))
"""When a worker looks: now, and when the leases and graces of a killed one are over."""


def on(till: Till, db: Database) -> Till:
    """Return the till in a process with this database."""
    return Till(shop_on(till.shop, db), replace(till.context, db=db))


async def test_a_payout_that_two_people_release(till: Till) -> None:
    await till.add_account()
    await till.check_accounts()

    async def begin() -> Start:
        share_id = await till.settle()
        till.bank.paid_out.clear()

        async def prepares(db: Database) -> None:
            await actions.prepare(on(till, db).context, NOW)

        def releases(person: str) -> Step:
            async def approves(db: Database) -> None:
                with suppress(Refused):  # this person has done so already
                    await on(till, db).approve(await till.of_share(share_id), person)

            return approves

        async def works(db: Database) -> None:
            for after in TIMES:
                await on(till, db).work(NOW + after)

        async def end() -> object:
            payout = await till.of_share(share_id)
            rows = await till.db.fetch(
                "SELECT kind, amount_paise FROM ledger_postings WHERE merchant_id = $1"
                " AND cause_id = $2 ORDER BY kind",
                till.merchant_id,
                payout.payout_id,
            )
            return (
                payout.try_no,
                payout.state,
                {each.reference for each in till.bank.paid_out} == {payout.reference},
                [tuple(row) for row in rows],
            )

        return [prepares, releases(MAKER), releases(CHECKER), works], end

    assert await whichever_call_is_interrupted(till.db, begin) == (
        1,
        "done",
        True,
        [("payout_done", PAISE), ("payout_sent", PAISE)],
    )
    assert await till.broken(LATER) == set()
