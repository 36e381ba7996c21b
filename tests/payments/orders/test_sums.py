"""What the database itself refuses of a payment, an attempt and a delivery, whoever writes it."""

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from tests.shop import open_shop

AMOUNT = 149_950


@pytest.mark.parametrize(
    ("change", "refused_by"),
    [
        ("payments SET captured_paise = amount_paise + 1, state = 'paid'", "payments_captured"),
        ("payments SET refunded_paise = 1, refunds = 1", "payments_captured"),
        ("payments SET refunds = 1", "payments_captured"),
        ("payments SET captured_paise = 1", "payments_captured"),
        ("payments SET state = 'paid'", "payments_captured"),
        ("attempts SET received_paise = amount_paise", "attempts_received"),
        ("attempts SET state = 'paid'", "attempts_received"),
        ("attempts SET state = 'paid', received_paise = amount_paise - 1", "attempts_received"),
        ("attempts SET state = 'overpaid'", "attempts_received"),
        ("attempts SET surcharge_paise = 1", "attempts_received"),
        ("attempts SET method = 'wallet', surcharge_paise = amount_paise", "attempts_received"),
        (
            "attempts SET method = 'card_page', surcharge_paise = 1",
            "attempts_without_surcharge",
        ),
    ],
)
async def test_the_database_refuses_what_does_not_add_up(
    db: Database, change: str, refused_by: str
) -> None:
    shop = await open_shop(db)
    await shop.order(AMOUNT)
    with pytest.raises(asyncpg.CheckViolationError) as refused:
        await db.execute(f"UPDATE {change}")
    assert refused.value.constraint_name == refused_by


@pytest.mark.parametrize("captured", [1, AMOUNT + 1])
async def test_the_database_refuses_a_new_payment_that_does_not_add_up(
    db: Database, captured: int
) -> None:
    shop = await open_shop(db)
    view = await shop.order(AMOUNT)
    columns = "order_id, content_hash, amount_paise, currency, kind, state, buyer, created_at"
    with pytest.raises(asyncpg.CheckViolationError) as refused:
        await db.execute(
            f"INSERT INTO payments (merchant_id, payment_id, {columns}, expires_at, captured_paise)"
            " SELECT merchant_id, payment_id + 1, 'other', content_hash, amount_paise, currency,"
            " kind, state, buyer, created_at, expires_at, $2 FROM payments WHERE payment_id = $1",
            view.payment.payment_id,
            captured,
        )
    assert refused.value.constraint_name == "payments_captured"


@pytest.mark.parametrize("table", ["deliveries", "endpoint_deliveries"])
@pytest.mark.parametrize(
    ("tries", "before", "state", "delivered_at"),
    [(0, 1, "waiting", None), (1, 0, "delivered", None)],
)
async def test_the_database_refuses_a_delivery_that_does_not_add_up(
    db: Database, table: str, tries: int, before: int, state: str, delivered_at: None
) -> None:
    endpoint = ", endpoint_no" if table == "endpoint_deliveries" else ""
    with pytest.raises(asyncpg.CheckViolationError) as refused:
        await db.execute(
            f"INSERT INTO {table} (merchant_id, payment_id, event_no, kind, facts, created_at,"
            f" due_at, scheduled_from, tries, tries_before, state, delivered_at{endpoint})"
            f" VALUES (1, 1, 1, 'paid', '{{}}', now(), now(), now(), $1, $2, $3, $4"
            f"{', 1' if endpoint else ''})",
            tries,
            before,
            state,
            delivered_at,
        )
    assert refused.value.constraint_name == f"{table}_counted"
