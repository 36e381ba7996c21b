"""Rows that fall due: found across merchants, claimed for each, and one claim's error."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from hundi.infra.background.due import DueLoop, Pace, WorkSpan
from hundi.infra.background.due_rows import Claim, Due, DueQuery, GuardedWork, LeasedWork
from hundi.kernel.ids import new_id

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
LEASE = timedelta(seconds=30)
PACE = Pace(poll_s=60.0, in_flight_max=4, peer_in_flight_max=3)


@dataclass
class Rows:
    """A table in memory, that counts what is asked of it."""

    due: list[Due]
    looks: list[tuple[list[str], int]] = field(default_factory=list)
    claims: list[tuple[int, list[int], datetime]] = field(default_factory=list)
    acted: list[Due] = field(default_factory=list)
    given_back: list[tuple[Due, datetime]] = field(default_factory=list)
    unreachable: set[int] = field(default_factory=set)
    taken_by_another: set[Due] = field(default_factory=set)
    sent: bool = True
    without_settings: set[str] = field(default_factory=set)

    def able(self, peer: str) -> bool:
        return peer not in self.without_settings

    async def find(self, query: DueQuery) -> list[Due]:
        self.looks.append((sorted(query.without), query.limit))
        seen = (each for each in self.due if each.at is None or each.at <= query.until)
        return [each for each in seen if each.peer not in query.without][: query.limit]

    async def take(
        self, merchant_id: int, keys: Sequence[int], now: datetime, lease_until: datetime
    ) -> list[Due]:
        if merchant_id in self.unreachable:
            raise ConnectionRefusedError
        self.claims.append((merchant_id, list(keys), lease_until))
        found = [each for each in self.due if each.merchant_id == merchant_id and each.key in keys]
        return [each for each in found if each not in self.taken_by_another]

    async def act(self, row: Due, now: datetime) -> bool:
        self.acted.append(row)
        return self.sent

    async def release(self, row: Due, due_at: datetime) -> None:
        self.given_back.append((row, due_at))

    def loop(self) -> DueLoop[Due]:
        claim = Claim(LEASE, self.take, self.release)
        return DueLoop(
            LeasedWork(
                "rows", PACE, self.find, claim, self.act, due=lambda row: row, able=self.able
            )
        )


async def test_one_claim_a_merchant() -> None:
    rows = Rows([Due(1, 11, "a"), Due(2, 21, "b"), Due(1, 12, "b")])
    assert await rows.loop().once(NOW) == 3
    assert rows.looks == [([], 4)]
    assert rows.claims == [(1, [11, 12], NOW + LEASE), (2, [21], NOW + LEASE)]
    assert sorted(each.key for each in rows.acted) == [11, 12, 21]


async def test_of_two_spans_each_worker_has_its_own_however_much_of_the_other_is_due() -> None:
    present = NOW - timedelta(hours=1)
    past = [Due(1, new_id(present - timedelta(days=1))) for _ in range(3 * PACE.in_flight_max)]
    now = Due(1, new_id(NOW))
    rows = Rows([*past, now])
    worker = rows.loop()
    worker.keep_to(WorkSpan(since=present))
    looks = 0
    while now not in rows.acted:
        await worker.once(NOW)
        looks += 1
        assert looks <= len(past)
    assert rows.acted == [now]
    rows.acted.clear()
    history = rows.loop()
    history.keep_to(WorkSpan(before=present))
    await history.once(NOW)
    assert set(rows.acted) < set(past)


async def test_rows_of_an_acquirer_without_settings_here_are_left_to_another_worker() -> None:
    rows = Rows([*(Due(1, key, "a") for key in range(6)), Due(2, 20, "b")], without_settings={"a"})
    loop = rows.loop()
    while await loop.once(NOW):
        pass
    await loop.once(NOW)
    assert [each.peer for each in rows.acted] == ["b"]
    assert rows.looks[-1][0] == ["a"], "they take no place of a look"
    assert {owner for owner, _, _ in rows.claims} == {2}, (
        "nothing of theirs is claimed, not even for a moment"
    )
    rows.without_settings.clear()
    await loop.once(NOW)
    assert {each.peer for each in rows.acted} == {"a", "b"}, (
        "an account that is added is worked for at once"
    )


async def test_what_another_worker_took_is_not_acted_on() -> None:
    rows = Rows([Due(1, 11), Due(1, 12)], taken_by_another={Due(1, 11)})
    assert await rows.loop().once(NOW) == 1
    assert rows.acted == [Due(1, 12)]


async def test_an_acquirer_gets_its_share_and_is_left_out_of_the_next_look() -> None:
    rows = Rows([Due(1, key, "a") for key in range(6)] + [Due(2, 20, "b")])
    hanging = asyncio.Event()

    async def hang(row: Due, now: datetime) -> bool:
        rows.acted.append(row)
        if row.peer == "a":
            await hanging.wait()
        return True

    claim = Claim(LEASE, rows.take, rows.release)
    loop = DueLoop(
        LeasedWork("rows", PACE, rows.find, claim, hang, due=lambda row: row, able=rows.able),
        clock=lambda: NOW,
    )
    stop = asyncio.Event()
    running = asyncio.create_task(loop.forever(stop))
    async with asyncio.timeout(60):
        while Due(2, 20, "b") not in rows.acted:
            await asyncio.sleep(0.002)
    assert rows.looks[:2] == [([], 4), (["a"], 1)]
    assert sum(each.peer == "a" for each in rows.acted) == PACE.peer_in_flight_max
    stop.set()
    hanging.set()
    await asyncio.wait_for(running, 5)


async def test_one_merchant_that_cannot_be_claimed_for_does_not_lose_the_others() -> None:
    rows = Rows([Due(1, 11), Due(2, 21)], unreachable={1})
    assert await rows.loop().once(NOW) == 1
    assert rows.acted == [Due(2, 21)]


async def test_when_nobody_can_be_claimed_for_the_database_is_away() -> None:
    rows = Rows([Due(1, 11), Due(2, 21)], unreachable={1, 2})
    with pytest.raises(ConnectionRefusedError):
        await rows.loop().once(NOW)


async def test_a_row_for_which_nothing_was_sent_is_given_back() -> None:
    rows = Rows([Due(1, 11)], sent=False)
    assert await rows.loop().once(NOW) == 1
    assert rows.given_back == [(Due(1, 11), NOW + timedelta(seconds=10))]


async def test_a_row_without_a_lease_is_acted_on_once_at_a_time() -> None:
    go = asyncio.Event()
    acted: list[int] = []
    due = [Due(1, 11), Due(1, 12)]

    async def find(query: DueQuery) -> list[Due]:
        return due[: query.limit]

    async def act(row: Due, now: datetime) -> bool:
        acted.append(row.key)
        await go.wait()
        return True

    loop = DueLoop(GuardedWork("rows", PACE, find, act))
    first = asyncio.create_task(loop.once(NOW))
    while len(acted) < 2:
        await asyncio.sleep(0)
    due.append(Due(1, 13))
    second = asyncio.create_task(loop.once(NOW))
    while len(acted) < 3:
        await asyncio.sleep(0)
    assert acted == [11, 12, 13], "what is under way does not stand in the way of the rest"
    go.set()
    assert (await first, await second) == (2, 1)
    assert await loop.once(NOW) == 3, "done and still due: acted on again"


@pytest.mark.parametrize("fails", [False, True], ids=["refused", "broken"])
async def test_a_row_that_acting_does_not_change_rests_until_the_next_poll(*, fails: bool) -> None:
    acted: list[int] = []
    due = [Due(1, key) for key in range(PACE.in_flight_max)]

    async def find(query: DueQuery) -> list[Due]:
        return due[: query.limit]

    async def act(row: Due, now: datetime) -> bool:
        acted.append(row.key)
        if fails:
            raise LookupError
        return False

    loop = DueLoop(GuardedWork("rows", PACE, find, act))
    assert await loop.once(NOW) == PACE.peer_in_flight_max
    due.append(Due(2, 20, "another"))
    assert await loop.once(NOW) == 2, "the rows that were left out are not held up"
    assert acted == [0, 1, 2, 3, 20]
    assert await loop.once(NOW) == 0
    assert await loop.once(NOW + timedelta(seconds=PACE.poll_s)) > 0


async def test_rows_that_nothing_can_be_done_about_do_not_make_the_loop_spin() -> None:
    looks: list[int] = []
    due = [Due(1, key, "gone") for key in range(2 * PACE.in_flight_max)]

    async def find(query: DueQuery) -> list[Due]:
        looks.append(query.limit)
        return [] if "gone" in query.without else due[: query.limit]

    async def act(row: Due, now: datetime) -> bool:
        raise LookupError

    loop = DueLoop(GuardedWork("rows", PACE, find, act), clock=lambda: NOW)
    stop = asyncio.Event()
    running = asyncio.create_task(loop.forever(stop))
    for _ in range(50):
        await asyncio.sleep(0.002)
    stop.set()
    await asyncio.wait_for(running, 5)
    assert 1 < len(looks) <= len(due)
