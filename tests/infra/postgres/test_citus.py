"""Every statement of the stores on a Citus cluster.

It is planned and run there, whatever rows there are.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from tests import citus
from tests.house.test_schema import STATEMENTS

pytestmark = pytest.mark.skipif(
    citus.cluster() is None, reason="HUNDI_TEST_DATABASE_URL names no cluster"
)

_VALUES: dict[str, Any] = {
    "bool": True,
    "bytea": b"x",
    "char": b"x",
    "date": date(2026, 1, 1),
    "float8": 1.0,
    "inet": "10.0.0.1",
    "interval": timedelta(days=1),
    "json": "{}",
    "jsonb": "{}",
    "time": time(1),
    "timestamptz": datetime(2026, 1, 1, tzinfo=UTC),
}
_OF_THE_VALUES = (asyncpg.IntegrityConstraintViolationError, asyncpg.DataError, asyncpg.RaiseError)
"""The statement was understood, and refused what it was given."""
_UNDO = "SELECT 1 / 0"
"""Ends a transaction that did what it was asked."""
_S_MAX = 20
_NOT_THERE = "hundi.money.audit.since."
"""An audit from a root is not made on a cluster (docs/gaps.md): its questions are refused."""


def _value(type_name: str) -> Any:
    if type_name.endswith("[]"):
        return [_value(type_name[:-2])]
    return _VALUES.get(
        type_name, 1 if type_name.startswith(("int", "oid", "reg", "numeric")) else "x"
    )


async def _problem(db: Database, text: str) -> str:
    """Run a statement with made-up values, undo it, and return why the cluster does not take it.

    Nothing if it does.
    """
    try:
        async with db.transaction() as conn:
            statement = await conn.prepare(text)
            values = [_value(parameter.name) for parameter in statement.get_parameters()]
            await conn.fetch(text, *values, timeout=_S_MAX)
            await conn.execute(_UNDO)
    except (asyncpg.DivisionByZeroError, *_OF_THE_VALUES):
        return ""
    except asyncpg.PostgresError as refused:
        return str(refused)
    return ""


async def test_every_statement_is_taken(db: Database) -> None:
    found = {
        name: problem for name, text in STATEMENTS.items() if (problem := await _problem(db, text))
    }
    assert {name: why for name, why in found.items() if not name.startswith(_NOT_THERE)} == {}
