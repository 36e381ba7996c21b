"""Rows for the list of letters: of one merchant, or of all places for the operator."""

from dataclasses import dataclass
from datetime import date

from asyncpg import Record

from hundi.console.queries.bounded import ListCursor, look, look_across, span_of_ids
from hundi.infra.postgres.database import Database
from hundi.letters.store import LETTER

_FITTING = """letter_id >= {0} AND letter_id < {1}
    AND ({2}::text IS NULL OR state::text = {2}) AND ({3}::text IS NULL OR kind = {3})"""
_OF_ONE = _FITTING.format("$2", "$3", "$4", "$5")
_OF_ALL = _FITTING.format("$1", "$2", "$3", "$4")
SELECT_PAGE = f"""
SELECT {LETTER.listed()} FROM letters WHERE merchant_id = $1 AND {_OF_ONE}
ORDER BY letter_id DESC LIMIT $6
"""
SELECT_PAGE_RISING = f"""
SELECT {LETTER.listed()} FROM letters WHERE merchant_id = $1 AND {_OF_ONE}
ORDER BY letter_id LIMIT $6
"""
SELECT_ACROSS = f"""
SELECT {LETTER.listed()} FROM letters WHERE {_OF_ALL} ORDER BY letter_id DESC LIMIT $5
"""
SELECT_ACROSS_RISING = f"""
SELECT {LETTER.listed()} FROM letters WHERE {_OF_ALL} ORDER BY letter_id LIMIT $5
"""
"""Across merchants: for the operator."""


@dataclass(frozen=True, slots=True)
class LetterFilters:
    """Filters of the list; None for any value. Indian days, the last included."""

    state: str | None
    kind: str | None
    since: date
    until: date | None


async def select_page(
    db: Database, merchant_id: int, filters: LetterFilters, cursor: ListCursor, limit: int
) -> list[Record] | None:
    """Return letters nearest to a cursor, None if that takes too long. merchant_id: 0 for all."""
    rising = cursor.reads_rising
    values = *span_of_ids(filters.since, filters.until, cursor), filters.state, filters.kind, limit
    if merchant_id:
        statement = SELECT_PAGE_RISING if rising else SELECT_PAGE
        return await look(db, statement, merchant_id, *values)
    if rising:
        return await look_across(db, SELECT_ACROSS_RISING, *values)
    return await look_across(db, SELECT_ACROSS, *values)
