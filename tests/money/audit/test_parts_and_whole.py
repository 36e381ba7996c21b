"""All parts of an audit find what a whole audit finds, and nothing in sound books.

Written by somebody who looked for a difference.
"""

from datetime import UTC, datetime, timedelta

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.records import replace
from hundi.money.audit import actions
from hundi.money.audit.chain.store import CHECKS
from hundi.money.audit.parts.rules import Days, LastDays, summed
from hundi.money.audit.rules import Report, Violation
from hundi.money.chain import actions as chain
from tests.money.audit import books
from tests.money.audit.books import AT, MERCHANT, VAULT

NOW = AT + timedelta(days=9)
TABLES = (
    "ledger_postings",
    "payment_events",
    "payments",
    "chain_blocks",
    "chain_links",
    "settlements",
    "settlement_items",
    "settlement_shares",
    "settlement_parts",
)


async def in_parts(db: Database) -> Report:
    parts = await actions.plan_parts(db, links_max=1)
    while (days := parts.following) and days.before:
        parts = replace(parts, done=(*parts.done, await actions.check_part(db, days, NOW)))
    assert days
    report = await actions.audit(db, [], NOW, days=LastDays(days.since))
    return summed(replace(parts, report=report))


def broken(report: Report) -> dict[str, str]:
    return {
        check.violation: f"{check.samples[0].subject}: {check.samples[0].found}"
        for check in report.checked
        if check.count
    }


async def write_days(db: Database, *more: datetime) -> None:
    """Write books that were sealed on several days, and let tests change what is sealed."""
    await books.write(db)
    for number, day in enumerate(more):
        await books.event(db, 5, 7 + number, "left_page", "paid", at=day)
        await db.execute("UPDATE payments SET revision = $1 WHERE payment_id = 5", 7 + number)
        await chain.seal(db, VAULT, day)
    for table in TABLES:
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")


async def test_a_refund_before_midnight_may_be_sealed_after_it(db: Database) -> None:
    await write_days(db, AT + timedelta(days=4))
    evening = datetime(2026, 11, 25, 18, 28, tzinfo=UTC)  # 23:58 in India
    await db.execute(
        "INSERT INTO refunds (merchant_id, refund_id, payment_id, attempt_id, cause, amount_paise,"
        " settled_paise, currency, connector, state, created_at, due_at, request_id) VALUES ($1,"
        " 771, 1, 11, 'merchant', 100, 100, 'INR', 'sandbox', 'initiated', $2, $3, 'R1')",
        MERCHANT,
        evening,
        NOW,
    )
    await db.execute(
        "INSERT INTO refund_requests (merchant_id, request_id, item_no, content_hash, refund_id,"
        " at) VALUES ($1, 'R1', 0, sha256(''), 771, $2)",
        MERCHANT,
        evening,
    )
    await books.event(db, 1, 4, "refund_begun", "paid", of=11, at=evening)
    await books.post(db, 771, "refund_begun", "payable", "refunds_in_flight", 100, evening)
    await db.execute(
        "UPDATE payments SET revision = 4, refunds = 1, refunded_paise = 100 WHERE payment_id = 1"
    )
    await chain.seal(db, VAULT, evening + timedelta(minutes=4))
    assert broken(await actions.audit(db, [], NOW)) == {}
    assert broken(await in_parts(db)) == {}
    for day in (AT, AT + timedelta(days=4), evening, evening + timedelta(days=1)):
        assert broken(await actions.audit(db, [], NOW, days=Days(day.date()))) == {}, day


async def test_a_block_of_another_century_hides_no_forged_row(db: Database) -> None:
    """Row, link and the block's day are changed, and no hash is computed again."""
    await write_days(db, AT + timedelta(days=2), AT + timedelta(days=4))
    await db.execute("UPDATE attempts SET bank_name = 'another' WHERE attempt_id = 11")
    sealed = CHECKS[Violation.SEALED_ROW_DIFFERS]
    rows = sealed[sealed.index("LEFT JOIN (") + len("LEFT JOIN (") : sealed.index(") AS r USING")]
    await db.execute(
        "UPDATE chain_links l SET digest = sha256(convert_to(r.said, 'UTF8'))"
        f" FROM ({rows}) AS r WHERE l.merchant_id = r.merchant_id AND l.book = r.book"
        " AND l.id = r.id AND l.part = r.part AND l.part = 'attempt 11'"
    )
    for day in ("1999-12-31", "infinity"):
        await db.execute(
            "UPDATE chain_blocks SET day = $1::text::date WHERE book = 'events' AND block_no = 1",
            day,
        )
        whole = broken(await actions.audit(db, [], NOW))
        assert Violation.CHAIN_BROKEN in whole
        assert broken(await in_parts(db)).keys() == whole.keys()


CHANGES = {
    "a posting of transaction 0": f"""
        INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise,
            currency, at, xact)
        VALUES ({MERCHANT}, -5, 'payment', 'receivable:sandbox', 'payable', 5, 'INR', now(), '0')
    """,
    "an item of the last number": """
        INSERT INTO settlement_items SELECT merchant_id, cause_id, 'dispute_won', at, ready_on, 5,
            0, 0, 5, rule, plan_no, terms_no, 9223372036854775807
        FROM settlement_items WHERE cause_id = 51 AND kind = 'payment'
    """,
    "an answer of 1999": f"""
        INSERT INTO refund_requests (merchant_id, request_id, item_no, content_hash, refund_id, at)
        VALUES ({MERCHANT}, 'R9', 0, sha256(''), 999, '1999-01-01')
    """,
    "an answer of no time": f"""
        INSERT INTO refund_requests (merchant_id, request_id, item_no, content_hash, refund_id, at)
        VALUES ({MERCHANT}, 'R9', 0, sha256(''), 999, 'infinity')
    """,
    "a try of no delivery": f"""
        INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url,
            status, latency_ms)
        VALUES ({MERCHANT}, 99, 1, 1, now(), 'https://shop.example', 200, 1)
    """,
    "an endpoint's delivery without a try": f"""
        INSERT INTO endpoint_deliveries (merchant_id, endpoint_no, payment_id, event_no, kind,
            facts, state, created_at, due_at, tries, scheduled_from, delivered_at)
        VALUES ({MERCHANT}, 1, 99, 1, 'paid', '{{}}', 'delivered', now(), now(), 1, now(), now())
    """,
    "an event of no merchant": """
        INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor)
        VALUES (999, 99, 1, now(), 'paid', 'paid', 'bank')
    """,
    "a posting of no merchant": """
        INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise,
            currency, at)
        VALUES (999, 99, 'payment', 'receivable:sandbox', 'payable', 5, 'INR', now())
    """,
    "a link of no merchant": (
        "INSERT INTO chain_links VALUES (999, 'events', 5, 'x', 1, sha256('x'))"
    ),
    "a block deleted": "DELETE FROM chain_blocks WHERE book = 'events' AND block_no = 2",
    "the newest block deleted": "DELETE FROM chain_blocks WHERE book = 'events' AND block_no = 3",
    "every event of a payment deleted": "DELETE FROM payment_events WHERE payment_id = 2",
}


@pytest.mark.parametrize("change", CHANGES)
async def test_parts_find_what_the_whole_audit_finds(db: Database, change: str) -> None:
    await write_days(db, AT + timedelta(days=2), AT + timedelta(days=4))
    await db.execute(CHANGES[change])
    whole = broken(await actions.audit(db, [], NOW))
    assert whole
    assert broken(await in_parts(db)).keys() == whole.keys()
