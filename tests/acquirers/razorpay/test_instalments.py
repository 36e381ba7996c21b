"""Cards in instalments at Razorpay.

What it publishes is read, and a gateway is paid in them once, or not at all.
"""

import json
from collections.abc import AsyncIterator, Callable
from datetime import timedelta

import msgspec
import pytest

from hundi.acquirers.calls.razorpay_wire import decoded
from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown
from hundi.acquirers.port.instalments import InstalmentPlan
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.razorpay import instalments, messages, questions
from hundi.acquirers.razorpay.api import Account
from hundi.acquirers.razorpay.connector import RazorpayCardConnector, RazorpayConnector
from hundi.acquirers.registry import Registry
from hundi.api.merchant.record import transaction_record
from hundi.infra.postgres.database import Database
from hundi.instruments.card import CardFacts, CardNumber
from hundi.kernel.clock import utc_now
from hundi.kernel.money import Money
from hundi.kernel.states import AttemptState, PaymentState
from hundi.merchants.directory.rules import MerchantSettings
from hundi.payments.acquirer_words.actions import KeptWords
from hundi.payments.attempts.actions import Choice
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.availability import actions as availability
from hundi.payments.methods.card import actions as cards
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.facts.rules import facts_of
from hundi.payments.orders.rules import Attempt, EmiTerms, PaymentView
from hundi.payments.risk.actions import RiskControl
from tests.acquirers.razorpay import published
from tests.acquirers.razorpay.conftest import Clock
from tests.acquirers.razorpay.standin import Standin
from tests.acquirers.razorpay.standin_answers import Fault
from tests.acquirers.shared import ASHA
from tests.shop import VAULT, Shop, inquire_due, open_shop

CARD = CardNumber("4386289407660153", 11, 2030, "100", "Gaurav")
SOON, LATER = timedelta(seconds=10), timedelta(hours=1)
SIX = Choice("card_emi", bank="HDFC", emi=EmiTerms(6, 1_300))
PUBLISHED = published.body(published.EMI_PAYMENT)


def back(attempt_id: int) -> str:
    return f"https://pay.example.in/back/{attempt_id}"


def plans(options: object) -> tuple[InstalmentPlan, ...]:
    return instalments.plans_of(msgspec.Raw(json.dumps(options).encode()))


def test_published_plans_are_read() -> None:
    methods = decoded(messages.Methods, published.body(published.EMI_METHODS))
    assert methods is not None
    found = instalments.plans_of(methods.emi_options)
    assert found[:2] == (
        InstalmentPlan("SCBL", 6, 1_300, 250_000),
        InstalmentPlan("SCBL", 3, 1_188, 250_000),
    )
    assert found[2] == InstalmentPlan("AMEX", 3, 1_400, 500_000, has_fee=True)
    assert {each.bank_code for each in found} == {"SCBL", "AMEX"}, (
        "neither debit cards nor cards of no bank"
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"subvention": "merchant"},
        {"interest": 101},
        {"interest": "NaN"},
        {"duration": 0},
        {"min_amount": 0},
    ],
)
def test_a_plan_that_is_not_understood_is_not_offered(changed: dict[str, object]) -> None:
    good = {"duration": 6, "interest": 13, "subvention": "customer", "min_amount": 250_000}
    assert len(plans({"SCBL": [good, good]})) == 1
    assert plans({"SCBL": [good | changed]}) == ()


@pytest.mark.parametrize("options", [[], None, {"SCBL": {}}, {"SCBL": ["6"]}, {"scbl": [{}]}])
def test_a_list_in_another_form_offers_nothing(options: object) -> None:
    assert plans(options) == ()


def test_the_published_request_is_sent() -> None:
    charge = Charge("10001-1", Money(200_000), emi_bank="HDFC", emi_months=9, customer=ASHA)
    asked = questions.card(
        charge, "order_DPzFe1Q1dEObeD", ASHA, CARD, "https://pay.example.in/back"
    )
    wanted = published.EMI_REQUEST
    assert {
        name: asked[name] for name in ("amount", "currency", "order_id", "method", "emi_duration")
    } == {
        name: wanted[name] for name in ("amount", "currency", "order_id", "method", "emi_duration")
    }
    assert set(asked["card"]) == set(wanted["card"])
    assert asked["authentication"] == wanted["authentication"]


def test_published_terms_are_read() -> None:
    said = decoded(instalments.ExpandedPayment, PUBLISHED)
    assert said is not None
    answer = instalments.with_terms(Approved(Money(200_000), "828553"), said.emi)
    assert answer.card == CardFacts(issuer="ICIC", emi_months=6, emi_rate_bps=1_300)
    assert instalments.with_terms(Approved(Money(1), ""), None).card is None


async def test_terms_that_are_not_said_keep_nobody_waiting(
    connector: RazorpayCardConnector, bank: Standin, play: Callable[[str, Fault], None]
) -> None:
    charge = Charge("10001-1", Money(200_000), emi_bank="HDFC", emi_months=6, customer=ASHA)
    page = await connector.charge_card(
        charge, CARD, return_url="https://pay.example.in/back", capture=True
    )
    assert isinstance(page, Redirect)
    (payment,) = bank.books.payments.values()
    bank.books.pay(payment.id)
    play(f"/payments/{payment.id}", Fault.HTML)
    answer = await connector.inquire(charge.reference)
    assert isinstance(answer, Approved)
    assert (answer.amount, answer.card and answer.card.emi_months) == (charge.amount, 0)


async def test_a_list_that_does_not_come_charges_nothing(
    connector: RazorpayCardConnector, bank: Standin, play: Callable[[str, Fault], None]
) -> None:
    charge = Charge("10001-1", Money(200_000), emi_bank="HDFC", emi_months=6, customer=ASHA)
    play("/methods", Fault.HTML)
    answer = await connector.charge_card(
        charge, CARD, return_url="https://pay.example.in/back", capture=True
    )
    assert isinstance(answer, Unknown)
    assert not answer.sent
    assert not bank.books.orders


async def test_a_plan_that_razorpay_ended_meanwhile_is_declined(
    connector: RazorpayCardConnector, bank: Standin
) -> None:
    charge = Charge("10001-1", Money(200_000), emi_bank="HDFC", emi_months=6, customer=ASHA)
    assert len(await connector.plans()) == 3
    bank.emi_options["HDFC"] = bank.emi_options["HDFC"][1:]
    answer = await connector.charge_card(
        charge, CARD, return_url="https://pay.example.in/back", capture=True
    )
    assert isinstance(answer, Declined)
    assert not bank.books.payments


@pytest.fixture
async def shop(db: Database, account: Account, clock: Clock) -> AsyncIterator[Shop]:
    shop = await open_shop(db, MerchantSettings(channels=("pg", "emi")))
    connector = RazorpayCardConnector("razorpay", account, KeptWords(db), now=clock)
    shop.context = PaymentContext(
        db,
        shop.context.directory,
        Registry([connector]),
        RiskControl(db, VAULT),
        LATER,
        timedelta(minutes=8),
    )
    yield shop
    await connector.close()


async def pay(shop: Shop, view: PaymentView, choice: Choice = SIX) -> Redirect | Attempt:
    return await cards.pay(await shop.case(view.payment.payment_id, utc_now()), CARD, back, choice)


async def asked_again(shop: Shop, view: PaymentView) -> PaymentView:
    (attempt,) = (await shop.again(view)).attempts
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, utc_now())
    await inquire_due(shop.context, utc_now() + SOON)
    return await shop.again(view)


async def test_an_order_is_paid_in_the_instalments_that_were_chosen(
    shop: Shop, bank: Standin
) -> None:
    view = await shop.order(now=utc_now())
    offered = await availability.emi_choice(shop.context, view.payment)
    assert [each.key for each in offered.plans] == ["HDFC-6", "HDFC-9"], (
        "₹1,499.50 is too little at another bank"
    )
    assert not offered.elsewhere
    assert isinstance(await pay(shop, view), Redirect)
    (payment,) = bank.books.payments.values()
    bank.books.pay(payment.id)
    paid = await asked_again(shop, view)
    assert (paid.payment.state, paid.payment.method) == (PaymentState.PAID, "emi")
    (attempt,) = paid.attempts
    assert (attempt.method, attempt.instalments) == ("emi_direct", EmiTerms(6, 1_300))
    facts = facts_of(paid)
    assert (facts.emi_months, facts.emi_rate_bps) == (6, 1_300)
    assert (
        sum(paise for _, credit, paise in await shop.postings() if credit == "payable") == 149_950
    ), "all of it"


async def test_what_razorpay_says_counts_and_not_what_was_chosen(shop: Shop, bank: Standin) -> None:
    view = await shop.order(now=utc_now())
    await pay(shop, view)
    (payment,) = bank.books.payments.values()
    payment.details["emi"] = {"issuer": "ICIC", "rate": 1_599, "duration": 3}
    bank.books.pay(payment.id)
    paid = await asked_again(shop, view)
    (attempt,) = paid.attempts
    told = transaction_record(facts_of(paid), shop.merchant)
    assert (told.emi_bank, told.emi_months, told.emi_rate) == ("ICICI Bank", 3, "15.99")
    assert attempt.emi == SIX.emi, "what was chosen stays what was chosen"


async def test_another_amount_goes_back(shop: Shop, bank: Standin) -> None:
    view = await shop.order(now=utc_now())
    await pay(shop, view)
    (payment,) = bank.books.payments.values()
    # As an offer of the acquirer's own would do, which the order knows nothing of.
    payment.amount -= 5_000
    bank.books.pay(payment.id)
    found = await asked_again(shop, view)
    assert found.attempts[0].state is AttemptState.OVERPAID
    assert found.payment.state is not PaymentState.PAID
    assert [(kind, paise) for kind, _, paise in await shop.postings()] == [("overpaid", 144_950)]


@pytest.mark.parametrize(
    ("paise", "choice"),
    [(99_999, SIX), (149_950, Choice("card_emi", bank="HDFC", emi=EmiTerms(24)))],
)
async def test_less_than_a_plan_takes_and_plans_that_nobody_has_are_declined(
    shop: Shop, bank: Standin, paise: int, choice: Choice
) -> None:
    view = await shop.order(paise, now=utc_now())
    attempt = await pay(shop, view, choice)
    assert isinstance(attempt, Attempt)
    assert (attempt.state, attempt.bank_code) == (AttemptState.FAILED, "emi_plan_unavailable")
    assert not bank.books.orders, "nobody was asked"
    assert (await shop.again(view)).payment.state is PaymentState.OPEN


async def test_an_account_that_is_not_certified_offers_none(
    shop: Shop, account: Account, memory: ShortMemory
) -> None:
    plain = RazorpayConnector("razorpay", account, memory)
    shop.context.connectors.take([*Registry([plain]).members])
    assert (await shop.order(now=utc_now())).payment.channels == ("pg",)
    await plain.close()
