"""All SQL of uploaded statements."""

from datetime import datetime
from typing import Any

from msgspec import convert, to_builtins

from hundi.infra.postgres.columns import Field, Table, choice
from hundi.infra.postgres.database import Connection, Database, Queries, Record
from hundi.money.reconciliation.rules import CsvMapping
from hundi.money.reconciliation.uploads.rules import StatementUpload, UploadState


def _mapping(kept: Any) -> CsvMapping | None:  # noqa: ANN401 (JSON)
    return None if kept is None else convert(kept, CsvMapping)


UPLOAD = Table(StatementUpload, {"state": choice(UploadState), "mapping": Field(_mapping)})
INSERT = f"""
INSERT INTO statement_uploads ({UPLOAD.listed()}, sealed_content)
VALUES ({UPLOAD.numbered(1)}, ${len(UPLOAD) + 1})
"""
_ONE = f"SELECT {UPLOAD.listed()} FROM statement_uploads"
SELECT = f"{_ONE} WHERE upload_id = $1"
SELECT_NEWEST = f"{_ONE} ORDER BY upload_id DESC LIMIT $1"
SELECT_ASKED = f"""
SELECT {UPLOAD.listed()}, coalesce(mark, '') AS mark FROM statement_uploads
WHERE state = 'asked' ORDER BY upload_id
"""
SELECT_CONTENT = "SELECT sealed_content FROM statement_uploads WHERE upload_id = $1"
ASK = """
UPDATE statement_uploads SET state = 'asked', mapping = $2, asked_by = $3, mark = $4
WHERE upload_id = $1 AND state = 'uploaded' RETURNING upload_id
"""
END = """
UPDATE statement_uploads SET state = $2, result = $3, problem = $4, sealed_content = NULL
WHERE upload_id = $1 AND state = 'asked'
"""
FORGET = """
UPDATE statement_uploads SET state = 'forgotten', sealed_content = NULL
WHERE state = 'uploaded' AND uploaded_at < $1
"""
NEXT_SEALED = """
SELECT upload_id, sealed_content FROM statement_uploads
WHERE sealed_content IS NOT NULL AND upload_id > $1 ORDER BY upload_id LIMIT 1
"""
RESEAL = """
UPDATE statement_uploads SET sealed_content = $2 WHERE upload_id = $1 AND sealed_content = $3
"""


async def insert(conn: Connection, upload: StatementUpload, sealed: bytes) -> None:
    """Write an upload with its sealed content."""
    values = [to_builtins(each) if isinstance(each, CsvMapping) else each for each in
              UPLOAD.values(upload)]  # fmt: skip
    await conn.execute(INSERT, *values, sealed)


async def select(db: Queries, upload_id: int) -> StatementUpload | None:
    """Return an upload without its content."""
    row = await db.fetchrow(SELECT, upload_id)
    return UPLOAD.read(row) if row else None


async def newest(db: Queries, limit: int) -> list[StatementUpload]:
    """Return the newest uploads."""
    return [UPLOAD.read(row) for row in await db.fetch(SELECT_NEWEST, limit)]


async def asked(db: Queries) -> list[tuple[StatementUpload, bytes | None]]:
    """Return the uploads to import with their marks, oldest first."""
    return [(UPLOAD.read(row), row["mark"]) for row in await db.fetch(SELECT_ASKED)]


async def content_of(db: Queries, upload_id: int) -> bytes | None:
    """Return the sealed content of an upload; None where it is not kept any more."""
    return await db.fetchval(SELECT_CONTENT, upload_id)


async def ask(conn: Connection, upload: StatementUpload, mark: bytes) -> bool:
    """Ask for the import of an upload; return False if that was asked before."""
    kept = None if upload.mapping is None else to_builtins(upload.mapping)
    number = await conn.fetchval(ASK, upload.upload_id, kept, upload.asked_by, mark)
    return number is not None


async def end(
    db: Queries, upload_id: int, state: UploadState, result: dict[str, Any], problem: str
) -> None:
    """Write what became of an import, and forget the content."""
    await db.execute(END, upload_id, state, result, problem)


async def forget(db: Database, before: datetime) -> None:
    """Forget the content of uploads that nobody asked to import."""
    await db.execute(FORGET, before)


async def next_sealed(db: Database, upload_id: int) -> Record | None:
    """Return the next upload after this one with its sealed content."""
    return await db.fetchrow(NEXT_SEALED, upload_id)


async def reseal(db: Database, row: Record, sealed: bytes) -> None:
    """Replace an upload's sealed content, unless it was replaced meanwhile."""
    await db.execute(RESEAL, row["upload_id"], sealed, row["sealed_content"])
