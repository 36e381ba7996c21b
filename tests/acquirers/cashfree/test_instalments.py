"""Instalments at Cashfree's own page.

Offered from an agreed amount, recorded as Cashfree says them, paid in full.
"""

from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from hundi.acquirers.cashfree import rules
from hundi.acquirers.cashfree.words import CashfreeOrder, CashfreePayment
from hundi.acquirers.port.answers import Approved, Declined, Redirect
from hundi.acquirers.port.instalments import HostsInstalments
from hundi.acquirers.registry import Registry
from hundi.api.merchant.record import transaction_record
from hundi.infra.postgres.database import Database
from hundi.instruments.card import CardFacts
from hundi.instruments.methods import EMI_PAGE
from hundi.kernel.clock import utc_now
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.kernel.states import AttemptState, PaymentKind, PaymentState
from hundi.merchants.directory.rules import MerchantSettings
from hundi.payments.acquirer_words.actions import KeptWords
from hundi.payments.attempts.actions import payable
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.availability import actions as availability
from hundi.payments.methods.card import actions as cards
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.facts.rules import facts_of
from hundi.payments.orders.opening import actions as opening
from hundi.payments.orders.rules import Buyer, EmiTerms, NewOrder, PaymentView
from hundi.payments.risk.actions import RiskControl
from tests.acquirers.cashfree.account import RETURN_URL, Shop, account, new_charge, opened, press
from tests.acquirers.cashfree.standin import Bank
from tests.acquirers.cashfree.standin_links import EMI, running_with_links
from tests.shop import VAULT, inquire_due, open_shop
from tests.shop import Shop as Gateway

SOON, LATER = timedelta(seconds=10), timedelta(hours=1)
FROM_RUPEES = 1_000
ORDER = CashfreeOrder("10001-1", "PAID", Decimal("1499.50"), "INR")
FACTS = CardFacts("", "Visa", "credit", "HDFC Bank", "IN", emi_months=6)


def answer_to(method: dict[str, Any]) -> Approved:
    paid = CashfreePayment(
        "10001-1", "SUCCESS", Decimal("1499.50"), is_captured=True, payment_method=method
    )
    answer = rules.outcome(ORDER, [paid], utc_now())
    assert isinstance(answer, Approved)
    return answer


@pytest.mark.parametrize(
    ("emi", "months"),
    [
        (EMI, 6),
        ({**EMI, "emi_tenure": None}, 6),
        ({**EMI, "emi_tenure": 6.0}, 6),
        ({**EMI, "emi_tenure": None, "emi_details": None}, 0),
        ({**EMI, "emi_tenure": "6"}, 0),
        ({**EMI, "emi_tenure": True}, 0),
        ({**EMI, "emi_tenure": -6}, 0),
    ],
)
def test_the_published_payment_is_read(emi: dict[str, Any], months: int) -> None:
    # What `emi_interest` counts is not published, so no rate is recorded.
    assert answer_to({"emi": emi}).card == replace(FACTS, emi_months=months)


def test_a_card_at_once_has_no_instalments() -> None:
    card = answer_to({"card": {**EMI, "emi_tenure": 6}}).card
    assert card is not None
    assert card.emi_months == 0


async def test_the_page_is_asked_for_instalments_on_credit_cards_alone() -> None:
    async with account(instalments_from_rupees=FROM_RUPEES) as shop:
        charge = new_charge()
        await ask(shop, charge)
        (link,) = shop.bank.links.values()
        assert link["asked"]["link_meta"]["payment_methods"] == "ccemi"


@pytest.mark.parametrize(("from_rupees", "paise"), [(0, 10_000_000), (1_500, 149_950)])
async def test_less_than_agreed_is_declined_before_anybody_is_asked(
    from_rupees: int, paise: int
) -> None:
    async with account(instalments_from_rupees=from_rupees) as shop:
        assert isinstance(shop.connector, HostsInstalments) is bool(from_rupees)
        assert isinstance(await ask(shop, new_charge(Money(paise))), Declined)
        assert not shop.bank.calls


async def ask(shop: Shop, charge: Any) -> object:
    return await shop.connector.start_checkout(
        charge, method="emi", return_url=RETURN_URL, expires_in_s=900, capture=True
    )


@pytest.fixture
async def bank() -> AsyncIterator[Bank]:
    async with running_with_links() as running:
        yield running


@pytest.fixture
async def gateway(db: Database, bank: Bank) -> AsyncIterator[Gateway]:
    """Open a gateway at the stand-in only, and a merchant with instalments and cards."""
    found = await open_shop(db, MerchantSettings(channels=("pg", "emi")))
    connector = opened(bank, KeptWords(db), instalments_from_rupees=FROM_RUPEES)
    found.context = PaymentContext(
        db,
        found.context.directory,
        Registry([connector]),
        RiskControl(db, VAULT),
        LATER,
        timedelta(minutes=8),
    )
    yield found
    await connector.close()


def back(attempt_id: int) -> str:
    return f"https://pay.example.in/back/{attempt_id}"


async def sent(gateway: Gateway, paise: int = 149_950) -> tuple[PaymentView, Redirect]:
    view = await gateway.order(paise, now=utc_now())
    page = await cards.pay_at_page(
        await payable(gateway.context, gateway.merchant, view.payment.payment_id, utc_now()),
        back,
        EMI_PAGE,
    )
    assert isinstance(page, Redirect)
    return view, page


async def asked_again(gateway: Gateway, view: PaymentView) -> PaymentView:
    (attempt,) = (await gateway.again(view)).attempts
    await asking.ask_now(gateway.context, attempt.connector, attempt.reference, utc_now())
    await inquire_due(gateway.context, utc_now() + SOON)
    return await gateway.again(view)


async def test_an_order_is_paid_in_full_and_its_record_says_the_instalments(
    gateway: Gateway,
) -> None:
    view, page = await sent(gateway)
    await press(page.url, "FAILED")
    assert (await asked_again(gateway, view)).payment.state is not PaymentState.FAILED, (
        "the page takes another try"
    )
    await press(page.url, "SUCCESS")
    paid = await asked_again(gateway, view)
    (attempt,) = paid.attempts
    assert (attempt.method, attempt.state, attempt.instalments) == (
        "emi_page",
        AttemptState.PAID,
        EmiTerms(6),
    )
    told = transaction_record(facts_of(paid), gateway.merchant)
    assert (told.chmod, told.emi_bank, told.emi_months, told.emi_rate) == (
        "emi",
        "HDFC Bank",
        6,
        "",
    )
    assert told.amount == "1499.50"
    assert (
        sum(paise for _, credit, paise in await gateway.postings() if credit == "payable")
        == 149_950
    )


async def test_another_amount_goes_back(gateway: Gateway, bank: Bank) -> None:
    view, page = await sent(gateway)
    await press(page.url, "PENDING")
    (order,) = bank.world.orders
    bank.world.pay(order, amount=Decimal("1529.70"))
    found = await asked_again(gateway, view)
    assert found.attempts[0].state is AttemptState.OVERPAID, (
        "interest is between the customer and the bank"
    )
    assert found.payment.state is not PaymentState.PAID


async def test_the_row_is_there_from_the_smallest_amount_on(gateway: Gateway) -> None:
    offered = [
        (
            await availability.emi_choice(
                gateway.context, (await gateway.order(paise, now=utc_now())).payment
            )
        ).any
        for paise in (99_999, 100_000)
    ]
    assert offered == [False, True]
    (line,) = await availability.lines_of(
        gateway.context, availability.BankHealth(gateway.db), ["emi"], gateway.merchant, utc_now()
    )
    assert (line.code, line.minimum_paise) == ("", 100_000)


async def test_an_order_for_so_many_instalments_goes_to_no_page_that_lets_choose(
    gateway: Gateway,
) -> None:
    order = NewOrder(
        order_id="EMI-6",
        amount=Money(149_950),
        kind=PaymentKind.SALE,
        buyer=Buyer(email="asha@example.in"),
        channels=("emi",),
        content_hash=bytes(32),
        emi_months=6,
    )
    with pytest.raises(Refused) as refused:
        await opening.initiate(gateway.context, gateway.merchant, order, utc_now())
    assert refused.value.refusal.field == "chmod"
