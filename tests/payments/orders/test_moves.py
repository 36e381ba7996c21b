"""The database refuses exactly the moves that the rules refuse."""

from itertools import product

import pytest
from asyncpg import RestrictViolationError

from hundi.infra.postgres.database import Database
from hundi.kernel.moves import PAYMENT_MOVES
from hundi.kernel.states import PaymentState

_CAPTURED = {PaymentState.PAID, PaymentState.CAPTURED}
_INSERT = """
INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency, kind,
    state, captured_paise, buyer, created_at, expires_at)
VALUES (1, $1::bigint, 'A-' || $1::bigint, sha256(''), 100, 'INR', 'sale', $2, $3, '{}', now(),
    now())
"""
_MOVE = (
    "UPDATE payments SET state = $2, captured_paise = $3 WHERE merchant_id = 1 AND payment_id = $1"
)


async def test_the_database_knows_the_same_moves_as_the_rules(db: Database) -> None:
    taken: dict[PaymentState, set[PaymentState]] = {state: set() for state in PaymentState}
    for number, (before, after) in enumerate(product(PaymentState, PaymentState), start=1):
        await db.execute(_INSERT, number, before, 100 if before in _CAPTURED else 0)
        if before is after:
            continue
        try:
            await db.execute(_MOVE, number, after, 100 if after in _CAPTURED else 0)
        except RestrictViolationError as refused:
            assert f"{before} may not become {after}" in str(refused)  # noqa: PT017 (which of the moves are refused is the point)
        else:
            taken[before].add(after)
    assert taken == PAYMENT_MOVES


async def test_what_is_not_a_move_is_no_business_of_the_rule(db: Database) -> None:
    await db.execute(_INSERT, 1, PaymentState.PAID, 100)
    await db.execute("UPDATE payments SET revision = 2 WHERE payment_id = 1")
    with pytest.raises(RestrictViolationError):
        await db.execute(_MOVE, 1, PaymentState.FAILED, 0)
