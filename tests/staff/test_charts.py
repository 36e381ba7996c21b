"""What the charts of a home page say, from tallies."""

import re
from datetime import date, timedelta
from typing import Any

import pytest

from hundi.console.charts import COUNTING, calendar_of, charts_of, span_of
from hundi.console.drawing import Point, bar, columns, short
from hundi.console.queries.bounded import midnight
from hundi.payments.tallies.rules import HourTally, TallyKind

FIRST = date(2026, 11, 20)
DAYS = [FIRST + timedelta(days=each) for each in range(3)]


def counted(what: TallyKind, state: str, number: int, day: date = FIRST, **more: Any) -> HourTally:
    """Return a tally of the noon of a day."""
    return HourTally(
        **{
            "merchant_id": 1,
            "hour": midnight(day) + timedelta(hours=12),
            "what": what,
            "state": state,
            "number": number,
            **dict.fromkeys(("method", "bank", "connector", "code", "bank_name", "words"), ""),
            "paise": 0,
            **more,
        }
    )


def drawn(*tallies: HourTally) -> dict[str, Any]:
    return {each.title: each for each in charts_of(DAYS, tallies)}


@pytest.mark.parametrize(
    ("asked", "days"), [("7", 7), ("30", 30), ("90", 90), ("", 30), ("91", 30), ("-7", 30)]
)
def test_an_address_chooses_one_of_three_spans(asked: str, days: int) -> None:
    assert span_of({"days": asked}) == days


def test_paid_by_day_counts_what_was_paid_and_shows_days_without_any() -> None:
    chart = drawn(
        counted(TallyKind.PAYMENT, "paid", 2, paise=300_00),
        counted(TallyKind.PAYMENT, "expired", 5),
    )["Paid by day"]
    assert [(each.name, each.text, each.note) for each in chart.points] == [
        ("Fri 20 Nov", "₹300.00", "2"),
        ("Sat 21 Nov", "₹0.00", "0"),
        ("Sun 22 Nov", "₹0.00", "0"),
    ]
    assert chart.summary == "₹300.00 in 2 payments"
    assert chart.drawn.count("<rect") == 1


def test_payments_are_counted_by_the_indian_hour_in_which_they_began() -> None:
    chart = drawn(counted(TallyKind.PAYMENT, "paid", 2), counted(TallyKind.PAYMENT, "expired", 5))[
        "Payments by hour of the day"
    ]
    assert chart.summary == "Busiest from 12:00 to 13:00"
    assert (chart.points[12].text, chart.points[12].note) == ("7 started", "2 paid")


def test_a_span_without_business_says_so_in_every_chart_but_not_while_it_is_counted() -> None:
    assert all(each.empty for each in charts_of(DAYS, ()))
    assert {each.empty for each in charts_of(DAYS, (), counting=True)} == {COUNTING}


def test_refunds_that_failed_are_not_given_back() -> None:
    tallies = [
        counted(TallyKind.REFUND, "done", 1, DAYS[2], paise=50_00),
        counted(TallyKind.REFUND, "failed", 1, DAYS[2], paise=70_00),
    ]
    assert drawn(*tallies)["Refunds by day"].summary == "₹50.00 in 1 refund"


def test_the_calendar_begins_on_a_monday_and_marks_days_of_the_span_alone() -> None:
    (week,) = calendar_of(DAYS, {FIRST: (123_456_00, 1)})
    assert [each["day"] for each in week] == ["", "", "", "", "20 Nov", "21 Nov", "22 Nov"]
    assert (week[4]["short"], week[4]["whole"], week[5]["short"]) == ("₹1.2L", "₹1,23,456.00", "")


def test_the_highest_column_fills_the_height() -> None:
    points = [Point("a", 5, "5"), Point("b", 10, "10")]
    heights = re.findall(r'height="([\d.]+)"/>', columns(points))
    assert heights == ["100.0", "200.0"]
    assert 'width="40.0"' in bar(0.4)
    assert 'width="100.0"' in bar(7)


@pytest.mark.parametrize(
    ("paise", "text"),
    [(950_00, "₹950"), (12_400_00, "₹12.4k"), (3_10_000_00, "₹3.1L"), (2_00_00_000_00, "₹2.0Cr")],
)
def test_short_amounts(paise: int, text: str) -> None:
    assert short(paise) == text


def test_a_bar_leads_to_the_payments_of_its_day_and_an_empty_day_nowhere() -> None:
    tallies = [counted(TallyKind.PAYMENT, "paid", 2, DAYS[1], paise=300_00)]
    lists = {TallyKind.PAYMENT: "/console/1/payments"}
    chart = {each.title: each for each in charts_of(DAYS, tallies, lists)}["Paid by day"]
    address = f"/console/1/payments?since={DAYS[1]}&until={DAYS[1]}"
    assert [each.href for each in chart.points] == ["", address, ""]
    assert str(chart.drawn).count('<a href="') == 1
