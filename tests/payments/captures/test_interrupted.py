"""A capture or void happens, is booked and told once, whichever call is interrupted."""

from contextlib import suppress
from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Approved, Voided
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.kernel.states import CompletionKind
from hundi.payments.captures.rules import SENT_GRACE
from tests.acquirer import Answer, ScriptedAcquirer
from tests.payments.captures.test_actions import CAPTURE, VOID, authorised, end, endings, holds
from tests.payments.interrupted import Start, shop_on, whichever_call_is_interrupted
from tests.shop import NOW, Shop, complete_due

PAISE = 100_000
HELD = Approved(Money(149_950), "632512345678", authorised_only=True)
TIMES = (timedelta(), timedelta(seconds=31), SENT_GRACE + timedelta(minutes=1), timedelta(hours=1))
"""When a worker looks: now, and when the leases and graces of a killed one are over."""


class Holder(ScriptedAcquirer):
    """A bank that knows whether it still holds an amount."""

    async def inquire(self, reference: str) -> Answer:
        await super().inquire(reference)
        if ("capture", reference) in self.calls:
            return Approved(Money(PAISE), "632512347777")
        return Voided("632512348888") if ("void", reference) in self.calls else HELD


@pytest.mark.parametrize(
    ("kind", "paise", "expected"),
    [
        (CAPTURE, PAISE, ("captured", PAISE, ["done"], [("capture", PAISE)], "captured")),
        (VOID, None, ("voided", 0, ["done"], [], "voided")),
    ],
    ids=["capture", "void"],
)
async def test_a_request_of_a_merchant(
    shop: Shop, kind: CompletionKind, paise: int | None, expected: tuple[object, ...]
) -> None:
    bank = Holder()
    shop = replace(shop, bank=bank, context=replace(shop.context, connectors=Registry([bank])))

    async def begin() -> Start:
        view = await authorised(shop)
        key = view.payment.merchant_id, view.payment.payment_id

        async def asks(db: Database) -> None:
            with suppress(Refused):  # it has ended already
                await end(shop_on(shop, db), view, kind, paise)

        async def works(db: Database) -> None:
            for after in TIMES:
                await complete_due(shop_on(shop, db).context, NOW + after)

        async def outcome() -> object:
            payment = (await shop.again(view)).payment
            rows = await shop.db.fetch(
                "SELECT kind, amount_paise FROM ledger_postings WHERE merchant_id = $1"
                " AND cause_id = $2",
                view.payment.merchant_id,
                view.attempts[-1].attempt_id,
            )
            told = await shop.db.fetch(
                "SELECT kind FROM deliveries WHERE merchant_id = $1 AND payment_id = $2"
                " AND kind <> 'authorised'",
                *key,
            )
            return (
                payment.state,
                payment.captured_paise,
                [each.state for each in await endings(shop, view)],
                [tuple(row) for row in rows],
                ",".join(row["kind"] for row in told),
            )

        return [asks, works], outcome

    assert await whichever_call_is_interrupted(shop.db, begin) == expected
    await holds(shop)
