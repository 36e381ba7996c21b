"""All SQL of fetching: what the acquirer's earlier files had of some days."""

from datetime import date

from hundi.infra.database import Queries
from hundi.money.reconciliation.fetching.rules import Kept

SELECT_FILES = """
SELECT file_id, lines, merchants FROM statement_files
WHERE connector = $1 AND first_day <= $3 AND last_day >= $2 ORDER BY file_id
"""
SELECT_KEPT = """
SELECT kind, is_credit, gross_paise, net_paise, reference, rrn, utr, day FROM statement_lines
WHERE merchant_id = $1 AND line_id BETWEEN $2 AND $3
"""


async def covers(db: Queries, connector: str, day: date) -> bool:
    """Return whether a file of an acquirer is of a day."""
    return bool(await db.fetch(SELECT_FILES, connector, day, day))


async def kept(db: Queries, connector: str, first: date, last: date) -> list[Kept]:
    """Return the lines of an acquirer's files of some days."""
    found: list[Kept] = []
    for file in await db.fetch(SELECT_FILES, connector, first, last):
        for merchant_id in file["merchants"]:
            rows = await db.fetch(SELECT_KEPT, merchant_id, file["file_id"], file["file_id"] + file["lines"])
            found += [Kept(**dict(row)) for row in rows]
    return found
