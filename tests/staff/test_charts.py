"""What the charts of a home page say, from counted rows."""

import re
from datetime import date, timedelta
from typing import Any

import pytest

from hundi.console.charts import calendar_of, charts_of, span_of
from hundi.console.drawing import bar, columns, short

FIRST = date(2026, 11, 20)
DAYS = [FIRST + timedelta(days=each) for each in range(3)]


def counted(what: str, state: str, number: int, **more: Any) -> dict[str, Any]:
    row = {
        "what": what,
        "hour": 0,
        "method": "",
        "bank": "",
        "state": state,
        "code": "",
        "words": "",
        "paise": 0,
    }
    return row | {"number": number} | more


def drawn(rows: dict[date, list[dict[str, Any]]]) -> dict[str, Any]:
    return {each.title: each for each in charts_of(DAYS, rows)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "days"), [("7", 7), ("30", 30), ("90", 90), ("", 30), ("91", 30), ("-7", 30)]
)
def test_an_address_chooses_one_of_three_spans(asked: str, days: int) -> None:
    assert span_of({"days": asked}) == days


def test_paid_by_day_counts_what_was_paid_and_shows_days_without_any() -> None:
    rows = [counted("payment", "paid", 2, paise=300_00), counted("payment", "expired", 5, paise=0)]
    chart = drawn({FIRST: rows})["Paid by day"]
    assert [(each.name, each.text, each.note) for each in chart.points] == [
        ("Fri 20 Nov", "₹300.00", "2"),
        ("Sat 21 Nov", "₹0.00", "0"),
        ("Sun 22 Nov", "₹0.00", "0"),
    ]
    assert chart.summary == "₹300.00 in 2 payments"
    assert chart.drawn.count("<rect") == 1


def test_a_rate_is_of_tries_that_ended_and_a_qr_that_nobody_scanned_did_not() -> None:
    rows = [
        counted("try", "paid", 3, method="upi_qr"),
        counted("try", "failed", 1, method="upi_qr", code="Z9", words="Insufficient funds"),
        counted("try", "expired", 50, method="upi_qr"),
        counted("try", "pending", 7, method="card"),
        counted("try", "expired", 1, method="netbanking", bank="HDFC Bank"),
    ]
    charts = drawn({FIRST: rows})
    methods = [
        (each.name, each.text, each.note) for each in charts["Success rate by method"].points
    ]
    assert methods == [
        ("UPI QR", "75.0 %", "3 of 4 tries"),
        ("Net banking", "0.0 %", "0 of 1 tries"),
    ]
    assert [each.name for each in charts["Success rate by bank"].points] == ["HDFC Bank"]
    reasons = [(each.name, each.text, each.note) for each in charts["Reasons of failure"].points]
    assert reasons == [
        ("Insufficient funds (Z9)", "1", "Z9"),
        ("No code: the bank's page was left, or nobody answered in time", "1", "none"),
    ]


def test_a_span_without_business_says_so_in_every_chart() -> None:
    assert all(each.empty for each in charts_of(DAYS, {}))


def test_refunds_that_failed_are_not_given_back() -> None:
    rows = [counted("refund", "done", 1, paise=50_00), counted("refund", "failed", 1, paise=70_00)]
    assert drawn({DAYS[2]: rows})["Refunds by day"].summary == "₹50.00 in 1 refund"


def test_the_calendar_begins_on_a_monday_and_marks_days_of_the_span_alone() -> None:
    (week,) = calendar_of(DAYS, {FIRST: (123_456_00, 1)})
    assert [each["day"] for each in week] == ["", "", "", "", "20 Nov", "21 Nov", "22 Nov"]
    assert (week[4]["short"], week[4]["whole"], week[5]["short"]) == ("₹1.2L", "₹1,23,456.00", "")


def test_the_highest_column_fills_the_height() -> None:
    heights = re.findall(r'height="([\d.]+)"/>', columns([5, 10]))
    assert heights == ["100.0", "200.0"]
    assert 'width="40.0"' in bar(0.4)
    assert 'width="100.0"' in bar(7)


@pytest.mark.parametrize(
    ("paise", "text"),
    [(950_00, "₹950"), (12_400_00, "₹12.4k"), (3_10_000_00, "₹3.1L"), (2_00_00_000_00, "₹2.0Cr")],
)
def test_short_amounts(paise: int, text: str) -> None:
    assert short(paise) == text
