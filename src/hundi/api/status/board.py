"""Keeps the status as it is sent, so that a flood of readers costs nothing."""

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog
from asyncpg import PostgresError

from hundi.acquirers.registry import Registry
from hundi.api.status.document import document_json
from hundi.api.status.page import page_html
from hundi.api.status.view import view_of
from hundi.infra.look.files import Asset, made
from hundi.infra.postgres.database import UNREACHABLE, Database
from hundi.kernel.clock import ticks_s, world_now
from hundi.status import actions
from hundi.status.actions import StatusPicture

if TYPE_CHECKING:
    from datetime import datetime

KEPT_S = 15
"""Seconds for which one process sends what it made; a worker looks as often."""
READ_S_MAX = 2.0
"""Seconds that a read may take; then the database counts as silent."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class StatusFiles:
    """The status as it is sent, plain and compressed."""

    page: Asset
    document: Asset


class StatusBoard:
    """The status of one process's gateway: read and made at most once in KEPT_S."""

    def __init__(self, db: Database, connectors: Registry, base_url: str) -> None:
        """Keep the dependencies; nothing is read yet."""
        self._db = db
        self._connectors = connectors
        self._url = f"{base_url}/status"
        self._name = urlsplit(base_url).netloc
        self._picture = StatusPicture(world_now(), None, (), (), {})
        self._silent_since: datetime | None = None
        self._files: StatusFiles | None = None
        self._made_s = -math.inf
        self._turn = asyncio.Lock()

    async def files(self) -> StatusFiles:
        """Return the status; while it is made anew, others get what was made before."""
        if self._files is not None and (self._is_fresh() or self._turn.locked()):
            return self._files
        async with self._turn:
            if self._files is None or not self._is_fresh():
                self._made_s = ticks_s()
                self._files = await self._made_files()
        return self._files

    def _is_fresh(self) -> bool:
        return ticks_s() - self._made_s < KEPT_S

    async def _made_files(self) -> StatusFiles:
        now = world_now()
        try:
            async with asyncio.timeout(READ_S_MAX):
                self._picture = await actions.read(self._db, now)
            self._silent_since = None
        except (PostgresError, *UNREACHABLE) as error:
            self._silent_since = self._silent_since or now
            _log.warning("status_not_read", error=type(error).__name__)
        components = actions.components(self._connectors, self._picture.names)
        view = view_of(self._picture, components, now, self._silent_since)
        return StatusFiles(
            made(page_html(view, self._name), "text/html"),
            made(document_json(view, self._name, self._url), "application/json"),
        )
