"""The kept data of releases, and how it is restored."""

import gzip
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import asyncpg

from hundi.infra.migrations import versions
from hundi.infra.postgres.counter import advance
from hundi.infra.postgres.roles import DATABASE

RELEASES = Path(__file__).parent
KEYS = ("kek", "acquirer_key")
"""The files of a data directory that open what the database has sealed."""
_NOT_SQL = ("\\restrict", "\\unrestrict")
"""What psql alone reads."""
_NOT_OURS = ("CREATE SCHEMA", "COMMENT ON SCHEMA")
"""The schema is there already, and belongs to the owner of the database."""
_NEWER = ("SET transaction_timeout",)
"""Settings that the oldest PostgreSQL does not know."""


def releases() -> list[str]:
    """Return the names of all releases."""
    return sorted(each.name for each in RELEASES.iterdir() if (each / "facts.json").exists())


def facts_of(release: str) -> dict[str, Any]:
    """Return what was known when the data was made: keys, orders, and the schema's versions."""
    return json.loads((RELEASES / release / "facts.json").read_text("utf-8"))


def fingerprints() -> dict[str, str]:
    """Return a digest of the SQL of each version of the schema, by its revision."""
    parts = (".spread", "", ".after")
    return {
        version.revision: sha256("\n".join(map(version.text, parts)).encode()).hexdigest()
        for version in versions()
    }


async def restore(url: str, release: str, database: str) -> None:
    """Load a release's database into an empty one, as its owner."""
    dump = (RELEASES / release / f"{database}.sql.gz").read_bytes()
    left_out = (*_NOT_SQL, *_NOT_OURS, *_NEWER)
    lines = gzip.decompress(dump).decode().splitlines()
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("\n".join(line for line in lines if not line.startswith(left_out)))
        if database == DATABASE:
            # The audit names a sealed row of a transaction that has not begun. A dump leaves the
            # session without a path.
            await connection.execute("RESET search_path")
            await advance(connection, lambda _done, _total: None)
    finally:
        await connection.close()
