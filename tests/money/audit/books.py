"""Books as they should be, written row by row by no code of the gateway, so that a test can break one thing."""

from datetime import UTC, datetime, timedelta

from hundi.infra.database import Database
from hundi.infra.vault import Vault
from hundi.money.chain import actions as chain
from hundi.money.ledger import actions as ledger

AT = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)
MERCHANT = 10_001
VAULT = Vault({"k1": bytes(32)})

_PAYMENT = """
    INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency, kind, state,
        captured_paise, buyer, revision, created_at, expires_at)
    VALUES ($1, $2::bigint, 'order-' || $2::bigint, sha256(''), 49900, 'INR', 'sale', $3, $4, '{}', $5,
        $6, $6)
"""
_ATTEMPT = """
    INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise, received_paise, currency,
        connector, created_at, expires_at, settled_at, inquire_at)
    VALUES ($1, $2, $3, 'upi_qr', $4, 49900, $5, 'INR', 'sandbox', $6, $6, $7, $8)
"""
_EVENT = """
    INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor, attempt_id)
    VALUES ($1, $2, $3, $4, $5, $6, 'bank', $7)
"""
_POSTING = """
    INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
    VALUES ($1, $2, $3, $4, $5, $6, 'INR', $7)
"""
_REFUND = """
    INSERT INTO refunds (merchant_id, refund_id, payment_id, attempt_id, cause, amount_paise, settled_paise, currency,
        connector, state, created_at, due_at)
    VALUES ($1, 71, 7, 61, 'merchant', 10000, 10000, 'INR', 'sandbox', 'initiated', $2, $2)
"""
_COMPLETION = """
    INSERT INTO completions (merchant_id, completion_id, payment_id, attempt_id, kind, amount_paise, currency,
        connector, state, actor, created_at, settled_at, due_at)
    VALUES ($1, $2, $3, $4, $5, $6, 'INR', 'sandbox', $7, 'merchant', $8, $9, $10)
"""
_SPLIT = """
    INSERT INTO split_configurations (merchant_id, request_id, payment_id, content_hash, kind, base_paise,
        primary_value, primary_paise, created_at)
    VALUES ($1, '1', 1, sha256(''), 'absolute', 49900, 9900, 9900, $2)
"""
_LINKED_ACCOUNT = """
    INSERT INTO linked_accounts (merchant_id, identifier, name, sealed_number, last4, ifsc, ledger_account, created_at)
    VALUES ($1, 'V1', 'Weaver', '', '6789', 'HDFC0000001', 'payable_linked:1', $2)
"""
_PART = """
    INSERT INTO split_parts (merchant_id, request_id, place, identifier, value, amount_paise, ledger_account)
    VALUES ($1, '1', 1, 'V1', 40000, 40000, 'payable_linked:1')
"""
_MERCHANT = """
    INSERT INTO merchants (merchant_id, mode, name, sealed_keys, settings, created_at, changed_at)
    VALUES ($1, 'live', 'Asha', '', '{}', $2, $2)
"""
_DELIVERY = """
    INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at, due_at, tries,
        scheduled_from, delivered_at)
    VALUES ($1, $2, $3, $4, '{}', 'delivered', $5, $5, 1, $5, $5)
"""
_TRY = """
    INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url, status, latency_ms)
    VALUES ($1, $2, $3, 1, $4, 'https://shop.example/ipn', 200, 7)
"""


_SUBSCRIPTION = """
    INSERT INTO subscriptions (merchant_id, subscription_id, order_id, state, amount_paise, currency, max_paise, period,
        frequency, starts_on, debits_max, retries_max, valid_until, created_at, due_at, next_period, connector,
        mandate_reference, channel, activated_at)
    VALUES ($1, 7, 'ORD-7', 'active', 49900, 'INR', 49900, 'month', 1, '2026-11-01', NULL, 0, '2056-11-01', $2,
        $2::timestamptz + interval '30 days', 3, 'sandbox', 'the reference of 7', 'upi', $2)
"""
_DEBITS = """
    INSERT INTO subscription_debits (merchant_id, debit_id, subscription_id, period_no, amount_paise, currency, state,
        planned_at, created_at, due_at, connector, noticed_at, payment_id, tries, settled_at)
    VALUES ($1, 1001, 7, 1, 49900, 'INR', 'done', $2, $2, NULL, 'sandbox', $2::timestamptz - interval '25 hours', 1, 1,
            $2),
        ($1, 1002, 7, 2, 49900, 'INR', 'announced', $2, $2, $2, 'sandbox', NULL, NULL, 0, NULL)
"""


async def event(
    db: Database, payment_id: int, event_no: int, kind: str, state: str, *, told: str = "", of: int | None = None
) -> None:
    """Write one event and, when the merchant is told of it, its delivery.

    of: the attempt it is about.
    """
    await db.execute(_EVENT, MERCHANT, payment_id, event_no, AT, kind, state, of)
    if told:
        await db.execute(_DELIVERY, MERCHANT, payment_id, event_no, told, AT)
        await db.execute(_TRY, MERCHANT, payment_id, event_no, AT)


async def attempt(
    db: Database, attempt_id: int, payment_id: int, state: str, *, received: int = 0, asked: bool = False
) -> None:
    """Write one attempt."""
    inquire_at = AT + timedelta(seconds=5) if asked else None
    await db.execute(_ATTEMPT, MERCHANT, attempt_id, payment_id, state, received, AT, None if asked else AT, inquire_at)


async def write(db: Database) -> None:
    """Write one payment of each kind; the postings of all but the last are in checkpoints, and all is sealed.

    8 captured in part, 9 voided, 10 authorised and on its way to be captured; of these three the bank held all. 1 is
    shared with a linked account.
    1 paid, 2 paid late and to be given back, 3 failed, 4 in process, 5 paid and paid again, 6 over, 7 paid and a
    part of it on its way back.
    """
    for payment_id, state, revision in (
        (1, "paid", 2),
        (2, "paid", 3),
        (3, "failed", 2),
        (4, "in_process", 2),
        (5, "paid", 3),
        (6, "expired", 2),
        (7, "paid", 3),
        (8, "captured", 3),
        (9, "voided", 3),
        (10, "authorised", 3),
    ):
        captured = {"paid": 49_900, "captured": 40_000}.get(state, 0)
        await db.execute(_PAYMENT, MERCHANT, payment_id, state, captured, revision, AT)
        await event(db, payment_id, 1, "created", "open")
    await attempt(db, 11, 1, "paid", received=49_900)
    await event(db, 1, 2, "paid", "paid", told="paid", of=11)
    await attempt(db, 21, 2, "paid", received=49_900)
    await event(db, 2, 2, "expired", "expired")
    await event(db, 2, 3, "late_refund_due", "paid", told="late_success", of=21)
    await attempt(db, 31, 3, "failed")
    await event(db, 3, 2, "failed", "failed", told="failed")
    await attempt(db, 41, 4, "pending", asked=True)
    await event(db, 4, 2, "attempt_started", "in_process")
    await attempt(db, 51, 5, "paid", received=49_900)
    await event(db, 5, 2, "paid", "paid", told="paid", of=51)
    await attempt(db, 52, 5, "overpaid", received=100)
    await event(db, 5, 3, "excess_payment", "paid", told="excess_payment", of=52)
    await event(db, 6, 2, "expired", "expired")
    await attempt(db, 61, 7, "paid", received=49_900)
    await event(db, 7, 2, "paid", "paid", told="paid", of=61)
    await event(db, 7, 3, "refund_begun", "paid")
    await db.execute(_REFUND, MERCHANT, AT)
    await db.execute("UPDATE payments SET refunds = 1, refunded_paise = 10000 WHERE payment_id = 7")
    await db.execute(_POSTING, MERCHANT, 61, "payment", "receivable:sandbox", "payable", 49_900, AT)
    await db.execute(_POSTING, MERCHANT, 71, "refund_begun", "payable", "refunds_in_flight", 10_000, AT)
    await db.execute(_SUBSCRIPTION, MERCHANT, AT)
    await db.execute(_DEBITS, MERCHANT, AT)
    await _endings(db)
    for attempt_id in (11, 21):
        await db.execute(_POSTING, MERCHANT, attempt_id, "payment", "receivable:sandbox", "payable", 49_900, AT)
    await db.execute(_POSTING, MERCHANT, 21, "late_refund_due", "payable", "owed_back", 49_900, AT)
    await db.execute(_POSTING, MERCHANT, 52, "overpaid", "receivable:sandbox", "owed_back", 100, AT)
    await ledger.roll_checkpoints(db, AT)
    await db.execute(_POSTING, MERCHANT, 51, "payment", "receivable:sandbox", "payable", 49_900, AT)
    await chain.seal(db, VAULT, AT)


async def _endings(db: Database) -> None:
    for payment_id, kind, paise, state in ((8, "capture", 40_000, "done"), (9, "void", 49_900, "done")):
        await attempt(db, 10 * payment_id + 1, payment_id, "authorised", received=49_900)
        await event(db, payment_id, 2, "authorised", "authorised", told="authorised", of=10 * payment_id + 1)
        word = {"capture": "captured", "void": "voided"}[kind]
        await event(db, payment_id, 3, word, word, told=word)
        values = (payment_id, 10 * payment_id + 1, kind, paise, state, AT, AT, None)
        await db.execute(_COMPLETION, MERCHANT, 90 + payment_id, *values)
    await db.execute(_POSTING, MERCHANT, 81, "capture", "receivable:sandbox", "payable", 40_000, AT)
    await attempt(db, 101, 10, "authorised", received=49_900)
    await event(db, 10, 2, "authorised", "authorised", told="authorised", of=101)
    await event(db, 10, 3, "capture_asked", "authorised")
    await db.execute(_COMPLETION, MERCHANT, 100, 10, 101, "capture", 49_900, "sent", AT, None, AT)
    await db.execute(_MERCHANT, MERCHANT, AT)
    await db.execute(_LINKED_ACCOUNT, MERCHANT, AT)
    await db.execute(_SPLIT, MERCHANT, AT)
    await db.execute(_PART, MERCHANT)
