"""The actions of the use of channels: count, once a business day in a process."""

from collections.abc import Mapping
from datetime import datetime

import structlog
from asyncpg import PostgresError
from cachetools import LRUCache

from hundi.infra.postgres.database import UNREACHABLE, Database
from hundi.payments.availability.use import rules, store

MERCHANTS_KEPT_MAX = 4_096
_log = structlog.get_logger(__name__)


class ChannelUse:
    """How many payments of each merchant were made by each channel, until this business day."""

    def __init__(self) -> None:
        """Know no merchant's counts yet."""
        self._counted: LRUCache[int, tuple[tuple[int, int], Mapping[str, int]]] = LRUCache(
            MERCHANTS_KEPT_MAX
        )

    async def of(self, db: Database, merchant_id: int, now: datetime) -> Mapping[str, int]:
        """Return a merchant's payments by channel; {} when they cannot be read."""
        ids = rules.counted_ids(now)
        known = self._counted.get(merchant_id)
        if known is not None and known[0] == ids:
            return known[1]
        try:
            counts = await store.uses(db, merchant_id, ids, rules.COUNTED_MAX)
        except (PostgresError, *UNREACHABLE) as error:
            # The page is whole without them: nothing is folded then.
            _log.warning("uses_not_read", error=type(error).__name__)
            return {}
        self._counted[merchant_id] = ids, counts
        return counts
