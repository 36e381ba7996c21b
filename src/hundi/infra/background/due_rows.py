"""Work for the due-loop in rows of merchants' tables: found across merchants, claimed for each.

The look is one plain SELECT without a lock. The claim names its merchant and checks again that each
row is due, so only one of two workers gets a row.
"""

import asyncio
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, Protocol, TypeVar

from hundi.infra.background.due import Claimed, Pace, Peer, Places, Work
from hundi.infra.logs import get_logger
from hundi.kernel.records import replace

NOT_SENT_GAP = timedelta(seconds=10)
"""Before another try for a row whose call could not be sent."""

_log = get_logger(__name__)


class MerchantRow(Protocol):
    """Any row that belongs to a merchant."""

    @property
    def merchant_id(self) -> int:
        """The merchant's id."""
        ...


Item = TypeVar("Item")
Row = TypeVar("Row", bound=MerchantRow)


@dataclass(frozen=True, slots=True)
class Due:
    """A row that is due now or soon.

    key: its id within the merchant's rows. peer: the called party, "" for none. at: when it is due,
    None for now.
    """

    merchant_id: int
    key: int
    peer: str = ""
    at: datetime | None = field(default=None, compare=False)


Able = Callable[[str], bool]
"""Whether this process can act on a peer's rows; without its settings, another process does."""


@dataclass(frozen=True, slots=True)
class DueQuery:
    """One look at the rows that are due across merchants, most overdue first.

    until: how far ahead the look sees. without: peers to leave out. limit: most rows.
    """

    now: datetime
    until: datetime
    without: Sequence[str]
    limit: int


Find = Callable[[DueQuery], Awaitable[Sequence[Due]]]
"""Reads the rows due now and, if it can, those due by `until`; the loop sleeps until then."""


async def claim_each(claims: Mapping[int, Awaitable[Sequence[Item]]]) -> list[Item]:
    """Claim for several merchants side by side, and return all claimed rows.

    A failed claim is logged, so that the others' rows are not lost. Raises its error if all failed.
    """
    results = await asyncio.gather(*claims.values(), return_exceptions=True)
    claimed: list[Item] = []
    failed: list[tuple[int, BaseException]] = []
    for merchant_id, result in zip(claims, results, strict=True):
        if isinstance(result, BaseException):
            failed.append((merchant_id, result))
        else:
            claimed += result
    if failed and len(failed) == len(results):
        raise failed[0][1]
    for merchant_id, error in failed:
        _log.warning("merchant_not_claimed", merchant_id=merchant_id, exc_info=error)
    return claimed


class _FoundWork(Work[Row]):
    """Work found by one plain look across merchants, and then claimed for each merchant."""

    def __init__(self, name: str, pace: Pace, find: Find, able: Able = lambda _: True) -> None:
        self.name = name
        self.pace = pace
        self._find = find
        self._able = able
        self._left: set[str] = set()
        self._skipped: set[Due] = set()
        self._of_others = 0

    @abstractmethod
    async def _take(self, merchant_id: int, rows: Sequence[Due], now: datetime) -> Sequence[Row]:
        """Claim a merchant's rows that were found due."""

    async def claim(
        self,
        now: datetime,
        places: Places,
        named: Collection[int] | None,  # noqa: ARG002 (every look is across merchants)
    ) -> Claimed[Row]:
        """Claim due rows, as far as their peers have places."""
        behind, free = places.full(), places.free
        self._left = {each for each in self._left if not self._able(each)}
        # Rows left to other workers stay due, so a look reads past them.
        limit = free + len(self._skipped) + self._of_others
        without = [*self._left, *(str(each) for each in behind)]
        seen = await self._find(
            DueQuery(now, now + timedelta(seconds=self.pace.idle_s), without, limit)
        )
        due_rows = [each for each in seen if each.at is None or each.at <= now]
        ours = [each for each in due_rows if self.span.has(each.key)]
        self._of_others = len(due_rows) - len(ours)
        rooms: dict[str, int] = {}
        by_merchant: defaultdict[int, list[Due]] = defaultdict(list)
        for each in ours:
            if each in self._skipped or not free or self._leave(each.peer):
                continue
            room = rooms.get(each.peer, places.room(each.peer))
            if not room:
                behind.add(each.peer)
                continue
            rooms[each.peer] = room - 1
            free -= 1
            by_merchant[each.merchant_id].append(each)
        items = await claim_each(
            {owner: self._take(owner, rows, now) for owner, rows in by_merchant.items()}
        )
        return Claimed(
            items,
            frozenset(behind),
            more=len(due_rows) == limit,
            next_due=self._next_due(seen, now),
        )

    def _next_due(self, rows: Sequence[Due], now: datetime) -> datetime | None:
        """Return when the first row is due that is neither under way nor left to others."""
        free = (each for each in rows if each not in self._skipped and self.span.has(each.key))
        return min((each.at or now for each in free if self._able(each.peer)), default=None)

    def _leave(self, peer: str) -> bool:
        """Return whether a peer's rows are left to another worker, and log that once."""
        if self._able(peer):
            return False
        if peer not in self._left:
            self._left.add(peer)
            _log.warning("work_left_to_others", work=self.name, peer=peer)
        return True


@dataclass(frozen=True, slots=True)
class Claim(Generic[Row]):
    """How rows of one kind are claimed and released.

    lease: how long a row stays with its worker; longer than acting on it takes. take: claims those
    of a merchant's rows that are still due (merchant_id, keys, now, end of the lease). release:
    undoes a claim without a call, if the row still has this lease (row, when it is due again).
    """

    lease: timedelta
    take: Callable[[int, Sequence[int], datetime, datetime], Awaitable[Sequence[Row]]]
    release: Callable[[Row, datetime], Awaitable[None]]


class LeasedWork(_FoundWork[Row]):
    """Rows claimed with a lease, by moving their due time."""

    def __init__(
        self,
        name: str,
        pace: Pace,
        find: Find,
        claim: Claim[Row],
        act: Callable[[Row, datetime], Awaitable[bool]],
        *,
        due: Callable[[Row], Due],
        able: Able,
    ) -> None:
        """Store the parts.

        due: the key of a claimed row, as `find` returns it. able: says whose rows are claimed here.
        """
        super().__init__(name, pace, find, able)
        self._claim = claim
        self._act = act
        self._due = due

    async def _take(self, merchant_id: int, rows: Sequence[Due], now: datetime) -> Sequence[Row]:
        return await self._claim.take(
            merchant_id, [each.key for each in rows], now, now + self._claim.lease
        )

    def peer(self, item: Row) -> Peer:
        """Return the called party of a row."""
        return self._due(item).peer

    def labels(self, item: Row) -> Mapping[str, object]:
        """Return the row's merchant and id."""
        return {"merchant_id": item.merchant_id, "key": self._due(item).key}

    async def act(self, item: Row, now: datetime) -> None:
        """Work on a row; undo its claim if no call could be sent, so the try does not count."""
        if not await self._act(item, now):
            await self._claim.release(item, now + NOT_SENT_GAP)


class GuardedWork(_FoundWork[Due]):
    """Rows without a lease: a guard in the row's own transaction makes a repeat harmless.

    One worker acts on a row once at a time; if several workers act on it, all but one find it done.
    A row that did not change rests until the next poll: otherwise it would be found again at once.
    """

    def __init__(
        self, name: str, pace: Pace, find: Find, act: Callable[[Due, datetime], Awaitable[bool]]
    ) -> None:
        """Store the parts.

        act: returns whether it changed the row, so that the row is not due any more.
        """
        super().__init__(name, pace, find)
        self._act = act
        self._resting: dict[Due, datetime] = {}

    async def claim(
        self, now: datetime, places: Places, named: Collection[int] | None
    ) -> Claimed[Due]:
        """Claim due rows, without those that rest."""
        for rested in [each for each, until in self._resting.items() if until <= now]:
            del self._resting[rested]
            self._skipped.discard(rested)
        claimed = await super().claim(now, places, named)
        times = [each for each in (*self._resting.values(), claimed.next_due) if each is not None]
        return replace(claimed, next_due=min(times, default=None))

    async def _take(self, merchant_id: int, rows: Sequence[Due], now: datetime) -> Sequence[Due]:  # noqa: ARG002
        self._skipped.update(rows)
        return rows

    def peer(self, item: Due) -> Peer:
        """Return the called party of a row."""
        return item.peer

    def labels(self, item: Due) -> Mapping[str, object]:
        """Return the row's merchant and id."""
        return {"merchant_id": item.merchant_id, "key": item.key}

    async def act(self, item: Due, now: datetime) -> None:
        """Work on a row."""
        changed = False
        try:
            changed = await self._act(item, now)
        finally:
            if changed:
                self._skipped.discard(item)
            else:
                self._resting[item] = now + timedelta(seconds=self.pace.poll_s)
