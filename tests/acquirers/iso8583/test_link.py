"""The connection: sign-on, echo, losses, numbers, and what is written down of it."""

import asyncio
from datetime import UTC, datetime

import pytest
import structlog

from hundi.acquirers.iso8583 import answers, rules
from hundi.acquirers.port.answers import Accepted, Approved, Declined, Unknown
from hundi_testbed.switch.cards import Play
from hundi_testbed.switch.server import SwitchBehaviour
from tests.acquirers.iso8583.line import AMOUNT, KEY, NUMBERS, Line, card, until


async def test_it_signs_on_once_and_off_at_the_end(line: Line) -> None:
    one = line.process()
    await asyncio.gather(*(one.charge_moto(line.charge(), card(), capture=True) for _ in range(30)))
    assert line.host.counts.sign_ons == 1
    assert len(line.entries) == 30
    await one.close()
    assert line.host.counts.sign_offs == 1


async def test_answers_find_their_question_among_many(line: Line) -> None:
    one = line.process(answer_s=5)
    plays = [Play.APPROVE, Play.NO_FUNDS, Play.LATE] * 10
    asked = [one.charge_moto(line.charge(), card(play), capture=True) for play in plays]
    answers = await asyncio.gather(*asked)
    assert [isinstance(answer, Approved) for answer in answers] == [
        play is not Play.NO_FUNDS for play in plays
    ]


async def test_a_refused_sign_on_charges_nothing(line: Line) -> None:
    line.host.terms.refuse_sign_on = True
    one, asked = line.process(), line.charge()
    answer = await one.charge_moto(asked, card(), capture=True)
    assert isinstance(answer, Unknown)
    assert not answer.sent
    assert not one.reachable()
    assert not await line.memory.known(asked.reference)
    line.host.terms.refuse_sign_on = False
    await until(one.reachable)
    assert isinstance(await one.charge_moto(asked, card(), capture=True), Approved)


async def test_a_switch_that_is_away_is_no_longer_asked_for_a_moment(line: Line) -> None:
    await line.host.close()
    one = line.process()
    first = await one.charge_moto(line.charge(), card(), capture=True)
    second = await one.charge_moto(line.charge(), card(), capture=True)
    assert isinstance(first, Unknown)
    assert isinstance(second, Unknown)
    assert (first.sent, second.sent) == (False, False)
    assert second.message == "the switch could not be reached a moment ago"
    assert isinstance(await one.echo(), Unknown)
    assert first.message.startswith("no connection: ")


async def test_another_key_is_told_as_what_it_may_be(line: Line) -> None:
    answer = await line.process(mac_key="FF" * 16, answer_s=0.3).echo()
    assert isinstance(answer, Unknown)
    assert answer.message.startswith("no answer to the sign-on (no answer in time): the key, ")


async def test_a_lost_connection_is_opened_with_the_next_call(line: Line) -> None:
    one = line.process()
    assert isinstance(await one.charge_moto(line.charge(), card(), capture=True), Approved)
    line.host.drop_lines()
    await until(lambda: not one._link._signed_on)  # noqa: SLF001 (the loss is heard a moment later)
    assert isinstance(await one.charge_moto(line.charge(), card(), capture=True), Approved)
    assert line.host.counts.sign_ons == 2


async def test_a_line_without_traffic_is_kept_awake_by_echoes(line: Line) -> None:
    one = line.process(echo_s=1)
    assert isinstance(await one.echo(), Accepted)
    await until(lambda: line.host.counts.echoes >= 2)
    assert one.reachable()


async def test_an_echo_of_the_switch_is_answered() -> None:
    line = await Line("1987", SwitchBehaviour("x9.19", bytes.fromhex(KEY))).open()
    one = line.process()
    await one.echo()
    await line.host.echo_all()
    await until(lambda: line.heard("0810"))
    await line.close()


async def test_another_key_is_a_line_that_does_not_answer(line: Line) -> None:
    one = line.process(mac_key="00112233445566778899AABBCCDDEEFF")
    answer = await one.charge_moto(line.charge(), card(), capture=True)
    assert isinstance(answer, Unknown)
    assert not answer.sent
    assert line.host.counts.wrong_mac == 1
    assert not line.entries


async def test_a_key_that_is_rotated_is_believed_before_it_is_used(line: Line) -> None:
    """The bank goes first: it answers by its new key what we still send by the one before."""
    one = line.process(mac_key_before="00112233445566778899AABBCCDDEEFF")
    assert isinstance(await one.echo(), Accepted)


async def test_traces_are_used_once_by_all_processes(line: Line) -> None:
    processes = [line.process() for _ in range(4)]
    for each in processes:
        await asyncio.gather(
            *(each.charge_moto(line.charge(), card(), capture=True) for _ in range(15))
        )
    traces = [entry["trace"] for entry in line.entries]
    assert len(traces) == len(set(traces)) == 60
    assert len({entry["rrn"] for entry in line.entries}) == 60


async def test_traces_begin_again_after_the_last_one(line: Line) -> None:
    await line.memory.take("switch", rules.TRACES_MAX - 5)
    one = line.process()
    for _ in range(10):
        assert isinstance(await one.charge_moto(line.charge(), card(), capture=True), Approved)
    # The sign-on has the first of the numbers.
    assert [entry["trace"] for entry in line.entries] == [
        999_996,
        999_997,
        999_998,
        999_999,
        1,
        2,
        3,
        4,
        5,
        6,
    ]


async def test_no_card_is_written_down(line: Line) -> None:
    one = line.process(card_code_field=48, card_code_prefix="92003", fields={"48": "ans...999"})
    plays = (Play.APPROVE, Play.SILENT, Play.GARBAGE, Play.NO_FUNDS)
    charges = [line.charge() for _ in plays]
    with structlog.testing.capture_logs() as logs:
        answers = [
            await one.charge_moto(charge, card(play), capture=True)
            for charge, play in zip(charges, plays, strict=True)
        ]
    assert logs, "something is written down"
    written = repr([logs, answers, [await line.memory.known(each.reference) for each in charges]])
    assert not [play for play in plays if NUMBERS[play] in written]


async def test_a_test_card_never_reaches_a_live_switch(line: Line) -> None:
    live, test = line.process(), line.process(mode="test")
    visa = card()
    known = type(visa)("4111111111111111", 12, 2060, "123")
    assert isinstance(await live.charge_moto(line.charge(), known, capture=True), Declined)
    assert not line.host.counts.messages
    assert isinstance(await test.charge_moto(line.charge(), known, capture=True), Approved)
    assert (live.simulated, test.simulated) == (False, True)


@pytest.mark.parametrize("seconds", [0, 3_600 * 24 * 200])
def test_a_reference_number_says_when_and_which(seconds: int) -> None:
    at = int(datetime(2026, 11, 23, 9, 30, tzinfo=UTC).timestamp()) + seconds
    told = datetime.fromtimestamp(at, UTC)
    assert answers.rrn_of(42, at) == f"{told.year % 10}{told.timetuple().tm_yday:03}09000042"
    assert len(answers.rrn_of(rules.TRACES_MAX, at)) == 12


async def test_other_currencies_are_not_asked_for(line: Line) -> None:
    one = line.process()
    answer = await one.charge_moto(line.charge(type(AMOUNT)(100, "USD")), card(), capture=True)
    assert isinstance(answer, Declined)
    assert not line.host.counts.messages
