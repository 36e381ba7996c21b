"""Correct books, written row by row without the gateway's code, for tests to break."""

from datetime import UTC, datetime, timedelta

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.money.chain import actions as chain
from hundi.money.ledger import actions as ledger
from hundi.money.settlements import actions as settlements
from tests.money.audit import statements as sql
from tests.recording import record_linked, record_merchant

AT = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)
MERCHANT = 10_001
ACTORS = dict.fromkeys(
    ("created", "refund_begun", "capture_asked", "void_asked", "split_configured"), "merchant"
) | {
    "attempt_started": "customer",
    "expired": "clock",
    "left_page": "customer",
    "dispute_expired": "clock",
    "debit_announced": "gateway",
}
"""By whom an event is, where it is not the bank's."""
SUBSCRIPTION = 7
"""The payment that began a subscription."""
FIRST = {1: 11, 2: 21, 3: 31, 4: 41, 5: 51, 8: 81, 9: 91, 10: 101}
"""The attempt that a payment was opened with."""
VAULT = Vault({"k1": bytes(32)})

_PAYMENT = """
    INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency,
        kind, state, captured_paise, buyer, revision, created_at, expires_at)
    VALUES ($1, $2::bigint, 'order-' || $2::bigint, sha256(''), 49900, 'INR',
        CASE $2::bigint WHEN 7 THEN 'subscription' ELSE 'sale' END, $3, $4, '{}', $5,
        $6, $6)
"""
_ATTEMPT = """
    INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise,
        received_paise, currency, connector, created_at, expires_at, settled_at, inquire_at, rrn)
    VALUES ($1, $2::bigint, $3, 'upi_qr', $4, 49900, $5::bigint, 'INR', 'sandbox', $6, $6, $7, $8,
        CASE WHEN $5::bigint > 0 THEN 'debit-' || $2::bigint ELSE '' END)
"""
_REFUND = """
    INSERT INTO refunds (merchant_id, refund_id, payment_id, attempt_id, cause, amount_paise,
        settled_paise, currency, connector, state, created_at, due_at)
    VALUES ($1, $3, 7, 61, 'merchant', 10000, 10000, 'INR', 'sandbox', 'initiated', $2, $2),
        ($1, 72, 2, 21, 'late', 49900, 49900, 'INR', 'sandbox', 'initiated', $2, $2),
        ($1, 73, 5, 52, 'overpaid', 100, 100, 'INR', 'sandbox', 'initiated', $2, $2)
"""
_COMPLETION = """
    INSERT INTO completions (merchant_id, completion_id, payment_id, attempt_id, kind, amount_paise,
        currency, connector, state, actor, created_at, settled_at, due_at, rrn)
    VALUES ($1, $2, $3, $4::bigint, $5::text, $6, 'INR', 'sandbox', $7, 'merchant', $8, $9, $10,
        $5::text || '-' || $4::bigint)
"""
_SPLIT = """
    INSERT INTO split_configurations (merchant_id, request_id, payment_id, content_hash, kind,
        base_paise, primary_value, primary_paise, created_at)
    VALUES ($1, '1', 1, sha256(''), 'absolute', 49900, 9900, 9900, $2)
"""
_PART = """
    INSERT INTO split_parts (merchant_id, request_id, place, identifier, value, amount_paise,
    ledger_account)
    VALUES ($1, '1', 1, 'V1', 40000, 40000, 'payable_linked:1')
"""


_SUBSCRIPTION = """
    INSERT INTO subscriptions (merchant_id, subscription_id, order_id, state, amount_paise,
        currency, max_paise, period, frequency, starts_on, debits_max, retries_max, valid_until,
        created_at, due_at, next_period, connector, mandate_reference, channel, activated_at)
    VALUES ($1, 7, 'order-7', 'active', 49900, 'INR', 49900, 'month', 1, '2026-11-01', NULL, 0,
        '2056-11-01', $2, $2::timestamptz + interval '30 days', 3, 'sandbox', 'the reference of 7',
        'upi', $2)
"""
_DEBITS = """
    INSERT INTO subscription_debits (merchant_id, debit_id, subscription_id, period_no,
        amount_paise, currency, state, planned_at, created_at, due_at, connector, noticed_at,
    payment_id, tries, settled_at)
    VALUES ($1, 1001, 7, 1, 49900, 'INR', 'done', $2, $2, NULL, 'sandbox',
            $2::timestamptz - interval '25 hours', 1, 1, $2),
        ($1, 1002, 7, 2, 49900, 'INR', 'announced', $2, $2, $2, 'sandbox', NULL, NULL, 0, NULL)
"""


_DISPUTE = """
    INSERT INTO dispute_stages (merchant_id, stage_id, dispute_id, payment_id, attempt_id,
        connector, bank_case, phase, amount_paise, currency, held_paise, held_settled_paise,
        rate_micros, reason, state, opened_at, respond_by, due_at, expired_at)
    VALUES ($1, 811, 811, 5, 51, 'sandbox', 'C1', 'chargeback', 10000, 'INR', 10000, 10000, 1000000,
        '10.4', 'expired', $2, $2, $2::timestamptz + interval '2 hours', $2)
"""
_EVIDENCE = """
    INSERT INTO dispute_evidence (merchant_id, evidence_id, stage_id, name, media_type, size_bytes,
        digest, sealed_content, added_at)
    VALUES ($1, 812, 811, 'bill.pdf', 'application/pdf', 9, sha256(''), '', $2)
"""


async def event(
    db: Database,
    payment_id: int,
    event_no: int,
    kind: str,
    state: str,
    *,
    told: str = "",
    of: int | None = None,
    at: datetime = AT,
) -> None:
    """Write one event and, when the merchant is told of it, its delivery.

    of: the attempt it is about.
    """
    await db.execute(
        sql.EVENT, MERCHANT, payment_id, event_no, at, kind, state, ACTORS.get(kind, "bank"), of
    )
    if told:
        moved = told in {"paid", "authorised", "late_success"}
        facts = {
            "merchant_id": MERCHANT,
            "payment_id": payment_id,
            "order_id": f"order-{payment_id}",
            "state": state,
            "amount_paise": 49_900,
            "currency": "INR",
            "kind": "subscription" if payment_id == SUBSCRIPTION else "sale",
            "custom_var": "",
            "payer_vpa": "",
            "bank_code": "",
            "bank_message": "",
            "method": "",
            "rrn": f"debit-{of}" if moved else "",
        }
        if told.startswith("dispute_"):
            facts["dispute"] = {
                "dispute_id": 811,
                "stage_id": 811,
                "phase": "chargeback",
                "amount_paise": 10_000,
                "held_paise": 10_000,
                "taken_paise": 0,
                "reason": "10.4",
            }
        if told.startswith("debit_"):
            facts["mandate"] = {"period_no": 1, "amount_paise": 49_900}
        await db.execute(sql.DELIVERY, MERCHANT, payment_id, event_no, told, at, facts)
        await db.execute(sql.TRY, MERCHANT, payment_id, event_no, AT)


async def attempt(
    db: Database,
    attempt_id: int,
    payment_id: int,
    state: str,
    *,
    received: int = 0,
    asked: bool = False,
) -> None:
    """Write one attempt."""
    inquire_at = AT + timedelta(seconds=5) if asked else None
    await db.execute(
        _ATTEMPT,
        MERCHANT,
        attempt_id,
        payment_id,
        state,
        received,
        AT,
        None if asked else AT,
        inquire_at,
    )


async def post(
    db: Database, cause_id: int, kind: str, debit: str, credit: str, paise: int, at: datetime
) -> None:
    """Write one posting."""
    await db.execute(sql.POSTING, MERCHANT, cause_id, kind, debit, credit, paise, at)


async def write(db: Database, refund_id: int = 71, sealed_at: datetime = AT) -> None:
    """Write one payment of each kind.

    The postings of all but the last are in checkpoints, and all is sealed.

    8 captured in part, 9 voided, 10 authorised and on its way to be captured; of these three the
    bank held all. 1 is shared with a linked account. 1 paid, 2 paid late and on its way back, 3
    failed, 4 in process, 5 paid, disputed, and paid again, which is on its way back, 6 over, 7 paid
    and a part of it on its way back. All is settled a day later. refund_id: of 7. sealed_at: when a
    worker seals all of it.
    """
    for payment_id, state, revision in (
        (1, "paid", 3),
        (2, "paid", 4),
        (3, "failed", 2),
        (4, "in_process", 3),
        (5, "paid", 6),
        (6, "expired", 2),
        (7, "paid", 6),
        (8, "captured", 4),
        (9, "voided", 4),
        (10, "authorised", 3),
    ):
        captured = {"paid": 49_900, "captured": 40_000}.get(state, 0)
        at = AT - timedelta(days=2) if payment_id == SUBSCRIPTION else AT
        await db.execute(_PAYMENT, MERCHANT, payment_id, state, captured, revision, at)
        await event(db, payment_id, 1, "created", "open", of=FIRST.get(payment_id), at=at)
    await attempt(db, 11, 1, "paid", received=49_900)
    await event(db, 1, 2, "paid", "paid", told="paid", of=11)
    await attempt(db, 21, 2, "paid", received=49_900)
    await event(db, 2, 2, "expired", "expired")
    await event(db, 2, 3, "late_refund_due", "paid", told="late_success", of=21)
    await attempt(db, 31, 3, "failed")
    await event(db, 3, 2, "failed", "failed", told="failed", of=31)
    await attempt(db, 41, 4, "pending", asked=True)
    await event(db, 4, 2, "attempt_started", "in_process", of=41)
    await event(db, 4, 3, "pending", "in_process", of=41)
    await attempt(db, 51, 5, "paid", received=49_900)
    await event(db, 5, 2, "paid", "paid", told="paid", of=51)
    await attempt(db, 52, 5, "overpaid", received=100)
    await event(db, 5, 3, "excess_payment", "paid", told="excess_payment", of=52)
    await event(db, 6, 2, "expired", "expired")
    await attempt(db, 61, 7, "paid", received=49_900)
    await event(
        db, 7, 2, "debit_announced", "open", told="debit_announced", at=AT - timedelta(hours=25)
    )
    await event(db, 7, 5, "mandate_approved", "paid")
    await event(db, 7, 6, "debit_done", "paid")
    await event(db, 7, 3, "paid", "paid", told="paid", of=61)
    for payment_id, event_no, attempt_id in ((7, 4, 61), (2, 4, 21), (5, 4, 52)):
        await event(db, payment_id, event_no, "refund_begun", "paid", of=attempt_id)
    await db.execute(_REFUND, MERCHANT, AT, refund_id)
    for payment_id, paise in ((7, 10_000), (2, 49_900)):
        await db.execute(
            "UPDATE payments SET refunds = 1, refunded_paise = $2 WHERE payment_id = $1",
            payment_id,
            paise,
        )
    await db.execute(
        sql.POSTING, MERCHANT, 61, "payment", "receivable:sandbox", "payable", 49_900, AT
    )
    for cause_id, owed, paise in (
        (refund_id, "payable", 10_000),
        (72, "owed_back", 49_900),
        (73, "owed_back", 100),
    ):
        await db.execute(
            sql.POSTING, MERCHANT, cause_id, "refund_begun", owed, "refunds_in_flight", paise, AT
        )
    await db.execute(_SUBSCRIPTION, MERCHANT, AT)
    await db.execute(_DEBITS, MERCHANT, AT)
    await _endings(db)
    for attempt_id in (11, 21):
        await db.execute(
            sql.POSTING,
            MERCHANT,
            attempt_id,
            "payment",
            "receivable:sandbox",
            "payable",
            49_900,
            AT,
        )
    await db.execute(
        sql.POSTING, MERCHANT, 21, "late_refund_due", "payable", "owed_back", 49_900, AT
    )
    await db.execute(
        sql.POSTING, MERCHANT, 52, "overpaid", "receivable:sandbox", "owed_back", 100, AT
    )
    await ledger.roll_checkpoints(db, AT)
    await db.execute(
        sql.POSTING, MERCHANT, 51, "payment", "receivable:sandbox", "payable", 49_900, AT
    )
    await settlements.run(db, AT + timedelta(days=1))
    await chain.seal(db, VAULT, sealed_at)


async def _endings(db: Database) -> None:
    for payment_id, kind, paise, state in (
        (8, "capture", 40_000, "done"),
        (9, "void", 49_900, "done"),
    ):
        await attempt(db, 10 * payment_id + 1, payment_id, "authorised", received=49_900)
        await event(
            db, payment_id, 2, "authorised", "authorised", told="authorised", of=10 * payment_id + 1
        )
        word = {"capture": "captured", "void": "voided"}[kind]
        await event(db, payment_id, 3, f"{kind}_asked", "authorised", of=10 * payment_id + 1)
        await event(db, payment_id, 4, word, word, told=word, of=10 * payment_id + 1)
        values = (payment_id, 10 * payment_id + 1, kind, paise, state, AT, AT, None)
        await db.execute(_COMPLETION, MERCHANT, 90 + payment_id, *values)
    await event(db, 5, 5, "dispute_opened", "paid", told="dispute_opened", of=51)
    await event(db, 5, 6, "dispute_expired", "paid", told="dispute_expired", of=51)
    await db.execute(_DISPUTE, MERCHANT, AT)
    await db.execute(_EVIDENCE, MERCHANT, AT)
    await db.execute(sql.POSTING, MERCHANT, 811, "dispute_held", "payable", "disputed", 10_000, AT)
    await db.execute(
        sql.POSTING, MERCHANT, 81, "capture", "receivable:sandbox", "payable", 40_000, AT
    )
    await attempt(db, 101, 10, "authorised", received=49_900)
    await event(db, 10, 2, "authorised", "authorised", told="authorised", of=101)
    await event(db, 10, 3, "capture_asked", "authorised", of=101)
    await db.execute(_COMPLETION, MERCHANT, 100, 10, 101, "capture", 49_900, "sent", AT, None, AT)
    await db.execute(sql.MERCHANT, MERCHANT, AT)
    await record_merchant(db, MERCHANT)
    await db.execute(sql.LINKED_ACCOUNT, MERCHANT, AT)
    await record_linked(db, MERCHANT, "V1")
    await event(db, 1, 3, "split_configured", "paid")
    await db.execute(_SPLIT, MERCHANT, AT)
    await db.execute(_PART, MERCHANT)
