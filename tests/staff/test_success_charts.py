"""What the charts of success say: the span, the week before it, and where a drop comes from."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from hundi.console.drawing import ChartMark
from hundi.console.queries.success import TryFilters
from hundi.console.success_charts import (
    ComparedTallies,
    SuccessLinks,
    by_name,
    by_reason,
    by_time,
    cause_of,
    method_words,
)
from hundi.console.success_spans import WEEK, narrowed, part_of, span_of
from hundi.page.outcomes import said_to_customers
from hundi.payments.tallies.rules import HOUR, HourTally, TallyKind

NOW = datetime(2026, 11, 29, 9, 40, tzinfo=UTC)
"""15:10 on a Sunday in India."""
BEGUN = datetime(2026, 11, 29, 9, 30, tzinfo=UTC)
LINKS = SuccessLinks("/console/1/success/tries", {"span": "today", "outcome": "not-paid"})


def tries(state: str, number: int, at: datetime = BEGUN, **more: Any) -> HourTally:
    row = {
        **dict.fromkeys(("bank", "bank_name", "code", "words"), ""),
        "merchant_id": 1,
        "hour": at,
        "what": TallyKind.ATTEMPT,
        "method": "netbanking",
        "connector": "sandbox",
        "paise": 0,
    }
    return HourTally(**{**row, "state": state, "number": number, **more})


def compared(*tallies: HourTally, span: str = "today", **filters: Any) -> ComparedTallies:
    chosen = span_of(span, NOW)
    ended = narrowed(tallies, TryFilters(**filters))
    now = [each for each in ended if chosen.since <= each.hour < chosen.ends]
    before = [each for each in ended if chosen.since <= each.hour + WEEK < chosen.ends]
    return ComparedTallies(chosen, now, before)


@pytest.mark.parametrize(
    ("text", "name", "columns", "hours"),
    [
        ("", "today", 24, 16),
        ("today", "today", 24, 16),
        ("yesterday", "yesterday", 24, 24),
        ("2026-11-28", "yesterday", 24, 24),
        ("2026-11-20", "2026-11-20", 24, 24),
        ("2027-01-01", "today", 24, 16),
        ("7", "7", 7, 6 * 24 + 16),
        ("90", "90", 90, 89 * 24 + 16),
        ("91", "today", 24, 16),
    ],
)
def test_an_address_names_a_span_of_whole_hours(
    text: str, name: str, columns: int, hours: int
) -> None:
    span = span_of(text, NOW)
    assert (span.name, len(span.columns)) == (name, columns)
    assert (span.ends - span.since) / HOUR == hours


def test_a_part_of_a_span_is_an_hour_or_a_day() -> None:
    span = span_of("today", NOW)
    assert part_of("2026-11-29T15", span) == (BEGUN, BEGUN + HOUR)
    since, until = part_of("2026-11-28", span)
    assert (until, until - since) == (span.since, timedelta(days=1))
    for text in ("", "T15", "x", "2026-11-31"):
        assert part_of(text, span) == (span.since, span.ends)


def test_success_stands_beside_the_same_hours_of_the_week_before() -> None:
    both = compared(
        tries("paid", 3),
        tries("failed", 1),
        tries("paid", 9, BEGUN - WEEK),
        tries("unknown", 1, BEGUN - WEEK),
        tries("paid", 50, BEGUN - WEEK + HOUR),
        tries("paid", 50, BEGUN - timedelta(days=1)),
    )
    mark = ChartMark(15, NOW, "15:10: Routing was changed.")
    chart = by_time(both, LINKS, [mark])
    assert chart.summary == "75.0 %, 3 of 4 paid; a week before 90.0 %, 9 of 10 paid"
    point = chart.points[15]
    assert (point.name, point.text, point.note) == ("15:00", "75.0 %", "3 of 4 paid")
    assert point.more == ("90.0 %", "9 of 10 paid")
    assert parse_qs(urlsplit(point.href).query)["at"] == ["2026-11-29T15"]
    assert chart.points[16].more == ("none", "no try"), "that hour has not begun today"
    assert chart.marks == [mark]
    assert chart.drawn.count('class="change"') == 1  # type: ignore[arg-type]


def test_an_offer_that_nobody_used_and_a_try_that_goes_on_are_no_tries() -> None:
    both = compared(
        tries("expired", 50, method="upi_qr"),
        tries("pending", 7),
        tries("paid", 3, method="upi_qr"),
        tries("expired", 1),
    )
    assert both.rates[0].counts == "3 of 4 paid"


def test_each_method_bank_and_acquirer_leads_to_its_tries() -> None:
    both = compared(
        tries("paid", 1, bank="SBIN", bank_name="State Bank of India"),
        tries("failed", 3, bank="SBIN", bank_name="State Bank of India", connector="other"),
        tries("paid", 1, method="upi_qr"),
    )
    banks = by_name("t", "Bank", both, LINKS, "bank", lambda tally: tally.bank_name)
    assert [(each.name, each.text) for each in banks.points] == [("State Bank of India", "25.0 %")]
    assert banks.points[0].href.endswith("bank=SBIN")
    acquirers = by_name("t", "Acquirer", both, LINKS, "connector", lambda tally: tally.connector)
    assert [each.href.rpartition("&")[2] for each in acquirers.points] == [
        "acquirer=other",
        "acquirer=sandbox",
    ]


def test_reasons_are_in_the_words_of_the_bank_and_in_those_of_customers() -> None:
    both = compared(
        tries("failed", 2, code="51", words="Insufficient funds"),
        tries("expired", 1),
        tries("failed", 5, BEGUN - WEEK, code="51", words="Insufficient funds"),
        tries("paid", 9, code="00", words="Approved"),
    )
    chart = by_reason(both, LINKS, said_to_customers)
    assert [(each.name, each.text, each.note, each.more) for each in chart.points] == [
        (
            "Insufficient funds (51)",
            "2",
            "The customer reads: There was not enough money in the account.",
            ("5",),
        ),
        (
            "No code: the bank's page was left, or nobody answered in time",
            "1",
            "The customer reads: You left your bank's page, and your bank says nothing was paid.",
            ("0",),
        ),
    ]
    assert [each.href.rpartition("&")[2] for each in chart.points] == ["code=51", "code=none"]


def test_a_drop_is_laid_at_the_bank_that_lost_most_against_its_own_week_before() -> None:
    sbi = {"bank": "SBIN", "bank_name": "State Bank of India"}
    both = compared(
        tries("paid", 2, **sbi),
        tries("failed", 8, **sbi),
        tries("paid", 5, method="upi_qr"),
        tries("failed", 5, method="upi_qr"),
        tries("paid", 10, BEGUN - WEEK, **sbi),
        tries("paid", 5, BEGUN - WEEK, method="upi_qr"),
        tries("failed", 5, BEGUN - WEEK, method="upi_qr"),
    )
    cause = cause_of(both, LINKS)
    assert cause is not None
    assert cause.words == (
        "Most of the drop: Net banking, State Bank of India. 2 of 10 paid; a week before 10 of 10"
        " paid."
    )
    assert cause.href.endswith("method=netbanking&bank=SBIN")


@pytest.mark.parametrize(("now", "before"), [((9, 1), (8, 2)), ((0, 4), (9, 1)), ((1, 9), (0, 0))])
def test_nothing_is_said_of_a_rise_or_of_few_tries(
    now: tuple[int, int], before: tuple[int, int]
) -> None:
    numbers = ((*now, BEGUN), (*before, BEGUN - WEEK))
    tallies = [
        tries(state, number, at)
        for paid, failed, at in numbers
        for state, number in (("paid", paid), ("failed", failed))
        if number
    ]
    assert cause_of(compared(*tallies), LINKS) is None


def test_filters_narrow_to_method_bank_acquirer_and_code() -> None:
    tallies = [tries("failed", 1, bank="SBIN", code="51"), tries("failed", 2, method="card")]
    assert [each.number for each in narrowed(tallies, TryFilters(method="card"))] == [2]
    assert [each.number for each in narrowed(tallies, TryFilters(bank="SBIN"))] == [1]
    assert [each.number for each in narrowed(tallies, TryFilters(code=""))] == [2]
    assert narrowed(tallies, TryFilters(connector="nobody")) == []


def test_methods_have_one_name_for_people() -> None:
    assert method_words("upi_qr") == "UPI QR"
    assert method_words("bank_slip") == "Bank slip"
