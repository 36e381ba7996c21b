"""What judges an acquirer: the last attempt of each payment, however often a customer tried."""

from datetime import timedelta

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.payments.routing import store
from hundi.payments.routing.health.rules import NOBODYS_FAULT, Outcomes

_NOW = utc_now()
_PAYMENT = """
INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency, kind,
    state, captured_paise, buyer, revision, created_at, expires_at)
VALUES ($1, $2::bigint, 'order-' || $2::bigint, sha256(''), 100, 'INR', 'sale', 'failed', 0, '{}',
    1, $3, $3)
"""
_ATTEMPT = """
INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise,
    received_paise, currency, connector, bank_code, created_at, expires_at, settled_at, route)
VALUES (1, $1, $2, 'upi_collect', $3::text, 100, CASE $3::text WHEN 'paid' THEN 100 ELSE 0 END,
    'INR', 'coop', $4, $5, $5, $5, '{"rule": "a"}')
"""
_FAILED, _PAID = ("failed", "U30"), ("paid", "")


@pytest.mark.parametrize(
    ("tries", "expected"),
    [
        ([[_FAILED] * 5], Outcomes(1, 1)),
        ([[_FAILED]] * 5, Outcomes(5, 5)),
        ([[_FAILED, _FAILED, _PAID], [_PAID, _FAILED]], Outcomes(2, 1)),
    ],
    ids=["one payment", "five payments", "the last counts"],
)
async def test_a_payment_counts_once(
    db: Database, tries: list[list[tuple[str, str]]], expected: Outcomes
) -> None:
    attempt_id = 100
    for payment_id, attempts in enumerate(tries, 1):
        await db.execute(_PAYMENT, 1, payment_id, _NOW)
        for state, code in attempts:
            attempt_id += 1
            await db.execute(_ATTEMPT, attempt_id, payment_id, state, code, _NOW)
    troubles = sorted(NOBODYS_FAULT)
    everywhere = await store.outcomes(db, _NOW - timedelta(minutes=5), troubles, 1_000)
    assert everywhere == {("coop", "upi_collect", ""): expected}
    of_one = await store.outcomes_of(db, [1], troubles, 100)
    assert of_one == {("coop", "upi_collect"): expected}
