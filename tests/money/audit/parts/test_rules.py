"""The parts of an audit: each day is in one of them, and what all found is one report."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.records import replace
from hundi.money.audit.parts.rules import BEGINNING, AuditPart, Days, planned, summed
from hundi.money.audit.rules import (
    SAMPLES_MAX,
    BankComparison,
    CheckResult,
    Note,
    Report,
    Sample,
    Violation,
)

AT = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)
DAY = AT.date()
_DAYS = st.dictionaries(st.dates(date(2024, 1, 1), DAY), st.integers(0, 50)).map(
    lambda days: sorted(days.items())
)


@given(_DAYS, st.integers(1, 100))
def test_every_day_is_in_one_part_and_a_part_of_several_days_is_small(
    links_by_day: list[tuple[date, int]], links_max: int
) -> None:
    plan = planned("c", "", links_by_day, links_max).plan
    assert plan[0].since == BEGINNING
    assert plan[-1].before is None
    assert [each.before for each in plan[:-1]] == [each.since for each in plan[1:]]
    for part in plan:
        links = [
            links
            for day, links in links_by_day
            if part.since <= day and (part.before is None or day < part.before) and links
        ]
        assert len(links) < 2 or sum(links) <= links_max


def test_books_without_a_seal_are_one_part() -> None:
    parts = planned("c", "", [])
    assert parts.plan == (Days(BEGINNING),)
    assert parts.following == Days(BEGINNING)


def _found(violation: Violation, count: int, name: str) -> CheckResult:
    samples = tuple(Sample(f"{name} {each}", "wrong") for each in range(min(count, SAMPLES_MAX)))
    return CheckResult(violation, count, samples)


def test_the_report_sums_what_all_parts_found() -> None:
    last = Report(
        AT,
        (_found(Violation.EVENT_GAP, 3, "last"), _found(Violation.SHARE_SETTLED_TWICE, 1, "whole")),
        {Note.OWED_BACK: 2},
        {"payments": 7, "payments_changed": 3},
        {"sandbox": BankComparison.COMPARED},
        DAY,
    )
    parts = planned("c", "ab", [(DAY - timedelta(days=9), 5), (DAY, 5)], 5)
    assert parts.plan == (Days(BEGINNING, DAY), Days(DAY))
    first = AuditPart(parts.plan[0], AT, (_found(Violation.EVENT_GAP, 19, "first"),))
    parts = replace(parts, done=(first,))
    assert parts.following == Days(DAY)
    parts = replace(parts, report=last)
    assert parts.following is None
    assert parts.is_sound([Violation.EVENT_GAP])
    assert not parts.is_sound([Violation.EVENT_GAP, Violation.SHARE_SETTLED_TWICE])
    assert not replace(parts, done=()).is_sound([Violation.EVENT_GAP]), "a part is missing"
    for plan in ((), (Days(DAY),), (Days(BEGINNING, DAY),), (*parts.plan, Days(DAY))):
        assert not replace(parts, plan=plan, done=(), report=None).is_sound([])
    report = summed(parts)
    assert report.since is None
    assert not report.holds
    gap, missing = report.checked
    assert (gap.count, len(gap.samples), gap.samples[0].subject) == (22, SAMPLES_MAX, "first 0")
    assert missing == last.checked[1]
    assert (report.notes, report.acquirers) == (last.notes, last.acquirers)
    assert report.figures == {"payments": 7}
