"""Money that arrived once counts once.

In two files, for two acquirers, by a line and by its correction.
"""

import asyncio
from datetime import timedelta
from pathlib import Path

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.ids import refund_reference
from hundi.money.reconciliation import actions, store
from hundi.money.reconciliation.actions import ComparisonRun
from hundi.money.reconciliation.importing import actions as importing
from hundi.money.reconciliation.importing.actions import Source
from hundi.money.reconciliation.proposals import actions as proposals
from hundi.money.reconciliation.proposals.actions import NewProposal
from hundi.money.reconciliation.rules import StatementError
from hundi.money.reconciliation.store import LineComparison
from hundi_testbed.bank.statements import files
from hundi_testbed.bank.statements.rules import Statement, StatementMovement, fee_of
from tests.money.reconciliation.test_actions import (
    AT,
    DAY,
    MERCHANTS,
    NOW,
    attempt_id,
    balances,
    bank_says,
    classes,
    gross,
    movements,
    named,
    pay,
    rrn,
    take,
)

_OTHER = """
    INSERT INTO statement_handovers (connector, utr, file_id, lines, net_paise)
    SELECT 'other', utr, file_id, lines, net_paise FROM statement_handovers WHERE utr = $1
"""


async def test_what_arrived_is_not_taken_from_a_second_statement(
    books: Database, tmp_path: Path
) -> None:
    day = Statement(DAY, tuple(movements()))
    await take(books, tmp_path, files.acquirer_csv(day))
    half = [(day.utr, day.net_paise // 2)]
    await take(books, tmp_path, files.account_camt053(DAY, half, 0), "", "camt053")
    for content, form in (
        (files.account_camt053(DAY, [*half, ("ANOTHER1", 5)], 0), "camt053"),
        (files.account_mt940(DAY, half, 0), "mt940"),
    ):
        with pytest.raises(StatementError, match=f"line 1: .* as {day.utr} are in a statement"):
            await take(books, tmp_path, content, "", form)
    assert await books.fetchval("SELECT count(*) FROM account_lines") == 1
    assert await balances(books, MERCHANTS[0]) == {}


async def test_two_acquirers_do_not_both_get_one_transfer(books: Database, tmp_path: Path) -> None:
    day = Statement(DAY, tuple(movements()))
    await take(books, tmp_path, files.acquirer_csv(day))
    await books.execute(_OTHER, day.utr)
    await bank_says(books, tmp_path, day)
    assert await balances(books, MERCHANTS[0]) == {}
    said = {(each["said"], each["arrived"]) for each in (await proposals.work(books))["handovers"]}
    assert said == {(2 * day.net_paise, day.net_paise)}


async def test_a_payment_learnt_later_with_another_fee_leaves_only_the_fee(
    books: Database, tmp_path: Path
) -> None:
    await pay(books, MERCHANTS[0], 7, "pending")
    fee = fee_of("card", gross(7)) + 7
    line = StatementMovement("PAYMENT", named(MERCHANTS[0], 7), rrn(MERCHANTS[0], 7), gross(7), fee)
    day = Statement(DAY, (*movements(), line))
    await take(books, tmp_path, files.acquirer_csv(day))
    await bank_says(books, tmp_path, day)
    await books.execute(
        "UPDATE attempts SET state = 'paid', received_paise = amount_paise WHERE state = 'pending'"
    )
    before = await balances(books, MERCHANTS[0])
    assert await actions.retry(books, "sandbox", NOW) == ComparisonRun(posted=1)
    assert await classes(books) == {"matched": (0, 14), "fee_differs": (1, 0)}
    (item,) = (await proposals.work(books))["items"]
    assert (item["ours_paise"], item["theirs_paise"]) == (gross(7), gross(7))
    wanted = NewProposal(MERCHANTS[0], item["item_id"], MERCHANTS[0], "they charged more", "asha")
    proposal_id = await proposals.propose(books, wanted, NOW)
    await proposals.decide(
        books, MERCHANTS[0], proposal_id, "ravi", NOW + timedelta(minutes=1), approved=True
    )
    after = await balances(books, MERCHANTS[0])
    assert after["escrow"] == before["escrow"] + line.net_paise
    assert after["acquirer_cost"] == before["acquirer_cost"] + fee


@pytest.mark.parametrize(
    "again", ["Asha", " as ha", "asha\N{ZERO WIDTH SPACE}", "\N{FULLWIDTH LATIN SMALL LETTER A}sha"]
)
async def test_one_person_under_two_names_does_not_decide(
    books: Database, tmp_path: Path, again: str
) -> None:
    line = StatementMovement("PAYMENT", "NOBODYS", "", 500, 0)
    await take(books, tmp_path, files.acquirer_csv(Statement(DAY, (line,))))
    (item,) = (await proposals.work(books))["items"]
    wanted = NewProposal(0, item["item_id"], MERCHANTS[0], "found", "asha")
    proposal_id = await proposals.propose(books, wanted, NOW)
    with pytest.raises(StatementError, match="another person decides"):
        await proposals.decide(books, MERCHANTS[0], proposal_id, again, NOW, approved=True)
    assert await balances(books, MERCHANTS[0]) == {}


async def test_a_line_that_two_people_posted_is_not_matched_again(
    books: Database, tmp_path: Path
) -> None:
    """A comparison that stopped is made again.

    What was corrected meanwhile is not handed over once more.
    """
    await pay(books, MERCHANTS[0], 7, "pending")
    fee = fee_of("card", gross(7))
    line = StatementMovement("PAYMENT", named(MERCHANTS[0], 7), rrn(MERCHANTS[0], 7), gross(7), fee)
    day = Statement(DAY, (line,))
    await take(books, tmp_path, files.acquirer_csv(day))
    (item,) = (await proposals.work(books))["items"]
    wanted = NewProposal(MERCHANTS[0], item["item_id"], MERCHANTS[0], "it is ours", "asha")
    proposal_id = await proposals.propose(books, wanted, NOW)
    await proposals.decide(books, MERCHANTS[0], proposal_id, "ravi", NOW, approved=True)
    corrected = await balances(books, MERCHANTS[0])
    await books.execute(
        "UPDATE attempts SET state = 'paid', received_paise = amount_paise WHERE state = 'pending'"
    )
    again = LineComparison("sandbox", [], 3, NOW)
    lines = (item["item_id"], item["item_id"])
    assert await store.match(books, MERCHANTS[0], lines, again) == 0
    await bank_says(books, tmp_path, day)
    assert await balances(books, MERCHANTS[0]) == corrected


async def test_an_item_is_not_ended_by_a_line_of_another_kind(
    books: Database, tmp_path: Path
) -> None:
    await take(books, tmp_path, files.acquirer_csv(Statement(DAY, tuple(movements()))))
    cause = attempt_id(7)
    await books.execute(
        "INSERT INTO reconciliation_items (merchant_id, item_id, class, connector, cause_id,"
        " ours_paise, theirs_paise,"
        " opened_at) VALUES ($1, $2, 'missing_there', 'sandbox', $2, 5, 0, $3)",
        *(MERCHANTS[0], cause, NOW),
    )
    match = (
        "INSERT INTO statement_matches (merchant_id, line_id, kind, cause_id, class) VALUES ($1,"
        " $2, $3, $4, 'matched')"
    )
    await books.execute(match, MERCHANTS[0], 8, "chargeback", cause)
    await actions.retry(books, "sandbox", NOW)
    state = "SELECT state FROM reconciliation_items WHERE item_id = $1"
    assert await books.fetchval(state, cause) == "open"
    await books.execute(match, MERCHANTS[0], 9, "payment", cause)
    await actions.retry(books, "sandbox", NOW)
    assert await books.fetchval(state, cause) == "resolved"


async def test_of_two_statements_at_once_one_sees_the_others_lines(
    books: Database, tmp_path: Path
) -> None:
    line = [("UTRONE", 700)]
    sources = []
    for form, content in (
        ("camt053", files.account_camt053(DAY, line, 0)),
        ("mt940", files.account_mt940(DAY, line, 0)),
    ):
        path = tmp_path / form
        path.write_text(content)
        sources.append(Source(path, form, "", "asha"))
    done = await asyncio.gather(
        *(
            importing.import_file(books, each, NOW + timedelta(seconds=5 * n))
            for n, each in enumerate(sources)
        ),
        return_exceptions=True,
    )
    assert [type(each) for each in done].count(StatementError) == 1
    assert await books.fetchval("SELECT count(*) FROM account_lines") == 1


async def test_every_line_of_an_acquirers_mt940_is_compared(
    books: Database, tmp_path: Path
) -> None:
    lines = [(f"NOBODYS{number}", 100) for number in range(5)]
    path = tmp_path / "statement"
    path.write_text(
        files.account_mt940(DAY, lines, 0).replace(files.OUR_ACCOUNT, "SANDBOX-SETTLEMENT")
    )
    await importing.import_file(books, Source(path, "mt940", "sandbox", "asha"), NOW)
    await actions.compare(books, NOW)
    assert await classes(books) == {"missing_here": (5, 0)}


async def test_a_fee_charged_on_a_refund_is_a_cost(books: Database, tmp_path: Path) -> None:
    line = StatementMovement(
        "REFUND", refund_reference(MERCHANTS[0], attempt_id(90)), "", 5_000, 100
    )
    day = Statement(DAY, (line,))
    await take(books, tmp_path, files.acquirer_csv(day))
    await bank_says(books, tmp_path, day)
    (item,) = (await proposals.work(books))["items"]
    assert item["class"] == "fee_differs"
    before = await balances(books, MERCHANTS[0])
    wanted = NewProposal(
        MERCHANTS[0], item["item_id"], MERCHANTS[0], "they charge for refunds", "asha"
    )
    proposal_id = await proposals.propose(books, wanted, NOW)
    await proposals.decide(
        books, MERCHANTS[0], proposal_id, "ravi", NOW + timedelta(minutes=1), approved=True
    )
    after = await balances(books, MERCHANTS[0])
    assert (before["escrow"], after["escrow"], after["acquirer_cost"]) == (-5_100, -5_100, 100)
    assert after["receivable:sandbox"] == 5_000, "what a refund of this amount took from it"


REVERSE = (
    "UPDATE refunds SET state = 'reversed', reversed_at = $1, due_at = NULL WHERE merchant_id = $2"
)


async def came_back(books: Database, tmp_path: Path, *more: StatementMovement) -> Statement:
    """Import the statement of a day on which the previous day's refund came back."""
    await take(books, tmp_path, files.acquirer_csv(Statement(DAY, tuple(movements()))))
    line = StatementMovement(
        "REFUND_REVERSAL", refund_reference(MERCHANTS[0], attempt_id(90)), "", 5_000, 0
    )
    day = Statement(DAY + timedelta(days=1), (line, *more))
    await take(books, tmp_path, files.acquirer_csv(day))
    return day


async def test_a_credit_of_a_refund_has_it_asked_about_and_is_handed_over_when_it_came_back(
    books: Database, tmp_path: Path
) -> None:
    day = await came_back(books, tmp_path)
    assert await classes(books) == {"matched": (0, 14), "missing_here": (1, 0)}
    asked = "SELECT merchant_id, due_at, inquiries FROM refunds WHERE due_at IS NOT NULL"
    assert [tuple(row) for row in await books.fetch(asked)] == [(MERCHANTS[0], NOW, 0)], (
        "and nobody else's"
    )
    await bank_says(books, tmp_path, day)
    assert "escrow" not in await balances(books, MERCHANTS[0]), (
        "nothing is posted for what nobody explains"
    )
    await books.execute(REVERSE, NOW, MERCHANTS[0])
    assert (await actions.retry(books, "sandbox", NOW)).posted == 1
    assert await classes(books) == {"matched": (0, 15), "missing_here": (0, 1)}
    assert (await balances(books, MERCHANTS[0]))["escrow"] == 5_000
    assert await books.fetch(asked) == []


async def test_a_second_credit_of_a_refund_is_a_duplicate_and_the_refund_itself_is_none(
    books: Database, tmp_path: Path
) -> None:
    await books.execute(REVERSE, NOW, MERCHANTS[0])
    again = StatementMovement(
        "REFUND_REVERSAL", refund_reference(MERCHANTS[0], attempt_id(90)), "", 5_000, 0
    )
    await came_back(books, tmp_path, again)
    assert await classes(books) == {"matched": (0, 15), "duplicate": (1, 0)}


async def test_a_reversal_that_no_statement_shows_is_missing_there_until_it_comes(
    books: Database, tmp_path: Path
) -> None:
    await take(books, tmp_path, files.acquirer_csv(Statement(DAY, tuple(movements()))))
    await books.execute(REVERSE, AT + timedelta(days=1), MERCHANTS[0])
    later = StatementMovement("PAYMENT", "NOBODYS", "", 100, 0)
    await take(books, tmp_path, files.acquirer_csv(Statement(DAY + timedelta(days=2), (later,))))
    assert (await classes(books))["missing_there"] == (1, 0)
    line = StatementMovement(
        "REFUND_REVERSAL", refund_reference(MERCHANTS[0], attempt_id(90)), "", 5_000, 0
    )
    await take(books, tmp_path, files.acquirer_csv(Statement(DAY + timedelta(days=3), (line,))))
    assert (await classes(books))["missing_there"] == (0, 1)


async def test_the_database_refuses_one_person_for_both_and_any_change_of_a_line(
    books: Database, tmp_path: Path
) -> None:
    await take(books, tmp_path, files.acquirer_csv(Statement(DAY, tuple(movements()))))
    columns = {
        "statement_files": "lines",
        "statement_lines": "utr",
        "statement_matches": "class",
        "statement_steps": "utr",
        "statement_handovers": "utr",
    }
    for table, column in columns.items():
        for change in (f"DELETE FROM {table}", f"UPDATE {table} SET {column} = DEFAULT"):
            with pytest.raises(asyncpg.PostgresError, match="append-only"):
                await books.execute(change)
    with pytest.raises(asyncpg.CheckViolationError, match="reconciliation_two_people"):
        await books.execute(
            "INSERT INTO reconciliation_proposals VALUES (1, 1, 1, 1, 'escrow', 'payable', 1,"
            " 'why', 'asha', now(),"
            " 'approved', ' ASHA', now())"
        )
