"""The audit names the first bent link, also where somebody rebuilt the chain over it."""

from collections.abc import Mapping
from datetime import date, timedelta

import pytest
from structlog.testing import capture_logs

from hundi.infra.postgres.database import Database
from hundi.money.audit import actions
from hundi.money.audit.actions import NO_ROOTS
from hundi.money.audit.rules import Note, Violation
from hundi.money.chain import actions as chain
from hundi.money.chain.roots import actions as signing
from hundi.money.chain.roots import store as roots_store
from tests.bent import moved
from tests.money.audit import books
from tests.money.audit.books import AT, MERCHANT, VAULT

LATER = AT + timedelta(days=2)
TABLES = (
    *("payment_events", "ledger_postings", "payments", "attempts", "refunds", "completions"),
    *("chain_links", "chain_blocks", "chain_roots"),
)
OF_CHAIN = (
    Violation.SEALED_ROW_DIFFERS,
    Violation.CHAIN_BROKEN,
    Violation.ROOT_DIFFERS,
    Violation.KEPT_ROOT_DIFFERS,
)


@pytest.fixture
async def bent(db: Database) -> Database:
    """Sealed books with two roots, whose triggers somebody has switched off."""
    await books.write(db)
    await chain.seal(db, VAULT, AT + timedelta(days=1))
    await books.event(db, 6, 3, "expired", "expired")
    await db.execute("UPDATE payments SET revision = 3 WHERE payment_id = 6")
    await chain.seal(db, VAULT, AT + timedelta(days=1))
    await chain.seal(db, VAULT, LATER)
    for table in TABLES:
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    assert await found(db) == {}
    return db


async def found(db: Database, kept: Mapping[date, bytes] = NO_ROOTS) -> dict[str, str]:
    """Return what the audit finds about the chain.

    The first subject of each violation, and what is wrong there.
    """
    report = await actions.audit(db, [], LATER, kept_roots=kept)
    broken = [each for each in report.checked if each.count and each.violation in OF_CHAIN]
    return {
        each.violation: f"{each.samples[0].subject}: {each.samples[0].found}" for each in broken
    }


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (
            "UPDATE payment_events SET actor = 'clock' WHERE payment_id = 1 AND event_no = 2",
            "1 event 2: changed",
        ),
        (
            (
                f"UPDATE payment_events SET at = {moved('at', '-1 us')} WHERE (payment_id,"
                " event_no) = (6, 3)"
            ),
            "6 event 3: changed",
        ),
        ("DELETE FROM payment_events WHERE payment_id = 6 AND event_no = 1", "6 event 1: deleted"),
        ("UPDATE ledger_postings SET amount_paise = 1 WHERE cause_id = 81", "81 capture: changed"),
        (
            "DELETE FROM ledger_postings WHERE cause_id = 21 AND kind = 'payment'",
            "21 payment: deleted",
        ),
        ("UPDATE payments SET order_id = 'another' WHERE payment_id = 3", "3 payment: changed"),
        (
            "UPDATE attempts SET payer_vpa = 'a@bank' WHERE attempt_id = 11",
            "1 received 11: changed",
        ),
        ("UPDATE attempts SET connector = 'second' WHERE attempt_id = 11", "1 attempt 11: changed"),
        ("UPDATE refunds SET cause = 'late' WHERE refund_id = 71", "71 refund: changed"),
        (
            "UPDATE completions SET actor = 'gateway' WHERE payment_id = 8",
            "8 completion 98: changed",
        ),
    ],
)
async def test_a_bent_row_is_named(bent: Database, change: str, named: str) -> None:
    await bent.execute(change)
    link, _, what = (await found(bent))[Violation.SEALED_ROW_DIFFERS].partition(": ")
    assert f"{link}: {what.partition(' since')[0]}" == f"{MERCHANT}-{named}"


@pytest.mark.parametrize(
    ("xact", "what"),
    [("1", "inserted"), ("9000000", "of transaction 9000000, which has not begun")],
)
async def test_a_row_that_was_put_in_is_named(bent: Database, xact: str, what: str) -> None:
    await bent.execute(
        "INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise,"
" currency, at, xact)"
        " VALUES ($1, 9, 'payment', 'receivable:sandbox', 'payable', 5, 'INR', $2, $3::text::xid8)",
        MERCHANT, AT, xact,
    )  # fmt: skip
    assert await found(bent) == {Violation.SEALED_ROW_DIFFERS: f"{MERCHANT}-9 payment: {what}"}


async def test_a_payment_that_was_deleted_with_all_that_speaks_of_it_is_named(
    bent: Database,
) -> None:
    for table in ("payment_events", "attempts", "payments", "deliveries"):
        await bent.execute(f"DELETE FROM {table} WHERE payment_id = 3")
    assert (await found(bent))[Violation.SEALED_ROW_DIFFERS].startswith(f"{MERCHANT}-3 ")
    await bent.execute("DELETE FROM chain_links WHERE id = 3")
    assert await found(bent) == {
        Violation.CHAIN_BROKEN: f"{MERCHANT} events block 1: 87 links, 82 are there"
    }


async def test_a_link_that_was_bent_with_its_row_is_named(bent: Database) -> None:
    hashes = await bent.fetch("SELECT book, block_no, hash FROM chain_blocks")
    await bent.execute(
        "UPDATE payment_events SET actor = 'clock' WHERE payment_id = 1 AND event_no = 2"
    )
    await rebuild(bent)
    for block in hashes:
        await bent.execute(
            "UPDATE chain_blocks SET hash = $3 WHERE book = $1 AND block_no = $2", *block
        )
    assert (await found(bent))[Violation.CHAIN_BROKEN] == (
        f"{MERCHANT} events block 1: its hash is not that of its links and of the block before"
    )


async def rebuild(db: Database) -> None:
    """Make the whole chain anew over books that were bent, with the gateway's own code and key."""
    for table in ("chain_links", "chain_blocks", "chain_roots"):
        await db.execute(f"DELETE FROM {table}")
    await chain.seal(db, VAULT, AT)
    for days in (1, 2):
        await chain.seal(db, VAULT, AT + timedelta(days=days))


async def test_a_chain_that_was_made_anew_does_not_have_the_roots_that_were_signed(
    bent: Database,
) -> None:
    signed = await roots_store.roots(bent)
    await bent.execute(
        "UPDATE payment_events SET actor = 'clock' WHERE payment_id = 1 AND event_no = 2"
    )
    await rebuild(bent)
    assert await found(bent) == {}, "who has the database and the key is not found by them"
    assert (await found(bent, {each.day: each.root for each in signed}))[
        Violation.KEPT_ROOT_DIFFERS
    ].startswith("root of 2026-11-20: ")
    await bent.execute("DELETE FROM chain_roots")
    for each in signed:
        await roots_store.insert_root(bent, each)
    assert (await found(bent))[Violation.ROOT_DIFFERS].startswith("root of 2026-11-20: ")


async def test_a_root_whose_signature_or_key_is_another_is_named(bent: Database) -> None:
    await bent.execute(
        "UPDATE chain_roots SET signature = set_byte(signature, 2, 255 - get_byte(signature, 2))"
    )
    assert await found(bent) == {
        Violation.ROOT_DIFFERS: "root of 2026-11-20: its signature does not hold"
    }
    private, certificate = signing.new_key(AT)
    root = (await roots_store.roots(bent))[1].root.hex()
    text = f"hundi root 1 signed\nday=2026-11-21\nroot={root}\n"
    change = "UPDATE chain_roots SET signature = $1, certificate = $2 WHERE day = '2026-11-21'"
    await rebuild(bent)
    await bent.execute(change, signing.sign(private, text.encode()), certificate)
    assert await found(bent) == {
        Violation.ROOT_DIFFERS: "root of 2026-11-21: signed with another key than the first root"
    }


async def test_a_root_that_is_not_there_is_named_by_the_one_that_was_kept(bent: Database) -> None:
    await bent.execute("DELETE FROM chain_roots WHERE day = '2026-11-21'")
    assert (await found(bent, {date(2026, 11, 21): bytes(32)}))[
        Violation.KEPT_ROOT_DIFFERS
    ].startswith("root of 2026-11-21: none here")


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (
            "DELETE FROM chain_roots WHERE day = '2026-11-21'",
            "root of 2026-11-21: none here, told: ",
        ),
        (
            "DELETE FROM chain_roots; DELETE FROM chain_blocks; DELETE FROM chain_links",
            "root of 2026-11-20: none here",
        ),
        (
            "UPDATE chain_roots SET root = sha256('x') WHERE day = '2026-11-21'",
            "root of 2026-11-21: ",
        ),
    ],
)
async def test_a_root_that_the_trail_tells_of_is_missed(
    bent: Database, change: str, shown: str
) -> None:
    """Nothing was kept elsewhere.

    The trail has each root, under a key that the database does not hold.
    """
    assert await _untold(bent) == []
    for statement in change.split(";"):
        await bent.execute(statement)
    assert any(each.startswith(shown) for each in await _untold(bent))


async def test_a_chain_that_was_made_anew_over_changed_books_differs_from_the_trail(
    bent: Database,
) -> None:
    await bent.execute(
        "UPDATE payment_events SET actor = 'clock' WHERE payment_id = 1 AND event_no = 2"
    )
    await rebuild(bent)
    assert len(await _untold(bent)) == 2


async def _untold(db: Database) -> list[str]:
    report = await actions.audit(db, [], LATER)
    found = next(each for each in report.checked if each.violation is Violation.ROOT_UNTOLD)
    return sorted(f"{each.subject}: {each.found}" for each in found.samples)


async def test_what_is_not_sealed_in_time_is_a_note(db: Database) -> None:
    await books.write(db)
    assert Note.UNSEALED not in (await actions.audit(db, [], LATER)).notes
    await books.event(db, 6, 3, "expired", "expired")
    assert (await actions.audit(db, [], AT + timedelta(minutes=14))).notes.get(
        Note.UNSEALED
    ) is None
    assert (await actions.audit(db, [], AT + timedelta(minutes=16))).notes[Note.UNSEALED] == 1


async def test_what_has_no_link_is_a_note_whatever_the_newest_block_says(db: Database) -> None:
    """A block says that all is sealed, for another cluster, and no block follows it."""
    await books.write(db)
    await db.execute(
        "INSERT INTO chain_blocks SELECT merchant_id, book, block_no + 1, 0,"
        " '9000000000000000000', upto_id, 'other',"
        " day, hash, sealed_at FROM chain_blocks"
    )
    await db.execute(
        "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
    )
    for table in ("chain_links", "chain_blocks"):
        await db.execute(
            f"CREATE TRIGGER nothing BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION"
            " nothing()"
        )
    await books.event(db, 6, 3, "expired", "expired")
    with capture_logs() as lines:
        assert await chain.seal(db, VAULT, AT) == 0
    assert {(line["event"], line["log_level"], line["book"]) for line in lines} == {
        ("chain_block_not_kept", "error", book) for book in ("events", "postings", "settlements")
    }
    assert (await actions.audit(db, [], AT + timedelta(minutes=16))).notes[Note.UNSEALED] == 1
