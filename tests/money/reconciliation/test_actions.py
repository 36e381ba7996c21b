"""Statements meet the books.

Every class is found, posted or left to two people, and nothing counts twice.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.ids import first_id, reference, refund_reference
from hundi.money.ledger import store as ledger
from hundi.money.reconciliation import actions
from hundi.money.reconciliation.actions import ComparisonRun
from hundi.money.reconciliation.importing import actions as importing
from hundi.money.reconciliation.importing.actions import Imported, Source
from hundi.money.reconciliation.proposals import actions as proposals
from hundi.money.reconciliation.proposals.actions import NewProposal
from hundi.money.reconciliation.rules import StatementError
from hundi_testbed.bank.statements import files
from hundi_testbed.bank.statements.rules import (
    Mistake,
    Statement,
    StatementMovement,
    fee_of,
    with_mistakes,
)
from tests.recording import record_merchant

AT = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)
DAY = date(2026, 11, 20)
NEXT, AFTER = DAY + timedelta(days=1), DAY + timedelta(days=2)
AHEAD = date(2026, 11, 24)
NOW = datetime(2026, 11, 23, 3, 0, tzinfo=UTC)
MERCHANTS = (10_001, 10_002)
FIRST = first_id(AT)
PAID = 6
"""Payments of each merchant, each of a hundred rupees more than the one before, by card.

The first one by UPI.
"""

_ATTEMPT = """
    INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise,
        received_paise, currency, connector, created_at, expires_at, settled_at, rrn)
    VALUES ($1, $2::bigint, $2::bigint, $3, $4::text, $5::bigint,
        CASE WHEN $4::text = 'paid' THEN $5::bigint ELSE 0 END, 'INR', 'sandbox', $6, $6, $6, $7)
"""
_PAYMENT = """
    INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency,
        kind, state, captured_paise, buyer, revision, created_at, expires_at)
    VALUES ($1::bigint, $2::bigint, 'order-' || $2::bigint, sha256(''), $3::bigint, 'INR', 'sale',
        $4, $5::bigint, '{}', 1, $6, $6)
"""
REFUND = """
    INSERT INTO refunds (merchant_id, refund_id, payment_id, attempt_id, cause, amount_paise,
        settled_paise, currency, connector, state, created_at, settled_at)
    VALUES ($1, $2, $3::bigint, $3::bigint, 'merchant', $4::bigint, $4::bigint, 'INR', 'sandbox',
        'done', $5, $5)
"""
_MERCHANT = """
    INSERT INTO merchants (merchant_id, mode, name, sealed_keys, settings, created_at, changed_at)
    VALUES ($1, 'live', 'Asha', '', '{}', $2, $2)
"""
Give = Callable[[str, str], Path]


def attempt_id(number: int) -> int:
    return FIRST + number


def gross(number: int) -> int:
    return 10_000 * number


@pytest.fixture
async def books(db: Database) -> Database:
    """Two merchants with six payments and a refund each; the ledger has what they posted."""
    for merchant_id in MERCHANTS:
        await db.execute(_MERCHANT, merchant_id, AT)
        await record_merchant(db, merchant_id)
        for number in range(1, PAID + 1):
            await pay(db, merchant_id, number)
        await db.execute(REFUND, merchant_id, attempt_id(90), attempt_id(2), 5_000, AT)
    return db


async def pay(
    db: Database, merchant_id: int, number: int, state: str = "paid", at: datetime = AT
) -> None:
    """Write a payment as the orders' store would, without its events."""
    paise, method = gross(number), "upi_qr" if number == 1 else "card"
    values = (merchant_id, attempt_id(number))
    await db.execute(
        _PAYMENT,
        *values,
        paise,
        "paid" if state == "paid" else "open",
        paise if state == "paid" else 0,
        at,
    )
    await db.execute(_ATTEMPT, *values, method, state, paise, at, rrn(merchant_id, number))


def rrn(merchant_id: int, number: int) -> str:
    return f"6324{merchant_id:05d}{number:03d}"


def named(merchant_id: int, number: int) -> str:
    return reference(merchant_id, attempt_id(number))


def movements(paid: int = PAID) -> list[StatementMovement]:
    """Return what the acquirer's books have of the day."""
    found: list[StatementMovement] = []
    for merchant_id in MERCHANTS:
        for number in range(1, paid + 1):
            fee = fee_of("upi" if number == 1 else "card", gross(number))
            numbers = (named(merchant_id, number), rrn(merchant_id, number))
            found.append(StatementMovement("PAYMENT", *numbers, gross(number), fee))
        found.append(
            StatementMovement("REFUND", refund_reference(merchant_id, attempt_id(90)), "", 5_000, 0)
        )
    return found


async def take(
    db: Database, tmp_path: Path, content: str, connector: str = "sandbox", form: str = "csv"
) -> Imported:
    """Import a statement and compare it."""
    path = tmp_path / "statement"
    path.write_bytes(content.encode())
    imported = await importing.import_file(db, Source(path, form, connector, "asha"), NOW)
    await actions.compare(db, NOW)
    return imported


async def bank_says(
    db: Database, tmp_path: Path, statement: Statement, form: str = "camt053"
) -> Imported:
    """Import our bank account's statement of a hand-over."""
    write = files.account_mt940 if form == "mt940" else files.account_camt053
    return await take(
        db, tmp_path, write(statement.day, files.account_lines(statement, ()), 0), "", form
    )


async def balances(db: Database, merchant_id: int) -> dict[str, int]:
    return {each.account: each.paise for each in await ledger.balances(db, merchant_id)}


async def classes(db: Database) -> dict[str, tuple[int, int]]:
    """Return open and resolved of each class that was found."""
    found = (await proposals.work(db))["classes"]
    counts = {name: (each["open"], each["resolved"]) for name, each in found.items()}
    return {name: each for name, each in counts.items() if any(each)}


async def test_a_day_is_handed_over_once_its_money_is_in_our_account(
    books: Database, tmp_path: Path
) -> None:
    day = Statement(DAY, tuple(movements()))
    imported = await take(books, tmp_path, files.acquirer_csv(day))
    assert (imported.lines, imported.again) == (15, False)
    assert await classes(books) == {"matched": (0, 14)}
    assert await balances(books, MERCHANTS[0]) == {}
    await bank_says(books, tmp_path, day)
    fees = sum(fee_of("card", gross(number)) for number in range(2, PAID + 1))
    total = sum(gross(number) for number in range(1, PAID + 1))
    for merchant_id in MERCHANTS:
        assert await balances(books, merchant_id) == {
            "escrow": total - 5_000 - fees,
            "acquirer_cost": fees,
            "receivable:sandbox": 5_000 - total,
        }
    assert (await proposals.work(books))["handovers"] == []


@pytest.mark.parametrize("form", ["camt053", "csv"])
async def test_the_same_file_again_changes_nothing(
    books: Database, tmp_path: Path, form: str
) -> None:
    day = Statement(DAY, tuple(movements()))
    content = files.acquirer_csv(day) if form == "csv" else files.acquirer_camt053(day)
    first = await take(books, tmp_path, content, form=form)
    await bank_says(books, tmp_path, day, "mt940")
    posted = await books.fetch("SELECT * FROM ledger_postings ORDER BY merchant_id, cause_id, kind")
    again = await take(books, tmp_path, content, form=form)
    assert (again.again, again.file_id) == (True, first.file_id)
    assert (await bank_says(books, tmp_path, day, "mt940")).again
    assert (
        await books.fetch("SELECT * FROM ledger_postings ORDER BY merchant_id, cause_id, kind")
        == posted
    )
    assert len(posted) == 2 * (PAID + 1 + PAID - 1)


async def test_the_same_lines_in_another_file_are_duplicates(
    books: Database, tmp_path: Path
) -> None:
    day = Statement(DAY, tuple(movements()))
    await take(books, tmp_path, files.acquirer_csv(day))
    await bank_says(books, tmp_path, day)
    before = await balances(books, MERCHANTS[0])
    await take(books, tmp_path, files.acquirer_camt053(day), form="camt053")
    assert await classes(books) == {"matched": (0, 14), "duplicate": (14, 0)}
    assert await balances(books, MERCHANTS[0]) == before
    assert (await proposals.work(books))["handovers"][0]["arrived"] == day.net_paise


MISTAKES = {
    named(MERCHANTS[0], 2): Mistake.MISSING,
    named(MERCHANTS[0], 3): Mistake.OTHER_AMOUNT,
    named(MERCHANTS[0], 4): Mistake.OTHER_FEE,
    named(MERCHANTS[0], 5): Mistake.DOUBLED,
    named(MERCHANTS[0], 6): Mistake.LATE,
    named(MERCHANTS[0], 77): Mistake.EXTRA,
    "nobody-knows-this": Mistake.EXTRA,
}


async def test_every_mistake_is_found_and_resolved_by_rule_or_by_two_people(
    books: Database, tmp_path: Path
) -> None:
    wrong = {DAY: MISTAKES}
    days = [
        with_mistakes(
            day, movements() if day == DAY else (), movements() if day == NEXT else (), wrong
        )
        for day in (DAY, NEXT)
    ]
    for day in days:
        await take(books, tmp_path, files.acquirer_camt053(day), form="camt053")
        await bank_says(books, tmp_path, day)
    assert await classes(books) == {
        "matched": (0, 10),
        "late": (0, 1),
        "fee_differs": (1, 0),
        "amount_differs": (1, 0),
        "duplicate": (1, 0),
        "missing_here": (2, 0),
        "missing_there": (1, 0),
    }
    work = await proposals.work(books)
    for item in work["items"]:
        owner, missing = item["merchant_id"], item["class"] == "missing_there"
        accounts = (
            ("acquirer_cost", "receivable:sandbox", item["ours_paise"])
            if missing
            else (None, None, 0)
        )
        wanted = NewProposal(
            owner,
            item["item_id"],
            owner or MERCHANTS[0],
            "seen with the acquirer",
            "asha",
            *accounts,
        )
        proposal_id = await proposals.propose(books, wanted, NOW)
        with pytest.raises(StatementError, match="another person decides"):
            await proposals.decide(
                books, wanted.merchant_id, proposal_id, "Asha ", NOW, approved=True
            )
        await proposals.decide(books, wanted.merchant_id, proposal_id, "ravi", NOW, approved=True)
    assert (await proposals.work(books))["open"] == 0
    handed = sum(day.net_paise for day in days)
    escrow = [(await balances(books, merchant_id))["escrow"] for merchant_id in MERCHANTS]
    assert sum(escrow) == handed, "every paisa that reached our account is in somebody's books"


async def test_a_late_line_ends_what_was_missing_there(books: Database, tmp_path: Path) -> None:
    late = named(MERCHANTS[0], 6)
    wrong = {DAY: {late: Mistake.MISSING}}
    for day in (DAY, NEXT):
        statement = with_mistakes(day, movements() if day == DAY else (), (), wrong)
        await take(books, tmp_path, files.acquirer_csv(statement))
    assert (await classes(books))["missing_there"] == (1, 0)
    found = [each for each in movements() if each.reference == late]
    await take(books, tmp_path, files.acquirer_csv(Statement(AFTER, tuple(found))))
    assert (await classes(books))["missing_there"] == (0, 1)
    assert (await classes(books))["late"] == (0, 1)


async def test_a_line_of_a_payment_that_is_learnt_later_resolves_itself(
    books: Database, tmp_path: Path
) -> None:
    await pay(books, MERCHANTS[0], 7, "pending")
    line = StatementMovement(
        "PAYMENT", named(MERCHANTS[0], 7), rrn(MERCHANTS[0], 7), gross(7), fee_of("card", gross(7))
    )
    day = Statement(DAY, (*movements(), line))
    await take(books, tmp_path, files.acquirer_csv(day))
    await bank_says(books, tmp_path, day)
    assert (await classes(books))["missing_here"] == (1, 0)
    await books.execute(
        "UPDATE attempts SET state = 'paid', received_paise = amount_paise WHERE state = 'pending'"
    )
    before = await balances(books, MERCHANTS[0])
    done = await actions.retry(books, "sandbox", NOW)
    assert done == ComparisonRun(resolved=1, posted=2)
    assert (await classes(books))["missing_here"] == (0, 1)
    assert (await balances(books, MERCHANTS[0]))["escrow"] == before["escrow"] + line.net_paise
    assert await actions.retry(books, "sandbox", NOW) == ComparisonRun()


async def test_a_transfer_is_found_by_its_number(books: Database, tmp_path: Path) -> None:
    line = StatementMovement(
        "PAYMENT", rrn(MERCHANTS[1], 3), "", gross(3), fee_of("card", gross(3))
    )
    await take(books, tmp_path, files.acquirer_csv(Statement(DAY, (line,))))
    assert (await classes(books))["matched"] == (0, 1)


async def test_a_hand_over_of_another_amount_waits(books: Database, tmp_path: Path) -> None:
    day = Statement(DAY, tuple(movements()))
    await take(books, tmp_path, files.acquirer_csv(day))
    short = files.account_camt053(DAY, [(day.utr, day.net_paise - 1)], 0)
    await take(books, tmp_path, short, "", "camt053")
    (waits,) = (await proposals.work(books))["handovers"]
    assert (waits["said"], waits["arrived"]) == (day.net_paise, day.net_paise - 1)
    assert await balances(books, MERCHANTS[0]) == {}
    await take(books, tmp_path, files.account_camt053(NEXT, [(day.utr, 1)], 0), "", "camt053")
    assert (await balances(books, MERCHANTS[0]))["escrow"] > 0


async def test_the_name_of_a_file_is_words(books: Database, tmp_path: Path) -> None:
    path = tmp_path / "of 5555 3412 4444 1115 and 987612345679.csv"
    path.write_text(files.acquirer_csv(Statement(DAY, tuple(movements()))))
    await importing.import_file(books, Source(path, "csv", "sandbox", "asha"), NOW)
    assert await books.fetchval("SELECT name FROM statement_files") == "of [card] and [aadhaar].csv"


async def test_a_run_that_stopped_is_finished_by_the_next(books: Database, tmp_path: Path) -> None:
    day = Statement(DAY, tuple(movements()))
    path = tmp_path / "statement"
    path.write_text(files.acquirer_csv(day))
    await importing.import_file(books, Source(path, "csv", "sandbox", "asha"), NOW)
    assert await classes(books) == {}
    assert (await actions.compare(books, NOW)).matched == 14
    assert await actions.compare(books, NOW) == ComparisonRun()


@pytest.mark.parametrize(
    ("content", "connector", "form", "words"),
    [
        (files.acquirer_csv(Statement(AHEAD, tuple(movements()))), "sandbox", "csv",
         "in the future"),
        (files.acquirer_csv(Statement(DAY, tuple(movements())))[:-40], "sandbox", "csv", "cut off"),
        (files.account_camt053(DAY, [("A1", 5)], 0), "sandbox", "camt053",
         "it is of account 50200012345678"),
        (files.acquirer_camt053(Statement(DAY, tuple(movements()))), "", "camt053",
         "is that of sandbox"),
        (files.acquirer_csv(Statement(DAY, tuple(movements()))), "other", "csv",
         "the terms of other have no mapping"),
        (files.acquirer_csv(Statement(DAY, tuple(movements()))).replace("10001-", "10002-", 1),
         "sandbox", "csv", ""),
    ],
)  # fmt: skip
async def test_a_wrong_file_leaves_nothing(
    books: Database, tmp_path: Path, content: str, connector: str, form: str, words: str
) -> None:
    await take(books, tmp_path, files.acquirer_csv(Statement(DAY, ())))
    if not words:
        await take(books, tmp_path, content, connector, form)
        assert (await classes(books))["duplicate"] == (1, 0)
        return
    with pytest.raises(StatementError, match=words):
        await take(books, tmp_path, content, connector, form)
    assert await books.fetchval("SELECT count(*) FROM statement_files") == 1
    assert await books.fetchval("SELECT count(*) FROM statement_lines") == 0
    assert await books.fetchval("SELECT count(*) FROM account_lines") == 0


async def test_terms_of_another_acquirer_are_kept_by_version(books: Database) -> None:
    document = b'account = "OTHER"\n[[fees]]\nmethod = "card"\nbps = 100\ntax_bps = 1800\n'
    assert [await actions.set_terms(books, "other", document, "asha", NOW) for _ in range(2)] == [
        1,
        2,
    ]
    terms = await actions.terms_for(books, "other")
    assert (terms.account, terms.fees[0].fee_paise(12_345)) == ("OTHER", 145)
