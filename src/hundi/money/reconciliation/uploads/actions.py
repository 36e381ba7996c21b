"""The actions of uploaded statements: keep one, read it as a trial, ask for its import, import."""

import asyncio
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from hundi.infra.postgres.database import Beside, Database
from hundi.infra.secrets.marks import holds, mark_of
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import business_day
from hundi.kernel.documents import shown_name
from hundi.kernel.ids import new_id
from hundi.kernel.masking import masked
from hundi.kernel.records import replace
from hundi.money.reconciliation import actions as reconciliation
from hundi.money.reconciliation.importing.actions import Source, import_file
from hundi.money.reconciliation.mappings import store as mappings
from hundi.money.reconciliation.mappings.rules import layout_of
from hundi.money.reconciliation.rules import CsvMapping, StatementError, check_mapping
from hundi.money.reconciliation.uploads import rules, store
from hundi.money.reconciliation.uploads.rules import (
    BYTES_MAX,
    KEPT,
    StatementTrial,
    StatementUpload,
    UploadState,
)

_log = structlog.get_logger(__name__)
_PURPOSE = "statement-upload"
_MARKED = "statement-import"
_PROBLEM_MAX = 300
_ASKED_BEFORE = "this statement is not kept any more, or its import was asked for before"
_NOT_ASKED = (
    "nobody asked at the console for this import as it stands, or somebody did before an upgrade:"
    " upload it again"
)


async def keep(
    db: Database,
    vault: Vault,
    given: tuple[str, str, str, bytes],
    by: str,
    now: datetime,
    recorded: Beside,
) -> StatementUpload:
    """Keep a statement for a day, sealed, so that a person can look at it before its import.

    given: connector, format, file name, content. Raises StatementError.
    """
    connector, form, name, content = given
    if not content or len(content) > BYTES_MAX:
        message = (
            f"it has {len(content)} bytes; 1 to {BYTES_MAX} are taken here, and `hundi reconcile"
            " import` takes more"
        )
        raise StatementError(message)
    upload = StatementUpload(
        new_id(now), connector, form, masked(shown_name(name)), len(content), by, now,
        UploadState.UPLOADED, None, "", {}, "",
    )  # fmt: skip
    sealed = vault.seal(content, _PURPOSE, upload.upload_id)
    async with db.transaction() as conn:
        await store.insert(conn, upload, sealed)
        await recorded(conn, upload.upload_id)
    return upload


async def content_of(db: Database, vault: Vault, upload_id: int) -> bytes:
    """Return the content of an upload. Raises StatementError where it is not kept any more."""
    sealed = await store.content_of(db, upload_id)
    if sealed is None:
        message = "this statement is not kept any more: upload it again"
        raise StatementError(message)
    return vault.open(sealed, _PURPOSE, upload_id)


async def read(
    db: Database, upload: StatementUpload, content: bytes, mapping: CsvMapping | None, now: datetime
) -> StatementTrial:
    """Read a statement as its import would."""
    terms = await reconciliation.terms_for(db, upload.connector)
    account = "" if upload.connector else terms.account
    arguments = content, upload.format, mapping, account, business_day(now)
    return await asyncio.to_thread(rules.trial, *arguments)


async def ask(
    db: Database,
    vault: Vault,
    upload_id: int,
    mapping: CsvMapping | None,
    by: tuple[str, datetime],
    recorded: Beside,
) -> None:
    """Ask the worker to import an upload, and keep its mapping for the next file of its layout.

    by: who asks, and when. Raises StatementError if that was asked before.
    """
    upload = await store.select(db, upload_id)
    if upload is None or upload.state is not UploadState.UPLOADED:
        raise StatementError(_ASKED_BEFORE)
    who, now = by
    if mapping is not None:
        check_mapping(mapping, upload.connector)
    asked = replace(upload, mapping=mapping, asked_by=who)
    layout = b""
    if mapping is not None:
        content = await content_of(db, vault, upload_id)
        sample = await asyncio.to_thread(rules.sample_of, content)
        layout = layout_of(sample.delimiter, sample.head)
    async with db.transaction() as conn:
        if not await store.ask(conn, asked, mark_of(vault, _MARKED, *rules.marked(asked))):
            raise StatementError(_ASKED_BEFORE)
        if mapping is not None:
            await mappings.keep(conn, (upload.connector, layout), mapping, who, now)
        await recorded(conn, upload_id)


async def import_asked(db: Database, vault: Vault, now: datetime) -> None:
    """Import what people asked for, each whole or not at all, and forget what nobody asked for.

    A run that breaks off is repeated: a file that is there already changes nothing.
    """
    for upload, mark in await store.asked(db):
        try:
            await _import(db, vault, upload, mark, now)
        except Exception:  # noqa: BLE001 (the others are imported all the same; this one again)
            _log.exception("statement_import_failed", upload_id=upload.upload_id)
    await store.forget(db, now - KEPT)


async def _import(
    db: Database, vault: Vault, upload: StatementUpload, mark: bytes | None, now: datetime
) -> None:
    if mark is None or not holds(vault, _MARKED, mark, *rules.marked(upload)):
        # Whoever can write rows alone imports nothing, and changes nothing of an import.
        await store.end(db, upload.upload_id, UploadState.REFUSED, {}, _NOT_ASKED)
        return
    content = await content_of(db, vault, upload.upload_id)
    with TemporaryDirectory(prefix="hundi-statement-") as folder:
        path = Path(folder) / "statement"
        await asyncio.to_thread(path.write_bytes, content)
        source = Source(
            path, upload.format, upload.connector, upload.asked_by, upload.mapping, upload.name
        )
        try:
            imported = await import_file(db, source, now)
        except StatementError as error:
            problem = str(error)[:_PROBLEM_MAX]
            await store.end(db, upload.upload_id, UploadState.REFUSED, {}, problem)
            return
    compared = await reconciliation.compare(db, now)
    result = {"lines": imported.lines, "again": imported.again, **asdict(compared)}
    await store.end(db, upload.upload_id, UploadState.IMPORTED, result, "")


async def reseal(db: Database, vault: Vault) -> int:
    """Seal every upload with the newest key; return how many were sealed with an older one."""
    done, at = 0, 0
    while (row := await store.next_sealed(db, at)) is not None:
        at = row["upload_id"]
        if not vault.is_sealed_with_newest(row["sealed_content"]):
            content = vault.open(row["sealed_content"], _PURPOSE, at)
            await store.reseal(db, row, vault.seal(content, _PURPOSE, at))
            done += 1
    return done
