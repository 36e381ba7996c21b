"""Which letters an erasure finds by the payments of a customer."""

from datetime import UTC, datetime

from hundi.infra.postgres.database import Database
from hundi.payments.customers.erasing import store
from hundi.payments.customers.erasing.store import ErasureScope
from hundi.payments.customers.rules import CustomerMarks

MERCHANT, HERS, ANOTHERS = 7, 217_000_000_000_001, 217_000_000_000_002
NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
LETTER = """
INSERT INTO letters (merchant_id, letter_id, cause, kind, channel, address, language, facts, state,
    created_at, due_at, sent_at)
VALUES ($1, $2, $3, $4, 'mail', 'meera@example.in', 'en', $5, 'sent', $6, $6, $6)
"""


async def test_the_answer_to_a_complaint_goes_with_the_letters_of_its_payment(
    db: Database,
) -> None:
    for number, payment in enumerate((HERS, ANOTHERS), 1):
        facts = {"payment": str(payment)}
        receipt = f"payment:{payment}:receipt", "receipt", {}
        answer = f"complaint:{payment + 10}", "complaint_answer", facts
        await db.execute(LETTER, MERCHANT, 2 * number, *receipt, NOW)
        await db.execute(LETTER, MERCHANT, 2 * number + 1, *answer, NOW)
    scope = ErasureScope(MERCHANT, CustomerMarks(reference="cust_7"), [HERS], NOW)
    erasable, _ = await store.count(db, scope)
    assert erasable.letters == 2
    assert (await store.erase(db, scope)).letters == 2
    left = await db.fetch("SELECT cause FROM letters")
    assert all(str(ANOTHERS) in row["cause"] or str(ANOTHERS + 10) in row["cause"] for row in left)
    assert len(left) == 2
