"""Reports as files: asked for, made by a worker, kept for some weeks, and made again."""

import csv
import io
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.fees import actions as fees
from hundi.money.reports.files import actions, jobs, store
from hundi.money.reports.files.rules import (
    KEPT,
    KINDS,
    LEASE,
    TRIES_MAX,
    WAITING_MAX,
    FileState,
    ReportFile,
    ReportFormat,
    ReportKind,
    ReportRequest,
)
from hundi.money.reports.invoices import actions as invoices
from hundi.money.reports.invoices.rules import OPERATOR, Party
from hundi.money.settlements import actions as settlements
from tests.money.settlements.books import MERCHANT, NOON, TUESDAY, open_merchant, pay
from tests.recording import BY, record_act

DECEMBER = datetime(2026, 12, 2, 6, 30, tzinfo=UTC)
FIRST, LAST = date(2026, 11, 1), date(2026, 11, 30)
PLAN = (
    "[otherwise]\nbasis_points = 200\n[[rules]]\nname = 'debit'\nchannels = ['pg']\ncard_types ="
    " ['debit']\n"
)
STARTS = {ReportFormat.CSV: b"", ReportFormat.XLSX: b"PK", ReportFormat.PDF: b"%PDF-"}
MONTH = ReportRequest(ReportKind.MONTH, ReportFormat.CSV, FIRST, LAST)


@pytest.fixture
async def books(db: Database) -> Database:
    """A settled day with fees, and the names for its invoice."""
    await open_merchant(db)
    await fees.publish(db, MERCHANT, PLAN, None, "asha", BY, NOON)
    await pay(db, 1, 5_000_33, method="netbanking")
    await settlements.run(db, TUESDAY)
    party = Party("Asha", "1 Fort, Mumbai", "27")
    for who in (OPERATOR, MERCHANT):
        await invoices.name_party(db, who, party, "asha", NOON, record_act)
    return db


async def asked(
    db: Database, request: ReportRequest = MONTH, now: datetime = DECEMBER
) -> ReportFile:
    return await actions.ask(db, MERCHANT, request, "Asha Iyer", now, record_act)


async def look(db: Database, now: datetime) -> int:
    return await jobs.report_files(db).once(now)


async def now_is(db: Database, file: ReportFile) -> ReportFile:
    found = await store.select(db, MERCHANT, file.report_id)
    assert found is not None
    return found


async def content(db: Database, file: ReportFile) -> bytes:
    return b"".join([part async for part in store.parts(db, file)])


async def test_every_kind_is_made_in_every_form_it_has(books: Database) -> None:
    settlement = await books.fetchval("SELECT settlement_id FROM settlements")
    for kind, facts in KINDS.items():
        for form in facts.forms:
            request = ReportRequest(
                kind, form, FIRST, LAST, settlement if kind is ReportKind.SETTLEMENT else 0
            )
            file = await asked(books, request)
            assert await look(books, DECEMBER) == 1
            made = await now_is(books, file)
            assert made.state is FileState.MADE, (kind, form, made.problem)
            body = await content(books, made)
            assert body.startswith(STARTS[form]), (kind, form)
            assert (len(body), sha256(body).digest()) == (made.size_bytes, made.digest)


async def test_a_file_is_made_once_kept_and_removed(books: Database) -> None:
    file = await asked(books)
    assert file.name == f"month-{MERCHANT}-2026-11.csv"
    assert [await look(books, DECEMBER) for _ in range(2)] == [1, 0]
    made = await now_is(books, file)
    lines = list(csv.DictReader(io.StringIO((await content(books, made)).decode(), newline="")))
    assert (lines[-1]["settlement"], lines[-1]["fees"]) == ("total", "100.01")
    assert made.line_count == len(lines) + 1
    assert await look(books, DECEMBER + KEPT - timedelta(seconds=1)) == 0
    assert await look(books, DECEMBER + KEPT) == 1
    assert (await now_is(books, file)).state is FileState.EXPIRED
    assert await content(books, made) == b""
    again = await asked(books, now=DECEMBER + KEPT)
    await look(books, DECEMBER + KEPT)
    assert (await now_is(books, again)).digest == made.digest


async def test_what_does_not_agree_with_the_books_is_not_kept(books: Database) -> None:
    await books.execute("ALTER TABLE settlements DISABLE TRIGGER USER")
    await books.execute(
        "UPDATE settlements SET fee_paise = fee_paise + 1, net_paise = net_paise - 1"
    )
    file = await asked(books)
    await look(books, DECEMBER)
    failed = await now_is(books, file)
    assert (failed.state, failed.due_at) == (FileState.FAILED, None)
    assert "the ledger says" in failed.problem
    assert await content(books, failed) == b""


async def test_the_file_of_a_killed_worker_is_made_by_another_and_not_for_ever(
    books: Database,
) -> None:
    file = await asked(books)
    for times in range(TRIES_MAX):
        now = DECEMBER + LEASE * times
        (claimed,) = await store.claim(books, MERCHANT, [file.report_id], now, now + LEASE)
        assert claimed.tries == times + 1
        assert await look(books, now) == 0, "another worker has it"
    await look(books, DECEMBER + LEASE * TRIES_MAX)
    assert (await now_is(books, file)).state is FileState.FAILED
    late = await asked(books)
    (claimed,) = await store.claim(books, MERCHANT, [late.report_id], DECEMBER, DECEMBER + LEASE)
    await look(books, DECEMBER + LEASE)
    stands = await content(books, late)

    async def reading(file: ReportFile, _: Path) -> actions.BesideFile:
        pytest.fail(f"the lease of {file.name} is over")

    made = await actions.make(books, claimed, DECEMBER + LEASE, reading)
    assert made is None, "its lease is over"
    assert (await now_is(books, late)).state is FileState.MADE
    assert await content(books, late) == stands


async def test_a_file_of_many_parts_is_written_over_what_a_killed_worker_left(
    books: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "PART_BYTES", 64)
    file = await asked(books)
    async with books.transaction() as conn:
        for part_no in range(1, 100):
            await store.write_part(conn, file, part_no, b"of another try")
    await look(books, DECEMBER)
    made = await now_is(books, file)
    body = await content(books, made)
    assert (len(body), sha256(body).digest()) == (made.size_bytes, made.digest)
    kept = await books.fetchval("SELECT count(*) FROM report_parts")
    assert kept == -(-made.size_bytes // 64) > 2


async def test_titles_say_the_merchants_name(books: Database) -> None:
    file = await asked(books)
    assert file.titled("Asha") == f"Settlements of Asha ({MERCHANT})"
    assert replace(file, merchant_id=0).titled("") == "Settlements of all merchants"
    assert replace(file, merchant_id=0).name == "month-all-2026-11.csv"


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (ReportRequest(ReportKind.INVOICE, ReportFormat.CSV, FIRST, LAST), "form"),
        (ReportRequest(ReportKind.INVOICE, ReportFormat.PDF, FIRST, FIRST), "last_day"),
        (
            ReportRequest(
                ReportKind.INVOICE, ReportFormat.PDF, date(2026, 12, 1), date(2026, 12, 31)
            ),
            "last_day",
        ),
        (ReportRequest(ReportKind.MONTH, ReportFormat.CSV, LAST, FIRST), "last_day"),
        (
            ReportRequest(ReportKind.MONTH, ReportFormat.CSV, date(2027, 1, 1), date(2027, 1, 2)),
            "first_day",
        ),
        (
            ReportRequest(ReportKind.TDS, ReportFormat.CSV, date(2024, 1, 1), date(2024, 1, 2)),
            "first_day",
        ),
        (ReportRequest(ReportKind.SETTLEMENT, ReportFormat.CSV, FIRST, FIRST), "settlement"),
        (ReportRequest(ReportKind.MONTH, ReportFormat.CSV, FIRST, LAST, 7), "settlement"),
    ],
)
async def test_what_cannot_be_made_is_refused_by_field(
    books: Database, request_: ReportRequest, field: str
) -> None:
    with pytest.raises(Refused) as refused:
        await asked(books, request_)
    assert (refused.value.refusal.code, refused.value.refusal.field) == (
        RefusalCode.FIELD_INVALID,
        field,
    )
    assert await store.page_of(books, MERCHANT, 0, 9) == []


async def test_no_merchant_fills_the_queue(books: Database) -> None:
    for _ in range(WAITING_MAX):
        await asked(books)
    with pytest.raises(Refused) as refused:
        await asked(books)
    assert refused.value.refusal.code is RefusalCode.TOO_MANY_REQUESTS
