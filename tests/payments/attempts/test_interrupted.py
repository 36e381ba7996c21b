"""A payment is charged, booked and told once, whichever call of a process is interrupted."""

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from itertools import count

from hundi.acquirers.port.answers import Approved, BankCallback, NothingThere, Unknown
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.kernel.states import PaymentState
from hundi.payments.attempts.actions import payable
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.attempts.authentication.actions import AUTHORISE_GRACE, finish_card
from hundi.payments.attempts.rules import SENT_GRACE
from hundi.payments.methods.card import actions as cards
from tests.acquirer import Answer, ScriptedAcquirer
from tests.payments.interrupted import Start, shop_on, whichever_call_is_interrupted
from tests.shop import CARD, NOW, Shop, inquire_due

PAID = Approved(Money(149_950), "632512345678")
TIMES = (timedelta(seconds=5), 2 * AUTHORISE_GRACE, SENT_GRACE + timedelta(seconds=31))
"""When a worker asks: soon, and when the graces and the lease of a killed one are over."""
AGAIN = timedelta(minutes=3)
"""When a customer whose payment did not succeed tries again."""


class Issuer(ScriptedAcquirer):
    """A bank that knows which cards it challenged and charged."""

    async def inquire(self, reference: str) -> Answer:
        await super().inquire(reference)
        if ("authorise", reference) in self.calls:
            return PAID
        challenged = ("authenticate", reference) in self.calls
        return Unknown(authenticated=True) if challenged else NothingThere()


async def test_a_card(shop: Shop) -> None:
    bank = Issuer()
    shop = replace(shop, bank=bank, context=replace(shop.context, connectors=Registry([bank])))

    async def begin() -> Start:
        view = await shop.order()
        key = view.payment.merchant_id, view.payment.payment_id
        bank.calls.clear()
        presses = count(1)

        async def pays(db: Database, after: timedelta = timedelta()) -> None:
            at = NOW + after + timedelta(milliseconds=next(presses))
            with suppress(Refused):  # another attempt is under way, or has paid
                context = shop_on(shop, db).context
                await cards.pay(await payable(context, shop.merchant, key[1], at), CARD, str)

        async def comes_back(db: Database, after: timedelta = timedelta()) -> None:
            context = shop_on(shop, db).context
            for attempt in (await shop.again(view)).attempts:
                await finish_card(context, shop.merchant, attempt.attempt_id, NOW + after)

        async def works(db: Database, since: timedelta = timedelta()) -> None:
            for after in TIMES:
                await inquire_due(shop_on(shop, db).context, NOW + since + after)

        async def tries_again(db: Database) -> None:
            await pays(db, AGAIN)
            await comes_back(db, AGAIN)
            await works(db, AGAIN)

        async def end() -> object:
            after = await shop.again(view)
            postings = await shop.db.fetch(
                "SELECT kind, amount_paise FROM ledger_postings WHERE merchant_id = $1"
                " AND cause_id = ANY ($2::bigint[])",
                key[0],
                [each.attempt_id for each in after.attempts],
            )
            news = await shop.db.fetch(
                "SELECT kind FROM deliveries WHERE merchant_id = $1 AND payment_id = $2", *key
            )
            begun = Counter(each.created_at for each in after.attempts if each.method == "card")
            return (
                after.payment.state,
                max(begun.values()),
                len({reference for verb, reference in bank.calls if verb == "authorise"}),
                [tuple(row) for row in postings],
                [row["kind"] for row in news if row["kind"] == "paid"],
            )

        return [pays, comes_back, works, tries_again], end

    assert await whichever_call_is_interrupted(shop.db, begin) == (
        PaymentState.PAID,
        1,
        1,
        [("payment", 149_950)],
        ["paid"],
    )


async def test_a_qr_that_the_bank_reports(shop: Shop) -> None:
    async def begin() -> Start:
        view = await shop.order()
        offered = view.offered
        assert offered is not None
        word = BankCallback(f"cb-{offered.reference}", offered.reference, PAID)

        async def hears(db: Database) -> None:
            await answers.handle_callback(shop_on(shop, db).context, "sandbox", word, NOW)

        async def end() -> object:
            payment = (await shop.again(view)).payment
            postings = await shop.db.fetch(
                "SELECT kind, amount_paise FROM ledger_postings WHERE merchant_id = $1"
                " AND cause_id = $2",
                payment.merchant_id,
                offered.attempt_id,
            )
            news = await shop.db.fetch(
                "SELECT kind FROM deliveries WHERE merchant_id = $1 AND payment_id = $2",
                payment.merchant_id,
                payment.payment_id,
            )
            return payment.state, [tuple(row) for row in postings], [row["kind"] for row in news]

        return [hears], end

    assert await whichever_call_is_interrupted(shop.db, begin) == (
        PaymentState.PAID,
        [("payment", 149_950)],
        ["paid"],
    )
