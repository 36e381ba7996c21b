"""Every column of the tables that say where money goes and who may do what is bent.

The audit names each lie.

What nobody can name is listed here with the reason, and in docs/audit-limits.md.
"""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payouts import RailTerms
from hundi.infra.postgres.database import Database
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.rules import MerchantSettings
from hundi.money.audit import store
from hundi.money.audit.trail.store import CHECKS
from hundi.money.fees import actions as fees
from hundi.money.payouts.routing import actions as payouts
from hundi.money.settlements.rules import SettlementTerms
from hundi.money.settlements.terms import actions as terms
from hundi.partners.directory import actions as partners
from hundi.partners.directory.rules import PartnerSettings
from hundi.payments.acquirer_accounts import actions as acquirers
from hundi.payments.acquirer_accounts.actions import AccountContext
from hundi.payments.acquirer_accounts.rules import EVERYBODY
from hundi.payments.risk import actions as risk
from hundi.payments.routing import actions as routing
from hundi.payments.splits import actions as splits
from hundi.staff.people import actions as people
from hundi.staff.people.rules import Role
from tests.bent import REFUSED, columns_of, here, key_of, lies, spot_of, take_checks_off
from tests.money.audit.books import AT, VAULT
from tests.recording import BY, RECORDED

PLAN = (
    "[otherwise]\nfixed_paise = 500\n[[rules]]\nname = 'debit'\nchannels = ['pg']\ncard_types ="
    " ['debit']\n"
)
ROUTES = '[[rules]]\nname = "all"\nuse = [{ acquirer = "sandbox" }]'
TABLES = {
    "acquirer_accounts": "state",
    "fee_plans": "plan_no",
    "linked_accounts": "identifier",
    "memberships": "role",
    "merchants": "state",
    "operator_rule_sets": "version",
    "partners": "state",
    "payout_plans": "version",
    "people": "state",
    "risk_rule_sets": "merchant_id",
    "routing_plans": "version",
    "settlement_terms": "terms_no",
}
"""The tables with what tells rows apart, of which one each is bent."""
_SINGLE = {"card_token_hash", "email", "handle"}
"""Columns of which no two rows have the same value, beside the keys."""
_WHEN = "says when, decides nothing"
_PROVED = "what somebody signs in with has a mark: where it does not hold, nobody signs in"
_BY = "the trail's own entry says who published it, and when"
UNSEEN = {
    "fee_plans.published_at": _BY,
    "fee_plans.published_by": _BY,
    "memberships.added_at": _WHEN,
    "people -": "a person who cannot sign in any more",
    "people.changed_at": _WHEN,
    "people.created_at": _WHEN,
    "people.generation": _PROVED,
    "people.handle": _PROVED,
    "people.mark": _PROVED,
    "people.password_hash": _PROVED,
    "people.sealed_totp": _PROVED,
    "people.state": (
        "a person who has ended has no password, and one who did not accept has none yet"
    ),
    "people.totp_step": "which code of a minute was used last",
}
"""`table.column`, `table -` for a row less or `table +` for one more, that nobody can name, and
why.
"""


async def _write(db: Database) -> int:
    settings = MerchantSettings(mcc="5651")
    number, _ = await merchants.add(
        db, VAULT, name="Asha", mode="live", settings=settings, now=AT, beside=RECORDED
    )
    await merchants.add_key(db, VAULT, number, "reports", ["read"], 0, AT, RECORDED)
    await merchants.set_state(db, number, "suspended", AT, RECORDED)
    await fees.publish(db, number, PLAN, None, "asha", BY, AT)
    await terms.set_terms(db, number, SettlementTerms(instant_bps=50), BY, AT)
    await terms.set_terms(db, number, SettlementTerms(held=True), BY, AT)
    for identifier in ("W", "X"):
        await splits.link_account(
            db, BY, number, identifier, "Weaver", "50100123456789", "HDFC0000001", AT
        )
    await splits.close_account(db, BY, number, "X", AT)
    affiliate, _ = await partners.add(db, BY, name="Malgudi", settings=PartnerSettings(), now=AT)
    await partners.rotate(db, BY, affiliate, "card_token", AT)
    await partners.set_state(db, BY, affiliate, "suspended", AT)
    context = AccountContext(
        db, VAULT, {}, lambda name: f"https://pay.example.in/callbacks/{name}", ShortMemory()
    )
    fields = {"url": "http://127.0.0.1:8", "key": "a-key-of-sixteen-letters"}
    for name in ("north", "south"):
        await acquirers.add(context, name, "sandbox", EVERYBODY, fields, BY, AT)
    await acquirers.rotate(context, "south", {"key": "another-key-of-sixteen"}, BY, AT)
    await acquirers.disable(context, "south", BY, AT)
    await routing.publish(db, ROUTES, ["sandbox"], BY, AT)
    await payouts.publish(db, ROUTES, {"sandbox": (RailTerms("imps"),)}, BY, AT)
    for owner in (0, number):
        await risk.publish(db, owner, "rules = []", BY, AT)
    await people.invite(db, number, "asha@a.example", "Asha", Role.OWNER, BY, AT)
    await people.invite(db, 0, "omkar@o.example", "Omkar", Role.OPERATOR, BY, AT)
    return number


@pytest.fixture
async def bent(db: Database) -> AsyncIterator[asyncpg.Connection]:
    """Rows of every kind as acts made and changed them, without triggers and constraints."""
    await _write(db)
    async with db.transaction() as conn:
        await take_checks_off(conn, "fcx")
        for table in TABLES:
            await conn.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        assert await named(conn) == []
        yield conn


async def named(conn: asyncpg.Connection) -> list[str]:
    """Return what the trail tells otherwise."""
    return [
        violation
        for violation, query in CHECKS.items()
        if (await store.check(conn, violation, query, AT)).count
    ]


async def tells(conn: asyncpg.Connection, change: str, row: str) -> bool:
    """Return whether anything is named when a row is changed so, or nothing is changed.

    Nothing stays.
    """
    undone = conn.transaction()
    await undone.start()
    try:
        return (await conn.execute(change, row)).endswith(" 0") or await named(conn) != []
    except REFUSED:
        return True
    finally:
        await undone.rollback()


@pytest.mark.parametrize("table", TABLES)
async def test_each_lie_about_who_may_do_what_is_named(
    bent: asyncpg.Connection, table: str
) -> None:
    """One row of each kind: every column changed, the row deleted, and a row more."""
    columns = await columns_of(bent, table)
    order = ", ".join((TABLES[table], *await key_of(bent, table, 0)))
    query = f"SELECT DISTINCT ON ({TABLES[table]}) {spot_of(columns)} FROM {table} ORDER BY {order}"
    places = [row[0] for row in await bent.fetch(query)]
    row_there = here(columns)
    changes = {f"{table} -": [f"DELETE FROM {table} WHERE {row_there}"]}
    for column, (kind, domain) in columns.items():
        said = [f"NOT {column}"] if kind == "boolean" else lies(column, kind, domain)
        changes[f"{table}.{column}"] = [
            (
                f"UPDATE {table} SET {column} = {lie} WHERE {row_there} AND {column} IS DISTINCT"
                f" FROM {lie}"
            )
            for lie in said
        ]
    key = {each for each in await key_of(bent, table, 0) if "<>" not in each}
    others = (
        _other(name, kind) if name in key | _SINGLE else name for name, (kind, _) in columns.items()
    )
    more = (
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(others)} FROM {table} WHERE"
        f" {row_there}"
    )
    changes[f"{table} +"] = [more]
    assert places
    unseen = [
        place
        for place, tries in changes.items()
        if not all([await tells(bent, each, row) for each in tries for row in places])
    ]
    assert sorted(unseen) == sorted(
        place for place in UNSEEN if place.startswith((f"{table}.", f"{table} "))
    )


def _other(name: str, kind: str) -> str:
    """Return the expression of a value that no row has."""
    return {"bytea": "sha256('another')", "text": f"{name} || '1'"}.get(kind, f"{name} + 1")
