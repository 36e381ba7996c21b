"""A dispute is opened, answered and ended once, whichever call is interrupted."""

from contextlib import suppress
from datetime import timedelta
from itertools import count

from hundi.acquirers.port.disputes import Standing
from hundi.infra.postgres.database import Database
from hundi.kernel.refusals import Refused
from hundi.payments.disputes import actions
from hundi.payments.disputes.answers.actions import DisputeReply
from tests.payments.disputes.played import (
    CHARGEBACK,
    LATER,
    answered,
    documented,
    stages,
    word,
    worked,
)
from tests.payments.interrupted import Start, Step, shop_on, whichever_call_is_interrupted
from tests.payments.refunds.test_actions import PAISE, holds, paid
from tests.shop import NOW, Shop

TIMES = (timedelta(), actions.LEASE + timedelta(seconds=1), timedelta(hours=2))
"""When a worker looks: now, and when the lease of a killed one is over."""


async def test_a_chargeback_that_is_contested_and_lost(shop: Shop) -> None:
    numbers = count(1)

    async def begin() -> Start:
        view = await paid(shop)
        case = f"CASE{next(numbers)}"
        key = view.payment.merchant_id, view.payment.payment_id

        def says(standing: Standing, taken: int = 0) -> Step:
            async def calls_back(db: Database) -> None:
                news = word(view, standing, taken, case=case)
                shop.bank.raised[news.name] = news
                named = (news.name, news.original)
                await actions.handle_callback(shop_on(shop, db).context, "sandbox", named, NOW)

            return calls_back

        async def replies(db: Database) -> None:
            on = shop_on(shop, db)
            (stage,) = await stages(shop, view)
            with suppress(Refused):  # the answer stands already
                await documented(on, stage)
            await answered(on, stage, DisputeReply(0, "signed for"))

        async def works(db: Database) -> None:
            for after in TIMES:
                await worked(shop_on(shop, db), LATER + after)

        async def end() -> object:
            (stage,) = await stages(shop, view)
            documents = len(shop.bank.evidence)
            shop.bank.evidence.clear()
            answers = {each.reference for each in shop.bank.answered if each.name.case == case}
            postings = await shop.db.fetch(
                "SELECT kind, amount_paise FROM ledger_postings WHERE merchant_id = $1"
                " AND cause_id = $2 ORDER BY kind",
                stage.merchant_id,
                stage.stage_id,
            )
            told = await shop.db.fetch(
                "SELECT kind FROM deliveries WHERE merchant_id = $1 AND payment_id = $2"
                " AND kind LIKE 'dispute%' ORDER BY event_no",
                *key,
            )
            return (
                (stage.name.phase, stage.state, stage.taken_paise),
                (documents, len(answers)),
                [tuple(row) for row in postings],
                [row["kind"] for row in told],
            )

        return [says(Standing.OPEN), replies, works, says(Standing.LOST, PAISE), works], end

    assert await whichever_call_is_interrupted(shop.db, begin) == (
        (CHARGEBACK, "lost", PAISE),
        (1, 1),
        [("dispute_held", PAISE), ("dispute_lost", PAISE)],
        ["dispute_opened", "dispute_contested", "dispute_lost"],
    )
    await holds(shop.db)
