"""A report becomes a statement: its transfers, what is new of it, and its file."""

import io
from datetime import UTC, date, datetime, timedelta

import pytest

from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine
from hundi.kernel.records import replace
from hundi.money.reconciliation import csv_lines
from hundi.money.reconciliation.fetching import rules
from hundi.money.reconciliation.fetching.rules import ReportRun, after, days_of
from hundi.money.reconciliation.rules import Controls, LineKind, StatementError

DAY = date(2026, 11, 20)
NOW = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)
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
    PAID,
    kind=ReportedKind.REFUND,
    is_credit=False,
    gross_paise=500,
    net_paise=500,
    reference="10001-R1",
    number="r_1",
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
def test_only_what_no_earlier_report_had_is_new(
    before: list[ReportLine], new: list[ReportLine]
) -> None:
    assert rules.unseen([PAID, BACK], [rules.key_of(each) for each in before]) == new


def test_a_line_that_is_there_twice_is_new_once_when_one_of_them_was_known() -> None:
    assert rules.unseen([PAID, PAID], [rules.key_of(PAID)]) == [PAID]


def test_a_file_is_read_as_it_was_written() -> None:
    back = replace(BACK, net_paise=511)
    won = replace(PAID, kind=ReportedKind.CHARGEBACK, net_paise=10_000)
    written = [PAID, back, won, replace(TAKEN, utr="UTR1")]
    controls = Controls()
    read = list(
        csv_lines.read(io.BytesIO(rules.file_of("rzp", DAY, written)), rules.FORMAT, controls)
    )
    assert [
        (each.kind, each.is_credit, each.gross_paise, each.fee_paise, each.net_paise)
        for each in read
    ] == [
        (LineKind.PAYMENT, True, 10_000, 236, 9_764),
        (LineKind.REFUND, False, 500, 11, 511),
        (LineKind.CHARGEBACK, True, 10_000, 0, 10_000),
        (LineKind.OTHER, False, 500, 0, 500),
    ]
    assert [(each.reference, each.rrn, each.utr, each.day) for each in read] == [
        (each.reference, each.number, "UTR1", DAY) for each in written
    ]
    assert (controls.lines, controls.net_paise, controls.last_day) == (
        4,
        9_764 - 511 + 10_000 - 500,
        DAY,
    )


def test_an_empty_report_covers_its_day_and_is_its_acquirers_alone() -> None:
    controls = Controls()
    file = rules.file_of("rzp", DAY, [])
    assert list(csv_lines.read(io.BytesIO(file), rules.FORMAT, controls)) == []
    assert (controls.lines, controls.first_day, controls.last_day) == (0, DAY, DAY)
    assert file != rules.file_of("payu", DAY, [])


def test_a_turn_asks_about_the_last_days_and_those_that_were_missed() -> None:
    def days(last: date | None) -> tuple[str, str]:
        found = days_of(ReportRun("a", NOW, NOW, last_day=last), NOW)
        assert found == sorted(set(found))
        return str(found[0]), str(found[-1])

    assert days(None) == ("2026-11-17", "2026-11-20")
    assert days(date(2026, 11, 20)) == ("2026-11-17", "2026-11-20")
    assert days(date(2026, 11, 17)) == ("2026-11-15", "2026-11-20")
    assert days(date(2026, 1, 1)) == ("2026-10-21", "2026-11-20")


def test_what_fails_is_tried_again_later_and_later() -> None:
    run, waits = ReportRun("a", NOW, NOW, last_day=date(2026, 11, 10)), []
    for _ in range(7):
        tried = run.due_at
        run = after(run, {date(2026, 11, 19): "x" * 400, date(2026, 11, 20): "y"}, tried)
        waits.append((run.due_at - tried).total_seconds() / 60)
    assert waits == [15, 30, 60, 120, 240, 240, 240]
    assert (run.wanted_at, run.failures, run.error, run.last_day) == (
        NOW,
        7,
        "x" * 300,
        date(2026, 11, 18),
    )
    assert after(replace(run, failures=1_000), {DAY: "z"}, NOW).due_at == NOW + timedelta(hours=4)


def test_what_was_done_in_the_night_is_due_in_the_morning() -> None:
    midnight = datetime(2026, 11, 20, 18, 45, tzinfo=UTC)
    assert after(ReportRun("a", NOW, NOW), {}, midnight).due_at == datetime(
        2026, 11, 21, 0, 30, tzinfo=UTC
    )
    assert after(ReportRun("a", NOW, NOW), {}, NOW).due_at == datetime(
        2026, 11, 22, 0, 30, tzinfo=UTC
    )
