"""The database server of a simulation, and the order of its statements.

The loop stands still while the server works: in virtual time it works in no time. Two transactions
may be open at once. A statement that waits for the other one's lock is set aside, and nothing new
begins until it has gone on: so at most one waits, and the seed decides the server's work, not its
scheduler.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillWorkingError
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from hundi.infra.postgres.database import Database, open_database
from hundi.infra.postgres.migrate import with_database
from hundi_testbed.simulation import store
from hundi_testbed.simulation.world import SimulatedProcess  # noqa: TC001 (as everywhere here)

Result = TypeVar("Result")
OPEN_MAX = 2
"""Transactions at once."""
_LOOKS_S = 0.003
"""The usual longest time of a statement.

After it, the server is asked whether it waits for a lock.
"""
_LOCK_TIMEOUT_MS = 600_000
"""Never reached: the order of a run must not depend on the machine's speed."""


class Server:
    """The real server, in a thread of its own.

    waits: how often a statement waited for a lock.
    """

    def __init__(self, url: str) -> None:
        """Connect."""
        self.url = url
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="simulation-database", daemon=True
        )
        self._thread.start()
        opening = open_database(
            url,
            pool_size=OPEN_MAX + 3,
            statement_timeout_ms=_LOCK_TIMEOUT_MS,
            lock_timeout_ms=_LOCK_TIMEOUT_MS,
        )
        self.real: Database = self.run(opening)
        self.run(store.stop_autovacuum(self.real))
        # Its own connection, to another database: these queries follow the real clock, and a
        # snapshot in this one would keep dead rows in their places, and so decide where new rows
        # come to lie and in which order equal ones are read.
        self._name = unquote(urlsplit(url).path.removeprefix("/"))
        self._watch: Database = self.run(open_database(with_database(url, "postgres"), pool_size=1))
        self.listeners: dict[str, list[tuple[SimulatedProcess, Callable[[str], None]]]] = {}
        self.waits = 0
        self._places = asyncio.Semaphore(OPEN_MAX)
        self._open = self._aside = 0
        self._turn = asyncio.Lock()
        self._calm = asyncio.Event()
        self._calm.set()
        self._ended = asyncio.Event()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run on the real clock, and return when it is done.

        Nothing else in the simulation moves meanwhile.
        """
        return self._begin(work).result()

    def _begin(self, work: Coroutine[Any, Any, Result]) -> "Future[Result]":
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def enter(self) -> None:
        """Wait for a place for a transaction."""
        await self._places.acquire()
        try:
            await self.calm()
        except BaseException:
            self._places.release()
            raise
        self._open += 1

    async def calm(self) -> None:
        """Wait until no statement waits for a lock: nothing new begins before."""
        async with self._turn:
            await self._calm.wait()

    def leave(self) -> None:
        """Release a transaction's slot and wake the waiters for its locks."""
        self._open -= 1
        self._places.release()
        self._ended.set()

    def work(self, work: Coroutine[Any, Any, Result], *, own: int) -> "asyncio.Future[Result]":
        """Run a statement; return a future that is done, unless the statement waits for a lock.

        own: 1 for a statement in a transaction, else 0.
        """
        begun = self._begin(work)
        if not self._waits(begun, own, self._aside + 1):
            result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
            problem = begun.exception()
            if problem is None:
                result.set_result(begun.result())
            else:
                result.set_exception(problem)
            return result
        self.waits += 1
        self._aside += 1
        self._calm.clear()
        # No process owns it: the server finishes a statement of a killed process.
        return asyncio.get_running_loop().create_task(
            self._set_aside(begun, own), context=contextvars.Context()
        )

    async def _set_aside(self, begun: "Future[Result]", own: int) -> Result:
        try:
            while True:
                await self._ended.wait()
                self._ended.clear()
                if not self._waits(begun, own, self._aside):
                    return begun.result()
        finally:
            self._aside -= 1
            if not self._aside:
                self._calm.set()

    def _waits(self, begun: "Future[Any]", own: int, waiting: int) -> bool:
        """Return whether a statement waits for another transaction's lock.

        Otherwise it is done. waiting: the number of waiters if this one waits.
        """
        while True:
            if self._open == own:
                begun.exception()
                return False
            try:
                begun.exception(_LOOKS_S)
            except StillWorkingError:
                waits = self.run(store.count_waiting(self._watch, self._name))
                if waits >= waiting and not begun.done():
                    return True
            else:
                return False

    def close(self) -> None:
        """Close the connections and end the thread."""
        self.run(self.real.close())
        self.run(self._watch.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
