"""The parts of an audit: which days each has, what was found, and the sum of all."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import zip_longest

from hundi.kernel.records import replace
from hundi.money.audit.rules import SAMPLES_MAX, CheckResult, Report

BEGINNING = date(2000, 1, 1)
"""No books are older."""
CHANGED = "payments_changed"
"""The figure that is of some days alone."""
LINKS_MAX = 5_000_000
"""Sealed rows of a part that has more than one day: about half a million payments."""


@dataclass(frozen=True, slots=True)
class Days:
    """Business days: `since` to the day before `before`; None: and on."""

    since: date
    before: date | None = None


@dataclass(frozen=True, slots=True)
class LastDays(Days):
    """The days of the last part: the others have checked everything before them."""


@dataclass(frozen=True, slots=True)
class AuditPart:
    """What was found in some days, and when (UTC)."""

    days: Days
    at: datetime
    checked: tuple[CheckResult, ...]


@dataclass(frozen=True, slots=True)
class AuditParts:
    """An audit in parts.

    checks: the digest of what the parts check, as another Hundi may check more. oldest: the hash of
    the oldest block in hexadecimal, "" where there was none: it says whose books they are. plan:
    the days of each part, the last one without an end. done: the parts before the last that are
    over. report: of the last one.
    """

    checks: str
    oldest: str
    plan: tuple[Days, ...]
    done: tuple[AuditPart, ...] = ()
    report: Report | None = None

    def is_sound(self, names: Collection[str]) -> bool:
        """Return whether the plan has each day once, and each part that is over all checks."""
        ends = [days.before for days in self.plan]
        begins = [days.since for days in self.plan]
        return (
            begins[:1] == [BEGINNING]
            and ends == [*begins[1:], None]
            and begins == sorted(set(begins))
            and [part.days for part in self.done] == [*self.plan[: len(self.done)]]
            and len(self.done) < len(self.plan)
            and (self.report is None or len(self.done) == len(self.plan) - 1)
            and all({check.violation for check in part.checked} == {*names} for part in self.done)
        )

    @property
    def following(self) -> Days | None:
        """Return the days of the next part, None after the last."""
        return None if self.report else self.plan[len(self.done)]


def planned(
    checks: str, oldest: str, links_by_day: Sequence[tuple[date, int]], links_max: int = LINKS_MAX
) -> AuditParts:
    """Return an audit that has not begun, of all days there are.

    links_by_day: how many sealed rows each day has. links_max: of a part with several days.
    """
    begins, links = [BEGINNING], 0
    for day, more in links_by_day:
        if links and links + more > links_max:
            begins.append(day)
            links = 0
        links += more
    return AuditParts(
        checks, oldest, tuple(Days(*each) for each in zip_longest(begins, begins[1:]))
    )


def summed(parts: AuditParts) -> Report:
    """Return the report of all parts. A payment that changed in several is checked in each."""
    assert parts.report, "the last part is not done"
    found = [check for part in parts.done for check in part.checked]
    return replace(
        parts.report,
        checked=tuple(
            _with(last, [each for each in found if each.violation is last.violation])
            for last in parts.report.checked
        ),
        figures={name: count for name, count in parts.report.figures.items() if name != CHANGED},
        since=None,
    )


def _with(last: CheckResult, others: Sequence[CheckResult]) -> CheckResult:
    samples = [sample for each in (*others, last) for sample in each.samples]
    return CheckResult(
        last.violation,
        last.count + sum(each.count for each in others),
        tuple(samples[:SAMPLES_MAX]),
    )
