"""PayU's disputes at the stand-in of another hand: told, listed, accepted, never contested."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest

from hundi.acquirers.contract.disputes import check_disputes
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.payu.disputes import PayUDisputeConnector
from hundi.acquirers.payu.kind import KIND
from hundi.acquirers.port.answers import Declined, Unknown
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.disputes import (
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    PhaseName,
    Standing,
)
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge
from hundi.kernel.clock import business_day, utc_now
from hundi.kernel.money import Money
from hundi.kernel.states import DisputePhase
from tests.acquirers.payu.opened import CALLBACK, paid, settings
from tests.acquirers.payu.standin_disputes import MERCHANT_ID, TOKEN, DisputedPayU
from tests.acquirers.playing import given_at, running
from tests.acquirers.server import BROKEN

SINCE = timedelta(days=30)


@dataclass
class Disputed:
    """A paid payment that a customer disputes."""

    payu: DisputedPayU
    connector: PayUDisputeConnector
    number: str
    name: PhaseName

    async def word(self) -> DisputeWord:
        word = await self.connector.inquire_dispute(self.name)
        assert isinstance(word, DisputeWord)
        return word

    async def listed(self) -> list[DisputeWord]:
        words: list[DisputeWord] = []
        after = ""
        while True:
            page = await self.connector.disputes(utc_now() - SINCE, after)
            assert isinstance(page, DisputePage)
            words += page.words
            if not (after := page.next):
                return words


@pytest.fixture
async def payu() -> AsyncIterator[DisputedPayU]:
    async with running(DisputedPayU()) as opened:
        opened.today = business_day(utc_now())
        yield opened


def opened(payu: DisputedPayU, memory: ShortMemory, **other: Any) -> Any:
    access = {
        "dispute_token": TOKEN,
        "dispute_merchant_id": MERCHANT_ID,
        "dispute_url": f"{payu.url}/api/v1",
    }
    return KIND.open("payu", settings(payu, **access | other), AcquirerContext(CALLBACK, memory))


@pytest.fixture
async def connector(payu: DisputedPayU, memory: ShortMemory) -> AsyncIterator[PayUDisputeConnector]:
    one = opened(payu, memory)
    assert isinstance(one, PayUDisputeConnector)
    yield one
    await one.close()


@pytest.fixture
async def disputed(payu: DisputedPayU, connector: PayUDisputeConnector) -> Disputed:
    await paid(connector, payu)
    number = payu.raise_dispute("10001-1", "600.00")
    case = f"{payu.transactions['10001-1'].mihpayid}-{number}"
    return Disputed(payu, connector, number, PhaseName(case, DisputePhase.CHARGEBACK))


async def test_a_dispute_is_listed_and_found(disputed: Disputed) -> None:
    word = await disputed.word()
    due = datetime.combine(disputed.payu.disputes[disputed.number]["due"], datetime.min.time())
    assert (word.name, word.original, word.standing) == (disputed.name, "10001-1", Standing.OPEN)
    assert (word.amount, word.taken_paise) == (Money(60_000), 0)
    assert word.reason == "Non Receipt of Goods or Services"
    assert word.respond_by == due.replace(tzinfo=UTC) - timedelta(hours=5, minutes=30)
    assert await disputed.listed() == [word]


@pytest.mark.parametrize(
    ("status", "standing", "taken"),
    [
        ("Pending Doc Review", Standing.UNDER_REVIEW, 0),
        ("Submitted to Bank", Standing.UNDER_REVIEW, 0),
        ("Insufficient Document", Standing.OPEN, 0),
        ("Closed in Merchant Favour", Standing.WON, 0),
        ("Closed Customer Favour", Standing.LOST, 60_000),
        ("Closed in Customer favour", Standing.LOST, 60_000),
        ("Closed under Fraud Liability", Standing.LOST, 60_000),
    ],
)
async def test_a_status_is_a_standing(
    disputed: Disputed, status: str, standing: Standing, taken: int
) -> None:
    disputed.payu.decide(disputed.number, status.replace("in Customer favour", "Customer Favour"))
    disputed.payu.disputes[disputed.number]["status"] = status
    word = await disputed.word()
    assert (word.standing, word.taken_paise, bool(word.rrn)) == (standing, taken, taken > 0)


async def test_a_loss_counts_once_it_is_debited(disputed: Disputed) -> None:
    disputed.payu.decide(disputed.number, "Closed Customer Favour")
    disputed.payu.disputes[disputed.number]["debited"] = None
    assert (await disputed.word()).standing is Standing.TAKING, "and nobody contested it"


async def test_a_whole_dispute_is_accepted_and_a_part_is_not(disputed: Disputed) -> None:
    for paise in (0, 30_000):
        part = DisputeAnswer(disputed.name, "10001-D1", Money(paise))
        assert isinstance(await disputed.connector.answer_dispute(part), Declined)
    answer = DisputeAnswer(disputed.name, "10001-D1", Money(60_000))
    for _ in range(2):
        word = await disputed.connector.answer_dispute(answer)
        assert isinstance(word, DisputeWord)
        assert (word.standing, word.taken_paise) == (Standing.LOST, 60_000)
    assert {"AcceptsDisputes", "ListsDisputes", "TellsDisputes"} <= set(
        abilities(disputed.connector)
    )
    assert "ContestsDisputes" not in abilities(disputed.connector)


async def test_a_lost_answer_to_an_acceptance_is_found(disputed: Disputed) -> None:
    disputed.payu.lose = ["/api/v1/chargebacks/dispute"]
    answer = DisputeAnswer(disputed.name, "10001-D1", Money(60_000))
    first = await disputed.connector.answer_dispute(answer)
    assert isinstance(first, Unknown | DisputeWord)
    word = await disputed.connector.answer_dispute(answer)
    assert isinstance(word, DisputeWord)
    assert word.standing is Standing.LOST


async def test_a_late_acceptance_is_refused(disputed: Disputed) -> None:
    disputed.payu.today += timedelta(days=5)
    answer = DisputeAnswer(disputed.name, "10001-D1", Money(60_000))
    assert isinstance(await disputed.connector.answer_dispute(answer), Declined)


@pytest.mark.parametrize("names", ["payu", "merchant"])
async def test_a_signed_webhook_says_what_to_ask(
    disputed: Disputed, names: Literal["payu", "merchant"]
) -> None:
    disputed.payu.names = names
    headers, body = disputed.payu.dispute_webhook(disputed.number, signs=True)
    lower = {name.lower(): value for name, value in headers.items()}
    read = disputed.connector.read_dispute(lower, body, now_s=0)
    assert read is not None
    name, original = read
    assert original == ("10001-1" if names == "merchant" else "")
    word = await disputed.connector.inquire_dispute(name)
    assert isinstance(word, DisputeWord)
    assert word.name == disputed.name


async def test_only_a_signed_webhook_is_read(disputed: Disputed) -> None:
    headers, body = disputed.payu.dispute_webhook(disputed.number, signs=True)
    lower = {name.lower(): value for name, value in headers.items()}
    unsigned, same = disputed.payu.dispute_webhook(disputed.number)
    assert disputed.connector.read_dispute(unsigned, same, now_s=0) is None
    for field, value in (
        ("cb_id", 1),
        ("txn_id", "1"),
        ("cb_amount", "1.0"),
        ("cb_status", "Closed in Merchant Favour"),
        ("event", "refund"),
    ):
        forged = json.dumps(json.loads(body) | {field: value}).encode()
        assert disputed.connector.read_dispute(lower, forged, now_s=0) is None, field
    assert disputed.connector.read_dispute(lower, b"{}", now_s=0) is None
    assert disputed.connector.read_dispute(lower, b"[", now_s=0) is None


@pytest.mark.parametrize("broken", BROKEN)
async def test_nothing_else_is_an_answer(disputed: Disputed, broken: tuple[int, bytes]) -> None:
    for ask in (
        disputed.connector.inquire_dispute(disputed.name),
        disputed.connector.disputes(utc_now() - timedelta(days=1)),
        disputed.connector.answer_dispute(DisputeAnswer(disputed.name, "10001-D1", Money(60_000))),
    ):
        disputed.payu.answer_next = [broken] * 20
        assert isinstance(await ask, Unknown)
    assert disputed.payu.disputes[disputed.number]["status"] == "Pending Response"


async def test_the_contract_of_disputes(
    payu: DisputedPayU, connector: PayUDisputeConnector
) -> None:
    async def pay_page(charge: Charge, page: Any) -> None:
        payu.visit(page.fields)
        payu.pay(charge.reference)

    async def raise_dispute(reference: str) -> PhaseName:
        number = payu.raise_dispute(reference)
        case = f"{payu.transactions[reference].mihpayid}-{number}"
        return PhaseName(case, DisputePhase.CHARGEBACK)

    async def pay_link(charge: Charge, _at: object) -> None:
        payu.pay(charge.reference)

    given = given_at(payu.calls, pay_page=pay_page, pay_link=pay_link, raise_dispute=raise_dispute)
    await check_disputes(connector, given)


async def test_without_a_token_nothing_is_told(payu: DisputedPayU, memory: ShortMemory) -> None:
    for mandates in (False, True):
        for token in ("", TOKEN):
            one = opened(payu, memory, mandates=mandates, dispute_token=token)
            assert ("TellsDisputes" in abilities(one)) is bool(token)
            assert ("TakesMandates" in abilities(one)) is mandates
            await one.close()
