"""Try a rule set on past payments, with counts of its own; pure."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from hundi.payments.risk.counting.rules import hour_of, minute_of, subjects_of
from hundi.payments.risk.rules import Action, Counts, Facts, Metric, RiskCount, RuleSet, decide

PAID = frozenset({"paid", "authorised"})
DECLINED = "failed"
SAMPLES_MAX = 20


@dataclass(frozen=True, slots=True)
class PastRiskTry:
    """A past try.

    outcome: the state of its attempt, or `blocked`. ended_at: when its outcome was known.
    """

    facts: Facts
    at: datetime
    outcome: str
    ended_at: datetime | None
    order_id: str


@dataclass(slots=True)
class RuleReport:
    """What one rule would have done.

    paid, declined: matching tries that ended so.
    """

    rule: str
    action: Action
    tries: int = 0
    paid: int = 0
    declined: int = 0
    orders: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a rule set would have done in the past.

    paid_lost: paid tries that it would have blocked.
    """

    tries: int
    by_action: dict[str, int]
    paid_lost: int
    rules: tuple[RuleReport, ...]


@dataclass(slots=True)
class _History:
    """One subject's past, in the order of time: times, and beside each its card and amount."""

    at: list[datetime] = field(default_factory=list)
    what: list[tuple[str, int]] = field(default_factory=list)

    def add(self, at: datetime, card: str, paise: int) -> None:
        self.at.append(at)
        self.what.append((card, paise))

    def since(self, moment: datetime) -> Sequence[tuple[str, int]]:
        return self.what[bisect_left(self.at, moment) :]


def replay(rule_set: RuleSet, past: Sequence[PastRiskTry]) -> Replayed:
    """Return a rule set's verdict on each try.

    Tries that it would have blocked count all the same.
    """
    tried: defaultdict[tuple[str, str], _History] = defaultdict(_History)
    declined: defaultdict[tuple[str, str], _History] = defaultdict(_History)
    reports = {each.name: RuleReport(each.name, each.action) for each in rule_set.rules}
    by_action = dict.fromkeys(map(str, Action), 0)
    paid_lost = 0
    for moment, is_end, each in _in_time(past):
        facts = each.facts
        if is_end:
            for key in subjects_of(facts).items():
                declined[key].add(moment, facts.card, -facts.amount_paise)
            continue
        for key in subjects_of(facts).items():
            tried[key].add(moment, facts.card, facts.amount_paise)
        verdict = decide((rule_set,), facts, _counts(rule_set, facts, tried, declined, moment))
        by_action[verdict.action] += 1
        paid_lost += verdict.action is Action.BLOCK and each.outcome in PAID
        if verdict.rule:
            _note(reports[verdict.rule], each)
    return Replayed(sum(by_action.values()), by_action, paid_lost, tuple(reports.values()))


def _note(report: RuleReport, each: PastRiskTry) -> None:
    report.tries += 1
    report.paid += each.outcome in PAID
    report.declined += each.outcome == DECLINED
    if len(report.orders) < SAMPLES_MAX and each.order_id not in report.orders:
        report.orders.append(each.order_id)


def _in_time(past: Sequence[PastRiskTry]) -> Iterator[tuple[datetime, bool, PastRiskTry]]:
    """Yield tries and declines in the order of time: (time, whether it is a decline, try)."""
    moments = [(each.at, False, each) for each in past]
    moments += [
        (each.ended_at, True, each) for each in past if each.outcome == DECLINED and each.ended_at
    ]
    yield from sorted(moments, key=lambda moment: moment[:2])


def _counts(
    rule_set: RuleSet,
    facts: Facts,
    tried: defaultdict[tuple[str, str], _History],
    declined: defaultdict[tuple[str, str], _History],
    now: datetime,
) -> Counts:
    subjects = subjects_of(facts)
    counts: dict[RiskCount, int] = {}
    for count in rule_set.counts:
        text = subjects.get(count.by)
        if text is None:
            continue
        key, since = (count.by, text), count.since(now)
        whole = minute_of(since) if count.by_the_minute else hour_of(since)
        match count.metric:
            case Metric.TRIES:
                counts[count] = len(tried[key].since(whole))
            case Metric.DECLINES:
                counts[count] = len(declined[key].since(whole))
            case Metric.AMOUNT_PAISE:
                both = (*tried[key].since(whole), *declined[key].since(whole))
                counts[count] = sum(paise for _, paise in both)
            case Metric.CARDS:
                counts[count] = len({card for card, _ in tried[key].since(since) if card})
            case Metric.DECLINED_CARDS:
                counts[count] = len({card for card, _ in declined[key].since(since) if card})
    return counts
