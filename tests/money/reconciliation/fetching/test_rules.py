"""A report becomes a statement: its transfers, what is new of it, and its file."""

import io
from dataclasses import replace
from datetime import date

import pytest

from hundi.acquirers.settlement_reports import ReportedKind, ReportLine
from hundi.money.reconciliation import csv_lines
from hundi.money.reconciliation.fetching import rules
from hundi.money.reconciliation.rules import Controls, LineKind, StatementError

DAY = date(2026, 11, 20)
PAID = ReportLine(
    kind=ReportedKind.PAYMENT,
    is_credit=True,
    gross_paise=10_000,
    net_paise=9_764,
    reference="10001-190000000000001",
    number="pay_1",
    settlement="setl_1",
    utr="UTR1",
    day=DAY,
)
BACK = replace(
    PAID, kind=ReportedKind.REFUND, is_credit=False, gross_paise=500, net_paise=500, reference="10001-R1", number="r_1"
)
TAKEN = replace(BACK, kind=ReportedKind.OTHER, reference="adj_1", number="adj_1", utr="")


def test_a_line_without_a_transfer_has_that_of_its_settlement() -> None:
    assert rules.with_transfers([TAKEN, PAID]) == ([replace(TAKEN, utr="UTR1"), PAID], 0)


def test_what_nobody_knows_the_transfer_of_waits() -> None:
    waits = replace(TAKEN, settlement="setl_2")
    assert rules.with_transfers([PAID, waits, replace(TAKEN, settlement="")]) == ([PAID], 2)


def test_a_settlement_of_two_transfers_is_refused() -> None:
    with pytest.raises(StatementError, match="setl_1 is said to have come as UTR1 and UTR2"):
        rules.with_transfers([PAID, replace(BACK, utr="UTR2")])


@pytest.mark.parametrize(
    ("before", "new"),
    [
        ([], [PAID, BACK]),
        ([PAID], [BACK]),
        ([PAID, BACK], []),
        ([replace(PAID, utr="UTR0")], [PAID, BACK]),
        ([replace(PAID, net_paise=9_765)], [PAID, BACK]),
    ],
)
def test_only_what_no_earlier_report_had_is_new(before: list[ReportLine], new: list[ReportLine]) -> None:
    assert rules.unseen([PAID, BACK], [rules.key_of(each) for each in before]) == new


def test_a_line_that_is_there_twice_is_new_once_when_one_of_them_was_known() -> None:
    assert rules.unseen([PAID, PAID], [rules.key_of(PAID)]) == [PAID]


def test_a_file_is_read_as_it_was_written() -> None:
    back = replace(BACK, net_paise=511)
    won = replace(PAID, kind=ReportedKind.CHARGEBACK, net_paise=10_000)
    written = [PAID, back, won, replace(TAKEN, utr="UTR1")]
    controls = Controls()
    read = list(csv_lines.read(io.BytesIO(rules.file_of("rzp", DAY, written)), rules.FORMAT, controls))
    assert [(each.kind, each.is_credit, each.gross_paise, each.fee_paise, each.net_paise) for each in read] == [
        (LineKind.PAYMENT, True, 10_000, 236, 9_764),
        (LineKind.REFUND, False, 500, 11, 511),
        (LineKind.CHARGEBACK, True, 10_000, 0, 10_000),
        (LineKind.OTHER, False, 500, 0, 500),
    ]
    assert [(each.reference, each.rrn, each.utr, each.day) for each in read] == [
        (each.reference, each.number, "UTR1", DAY) for each in written
    ]
    assert (controls.lines, controls.net_paise, controls.last_day) == (4, 9_764 - 511 + 10_000 - 500, DAY)


def test_an_empty_report_covers_its_day_and_is_its_acquirers_alone() -> None:
    controls = Controls()
    file = rules.file_of("rzp", DAY, [])
    assert list(csv_lines.read(io.BytesIO(file), rules.FORMAT, controls)) == []
    assert (controls.lines, controls.first_day, controls.last_day) == (0, DAY, DAY)
    assert file != rules.file_of("payu", DAY, [])
