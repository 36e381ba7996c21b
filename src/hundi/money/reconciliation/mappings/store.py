"""All SQL of mappings that people chose."""

from datetime import datetime

from msgspec import convert, to_builtins

from hundi.infra.postgres.columns import Field, Table
from hundi.infra.postgres.database import Connection, Queries
from hundi.money.reconciliation.mappings.rules import ChosenMapping
from hundi.money.reconciliation.rules import CsvMapping

CHOSEN = Table(ChosenMapping, {"mapping": Field(lambda kept: convert(kept, CsvMapping))})
SELECT_NEWEST = f"""
SELECT {CHOSEN.listed()} FROM statement_mappings WHERE connector = $1 AND layout = $2
ORDER BY version_no DESC LIMIT 1
"""
# Who chooses what stands there makes no version.
INSERT = """
INSERT INTO statement_mappings (connector, layout, version_no, mapping, chosen_by, chosen_at)
SELECT $1, $2, coalesce(newest.version_no, 0) + 1, $3::jsonb, $4, $5
FROM (VALUES (1)) AS one LEFT JOIN LATERAL (SELECT version_no, mapping FROM statement_mappings
    WHERE connector = $1 AND layout = $2 ORDER BY version_no DESC LIMIT 1) AS newest ON true
WHERE newest.mapping IS DISTINCT FROM $3::jsonb
ON CONFLICT DO NOTHING
"""


async def newest(db: Queries, connector: str, layout: bytes) -> ChosenMapping | None:
    """Return how a layout was read the last time, None for one that nobody chose."""
    row = await db.fetchrow(SELECT_NEWEST, connector, layout)
    return CHOSEN.read(row) if row else None


async def keep(
    conn: Connection, whose: tuple[str, bytes], mapping: CsvMapping, by: str, now: datetime
) -> None:
    """Keep how a layout is read, as its next version. whose: connector and layout."""
    await conn.execute(INSERT, *whose, to_builtins(mapping), by, now)
