"""Payments in another currency on the real database.

Not a paisa is lost over partial refunds, failed ones included.
"""

from collections import deque
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money, in_rupees
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import AttemptState, PaymentKind, PaymentState
from hundi.merchants.directory.rules import MerchantSettings
from hundi.money.audit import actions as auditing
from hundi.money.ledger import store as ledger
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.methods.card import actions as cards
from hundi.payments.orders.actions import PaymentCase, PaymentContext
from hundi.payments.orders.facts.rules import facts_of
from hundi.payments.orders.opening import actions as opening
from hundi.payments.orders.rules import Buyer, NewOrder, PaymentView
from hundi.payments.refunds import actions as refunding
from hundi.payments.refunds.actions import ItemToRefund
from hundi.payments.refunds.rules import RefundTotals, settled_paise
from tests.acquirer import ScriptedAcquirer
from tests.payments.stages import after_all, attempt
from tests.shop import CARD, NOW, Shop, open_shop, refund_due

RATE = 85_406_113
AMOUNT = 333_33
IN_RUPEES = in_rupees(Money(AMOUNT, "USD"), RATE).paise


@dataclass
class AbroadAcquirer(ScriptedAcquirer):
    """A scripted acquirer that charges cards in dollars, at one rate."""

    currencies: frozenset[str] = frozenset({"USD"})

    async def authorise(
        self, charge: Charge, *, authentication_id: str, capture: bool
    ) -> Approved | Declined | Unknown:
        self.calls.append(("authorise", f"{charge.amount.paise} {charge.amount.currency}"))
        return Approved(charge.amount, "632512345678", rate_micros=RATE)


async def abroad(db: Database, **settings: object) -> Shop:
    chosen = MerchantSettings(currencies=("INR", "USD"), multiple_partial_refunds=True, **settings)  # type: ignore[arg-type]
    shop = await open_shop(db, chosen)
    bank, known = AbroadAcquirer(), shop.context
    context = PaymentContext(
        db, known.directory, Registry([bank]), known.risk, known.session, known.qr
    )
    return Shop(db, context, shop.merchant, bank)


async def order(shop: Shop, amount: Money, number: int = 1, **more: object) -> PaymentView:
    kind = more.pop("kind", PaymentKind.SALE)
    new = NewOrder(f"USD-{number}", amount, kind, Buyer(), bytes(32), **more)  # type: ignore[arg-type]
    return await opening.initiate(shop.context, shop.merchant, new, NOW)


async def paid(shop: Shop) -> PaymentView:
    view = await order(shop, Money(AMOUNT, "USD"))
    assert view.payment.channels == ("pg",)
    begun = await cards.pay(
        await shop.case(view.payment.payment_id), CARD, lambda _: "http://back.test"
    )
    assert isinstance(begun, Redirect)
    await authentication.finish_card(
        shop.context, shop.merchant, (await shop.again(view)).attempts[-1].attempt_id, NOW
    )
    return await shop.again(view)


async def sound(shop: Shop) -> None:
    report = await auditing.audit(shop.db, [], await after_all(shop.db))
    assert report.holds, [each for each in report.checked if each.count]


async def balances(shop: Shop) -> dict[str, int]:
    found = await ledger.balances(shop.db, shop.merchant.merchant_id)
    assert {each.currency for each in found} == {"INR"}
    return {each.account: each.paise for each in found}


async def test_a_charge_abroad_is_posted_in_rupees_at_its_rate(db: Database) -> None:
    shop = await abroad(db)
    view = await paid(shop)
    assert shop.bank.calls[-1] == ("authorise", f"{AMOUNT} USD")
    assert view.payment.state is PaymentState.PAID
    assert (view.payment.captured_paise, view.attempts[-1].settled) == (AMOUNT, Money(IN_RUPEES))
    facts = facts_of(view)
    assert (facts.amount_paise, facts.currency, facts.rate_micros) == (AMOUNT, "USD", RATE)
    assert await shop.postings() == [("payment", "payable", IN_RUPEES)]
    await sound(shop)


async def test_parts_that_are_refunded_come_to_all_of_it_in_rupees_too(db: Database) -> None:
    shop = await abroad(db)
    view = await paid(shop)
    shop.bank.refunds = deque([Declined("57", "no")])
    for parts in ([1], [111_11, 7], [None]):
        asked = [ItemToRefund(each) for each in parts]
        answers = await refunding.request(
            shop.context, shop.merchant, view.payment.payment_id, asked, NOW
        )
        assert all(each.refusal is None for each in answers)
        while await refund_due(shop.context, NOW):
            pass
        await sound(shop)
    after = (await shop.again(view)).payment
    assert (after.refunded_paise, after.remaining) == (AMOUNT, Money(0, "USD"))
    told = [(each.amount.currency, each.settled) for each in shop.bank.given_back.values()]
    assert sum(each.paise for _, each in told if each) == IN_RUPEES
    assert {currency for currency, _ in told} == {"USD"}
    assert await balances(shop) == {"payable": 0, "receivable:sandbox": 0, "refunds_in_flight": 0}


@given(
    st.integers(1, 10**9),
    st.integers(20_000_000, 200_000_000),
    st.lists(st.tuples(st.integers(1, 10**9), st.booleans()), max_size=8),
)
def test_any_parts_in_any_order_with_any_failures_leave_nothing(
    total: int, rate: int, wished: list[tuple[int, bool]]
) -> None:
    charged = attempt(AttemptState.PAID)
    charged = replace(charged, rate_micros=rate)
    standing: list[tuple[int, int]] = []

    def refund(part: int) -> tuple[int, int]:
        before = RefundTotals(
            sum(paise for paise, _ in standing), sum(settled for _, settled in standing)
        )
        return part, settled_paise(charged, Money(part, "USD"), before)

    for wish, fails in wished:
        left = total - sum(paise for paise, _ in standing)
        if left:
            standing.append(refund(min(wish, left)))
        if fails and standing:
            standing.pop(0)
    left = total - sum(paise for paise, _ in standing)
    if left:
        standing.append(refund(left))
        assert sum(settled for _, settled in standing) == in_rupees(Money(total, "USD"), rate).paise
    assert all(settled > 0 for _, settled in standing)


@pytest.mark.parametrize(
    ("amount", "more", "allowed"),
    [
        (Money(100, "EUR"), {}, "INR, USD"),
        (Money(100, "USD"), {"kind": PaymentKind.AUTHORISE}, "INR for this kind of payment"),
        (Money(100, "USD"), {"kind": PaymentKind.SUBSCRIPTION}, "INR for this kind of payment"),
        (Money(100, "USD"), {"channels": ("upi",)}, "INR; other currencies are for cards (pg)"),
    ],
)
async def test_what_no_card_is_charged_for_is_refused(
    db: Database, amount: Money, more: dict[str, object], allowed: str
) -> None:
    shop = await abroad(db)
    with pytest.raises(Refused) as refused:
        await order(shop, amount, **more)
    refusal = refused.value.refusal
    assert (refusal.code, refusal.field) == (RefusalCode.CHANNEL_NOT_ENABLED, "currency_code")
    assert (refusal.received, refusal.allowed) == (amount.currency, allowed)


async def test_a_merchant_without_cards_has_nothing_left_to_offer(db: Database) -> None:
    shop = await abroad(db, channels=("upi",))
    with pytest.raises(Refused) as refused:
        await order(shop, Money(100, "USD"))
    assert refused.value.refusal.code is RefusalCode.CHANNEL_NOT_ENABLED


async def test_a_merchant_of_another_currency_alone_takes_no_rupees(db: Database) -> None:
    shop = await abroad(db)
    await db.execute('UPDATE merchants SET settings = settings || \'{"currencies": ["USD"]}\'')
    merchant = await shop.fresh_directory().get(shop.merchant.merchant_id)
    assert merchant is not None
    new = NewOrder("INR-1", Money(100), PaymentKind.SALE, Buyer(), bytes(32))
    with pytest.raises(Refused) as refused:
        await opening.initiate(shop.context, merchant, new, NOW)
    assert refused.value.refusal.allowed == "USD"


async def test_a_second_payment_abroad_goes_back_whole(db: Database) -> None:
    shop = await abroad(db)
    view = await paid(shop)
    other = Approved(Money(AMOUNT, "USD"), "632512340001", rate_micros=RATE)
    stray = view.attempts[-1]
    await db.execute(
        "INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, "
        "amount_paise, currency, connector,"
        " created_at, expires_at, inquire_at)"
        " VALUES ($1, 4242, $2, 'card', 'authorising', $3, 'USD', 'sandbox', $4, $4, $4)",
        stray.merchant_id,
        stray.payment_id,
        AMOUNT,
        NOW,
    )
    again = await shop.again(view)
    second = again.attempt(4242)
    assert second is not None
    await attempts.settle(PaymentCase(shop.context, shop.merchant, again, NOW), second, other)
    while await refund_due(shop.context, NOW):
        pass
    (given_back,) = shop.bank.given_back.values()
    assert (given_back.amount, given_back.settled) == (Money(AMOUNT, "USD"), Money(IN_RUPEES))
    assert await balances(shop) == {
        "owed_back": 0,
        "payable": IN_RUPEES,
        "receivable:sandbox": IN_RUPEES,
        "refunds_in_flight": 0,
    }
