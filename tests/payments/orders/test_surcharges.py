"""Surcharged payments on the real database.

What is charged, kept and given back, and the audit of it.
"""

from collections import deque
from dataclasses import dataclass

import pytest

from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown
from hundi.acquirers.port.payments import BankEntry, Charge
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.instruments.surcharge import Surcharge
from hundi.kernel.money import Money
from hundi.kernel.states import AttemptState, PaymentState
from hundi.merchants.directory.rules import MerchantSettings
from hundi.money.audit import actions as auditing
from hundi.payments.attempts import actions as attempts
from hundi.payments.methods.redirect import actions as redirects
from hundi.payments.orders import actions as payments
from hundi.payments.orders.actions import PaymentCase, PaymentContext
from hundi.payments.orders.facts.rules import facts_of
from hundi.payments.orders.rules import Attempt, PaymentView
from hundi.payments.refunds import actions as refunding
from hundi.payments.refunds.actions import ItemToRefund
from tests.acquirer import ScriptedAcquirer
from tests.payments.stages import after_all
from tests.shop import NOW, Shop, open_shop, refund_due

AMOUNT, FEE = 149_950, 1_000
TOTAL = AMOUNT + FEE
RULE = Surcharge(flat_paise=FEE)


@dataclass
class BankAcquirer(ScriptedAcquirer):
    """A scripted acquirer with a bank of its own to send customers to."""

    redirect_origins: tuple[str, ...] = ("http://bank.test",)

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        return (BankEntry("netbanking", "HDFC", "HDFC Bank"),)

    async def start_redirect(
        self, charge: Charge, *, method: str, bank_code: str, return_url: str
    ) -> Redirect | Declined | Unknown:
        self.calls.append(("start_redirect", f"{charge.amount.paise}"))
        return Redirect("http://bank.test/visits/1", "v1")


async def shop_at(db: Database, **settings: object) -> Shop:
    shop = await open_shop(
        db, MerchantSettings(channels=("nb", "upi"), surcharges={"nb": RULE}, **settings)
    )  # type: ignore[arg-type]
    bank = BankAcquirer()
    known = shop.context
    context = PaymentContext(
        db, known.directory, Registry([bank]), known.risk, known.session, known.qr
    )
    return Shop(db, context, shop.merchant, bank)


async def at_bank(shop: Shop) -> tuple[PaymentView, Attempt]:
    """Send a customer to the bank's page."""
    view = await shop.order(AMOUNT)
    redirect = await redirects.start(
        await shop.case(view.payment.payment_id), "netbanking", "HDFC", lambda _: "http://back.test"
    )
    assert isinstance(redirect, Redirect)
    view = await shop.again(view)
    return view, by_bank(view)


def by_bank(view: PaymentView) -> Attempt:
    (found,) = (each for each in view.attempts if each.method == "netbanking")
    return found


async def settle(
    shop: Shop, view: PaymentView, attempt: Attempt, answer: Approved | Declined
) -> PaymentView:
    await attempts.settle(
        PaymentCase(shop.context, shop.merchant, await shop.again(view), NOW), attempt, answer
    )
    return await shop.again(view)


async def sound(shop: Shop) -> None:
    report = await auditing.audit(shop.db, [], await after_all(shop.db))
    assert report.holds, [each for each in report.checked if each.count]


async def test_the_bank_is_asked_for_both_and_the_record_keeps_them_apart(db: Database) -> None:
    shop = await shop_at(db)
    view, attempt = await at_bank(shop)
    assert shop.bank.calls[-1] == ("start_redirect", str(TOTAL))
    assert (attempt.amount, attempt.surcharge_paise) == (Money(TOTAL), FEE)
    assert [each.amount for each in view.attempts if each.method == "upi_qr"] == [Money(AMOUNT)]
    assert facts_of(view).surcharge_paise == 0
    paid = await settle(shop, view, attempt, Approved(Money(TOTAL), "632512345678"))
    assert (paid.payment.state, paid.payment.captured_paise) == (PaymentState.PAID, AMOUNT)
    facts = facts_of(paid)
    assert (facts.amount_paise, facts.surcharge_paise) == (AMOUNT, FEE)
    assert await shop.postings() == [("payment", "payable", TOTAL)]
    await sound(shop)


async def test_the_orders_amount_alone_does_not_pay_a_surcharged_attempt(db: Database) -> None:
    shop = await shop_at(db)
    view, attempt = await at_bank(shop)
    short = await settle(shop, view, attempt, Approved(Money(AMOUNT), "632512345678"))
    assert by_bank(short).state is AttemptState.OVERPAID
    assert await shop.postings() == [("overpaid", "owed_back", AMOUNT)]
    await refund_due(shop.context, NOW)
    await sound(shop)


async def test_a_full_refund_gives_the_orders_amount_back_and_no_more(db: Database) -> None:
    shop = await shop_at(db, multiple_partial_refunds=True)
    view, attempt = await at_bank(shop)
    view = await settle(shop, view, attempt, Approved(Money(TOTAL), "632512345678"))
    asked = [ItemToRefund(100), ItemToRefund(None), ItemToRefund(1)]
    answers = await refunding.request(
        shop.context, shop.merchant, view.payment.payment_id, asked, NOW
    )
    assert [each.paise for each in answers] == [100, AMOUNT - 100, 0]
    assert answers[-1].refusal is not None
    while await refund_due(shop.context, NOW):
        pass
    assert sum(each.amount.paise for each in shop.bank.given_back.values()) == AMOUNT
    assert (await shop.again(view)).payment.remaining == Money(0)
    await sound(shop)


async def test_a_late_success_that_is_not_kept_goes_back_with_its_surcharge(db: Database) -> None:
    shop = await shop_at(db, late_success="refund")
    view, attempt = await at_bank(shop)
    await settle(shop, view, attempt, Declined("Z9", "Not enough money"))
    left = await payments.leave(shop.context, shop.merchant, await shop.again(view), NOW)
    assert left.payment.state is PaymentState.FAILED
    late = await settle(shop, view, attempt, Approved(Money(TOTAL), "632512345678"))
    assert late.payment.state is PaymentState.PAID
    while await refund_due(shop.context, NOW):
        pass
    assert [each.amount.paise for each in shop.bank.given_back.values()] == [TOTAL]
    assert (await shop.again(view)).payment.refunded_paise == AMOUNT
    await sound(shop)


async def test_a_refused_refund_of_a_late_success_is_counted_back(db: Database) -> None:
    shop = await shop_at(db, late_success="refund")
    view, attempt = await at_bank(shop)
    await settle(shop, view, attempt, Declined("Z9", "Not enough money"))
    await payments.leave(shop.context, shop.merchant, await shop.again(view), NOW)
    await settle(shop, view, attempt, Approved(Money(TOTAL), "632512345678"))
    shop.bank.refunds = deque([Declined("57", "The account takes nothing back")])
    while await refund_due(shop.context, NOW):
        pass
    assert (await shop.again(view)).payment.refunded_paise == 0
    await sound(shop)


async def test_an_open_order_keeps_the_surcharge_that_its_page_showed(db: Database) -> None:
    shop = await shop_at(db)
    view = await shop.order(AMOUNT)
    assert view.payment.surcharge_by("nb") == Money(FEE)
    await db.execute("UPDATE merchants SET settings = settings || '{\"surcharges\": {}}'")
    directory = shop.fresh_directory()
    merchant = await directory.get(shop.merchant.merchant_id)
    assert merchant is not None
    assert not merchant.settings.surcharges
    again = await shop.order(AMOUNT, view.payment.order_id)
    assert again.payment.surcharge_by("nb") == Money(FEE)


async def test_the_database_refuses_a_surcharge_on_upi(db: Database) -> None:
    shop = await shop_at(db)
    await shop.order(AMOUNT)
    with pytest.raises(Exception, match="attempts_received"):
        await db.execute("UPDATE attempts SET surcharge_paise = 1 WHERE method = 'upi_qr'")
