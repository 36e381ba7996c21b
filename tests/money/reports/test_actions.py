"""Extracts of the books on PostgreSQL.

The archive changes nothing, and a second look gives the same bytes.
"""

import csv
import io
from datetime import UTC, date, datetime, timedelta

from hundi.infra.postgres.database import Database
from hundi.kernel.ids import first_id
from hundi.money.reports import actions
from hundi.money.reports.rules import DaySpan

DAY = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)
SPAN = DaySpan(date(2026, 11, 20), date(2026, 11, 20))
POST = """
INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
VALUES ($1, $2, $3, $4, $5, $6, 'INR', $7)
"""

ARCHIVE = """
INSERT INTO archived_payments (merchant_id, payment_id, order_id, attempt_ids, rrns, contents,
    archived_at)
VALUES (7, $1::bigint, 'order-' || $1::bigint, '{}', '{}', $2, now())
"""


async def post(
    db: Database, cause: int, kind: str, paise: int, at: datetime, merchant_id: int = 7
) -> None:
    debit, credit = (
        ("receivable:sandbox", "payable") if kind == "payment" else ("payable", "refunds_in_flight")
    )
    await db.execute(POST, merchant_id, cause, kind, debit, credit, paise, at)


async def written(db: Database) -> tuple[str, str]:
    books = io.StringIO(newline=""), io.StringIO(newline="")
    lines = (
        await actions.write_ledger(db, 7, SPAN, csv.writer(books[0])),
        await actions.write_day_book(db, 7, SPAN, csv.writer(books[1])),
    )
    texts = books[0].getvalue(), books[1].getvalue()
    assert lines == tuple(text.count("\r\n") for text in texts)
    return texts


async def test_extracts_have_the_days_postings_and_balances(db: Database) -> None:
    await post(db, 1, "payment", 1_000_00, DAY - timedelta(days=1))
    await post(db, 2, "payment", 1_499_50, DAY)
    await post(db, 3, "refund_begun", 50_00, DAY + timedelta(hours=1))
    await post(db, 4, "payment", 9_99, DAY + timedelta(days=1))
    await post(db, 5, "payment", 7_77, DAY, merchant_id=8)
    ledger, day_book = await written(db)
    assert ledger.splitlines() == [
        "account,currency,at,entry,reference,debit,credit,balance,side",
        "payable,INR,,opening balance,,,,1000.00,Cr",
        "payable,INR,2026-11-20 14:05:00,payment,2,,1499.50,2499.50,Cr",
        "payable,INR,2026-11-20 15:05:00,refund_begun,3,50.00,,2449.50,Cr",
        "payable,INR,,closing balance,,,,2449.50,Cr",
        "receivable:sandbox,INR,,opening balance,,,,1000.00,Dr",
        "receivable:sandbox,INR,2026-11-20 14:05:00,payment,2,1499.50,,2499.50,Dr",
        "receivable:sandbox,INR,,closing balance,,,,2499.50,Dr",
        "refunds_in_flight,INR,,opening balance,,,,0.00,Cr",
        "refunds_in_flight,INR,2026-11-20 15:05:00,refund_begun,3,,50.00,50.00,Cr",
        "refunds_in_flight,INR,,closing balance,,,,50.00,Cr",
    ]
    assert day_book.splitlines() == [
        "at,entry,reference,debit_account,credit_account,amount,currency",
        ",opening balance,,,payable,1000.00,INR",
        ",opening balance,,receivable:sandbox,,1000.00,INR",
        "2026-11-20 14:05:00,payment,2,receivable:sandbox,payable,1499.50,INR",
        "2026-11-20 15:05:00,refund_begun,3,payable,refunds_in_flight,50.00,INR",
        ",total,,payable,,50.00,INR",
        ",total,,,payable,1499.50,INR",
        ",total,,receivable:sandbox,,1499.50,INR",
        ",total,,,refunds_in_flight,50.00,INR",
        ",closing balance,,,payable,2449.50,INR",
        ",closing balance,,receivable:sandbox,,2499.50,INR",
        ",closing balance,,,refunds_in_flight,50.00,INR",
    ]
    assert await written(db) == (ledger, day_book)


async def test_the_archive_changes_no_extract(db: Database) -> None:
    for cause, at in ((1, DAY - timedelta(days=1)), (2, DAY), (3, DAY + timedelta(days=1))):
        await post(db, cause, "payment", 100 + cause, at)
    before = await written(db)
    async with db.transaction() as conn:
        await conn.execute("ALTER TABLE ledger_postings DISABLE TRIGGER USER")
        rows = await conn.fetch("SELECT to_jsonb(p) AS row, cause_id, at FROM ledger_postings p")
        await conn.execute("DELETE FROM ledger_postings")
        await conn.execute("SELECT add_archive_month($1)", date(2026, 11, 1))
        for row in rows:
            await conn.execute(
                ARCHIVE,
                first_id(row["at"] - timedelta(minutes=1)) + row["cause_id"],
                {"ledger_postings": [row["row"]]},
            )
    assert await db.fetchval("SELECT count(*) FROM ledger_postings") == 0
    assert await written(db) == before
