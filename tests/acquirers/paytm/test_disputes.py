"""Paytm's disputes at the stand-in of another hand: told and asked about, answered elsewhere."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hundi.acquirers.contract.disputes import check_disputes
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.paytm.disputes import PaytmDisputeConnector
from hundi.acquirers.paytm.kind import KIND
from hundi.acquirers.port.answers import NothingThere, Unknown
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.disputes import DisputeWord, PhaseName, Standing
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge
from hundi.kernel.money import Money
from hundi.kernel.states import DisputePhase
from tests.acquirers.paytm.opened import paid, settings
from tests.acquirers.paytm.standin_settlements import SettlingPaytm
from tests.acquirers.playing import given_at, running
from tests.acquirers.server import BROKEN
from tests.acquirers.shared import CALLBACK

PATH = "/dispute/status"
WORDS = ("DEFENDED under_review", "ACCEPTED lost", "WON won", "LOST lost")


@dataclass
class Disputed:
    """A paid order that a customer disputes."""

    paytm: SettlingPaytm
    connector: PaytmDisputeConnector
    number: str

    @property
    def name(self) -> PhaseName:
        return PhaseName(self.number, DisputePhase.CHARGEBACK)

    async def word(self) -> DisputeWord:
        word = await self.connector.inquire_dispute(self.name)
        assert isinstance(word, DisputeWord)
        return word


@pytest.fixture
async def paytm() -> AsyncIterator[SettlingPaytm]:
    async with running(SettlingPaytm()) as played:
        yield played


def opened(paytm: SettlingPaytm, memory: ShortMemory, **other: Any) -> Any:
    fields = {"dispute_path": PATH, "dispute_words": WORDS} | other
    return KIND.open("paytm", settings(paytm, **fields), AcquirerContext(CALLBACK, memory))


@pytest.fixture
async def connector(
    paytm: SettlingPaytm, memory: ShortMemory
) -> AsyncIterator[PaytmDisputeConnector]:
    one = opened(paytm, memory)
    assert isinstance(one, PaytmDisputeConnector)
    yield one
    await one.close()


@pytest.fixture
async def disputed(paytm: SettlingPaytm, connector: PaytmDisputeConnector) -> Disputed:
    await paid(connector, paytm)
    return Disputed(paytm, connector, paytm.raise_dispute("10001-1", "600.00"))


async def test_a_new_dispute_is_open(disputed: Disputed) -> None:
    word = await disputed.word()
    due = datetime.combine(disputed.paytm.today + timedelta(days=7), datetime.min.time())
    assert (word.original, word.standing, word.amount) == (
        "10001-1",
        Standing.OPEN,
        Money(60_000),
    )
    assert word.respond_by == due.replace(tzinfo=UTC) + timedelta(hours=18, minutes=29, seconds=59)
    assert word.taken_paise == 0


@pytest.mark.parametrize(
    ("status", "standing", "taken"),
    [
        ("DEFENDED", Standing.UNDER_REVIEW, 0),
        ("WON", Standing.WON, 0),
        ("LOST", Standing.LOST, 60_000),
        ("ACCEPTED", Standing.LOST, 60_000),
    ],
)
async def test_a_word_is_what_the_operator_says(
    disputed: Disputed, status: str, standing: Standing, taken: int
) -> None:
    disputed.paytm.decide(disputed.number, status)
    word = await disputed.word()
    assert (word.standing, word.taken_paise, bool(word.rrn)) == (standing, taken, taken > 0)


async def test_a_word_that_nobody_named_decides_nothing(
    disputed: Disputed, memory: ShortMemory
) -> None:
    one = opened(disputed.paytm, memory, dispute_words=())
    assert isinstance(await one.inquire_dispute(disputed.name), DisputeWord)
    disputed.paytm.decide(disputed.number, "LOST")
    assert isinstance(await one.inquire_dispute(disputed.name), Unknown)
    await one.close()


async def test_a_signed_webhook_says_what_to_ask(disputed: Disputed) -> None:
    headers, body = disputed.paytm.dispute_webhook(disputed.number)
    read = disputed.connector.read_dispute(headers, body, now_s=0)
    assert read == (disputed.name, "10001-1")
    for forged in (
        body.replace(b'"NEW"', b'"WON"'),
        body.replace(b'"600.00"', b'"1.00"'),
        body.replace(b"signature", b"signed"),
        b"{}",
        b"[]",
        b"{",
        b"",
    ):
        assert disputed.connector.read_dispute(headers, forged, now_s=0) is None, forged
    paid_headers, paid_body = disputed.paytm.webhook("10001-1")
    assert disputed.connector.read_dispute(paid_headers, paid_body, now_s=0) is None


async def test_a_dispute_of_another_form_is_none(connector: PaytmDisputeConnector) -> None:
    for name in (
        PhaseName("DSP1", DisputePhase.CHARGEBACK),
        PhaseName("1", DisputePhase.ARBITRATION),
    ):
        assert await connector.inquire_dispute(name) == NothingThere()
    unknown = await connector.inquire_dispute(PhaseName("1", DisputePhase.CHARGEBACK))
    assert isinstance(unknown, Unknown)


@pytest.mark.parametrize("broken", BROKEN)
async def test_nothing_else_is_an_answer(disputed: Disputed, broken: tuple[int, bytes]) -> None:
    disputed.paytm.answer_next = [broken] * 20
    assert isinstance(await disputed.connector.inquire_dispute(disputed.name), Unknown)


async def test_the_contract_of_disputes(
    paytm: SettlingPaytm, connector: PaytmDisputeConnector
) -> None:
    async def pay_link(charge: Charge, _at: object) -> None:
        paytm.pay(charge.reference)

    async def raise_dispute(reference: str) -> PhaseName:
        return PhaseName(paytm.raise_dispute(reference), DisputePhase.CHARGEBACK)

    await check_disputes(
        connector, given_at(paytm.calls, pay_link=pay_link, raise_dispute=raise_dispute)
    )


async def test_without_the_path_nothing_is_told(paytm: SettlingPaytm, memory: ShortMemory) -> None:
    for upi in ("qr", "intent"):
        for settlements in (False, True):
            for path in ("", PATH):
                one = opened(paytm, memory, upi=upi, settlements=settlements, dispute_path=path)
                told = set(abilities(one))
                assert ("TellsDisputes" in told) is bool(path)
                assert ("ReportsSettlements" in told) is settlements
                assert not {"AcceptsDisputes", "ContestsDisputes", "ListsDisputes"} & told
                await one.close()
