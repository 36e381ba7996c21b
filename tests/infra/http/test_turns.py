"""Turns: every sender gets one, whoever floods; a lent one is given to others.

Nobody waits for ever.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hundi.infra.http.turns import SHARED_FOR_S, WAITING_MAX, Turn, Turns, lent
from hundi.kernel.refusals import RefusalCode, Refused

Work = Callable[[], Awaitable[None]]


async def _let_others_run() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


class _Desk:
    """Requests that stay in their turn until they are told to go, in the order of begin."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.began: list[str] = []
        self.gates: list[asyncio.Event] = []
        self.unread: list[Turn] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def send(self, *senders: str, places: int = 1) -> None:
        for sender in senders:
            self.tasks.append(asyncio.create_task(self._request(sender, places)))
        await _let_others_run()

    async def _request(self, sender: str, places: int) -> None:
        async with self.turns.of(sender, places) as turn:
            gate = asyncio.Event()
            self.began.append(sender)
            self.gates.append(gate)
            self.unread.append(turn)
            try:
                await gate.wait()
            finally:
                if turn in self.unread:
                    self.unread.remove(turn)

    async def read_first(self) -> None:
        self.unread.pop(0).is_read()
        await _let_others_run()

    async def end_first(self) -> None:
        self.gates.pop(0).set()
        await _let_others_run()

    async def end_all(self) -> None:
        while not all(task.done() for task in self.tasks):
            while self.gates:
                self.gates.pop(0).set()
            await _let_others_run()
        for task in self.tasks:
            with suppress(asyncio.CancelledError, Refused):
                task.result()


async def test_a_lone_sender_has_every_place() -> None:
    desk = _Desk(Turns(8))
    await desk.send(*["flood"] * 8)
    # The first request made the turns shared for a second: a process does not know yet that it is
    # alone.
    assert len(desk.began) == 2
    await asyncio.sleep(SHARED_FOR_S)
    await desk.end_first()
    assert len(desk.began) == 8
    await desk.end_all()


async def test_a_flood_leaves_places_and_the_next_turn_to_others() -> None:
    desk = _Desk(Turns(8))
    await desk.send(*["flood"] * 20)
    await desk.send("shop", "stall", "shop")
    assert desk.began == ["flood", "flood", "shop", "stall", "shop"]
    await desk.end_all()
    assert len(desk.began) == 23


async def test_waiting_senders_take_turns_however_many_one_has_waiting() -> None:
    desk = _Desk(Turns(1))
    await desk.send("flood", *["flood"] * 5, "shop", "stall", "shop")
    for _ in range(8):
        await desk.end_first()
    assert desk.began == [
        "flood",
        "flood",
        "shop",
        "stall",
        "flood",
        "shop",
        "flood",
        "flood",
        "flood",
    ]
    await desk.end_all()


async def test_a_long_request_has_its_share_of_places_until_it_is_read() -> None:
    desk = _Desk(Turns(8))
    await desk.send(*["flood"] * 3, places=5)
    await desk.send("shop", "shop")
    assert desk.began == ["flood", "shop", "shop"]
    await desk.read_first()
    assert desk.began == ["flood", "shop", "shop", "flood"]
    await desk.end_all()
    assert len(desk.began) == 5


async def test_a_long_request_that_is_read_while_its_turn_is_lent_goes_on_with_one_place() -> None:
    turns, answered = Turns(4), asyncio.Event()
    desk = _Desk(turns)

    async def ask() -> None:
        async with turns.of("shop", 4) as turn:
            with lent():
                turn.is_read()
                await answered.wait()
            await desk.send("stall", "stand", "booth", "kiosk")

    asking = asyncio.create_task(ask())
    await _let_others_run()
    answered.set()
    await _let_others_run()
    assert desk.began == ["stall", "stand", "booth"]
    await asking
    await _let_others_run()
    assert desk.began == ["stall", "stand", "booth", "kiosk"]
    await desk.end_all()


async def test_a_lent_turn_is_another_request_and_who_lent_it_goes_on_at_once() -> None:
    turns, desk = Turns(1), _Desk(Turns(1))
    desk.turns = turns
    asked, answered, done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def ask_the_bank() -> None:
        async with turns.of("shop"):
            with lent():
                asked.set()
                await answered.wait()
            done.set()

    asking = asyncio.create_task(ask_the_bank())
    await asked.wait()
    await desk.send("stall")
    assert desk.began == ["stall"]
    answered.set()
    await _let_others_run()
    assert done.is_set()
    await asking
    # Both have ended: a place is free again, and one only.
    await desk.end_all()
    await desk.send("shop", "stall")
    assert desk.began == ["stall", "shop"]
    await desk.end_all()


async def test_what_a_request_began_may_outlive_it_without_a_turn() -> None:
    turns, answered = Turns(1), asyncio.Event()

    async def call() -> None:
        with lent():
            await answered.wait()

    async with turns.of("shop"):
        left = asyncio.create_task(call())
        await _let_others_run()
    answered.set()
    await left
    desk = _Desk(turns)
    await desk.send("shop", "shop")
    assert desk.began == ["shop"]
    await desk.end_all()


async def test_who_waits_too_long_is_refused_and_leaves_no_trace() -> None:
    desk = _Desk(Turns(1, wait_s_max=0.05))
    await desk.send("flood", "shop")
    with pytest.raises(Refused) as refused:
        await desk.tasks[1]
    assert refused.value.refusal.code is RefusalCode.TOO_MANY_REQUESTS
    assert refused.value.refusal.retry_after_s == 1
    await desk.send("stall")
    await desk.end_first()
    assert desk.began == ["flood", "stall"]
    await desk.end_all()


async def test_one_sender_may_have_only_so_many_waiting() -> None:
    desk = _Desk(Turns(1))
    await desk.send("flood", *["flood"] * WAITING_MAX)
    await desk.send("flood", "shop")
    with pytest.raises(Refused):
        await desk.tasks[WAITING_MAX + 1]
    assert not desk.tasks[WAITING_MAX + 2].done()
    for task in desk.tasks[1:]:
        task.cancel()
    await desk.end_all()
    await desk.send("stall")
    assert desk.began[-1] == "stall"
    await desk.end_all()


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 9),
    st.lists(
        st.tuples(
            st.sampled_from("abc"), st.sampled_from(["send", "send long", "read", "end", "cancel"])
        )
    ),
)
def test_no_turn_is_lost_or_given_twice(at_once: int, moves: list[tuple[str, str]]) -> None:
    async def play() -> None:
        desk = _Desk(Turns(at_once))
        for sender, move in moves:
            if move.startswith("send"):
                await desk.send(sender, places=3 if move.endswith("long") else 1)
            elif move == "read" and desk.unread:
                await desk.read_first()
            elif move == "end" and desk.gates:
                await desk.end_first()
            elif move == "cancel" and desk.tasks:
                desk.tasks[len(sender) % len(desk.tasks)].cancel()
                await _let_others_run()
            working = sum(not task.done() for task in desk.tasks)
            assert len(desk.began) <= len(desk.tasks)
            assert min(working, 1) <= at_once
        await desk.end_all()
        # All places are free again.
        before = len(desk.began)
        await desk.send(*[f"new-{number}" for number in range(at_once + 1)])
        assert len(desk.began) - before == at_once
        await desk.end_all()

    asyncio.run(play())
