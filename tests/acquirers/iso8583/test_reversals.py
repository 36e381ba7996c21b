"""Silence, kills, and answers that come too late.

What the switch's books and ours say at the end.
"""

import asyncio
import random
from collections.abc import Mapping

import pytest

from hundi.acquirers.iso8583.connector import PATIENCE_S, SwitchConnector
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.kernel.money import Money
from hundi_testbed.switch.cards import Play
from tests.acquirers.iso8583.line import AMOUNT, Line, card, until

REVERSED_AT_ONCE = [
    (Play.SILENT, "68"),
    (Play.LATE, "68"),
    (Play.WRONG_MAC, "68"),
    (Play.GARBAGE, "68"),
    (Play.HALF, "68"),
    (Play.CUT, "68"),
    (Play.OTHER_AMOUNT, "68"),
    (Play.OTHER_REFERENCE, "68"),
    (Play.NO_REFERENCE, "68"),
    (Play.ISSUER_DOWN, "91"),
]


async def charged(
    one: SwitchConnector, line: Line, play: Play, *, capture: bool = True
) -> tuple[Charge, object]:
    asked = line.charge()
    return asked, await one.charge_moto(asked, card(play), capture=capture)


async def ends(one: SwitchConnector, line: Line, reference: str) -> object:
    """Ask as the gateway does, letting time pass between questions, until there is an answer."""
    for _ in range(12):
        answer = await one.inquire(reference)
        if not isinstance(answer, Unknown):
            return answer
        line.later(60)
        await asyncio.sleep(0.05)
    return answer


@pytest.mark.parametrize("capture", [True, False], ids=["purchase", "hold"])
@pytest.mark.parametrize(("play", "code"), REVERSED_AT_ONCE, ids=str)
async def test_what_cannot_be_relied_on_is_reversed(
    line: Line, play: Play, code: str, *, capture: bool
) -> None:
    one = line.process()
    asked, answer = await charged(one, line, play, capture=capture)
    assert isinstance(answer, Declined)
    assert answer.code == code
    (entry,) = line.entries
    assert (entry["state"], entry["moved"]) == (
        "declined" if play is Play.ISSUER_DOWN else "reversed",
        0,
    )
    assert await one.inquire(asked.reference) == answer
    assert line.heard("0200", "2200", "0100", "2100") == 1, "a card is sent once"


async def test_a_part_that_was_approved_is_reversed(line: Line) -> None:
    _, answer = await charged(line.process(), line, Play.PARTLY)
    assert isinstance(answer, Declined)
    assert line.host.books.net_paise() == 0


async def test_a_plain_no_needs_no_reversal(line: Line) -> None:
    _, answer = await charged(line.process(), line, Play.NO_FUNDS)
    assert isinstance(answer, Declined)
    assert answer.code == "51"
    assert not line.heard("0400", "2400")


async def test_the_same_answer_twice_is_one_charge(line: Line) -> None:
    one = line.process()
    asked, answer = await charged(one, line, Play.TWICE)
    assert isinstance(answer, Approved)
    assert await one.inquire(asked.reference) == answer
    assert not line.heard("0400", "0401", "2400", "2401")
    assert line.host.books.net_paise() == AMOUNT.paise


async def test_an_approval_after_its_reversal_is_reversed_again(line: Line) -> None:
    one = line.process()
    _, answer = await charged(one, line, Play.LATE)
    assert isinstance(answer, Declined)
    await until(lambda: line.heard("0401", "2401") == 1)
    assert line.host.books.net_paise() == 0


async def test_a_reversal_is_repeated_until_it_is_acknowledged(line: Line) -> None:
    one = line.process()
    asked, answer = await charged(one, line, Play.DEAF)
    assert isinstance(answer, Unknown)
    assert line.host.books.net_paise() == AMOUNT.paise, "charged, and nobody has undone it yet"
    assert isinstance(await one.inquire(asked.reference), Unknown)
    assert isinstance(await one.inquire(asked.reference), Declined)
    assert (line.heard("0400", "2400"), line.heard("0401", "2401")) == (1, 2)
    assert line.host.books.net_paise() == 0


async def test_the_answer_to_another_reversal_ends_none(line: Line) -> None:
    one = line.process()
    line.host.terms.astray = True
    asked, answer = await charged(one, line, Play.SILENT)
    assert isinstance(answer, Unknown)
    assert isinstance(await one.inquire(asked.reference), Unknown)
    assert line.host.books.net_paise() == AMOUNT.paise, "charged, and nobody has undone it yet"
    line.host.terms.astray = False
    assert isinstance(await one.inquire(asked.reference), Declined)
    assert line.host.books.net_paise() == 0


async def test_what_the_switch_never_had_is_a_no_only_later(line: Line) -> None:
    one = line.process()
    asked, answer = await charged(one, line, Play.LOST)
    assert isinstance(answer, Unknown)
    line.later(60)
    assert isinstance(await one.inquire(asked.reference), Unknown), "it may still be on its way"
    line.later(61)
    assert isinstance(await one.inquire(asked.reference), Declined)


async def test_a_message_that_its_reversal_overtook_ends_reversed(line: Line) -> None:
    one = line.process()
    asked, answer = await charged(one, line, Play.OVERTAKEN)
    assert isinstance(answer, Unknown)
    await until(lambda: line.entries and line.entries[0]["state"] == "reversed")
    assert isinstance(await ends(one, line, asked.reference), Declined)
    assert line.host.books.net_paise() == 0


async def test_another_process_reverses_for_one_that_was_killed(line: Line) -> None:
    killed, worker = line.process(answer_s=18), line.process()
    asked = line.charge()
    call = asyncio.ensure_future(killed.charge_moto(asked, card(Play.SILENT), capture=True))
    await until(lambda: line.entries)
    call.cancel()
    answer = await worker.inquire(asked.reference)
    assert isinstance(answer, Unknown), "the call may still be answered"
    assert not line.heard("0400", "2400")
    line.later(PATIENCE_S)
    assert isinstance(await worker.inquire(asked.reference), Declined)
    assert line.host.books.net_paise() == 0


async def test_of_an_approval_and_a_reversal_the_first_one_kept_counts(line: Line) -> None:
    patient, worker = line.process(answer_s=18), line.process()
    asked = line.charge()
    call = asyncio.ensure_future(patient.charge_moto(asked, card(Play.LATE), capture=True))
    await until(lambda: line.entries)
    line.later(PATIENCE_S)
    assert isinstance(await worker.inquire(asked.reference), Declined)
    assert isinstance(await call, Declined), "approved at the bank, and given up here before"
    assert line.host.books.net_paise() == 0


async def test_what_was_approved_before_anybody_asked_stays_approved(line: Line) -> None:
    one, worker = line.process(), line.process()
    asked, answer = await charged(one, line, Play.APPROVE)
    line.later(10 * PATIENCE_S)
    assert await worker.inquire(asked.reference) == answer
    assert line.host.books.net_paise() == AMOUNT.paise


async def test_nobody_sends_what_somebody_has_asked_about(line: Line) -> None:
    asked = line.charge()
    assert isinstance(await line.process().inquire(asked.reference), NothingThere)
    answer = await line.process().charge_moto(asked, card(), capture=True)
    assert isinstance(answer, Unknown)
    assert not answer.sent
    assert not line.entries


class Forgetful(ShortMemory):
    """A database that is lost when some words are to be kept."""

    def __init__(self, before: ShortMemory, lost: str) -> None:
        self._before, self._lost = before, lost

    async def keep(self, reference: str, words: Mapping[str, str]) -> Mapping[str, str]:
        if self._lost in words:
            raise ConnectionError
        return await self._before.keep(reference, words)

    async def known(self, reference: str) -> Mapping[str, str]:
        return await self._before.known(reference)

    async def take(self, series: str, count: int) -> int:
        return await self._before.take(series, count)


async def test_nothing_is_sent_that_was_not_kept(line: Line) -> None:
    one = line.process(Forgetful(line.memory, "call"))
    with pytest.raises(ConnectionError):
        await charged(one, line, Play.APPROVE)
    assert not line.entries


async def test_an_approval_that_was_not_kept_is_reversed(line: Line) -> None:
    one, asked = line.process(Forgetful(line.memory, "word")), line.charge()
    with pytest.raises(ConnectionError):
        await one.charge_moto(asked, card(), capture=True)
    assert line.host.books.net_paise() == AMOUNT.paise
    line.later(PATIENCE_S)
    assert isinstance(await line.process().inquire(asked.reference), Declined)
    assert line.host.books.net_paise() == 0


async def test_a_capture_is_forwarded_until_the_switch_has_it(line: Line) -> None:
    one = line.process()
    asked, _ = await charged(one, line, Play.APPROVE, capture=False)
    line.host.terms.silent = True
    part = Money(100_000)
    assert isinstance(await one.capture(asked.reference, part), Unknown)
    assert isinstance(await one.void(asked.reference), Unknown), "its capture is under way"
    line.host.terms.silent = False
    answer = await line.process().inquire(asked.reference)
    assert isinstance(answer, Approved)
    assert (answer.amount, answer.authorised_only) == (part, False)
    assert line.heard("0221", "2221")
    assert line.host.books.net_paise() == part.paise, "collected once"


async def test_a_void_is_forwarded_while_the_switch_is_away(line: Line) -> None:
    one = line.process()
    asked, _ = await charged(one, line, Play.APPROVE, capture=False)
    await line.host.close()
    assert isinstance(await one.void(asked.reference), Unknown)
    await line.open()
    again = line.process()
    assert isinstance(await again.inquire(asked.reference), Voided)
    assert [each["state"] for each in line.entries] == ["reversed"]


async def test_a_silent_refund_is_reversed_and_may_be_asked_for_again(line: Line) -> None:
    one = line.process()
    asked, _ = await charged(one, line, Play.APPROVE)
    line.host.terms.silent = True
    first = RefundOrder("10001-R200000000000001", asked.reference, Money(50_000))
    answer = await one.refund(first)
    assert isinstance(answer, Declined)
    assert line.host.books.net_paise() == AMOUNT.paise, "given back, and reversed"
    line.host.terms.silent = False
    assert await one.inquire_refund(first.reference) == answer
    second = RefundOrder("10001-R200000000000002", asked.reference, AMOUNT)
    assert isinstance(await one.refund(second), Approved)
    assert line.host.books.net_paise() == 0


async def test_a_captured_hold_is_refunded_up_to_its_capture(line: Line) -> None:
    one = line.process()
    asked, _ = await charged(one, line, Play.APPROVE, capture=False)
    uncaptured = await one.refund(RefundOrder("10001-R200000000000001", asked.reference, Money(1)))
    assert isinstance(uncaptured, Declined)
    await one.capture(asked.reference, Money(100_000))
    most = await one.refund(RefundOrder("10001-R200000000000002", asked.reference, Money(100_000)))
    more = await one.refund(RefundOrder("10001-R200000000000003", asked.reference, Money(1)))
    assert isinstance(most, Approved)
    assert isinstance(more, Declined)


async def test_two_books_agree_whatever_happens(line: Line) -> None:
    """Charge often at once, with every trouble, while another process asks a minute ahead."""
    drawn = random.Random(8583)  # noqa: S311 (troubles that come again)
    plays = [drawn.choice(list(Play)) for _ in range(120)]
    one, other = line.process(answer_s=0.5), line.process(answer_s=0.5)
    asked = [line.charge() for _ in plays]

    async def asks(charge: Charge) -> None:
        await asyncio.sleep(drawn.random())
        await other.inquire(charge.reference)

    async def moves_on() -> None:
        await asyncio.sleep(0.5)
        line.later(PATIENCE_S)

    calls = [
        one.charge_moto(charge, card(play), capture=True)
        for charge, play in zip(asked, plays, strict=True)
    ]
    nosy = [asks(charge) for charge in asked if drawn.random() < 0.5]
    await asyncio.gather(*calls, *nosy, moves_on())
    answers = [await ends(other, line, charge.reference) for charge in asked]
    assert not [answer for answer in answers if isinstance(answer, Unknown)]
    taken = [answer for answer in answers if isinstance(answer, Approved)]
    assert taken, "some are approved"
    assert len(taken) < len(answers), "and some are not"
    moved = {entry["rrn"]: entry["moved"] for entry in line.entries if entry["moved"]}
    assert moved == {answer.rrn: answer.amount.paise for answer in taken}
    assert line.host.books.net_paise() == sum(answer.amount.paise for answer in taken)
