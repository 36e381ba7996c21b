"""The actions of reports as files: ask for one, make it, read it, remove it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import date, datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.kernel.clock import business_day
from hundi.kernel.ids import new_id
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.money.reports.across.actions import (
    Compare,
    Writer,
    balances_fault,
    charged_fault,
    settled_fault,
    write_across,
)
from hundi.money.reports.actions import (
    UnbalancedError,
    write_day_book,
    write_ledger,
)
from hundi.money.reports.files import store
from hundi.money.reports.files.rules import (
    ALL_MERCHANTS,
    FILE_BYTES_MAX,
    KEPT,
    PART_BYTES,
    PROBLEM_LENGTH_MAX,
    WAITING_MAX,
    FileState,
    ReportFile,
    ReportFormat,
    ReportKind,
    ReportRequest,
    request_refusal,
)
from hundi.money.reports.invoices.actions import issue as issue_invoice
from hundi.money.reports.months.actions import write_fees, write_items, write_month
from hundi.money.reports.payments.actions import write_payments
from hundi.money.reports.settlements import actions as settlements
from hundi.money.reports.sheets import CsvSheet, PdfSheet, Sheet, XlsxSheet
from hundi.money.reports.store import name_of
from hundi.money.reports.tds.actions import write_tds

DUE_CHANNEL = "hundi_reports"
"""Wakes the worker when a file is asked for."""
BesideFile = Callable[[Connection, ReportFile], Awaitable[None]]
"""Writes more in the transaction that keeps a file."""
Reading = Callable[[ReportFile, Path], Awaitable[BesideFile]]
"""Gets the file as it will be kept and where its content lies, before that transaction."""
_OF_DAYS: Mapping[ReportKind, Writer] = {
    ReportKind.MONTH: write_month,
    ReportKind.ITEMS: write_items,
    ReportKind.FEES: write_fees,
    ReportKind.DAY_BOOK: write_day_book,
    ReportKind.LEDGER: write_ledger,
    ReportKind.PAYMENTS: write_payments,
}
_COMPARED: Mapping[ReportKind, Compare] = {
    ReportKind.MONTH: settled_fault,
    ReportKind.FEES: charged_fault,
    ReportKind.TDS: charged_fault,
    ReportKind.DAY_BOOK: balances_fault,
}
"""With what of the whole ledger a report over all merchants is compared."""


def new_file(
    merchant_id: int, request: ReportRequest, asked_by: str, now: datetime, schedule_no: int = 0
) -> ReportFile:
    """Return the row of a file to make. schedule_no: of the schedule that asks, 0 for a person."""
    return ReportFile(
        merchant_id=merchant_id,
        report_id=new_id(now),
        kind=request.kind,
        form=request.form,
        first_day=request.first_day,
        last_day=request.last_day,
        settlement_id=request.settlement_id,
        schedule_no=schedule_no,
        asked_by=asked_by,
        asked_at=now,
        state=FileState.WAITING,
        tries=0,
        due_at=now,
        problem="",
        made_at=None,
        line_count=0,
        size_bytes=0,
        digest=b"",
    )


async def ask(
    db: Database,
    merchant_id: int,
    request: ReportRequest,
    asked_by: str,
    now: datetime,
    recorded: Beside,
) -> ReportFile:
    """Ask for a report; the worker makes it, and then it is kept for some weeks.

    recorded: the entry in the trail. Raises Refused (FIELD_INVALID, TOO_MANY_REQUESTS).
    """
    refusal = request_refusal(request, business_day(now), merchant_id)
    if refusal is not None:
        raise Refused(refusal)
    if await store.is_crowded(db, merchant_id):
        raise refuse(
            RefusalCode.TOO_MANY_REQUESTS, allowed=f"{WAITING_MAX} reports that wait to be made"
        )
    file = new_file(merchant_id, request, asked_by, now)
    async with db.transaction() as conn:
        await store.insert(conn, file)
        await recorded(conn, file.report_id)
    db.wake(DUE_CHANNEL)
    return file


async def make(db: Database, file: ReportFile, now: datetime, reading: Reading) -> FileState | None:
    """Make a claimed file and keep it; return its state, None if its lease ended meanwhile.

    A report that does not agree with the books is not kept, and the reason is. reading: reads what
    it needs of the file; what it returns writes more in the transaction that keeps it.
    """
    with TemporaryDirectory(prefix="hundi-report-") as folder:
        path = Path(folder) / f"report.{file.form}"
        try:
            lines = await _written(db, file, path, now)
            size = path.stat().st_size
            if size > FILE_BYTES_MAX:
                raise refuse(
                    RefusalCode.FIELD_INVALID,
                    field="last_day",
                    received=f"{size} bytes",
                    allowed=f"{FILE_BYTES_MAX} bytes at most: choose fewer days",
                )
        except Refused as refused:
            problem = refused.refusal.allowed or refused.refusal.code.log_name
            return await fail(db, file, problem)
        except UnbalancedError as fault:
            return await fail(db, file, str(fault))
        after = replace(
            file,
            state=FileState.MADE,
            due_at=now + KEPT,
            made_at=now,
            line_count=lines,
            size_bytes=size,
            digest=await asyncio.to_thread(_digest, path),
        )
        parts = 0
        async for content in _parts(path):
            parts += 1
            if not await _keep(db, file, parts, content):
                return None
        beside = await reading(after, path)
    async with db.transaction() as conn:
        if not await store.end(conn, file, after):
            return None
        await store.remove_parts(conn, file, parts)
        await beside(conn, after)
    return FileState.MADE


async def _keep(db: Database, file: ReportFile, part_no: int, content: bytes) -> bool:
    """Keep a part of a claimed file; return False if its lease is over."""
    async with db.transaction() as conn:
        # Whoever claims the file next waits for this, and writes all parts anew.
        is_ours = await store.is_claimed(conn, file)
        if is_ours:
            await store.write_part(conn, file, part_no, content)
    return is_ours


async def fail(db: Database, file: ReportFile, problem: str) -> FileState | None:
    """Write that a claimed file is not made, and why."""
    after = replace(file, state=FileState.FAILED, due_at=None, problem=problem[:PROBLEM_LENGTH_MAX])
    async with db.transaction() as conn:
        if not await store.end(conn, file, after):
            return None
        await store.remove_parts(conn, file)
    return FileState.FAILED


async def remove(db: Database, file: ReportFile) -> None:
    """Remove the content of a claimed file that was kept long enough."""
    async with db.transaction() as conn:
        if await store.end(conn, file, replace(file, state=FileState.EXPIRED, due_at=None)):
            await store.remove_parts(conn, file)


async def _written(db: Database, file: ReportFile, path: Path, now: datetime) -> int:
    """Write a report into a file; return its number of lines.

    Raises Refused, UnbalancedError.
    """
    if file.kind is ReportKind.INVOICE:
        invoice = await issue_invoice(db, file.merchant_id, file.first_day, now)
        if invoice is None:
            raise refuse(RefusalCode.NO_RECORDS, allowed="nothing was charged in this month")
        from hundi.money.reports.pages import invoice_pdf  # noqa: PLC0415 (drawing is a fifth of a start)

        await asyncio.to_thread(lambda: path.write_bytes(invoice_pdf(invoice)))
        return 1
    if file.kind is ReportKind.SETTLEMENT and file.form is ReportFormat.PDF:
        report = await settlements.read_settlement(db, file.merchant_id, file.settlement_id)
        from hundi.money.reports.pages import settlement_pdf  # noqa: PLC0415 (drawing is a fifth of a start)

        name = await name_of(db, file.merchant_id)
        await asyncio.to_thread(lambda: path.write_bytes(settlement_pdf(report, name)))
        return len(report.rows)
    sheet = _sheet(file, path, await name_of(db, file.merchant_id))
    try:
        await _write(db, file, sheet, now)
    except BaseException:
        sheet.abandon()
        raise
    # Beside the other work of this process: drawing a large one takes minutes.
    await asyncio.to_thread(sheet.close)
    return sheet.rows


async def _write(db: Database, file: ReportFile, sheet: Sheet, now: datetime) -> None:
    whose = file.merchant_id
    if file.kind is ReportKind.SETTLEMENT:
        await settlements.write_settlement(db, whose, file.settlement_id, sheet)
    elif whose == ALL_MERCHANTS:
        writer, compare = _writer(file.kind, business_day(now)), _COMPARED[file.kind]
        await write_across(db, writer, file.span, sheet, compare)
    else:
        await _writer(file.kind, business_day(now))(db, whose, file.span, sheet)


def _writer(kind: ReportKind, today: date) -> Writer:
    return partial(write_tds, today=today) if kind is ReportKind.TDS else _OF_DAYS[kind]


def _sheet(file: ReportFile, path: Path, merchant: str) -> Sheet:
    title = file.titled(merchant)
    if file.form is ReportFormat.CSV:
        return CsvSheet(path)
    if file.form is ReportFormat.XLSX:
        return XlsxSheet(path, title)
    days = f"{file.first_day:%-d %b %Y} to {file.last_day:%-d %b %Y}."
    return PdfSheet(path, title, [f"{days} Amounts in INR, times in India (IST)."])


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        digest = sha256()
        while part := file.read(PART_BYTES):
            digest.update(part)
    return digest.digest()


async def _parts(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while part := await asyncio.to_thread(file.read, PART_BYTES):
            yield part
