"""The worker's watch: it looks at all components every few seconds, also after it was cut off."""

import asyncio
from contextlib import suppress

from asyncpg import PostgresError

from hundi.acquirers.registry import Registry
from hundi.infra.logs import get_logger
from hundi.infra.postgres.database import UNREACHABLE, Database
from hundi.kernel.clock import world_now
from hundi.status import actions
from hundi.status.rules import WATCH

_log = get_logger(__name__)


class StatusWatch:
    """Looks at all components until it is stopped."""

    def __init__(self, db: Database, connectors: Registry, times: int = 1) -> None:
        """Keep the dependencies. times: how many times longer than usual it waits between looks."""
        self._db = db
        self._connectors = connectors
        self._every_s = WATCH.total_seconds() * times
        self._was_lost = False

    async def forever(self, stop: asyncio.Event) -> None:
        """Look until stopped; a look that fails is tried again at the next time."""
        while not stop.is_set():
            await self._look()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every_s):
                    await stop.wait()

    async def _look(self) -> None:
        try:
            await actions.look(self._db, self._connectors, world_now(), was_lost=self._was_lost)
            self._was_lost = False
        except UNREACHABLE as error:
            self._was_lost = True
            _log.warning("status_not_looked_at", error=type(error).__name__)
        except PostgresError as error:
            _log.warning("status_not_looked_at", error=type(error).__name__)
        except Exception:  # noqa: BLE001 (what is shown to everybody must not end the worker)
            _log.exception("status_not_looked_at")
