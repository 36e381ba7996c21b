"""Tallies for charts: read in pieces, the newest first, each limited in time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic

from asyncpg import QueryCanceledError

from hundi.console.queries.bounded import ROOM
from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.payments.tallies import actions
from hundi.payments.tallies.rules import HourTally, TallyQuery

MERCHANTS_MAX = 2_000
"""The most merchants in a count across all of them; a page with more says so."""
LOOK_S_MAX = 2.0
"""Seconds that one page reads tallies before it shows what it has."""
_PIECE = timedelta(days=32)
_PIECE_BY_DAY = timedelta(days=128)
"""Days are summed already: their beginnings and ends alone are read by the hour."""


@dataclass(frozen=True, slots=True)
class TallySpan:
    """The tallies of a span of hours.

    is_complete: nothing is left out; else the oldest hours are, or what changed just now.
    """

    tallies: Sequence[HourTally]
    is_complete: bool


async def read(
    db: Database, merchants: Collection[int], wanted: TallyQuery, now: datetime
) -> TallySpan:
    """Return the tallies of merchants together, as they are now."""
    ends_at, tallies, is_complete = monotonic() + LOOK_S_MAX, list[HourTally](), True
    until = wanted.until
    while until > wanted.since:
        if monotonic() > ends_at:
            return TallySpan(tallies, is_complete=False)
        piece_max = _PIECE if wanted.step == "hour" else _PIECE_BY_DAY
        begins = max(wanted.since, until - piece_max)
        piece = replace(wanted, since=begins, until=until)
        try:
            async with db.transaction() as conn:
                await conn.execute(ROOM)
                page = await actions.read(conn, merchants, piece, now)
        except QueryCanceledError:
            return TallySpan(tallies, is_complete=False)
        tallies += page.tallies
        is_complete &= page.is_complete
        until = begins
    return TallySpan(tallies, is_complete)
