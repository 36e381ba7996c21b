"""The promises of the schema, read from the catalogue, and the SQL texts of the stores.

A store declares SQL as module-level constants in UPPER_CASE. A constant inside another is checked
with it.
"""

import asyncio
import importlib
import re
from collections.abc import Mapping

import asyncpg
import pytest

from hundi.infra.postgres.database import Database, open_database
from tests.house.across import ACROSS_MERCHANTS, CLEAN_UPS
from tests.house.source import ROOT

SOURCE = ROOT / "src"

GATEWAY_WIDE = {
    "one_time_links": "of a person, who may belong to several merchants",
    "letter_choices": "of a person",
    "passkeys": "of a person",
    "people": "who may belong to several merchants",
    "recovery_codes": "of a person",
    "payer_requests": "written before anybody has looked whose payment it is about",
    "sign_in_failures": "counted before it is known who somebody is",
    "staff_sessions": "of a person",
    "account_lines": "of our own bank account, in which all merchants' money arrives together",
    "acquirer_accounts": "the operator's, whose names attempts of all merchants are stored with",
    "acquirer_numbers": "of a line to an acquirer, over which the calls of all merchants go",
    "acquirer_troubles": "of an account, which may serve every merchant",
    "certification_evidence": "what an account of the operator was tried with, for nobody's order",
    "certification_webhooks": "of certifications, which are of no merchant",
    "acquirer_terms": "what an acquirer agreed on with the operator",
    "certificate_looks": "of the gateway's address, acquirers and merchants' servers",
    "statement_mappings": "a statement is of all merchants",
    "report_fetches": "an acquirer reports of all merchants together",
    "settlement_totals": "a settlement is of all merchants",
    "statement_uploads": "a statement is of all merchants",
    "statement_files": "a statement is of all merchants",
    "statement_handovers": "one transfer brings the money of all merchants",
    "statement_steps": "what was done with a statement",
    "schema_version": "the schema's own revision",
    "operator_rule_sets": "the operator's risk rules, for every merchant",
    "routing_plans": "which acquirer takes an attempt, for every merchant",
    "bank_days": "the days on which banks settle, for every merchant",
    "chain_roots": "one a day, over the books of all merchants",
    "demo_clock": "a demo's clock, one for all of it",
    "payout_balances": "what a provider holds for the operator, of all merchants together",
    "payout_plans": "which provider pays out, for every merchant",
    "payout_batches": "a file for the operator's bank, with payouts of many merchants",
    "invoice_series": "the numbers of the operator's invoices, one series for all merchants",
    "schedules": "work of the whole gateway, on one node (decision 0001)",
    "status_announcements": "what the operator says to everybody",
    "status_names": "of the operator's acquirers",
    "status_spells": "of components, which serve every merchant",
    "status_watch": "when a worker last looked at all components",
    "signing_keys": "this gateway's own, not a merchant's or a partner's",
}
"""Tables without an owner.

Every other table has its owner, a merchant or a partner.
"""

OWNERS = "merchant_id", "affiliate"
"""The columns of a row's owner, by which a large installation is sharded."""
ACROSS_KEYS = {
    "partners_card_token_hash_key": (
        "a token alone names its caller (docs/spec/partner-interfaces.md#credentials)"
    ),
    "partners_older_card_token_hash_key": "as the token, during its rotation",
}
"""Unique keys that do not begin with the owner, and the reasons."""

AUDIT = "hundi.money.audit."
"""It reads the whole books in any form; a sharded installation runs it on each shard."""

TEMPLATES = {
    "hundi.money.audit.trail.store._UNTOLD": (
        "many of CHECKS are made of it, which are here themselves"
    ),
    "hundi.money.audit.trail.store._HASHED": "as above",
    "hundi.money.audit.store._SAMPLED": (
        "cuts the rows of each of CHECKS, which are here themselves"
    ),
    "hundi.money.audit.chain.store._CHAIN_BROKEN": (
        "is in CHECKS and in WHOLE_CHECKS, each with another count"
    ),
    "hundi.money.chain.store._SEAL": "one statement for each book, which are in SEALS",
    "hundi.console.queries.payments._WITH_MONEY": (
        "SELECT_LINES and SELECT_LINES_RISING are made of it, which are here themselves"
    ),
    "hundi.gateway.scrub.store.PAGE": (
        "of each table of the catalogue; tests/cli/test_scrub.py runs it on all"
    ),
    "hundi.gateway.scrub.store.MASK": "of each column of the catalogue, a row by its key",
}
"""Texts with a hole, which cannot be prepared."""

_SAME_OWNER = {(owner, owner) for owner in OWNERS}
STATEMENT = re.compile(r"\s*(select|insert|update|delete|with|values|table|merge)\b", re.IGNORECASE)
_GROUP = re.compile(r"\(([^()]*)\)")
_PARAMETERS = re.compile(r"\bunknown(?:, unknown)+")
_QUOTED = re.compile(r"'[^']*'")
_SUBQUERY = re.compile(r"\s*(select|insert|update|delete|with)\b", re.IGNORECASE)


def texts_of(module_name: str, *, parts: bool = False) -> dict[str, str]:
    """Return the SQL texts of a store, by their full names; every text of a mapping counts.

    parts: also those that begin no statement.
    """
    texts: dict[str, str] = {}
    for name, value in vars(importlib.import_module(module_name)).items():
        if not name.isupper():
            continue
        if isinstance(value, Mapping):
            texts |= {
                f"{module_name}.{name}[{key}]": text
                for key, text in value.items()
                if isinstance(text, str)
            }
        elif isinstance(value, str):
            texts[f"{module_name}.{name}"] = value
    return {name: text for name, text in texts.items() if parts or STATEMENT.match(text)}


def store_modules() -> list[str]:
    """Return the stores of the gateway's database; the demo's bank and shop have their own."""
    reads = (each for each in SOURCE.glob("hundi/console/queries/*.py") if each.stem != "__init__")
    places = ("hundi", "hundi_testbed/demo", "hundi_testbed/simulation")
    stores = (each for place in places for each in SOURCE.glob(f"{place}/**/store.py"))
    paths = sorted((*stores, *reads))
    return [".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in paths]


def statements() -> dict[str, str]:
    """Return every whole statement of our stores."""
    statements_found: dict[str, str] = {}
    for module_name in store_modules():
        statements_found |= texts_of(module_name)
    whole = {name: text for name, text in statements_found.items() if name not in TEMPLATES}
    return {
        name: text
        for name, text in whole.items()
        if not any(text.strip() in other and text != other for other in whole.values())
    }


STATEMENTS = statements()


def test_the_stores_are_found() -> None:
    assert len(STATEMENTS) > 40
    known = {name for module in store_modules() for name in texts_of(module)}
    assert set(TEMPLATES) <= known


def _counted(parameters: re.Match[str]) -> str:
    return f"{parameters[0].count('unknown')} parameters"


async def test_every_statement_fits_the_schema(db: Database) -> None:
    misfits: dict[str, str] = {}
    for name, text in STATEMENTS.items():
        async with db.transaction() as connection:
            try:
                await connection.prepare(text)
            except asyncpg.PostgresError as error:
                misfits[name] = _PARAMETERS.sub(_counted, str(error))
    assert not misfits, "\n".join(f"{name}: {words}" for name, words in misfits.items())


def is_exempt(name: str) -> bool:
    return name in CLEAN_UPS or any(
        name == exempt or name.startswith(f"{exempt}.") for exempt in ACROSS_MERCHANTS
    )


def test_every_statement_names_its_merchant(owned: set[str]) -> None:
    bound = {name: text for name, text in STATEMENTS.items() if not is_exempt(name)}
    assert len(bound) > 40
    across = {name: touched for name, text in bound.items() if (touched := unbound(text, owned))}
    assert across == {}, "these touch rows of every merchant"


def test_every_exemption_is_needed(owned: set[str]) -> None:
    for exempt in (*ACROSS_MERCHANTS, *CLEAN_UPS):
        texts = [
            text
            for name, text in STATEMENTS.items()
            if name == exempt or name.startswith(f"{exempt}.")
        ]
        assert any(unbound(text, owned) for text in texts), (
            f"{exempt} is bound to one merchant and needs no exemption"
        )


def test_a_statement_across_merchants_is_a_plain_select(owned: set[str]) -> None:
    """A sharded database can run it.

    Due rows are found by a plain SELECT and claimed for each merchant.
    """
    found = {
        name: text
        for name, text in STATEMENTS.items()
        if not name.startswith(AUDIT) and unbound(text, owned)
    }
    assert set(CLEAN_UPS) <= set(found)
    clean_ups = {name: found.pop(name) for name in CLEAN_UPS}
    assert [name for name, text in found.items() if not is_plain(text)] == []
    assert [name for name, text in clean_ups.items() if not is_clean_up(text)] == []


def test_no_statement_steps_from_merchant_to_merchant(owned: set[str]) -> None:
    """A sharded database refuses recursive and lateral texts, and SKIP LOCKED."""
    found = {name for name, text in STATEMENTS.items() if steps(text) and tables(text, owned)}
    assert {name for name in found if not name.startswith(AUDIT)} == set()


def is_plain(text: str) -> bool:
    """Return whether a statement only reads, without locks and steps."""
    changes = re.search(
        r"\b(insert|update|delete|merge|for\s+(no\s+key\s+)?(update|share))\b", text, re.IGNORECASE
    )
    return bool(re.match(r"\s*select\b", text, re.IGNORECASE)) and not changes and not steps(text)


def is_clean_up(text: str) -> bool:
    """Return whether a statement only deletes, or empties columns of, rows older than a given time.

    It may leave rows of one state alone: each node judges its own rows.
    """
    delete = r"delete from \w+\s+where \w+ < \$1(::\w+)?(\s+and state <> '\w+')?"
    emptied = r"\w+ = (null|'')"
    empty = rf"update \w+ set {emptied}(, {emptied})*\s+where \w+ < \$1 and \w+ is not null"
    return bool(re.fullmatch(rf"\s*({delete}|{empty})\s*", text, re.IGNORECASE))


def steps(text: str) -> bool:
    """Return whether a statement steps through rows one by one."""
    return bool(re.search(r"\b(recursive|lateral|skip\s+locked)\b", text, re.IGNORECASE))


def unbound(text: str, owned: set[str]) -> list[str]:
    """Return the blocks of a statement that touch owned tables without naming an owner.

    All, when no parameter does.
    """
    loose = [
        block.strip() for block in blocks(text) if tables(block, owned) and not is_bound(block)
    ]
    return loose or ([text] if tables(text, owned) and not is_given(text) else [])


def is_given(text: str) -> bool:
    """Return whether a parameter names the owner, or the statement inserts a row with its owner."""
    owner = rf"\b(?:{'|'.join(OWNERS)})\b"
    return bool(
        re.search(rf"{owner}\s*=\s*(any\s*\(\s*)?\$\d", text, re.IGNORECASE)
        or re.search(
            rf"\({owner}[\w\s,.]*\)\s*in\s*\(\s*select\s+(unnest\()?\$\d", text, re.IGNORECASE
        )
        or re.search(rf"insert\s+into\s+\w+\s+(as\s+\w+\s+)?\(\s*{owner}", text, re.IGNORECASE)
    )


def blocks(text: str) -> list[str]:
    """Return the statement and its subqueries, each without the others.

    Other parentheses are opened.
    """
    parts_found: list[str] = []
    text = _QUOTED.sub("''", re.sub(r"--.*", "", text))
    while group := _GROUP.search(text):
        if _SUBQUERY.match(group[1]):
            parts_found.append(group[1])
            text = text[: group.start()] + " " + text[group.end() :]
        else:
            text = text[: group.start()] + f" {group[1]} " + text[group.end() :]
    return [*parts_found, text]


def tables(block: str, owned: set[str]) -> set[str]:
    """Return the merchant-owned tables a block reads or writes."""
    named = re.findall(r"\b(?:from|join|into|update|only)\s+(\w+)", block, re.IGNORECASE)
    return {table.lower() for table in named} & owned


def is_bound(block: str) -> bool:
    """Return whether a block is limited to given owners.

    It compares their column, or writes it first.
    """
    owner = f"(?:{'|'.join(OWNERS)})"
    return bool(
        re.search(rf"{owner}\s*(=|in\b|,[\w\s,.]*\bin\b)", block, re.IGNORECASE)
        or re.search(rf"=\s*(any\s*)?\w*\.?{owner}|using\s+{owner}", block, re.IGNORECASE)
        or re.search(rf"insert\s+into\s+\w+\s+(as\s+\w+\s+)?{owner}", block, re.IGNORECASE)
    )


# --- the rule finds what it is for ---


# --- the catalogue ---


@pytest.fixture(scope="module")
def owned(template_url: str) -> set[str]:
    """The tables that carry a merchant's or a partner's rows."""

    async def read() -> set[str]:
        async with await open_database(template_url, pool_size=1) as database:
            rows = await database.fetch(
                "select distinct table_name::text as name from information_schema.columns"
                " where table_schema = 'public' and column_name = any($1::text[])",
                list(OWNERS),
            )
            return {row["name"] for row in rows}

    return asyncio.run(read())


async def test_every_table_is_a_merchants_or_gateway_wide(db: Database, owned: set[str]) -> None:
    rows = await db.fetch(
        "select tablename::text as name from pg_tables where schemaname = 'public'"
    )
    assert {row["name"] for row in rows} == owned | set(GATEWAY_WIDE)


async def test_every_key_starts_with_the_merchant(db: Database, owned: set[str]) -> None:
    rows = await db.fetch("""
        select c.relname::text as table, i.relname::text as index, a.attname::text as first,
            x.indisprimary as main
        from pg_index x join pg_class c on c.oid = x.indrelid
        join pg_class i on i.oid = x.indexrelid
        left join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
        where c.relnamespace = 'public'::regnamespace and x.indisunique
    """)
    keys = [row for row in rows if row["table"] in owned]
    assert {row["table"] for row in keys if row["main"]} == owned, "every table has a primary key"
    assert {row["index"] for row in keys if row["first"] not in OWNERS} == set(ACROSS_KEYS)


async def test_every_foreign_key_stays_with_its_merchant(db: Database, owned: set[str]) -> None:
    rows = await db.fetch("""
        select k.conname::text as name, k.conrelid::regclass::text as table,
            near.attname::text as near, far.attname::text as far
        from pg_constraint k
        join pg_attribute near on near.attrelid = k.conrelid and near.attnum = k.conkey[1]
        join pg_attribute far on far.attrelid = k.confrelid and far.attnum = k.confkey[1]
        where k.contype = 'f' and k.connamespace = 'public'::regnamespace
    """)
    wrong = [
        row["name"]
        for row in rows
        if row["table"] in owned and (row["near"], row["far"]) not in _SAME_OWNER
    ]
    assert wrong == []


async def _owners_with_a_domain(db: Database) -> list[str]:
    query = """
        select table_name::text as name from information_schema.columns
        where table_schema = 'public' and column_name = any($1::text[])
            and domain_name is not null"""
    return [row["name"] for row in await db.fetch(query, list(OWNERS))]


async def test_no_column_that_rows_are_sharded_by_is_a_domain(db: Database) -> None:
    """Citus accepts one, and then finds no rows by it (decision 0003)."""
    assert await _owners_with_a_domain(db) == []
    await db.execute("create table planted (merchant_id gateway_id primary key)")
    assert await _owners_with_a_domain(db) == ["planted"]
