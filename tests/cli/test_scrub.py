"""`hundi scrub` finds stored numbers, masks what it may, and leaves the books provable."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest

from hundi.gateway.scrub import rules, store
from hundi.gateway.scrub.rules import EXACT_COLUMNS, LENGTH_MIN, CatalogueColumn
from hundi.infra.postgres.database import Database
from hundi.money.audit import actions as auditing
from hundi.money.chain import actions as chain
from tests.cli.conftest import Hundi, Operate
from tests.money.audit import books
from tests.money.audit.books import AT, MERCHANT, VAULT
from tests.recording import BY, record_merchant

CARD, SPACED, AADHAAR = "4556737586899855", "4556 7375 8689 9855", "234123412346"
EXPLAINED = {
    "fields": {"note": [f"my card {SPACED}"], "rrn": AADHAAR, "amount": 12},
    "where": f"see {AADHAAR}",
}
REFUSED = 2_500
"""Refused requests, the last with numbers: more rows than are read at once."""
_REFUSED = """
    INSERT INTO refused_requests (merchant_id, reference, at, operation, code, words, detail,
    address, explained)
    SELECT $1, 'r' || n, $2, 'page', '110', 'refused', CASE n
        WHEN $3 THEN 'note was 4556-7375-8689-9855' ELSE '' END,
        '203.113.196.114', CASE n WHEN $3 THEN $4::jsonb || '{"rate": 1.10}' ELSE '{}' END
    FROM generate_series(1, $3::int) AS n
"""
_LINK = """
    INSERT INTO payment_links (merchant_id, link_id, code, reference, content_hash, description,
        amount_paise, minimum_paise, surplus, buyer, made_by, created_at, expires_at)
    VALUES ($1, 71, 'abcdefgh01234567', $2::text, sha256(''), 'for ' || $3::text, 100, 0, 'refund',
        jsonb_build_object('name', $4::text), 'Asha', $5, $5::timestamptz + interval '1 day')
"""
_PARTY = """
    INSERT INTO tax_parties (merchant_id, party_no, name, address, state, gstin, pan, written_by,
    written_at)
    VALUES ($1, 1, 'Asha', $2, '29', '', '', 'Asha', $3)
"""
MASKED = {
    ("attempts", "bank_message"),
    ("merchants", "name"),
    ("payment_links", "buyer"),
    ("payment_links", "description"),
    ("payments", "bank_message"),
    ("refused_requests", "detail"),
    ("refused_requests", "explained"),
}
KEPT = {
    ("deliveries", "facts"): "part of a chain",
    ("payments", "custom_var"): "part of a chain",
    ("tax_parties", "address"): "only ever appended",
}


@pytest.fixture
async def planted(db: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """Sound books with numbers where people typed them in a version without masks.

    The oldest of it is sealed.
    """
    monkeypatch.setenv("HUNDI_KEYS", f"k1:{base64.b64encode(bytes(32)).decode()}")
    await books.write(db)
    await db.execute(
        "UPDATE payments SET custom_var = $1 WHERE payment_id = 1", f"paid with {CARD}"
    )
    await db.execute(
        (
            "UPDATE deliveries SET facts = facts || jsonb_build_object('custom_var', $1::text)"
            " WHERE payment_id = 1"
        ),
        f"paid with {CARD}",
    )
    # Sealed anew, so that the number is among what is sealed.
    for table in ("chain_links", "chain_blocks"):
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        await db.execute(f"DELETE FROM {table}")
        await db.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    await chain.seal(db, VAULT, AT)
    await db.execute(
        "UPDATE payments SET bank_message = $1 WHERE payment_id = 3", f"card {SPACED} refused"
    )
    await db.execute(
        "UPDATE attempts SET bank_message = $1 WHERE attempt_id = 31", f"card {SPACED} refused"
    )
    await db.execute("UPDATE merchants SET name = $1", f"Asha {AADHAAR}")
    await record_merchant(db, MERCHANT)
    await db.execute(_REFUSED, MERCHANT, AT, REFUSED, EXPLAINED)
    await db.execute(_LINK, MERCHANT, CARD, SPACED, AADHAAR, AT)
    await db.execute(_PARTY, MERCHANT, f"4 Mill Road, {AADHAAR}", AT)
    return db


async def everything(db: Database) -> str:
    """Return every row of every table of the catalogue but the trail, as text."""
    tables = dict.fromkeys(column.table for column in await store.columns(db))
    found = {
        table: [row[0] for row in await db.fetch(f'SELECT t::text FROM "{table}" t ORDER BY 1')]
        for table in tables
        if table != "trail_entries"
    }
    return json.dumps(found)


async def broken(db: Database) -> list[str]:
    """Audit the books, and return which promises are not kept."""
    report = await auditing.audit(db, [], AT + timedelta(days=1))
    return [f"{each.violation}: {each.samples}" for each in report.checked if each.count]


def places(report: dict[str, Any], *, kept: bool) -> set[tuple[str, str]]:
    """Return the columns of a report whose rows stay, or those of the others."""
    return {
        (found["table"], found["column"])
        for found in report["found"]
        if bool(found["kept"]) is kept
    }


async def test_a_look_changes_nothing_and_tells_no_number(
    planted: Database, hundi: Hundi, operate: Operate
) -> None:
    before = await everything(planted)
    report = await operate("scrub")
    assert await everything(planted) == before
    assert (
        await planted.fetchval("SELECT count(*) FROM trail_entries WHERE person <> $1", BY.name)
        == 0
    )
    assert places(report, kept=False) == MASKED
    assert places(report, kept=True) == set(KEPT)
    assert all(found["rows"] == 1 for found in report["found"])
    assert (report["applied"], report["masked"], report["kept"]) == (False, 0, len(KEPT))
    assert report["rows"] > REFUSED
    told = await hundi("scrub")
    assert "refused_requests" in told.stdout
    assert "nothing was changed" in told.stdout
    for number in (CARD, SPACED, AADHAAR, CARD[:6]):
        assert number not in told.stdout + json.dumps(report)


async def test_what_was_found_is_masked_and_the_books_hold(
    planted: Database, operate: Operate
) -> None:
    assert await broken(planted) == []
    report = await operate("scrub", "--apply")
    assert places(report, kept=False) == MASKED
    assert (report["applied"], report["masked"], report["kept"]) == (True, len(MASKED), len(KEPT))
    for found in report["found"]:
        assert found["kept"].startswith(KEPT.get((found["table"], found["column"]), ""))

    refused = await planted.fetchrow("SELECT * FROM refused_requests WHERE detail <> ''")
    assert refused is not None
    assert refused["detail"] == "note was [card]"
    # A reference of twelve digits and an address of four numbers are nobody's number.
    assert refused["explained"] == {
        "fields": {"note": ["my card [card]"], "rrn": AADHAAR, "amount": 12},
        "where": "see [aadhaar]",
        "rate": 1.1,
    }
    assert refused["address"] == "203.113.196.114"
    link = await planted.fetchrow("SELECT reference, description, buyer FROM payment_links")
    assert link is not None
    assert dict(link) == {
        "reference": CARD,
        "description": "for [card]",
        "buyer": {"name": "[aadhaar]"},
    }
    assert (
        await planted.fetchval("SELECT bank_message FROM payments WHERE payment_id = 3")
        == "card [card] refused"
    )

    # What proves the books stays, and is told of again; the rest is gone.
    assert await broken(planted) == []
    again = await operate("scrub", "--apply")
    assert (again["masked"], places(again, kept=False)) == (0, set())
    assert places(again, kept=True) == set(KEPT)


async def test_the_trail_says_who_masked_what(planted: Database, operate: Operate) -> None:
    await operate("scrub", "--apply")
    entries = await planted.fetch(
        "SELECT * FROM trail_entries WHERE person <> $1 ORDER BY merchant_id, entry_no", BY.name
    )
    assert entries.pop()["act"] == "merchant.scrub", "what the merchant is from then on"
    assert [entry["act"] for entry in entries] == ["scrub.start", *["scrub.mask"] * 5]
    assert all(
        entry["person"].endswith("(command line)") and entry["merchant_id"] == 0
        for entry in entries
    )
    counts = {entry["about"]: json.loads(entry["detail"]) for entry in entries[1:]}
    assert counts["refused_requests"] == {"detail": 1, "explained": 1}
    assert {(table, column) for table, columns in counts.items() for column in columns} == MASKED
    assert await broken(planted) == []


# --- every column of the catalogue is swept, or says why not ---


async def test_every_column_of_words_is_swept_or_an_exception(db: Database) -> None:
    """A number in each column in turn.

    The sweep reads it, or its exception has a name and a reason.
    """
    columns = await store.columns(db)
    words = {
        column.full_name for column in columns if column.holds_words and not column.is_generated
    }
    swept = {column.full_name for table in rules.tables_of(columns) for column in table.swept}
    assert len(swept) > 100
    assert swept == words - EXACT_COLUMNS
    # What the database itself says, by another way, holds text.
    told = await db.fetch(
        "SELECT table_name || '.' || column_name FROM information_schema.columns JOIN"
        " information_schema.tables"
        " USING (table_schema, table_name) WHERE table_schema = 'public' AND table_type = 'BASE"
        " TABLE'"
        " AND is_generated = 'NEVER' AND (data_type IN ('text', 'json', 'jsonb', 'character"
        " varying', 'character')"
        " OR data_type = 'ARRAY' AND udt_name IN ('_text', '_varchar', '_bpchar', '_json',"
        " '_jsonb'))"
    )
    assert {row[0] for row in told} == words


async def test_every_exception_is_a_column_of_words(db: Database) -> None:
    known = {column.full_name for column in await store.columns(db) if column.holds_words}
    assert known >= EXACT_COLUMNS
    assert sum(map(len, rules.EXACT.values())) == len(EXACT_COLUMNS), "one reason a column"


async def test_every_table_can_be_read_by_its_key(db: Database) -> None:
    for table in rules.tables_of(await store.columns(db)):
        assert table.key, table.name
        assert await store.page(db, table, None) is not None


@pytest.mark.parametrize("kind", ["text", "jsonb", "text[]"])
def test_a_number_is_found_in_each_type(kind: str) -> None:
    column = CatalogueColumn("t", "note", kind, None, is_generated=False)
    value: Any = {"text": SPACED, "jsonb": [{"a": SPACED}], "text[]": ["x", SPACED]}[kind]
    assert column.is_swept
    assert "[card]" in str(rules.scrubbed(column, value))


@pytest.mark.parametrize(
    "value",
    [
        "",
        "4556",
        "203.113.196.114/32",
        "2026-11-20T08:35:00.123456Z",
        {"order_id": CARD, "rrn": AADHAAR},
        4556,
        None,
    ],
)
def test_what_is_no_number_of_a_card_or_a_person_stays(value: object) -> None:
    column = CatalogueColumn(
        "t", "note", "text" if isinstance(value, str) else "jsonb", None, is_generated=False
    )
    assert rules.scrubbed(column, value) == value
    assert len(AADHAAR) >= LENGTH_MIN


def test_the_account_that_terms_name_stays() -> None:
    terms = {"account": CARD, "headings": {"note": f"card {CARD}"}}
    kept = rules.scrubbed(
        CatalogueColumn("acquirer_terms", "document", "jsonb", None, is_generated=False), terms
    )
    assert kept == {"account": CARD, "headings": {"note": "card [card]"}}
    masked = rules.scrubbed(
        CatalogueColumn("refused_requests", "explained", "jsonb", None, is_generated=False), terms
    )
    assert masked["account"] == "[card]"
