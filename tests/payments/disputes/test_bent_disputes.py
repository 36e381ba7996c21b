"""Every column of the rows of disputes is bent, one row at a time: the audit names each lie.

What nobody can name is listed here with the reason, and in docs/audit-limits.md.
"""

from collections.abc import AsyncIterator
from datetime import timedelta

import asyncpg
import pytest

from hundi.acquirers.port.disputes import Standing
from hundi.money.audit import actions as auditing
from hundi.money.audit import store
from hundi.money.chain import actions as chain
from hundi.payments.disputes.answers.actions import DisputeReply
from tests.bent import REFUSED, columns_of, here, key_of, lies, spot_of, take_checks_off
from tests.payments.disputes.played import PDF, answered, decided, documented, raised, worked
from tests.payments.refunds.test_actions import PAISE, paid
from tests.shop import NOW, VAULT, Shop

AFTER = NOW + timedelta(minutes=2)
TABLES = {
    "dispute_evidence": (
        "stage_id",
        "stage_id IN (SELECT stage_id FROM dispute_stages WHERE settled_at IS NOT NULL)",
    ),
    "dispute_stages": ("state", "settled_at IS NOT NULL"),
    "dispute_stages open": ("state", "settled_at IS NULL"),
}
_WORDS = "words for people: no amount depends on it"
_COUNT = "counts questions, and decides only when the next one is asked"
_SEALED = "the vault refuses what is not the document, whose digest is sealed"
_SENT = "says when the bank took it: its own list of documents shows it"
UNSEEN = {
    "dispute_evidence.sealed_content": _SEALED,
    "dispute_evidence.sent_at": _SENT,
    "dispute_stages.bank_message": _WORDS,
    "dispute_stages.inquiries": _COUNT,
    "dispute_stages open.bank_message": _WORDS,
    "dispute_stages open.inquiries": _COUNT,
    "dispute_stages open.sent_at": _SENT,
}
"""`table.column` that nobody can name, and why."""


@pytest.fixture
async def bent(shop: Shop) -> AsyncIterator[asyncpg.Connection]:
    """Sound books with four disputes, without triggers and constraints.

    One dispute is won, one lost in part, one open and one answered.
    """
    for given, standing, taken in (
        (DisputeReply(0, "why"), Standing.WON, 0),
        (DisputeReply(50_000, "why"), Standing.LOST, 50_000),
    ):
        view = await paid(shop)
        stage = await raised(shop, view, case=f"C{view.payment.payment_id}")
        await documented(shop, stage, PDF)
        await answered(shop, stage, given)
        await worked(shop)
        await decided(shop, view, standing, taken, case=stage.bank_case)
    for given in (None, DisputeReply()):
        view = await paid(shop)
        stage = await raised(shop, view, case=f"C{view.payment.payment_id}")
        if given is not None:
            await answered(shop, stage, given)
    await chain.seal(shop.db, VAULT, AFTER)
    async with shop.db.transaction() as conn:
        await take_checks_off(conn, "fcx")
        assert await broken(conn) == []
        yield conn


async def broken(conn: asyncpg.Connection) -> list[str]:
    """Return the promises about disputes that are broken, or what is sealed that was changed."""
    named = ("dispute", "evidence", "sealed_row", "schedule", "delivery_facts")
    return [
        violation
        for violation, query in auditing.CHECKS.items()
        if violation.startswith(named) and (await store.check(conn, violation, query, AFTER)).count
    ]


async def tells(conn: asyncpg.Connection, change: str, row: str) -> bool:
    """Return whether anything is named when a row is changed so, or nothing is changed.

    Nothing stays.
    """
    undone = conn.transaction()
    await undone.start()
    try:
        return (await conn.execute(change, row)).endswith(" 0") or await broken(conn) != []
    except REFUSED:
        return True
    finally:
        await undone.rollback()


@pytest.mark.parametrize("rows", TABLES)
async def test_each_lie_about_a_dispute_is_named(
    shop: Shop, bent: asyncpg.Connection, rows: str
) -> None:
    table, (apart, which) = rows.partition(" ")[0], TABLES[rows]
    columns = await columns_of(bent, table)
    keys = [
        each for each in await key_of(bent, table, shop.merchant.merchant_id) if "<>" not in each
    ]
    order = ", ".join((apart, *keys))
    query = (
        f"SELECT DISTINCT ON ({apart}) {spot_of(columns)} FROM {table} WHERE {which} ORDER "
        f"BY {order}"
    )
    places = [row[0] for row in await bent.fetch(query)]
    assert len(places) == 2
    row_there = here(columns)
    changes = {f"{rows} -": [f"DELETE FROM {table} WHERE {row_there}"]}
    for column, (kind, domain) in columns.items():
        changes[f"{rows}.{column}"] = [
            f"UPDATE {table} SET {column} = {lie} WHERE {row_there} AND {column} IS "
            f"DISTINCT FROM {lie}"
            for lie in lies(column, kind, domain)
        ]
    unseen = [
        place
        for place, tries in changes.items()
        if not all([await tells(bent, each, row) for each in tries for row in places])
    ]
    assert sorted(unseen) == sorted(
        place for place in UNSEEN if place.replace(" -", ".").startswith(f"{rows}.")
    )
    assert PAISE
