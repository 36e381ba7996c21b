"""A merchant's postings, written by no code of the gateway, as settlements find them."""

from datetime import UTC, date, datetime, timedelta

from hundi.infra.postgres.database import Database
from tests.recording import record_merchant

MERCHANT = 10_001
MONDAY = date(2026, 11, 16)
NOON = datetime(2026, 11, 16, 6, 30, tzinfo=UTC)
"""Noon in India on a Monday; the days until Friday are working days of banks."""
TUESDAY = NOON + timedelta(days=1)
"""Its payments of Monday are settled then."""
TABLES = (
    "settlement_items",
    "settlements",
    "settlement_shares",
    "shares_to_pay",
    "settlement_parts",
    "ledger_postings",
)

_MERCHANT = """
    INSERT INTO merchants (merchant_id, mode, name, sealed_keys, settings, created_at, changed_at)
    VALUES ($1, 'live', 'Asha', '', '{}', $2, $2)
"""
_PAYMENT = """
    INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency,
        kind, state, captured_paise, buyer, revision, created_at, expires_at)
    VALUES ($1, $2::bigint, 'order-' || $2::bigint, sha256(''), $3::bigint, 'INR', 'sale', 'paid',
        $3::bigint, '{}', 1, $4, $4)
"""
_ATTEMPT = """
    INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise,
        received_paise, currency, connector, created_at, expires_at, settled_at, rrn, card)
    VALUES ($1, $2::bigint, $2::bigint, $4, 'paid', $3::bigint, $3::bigint, 'INR', 'sandbox', $5,
        $5, $5, 'debit-' || $2::bigint, $6)
"""
_POSTING = """
    INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency,
    at)
    VALUES ($1, $2, $3, $4, $5, $6, 'INR', $7)
"""
_SPLIT = """
    INSERT INTO split_configurations (merchant_id, request_id, payment_id, content_hash, kind,
        base_paise, primary_value, primary_paise, created_at)
    VALUES ($1, $2::bigint::text, $2::bigint, sha256(''), 'absolute', $3, $4::bigint, $4::bigint,
        $5)
"""
_PART = """
    INSERT INTO split_parts (merchant_id, request_id, place, identifier, value, amount_paise,
    ledger_account)
    VALUES ($1, $2::bigint::text, $3, $4, $5::bigint, $5::bigint, 'payable_linked:1')
"""
_LINKED = """
    INSERT INTO linked_accounts (merchant_id, identifier, name, sealed_number, last4, ifsc,
    ledger_account, created_at)
    VALUES ($1, $2, 'Weaver', '', '6789', 'HDFC0000001', 'payable_linked:' || $3::int, $4)
"""
SIDES = {
    "payment": ("receivable:sandbox", "payable"),
    "capture": ("receivable:sandbox", "payable"),
    "review_released": ("held_for_review", "payable"),
    "late_refund_due": ("payable", "owed_back"),
    "refund_begun": ("payable", "refunds_in_flight"),
    "refund_done": ("refunds_in_flight", "receivable:sandbox"),
    "refund_failed": ("refunds_in_flight", "payable"),
    "dispute_held": ("payable", "disputed"),
    "dispute_won": ("disputed", "payable"),
    "dispute_fee": ("payable", "fee_income"),
}


async def open_merchant(db: Database, merchant_id: int = MERCHANT) -> None:
    """Write a merchant."""
    await db.execute(_MERCHANT, merchant_id, NOON)
    await record_merchant(db, merchant_id)


async def pay(
    db: Database,
    number: int,
    paise: int,
    at: datetime = NOON,
    merchant_id: int = MERCHANT,
    method: str = "upi_qr",
    card: dict[str, str] | None = None,
    kind: str = "payment",
) -> None:
    """Write a payment with its attempt, both of one number, and what it posts."""
    async with db.transaction() as conn:
        await conn.execute(_PAYMENT, merchant_id, number, paise, at)
        await conn.execute(_ATTEMPT, merchant_id, number, paise, method, at, card or {})
        await conn.execute(_POSTING, merchant_id, number, kind, *SIDES[kind], paise, at)


async def post(
    db: Database,
    number: int,
    kind: str,
    paise: int,
    at: datetime = NOON,
    merchant_id: int = MERCHANT,
) -> None:
    """Write another posting."""
    await db.execute(_POSTING, merchant_id, number, kind, *SIDES[kind], paise, at)


async def refund(db: Database, number: int, of: int, paise: int, at: datetime = NOON) -> None:
    """Write what a refund changes of a payment, and what it posts as it begins."""
    await db.execute(
        "UPDATE payments SET refunds = refunds + 1, refunded_paise = refunded_paise + $3"
        " WHERE merchant_id = $1 AND payment_id = $2",
        MERCHANT,
        of,
        paise,
    )
    await post(db, number, "refund_begun", paise, at)


async def share(db: Database, payment: int, base: int, parts: dict[str, int]) -> None:
    """Write how a payment is shared with linked accounts, which are made where there are none."""
    await db.execute(_SPLIT, MERCHANT, payment, base, base - sum(parts.values()), NOON)
    for place, (identifier, paise) in enumerate(parts.items(), 1):
        known = await db.fetchval(
            "SELECT count(*) FROM linked_accounts WHERE identifier = $1", identifier
        )
        if not known:
            number = await db.fetchval("SELECT count(*) + 1 FROM linked_accounts")
            await db.execute(_LINKED, MERCHANT, identifier, number, NOON)
        await db.execute(_PART, MERCHANT, payment, place, identifier, paise)


async def rows(db: Database) -> dict[str, list[tuple[object, ...]]]:
    """Return every row that settling writes, without the transactions that wrote them."""
    found: dict[str, list[tuple[object, ...]]] = {}
    for table in TABLES:
        listed = await db.fetch(f"SELECT * FROM {table} ORDER BY 1, 2, 3")
        found[table] = [
            tuple(value for name, value in row.items() if name != "xact") for row in listed
        ]
    return found


async def balance(db: Database, account: str, merchant_id: int = MERCHANT) -> int:
    """Return what an account that grows by credits comes to."""
    return await db.fetchval(
        "SELECT coalesce(sum(CASE $2 WHEN credit THEN amount_paise WHEN debit THEN -amount_paise"
        " END), 0)::bigint"
        " FROM ledger_postings WHERE merchant_id = $1",
        merchant_id,
        account,
    )
