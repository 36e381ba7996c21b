"""A plan of payments or payouts for people: rules in order, conditions in words, costs; pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from hundi.acquirers.plans.document import RoutingFault
from hundi.acquirers.plans.rules import Prefer
from hundi.instruments.methods import CHANNELS
from hundi.kernel.money import Money, shown
from hundi.money.payouts.routing.document import PayoutPlanWords, PayoutRuleWords, PayoutWhenWords
from hundi.payments.routing.document import PlanWords, RoutingRuleWords, WhenWords
from hundi.payments.routing.replay.rules import Replay

COMPARED_LINES_MAX = 2_000
_BASIS_POINTS = 100
DAY_NAMES = {
    "mon": "Monday",
    "tue": "Tuesday",
    "wed": "Wednesday",
    "thu": "Thursday",
    "fri": "Friday",
    "sat": "Saturday",
    "sun": "Sunday",
}


@dataclass(frozen=True, slots=True)
class PlanTexts:
    """What pages say of one kind of plan.

    unreadable: what happens while it cannot be read. every: what a rule without conditions is for.
    decides: which rule decides. no_rule: what happens without rules. costs: the title of the costs,
    and their columns. try_button: of the form.
    """

    unreadable: str
    every: str
    decides: str
    no_rule: str
    costs: tuple[str, ...]
    try_button: str


OF_PAYMENTS = PlanTexts(
    "so payments go in the configured order",
    "Every attempt",
    "The first rule whose conditions hold, and that names an acquirer that can take the attempt,"
    " decides. Where none does, the configured order counts.",
    "payments go in the configured order",
    ("What acquirers take", "Channel", "Card network"),
    "Try it on the past",
)
OF_PAYOUTS = PlanTexts(
    "so no payout leaves",
    "Every payout",
    "The first rule whose conditions hold, and that names a provider that can carry the payout,"
    " decides, or one that decides in any case. Where none does, the configured order counts.",
    "payouts go in the configured order",
    ("What providers take", "Rail"),
    "Try it",
)


def rules_of(plan: PlanWords | PayoutPlanWords, names: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return the rules of a plan. names: of their merchants."""
    return [
        {
            "name": each.name,
            "note": each.note,
            "conditions": list(_conditions(each.when, names)),
            "cheapest": each.prefer is Prefer.COST,
            "use": _shares(each),
            "then": each.then,
            "rails": _rails(each),
            "only": isinstance(each, PayoutRuleWords) and each.only,
        }
        for each in plan.rules
    ]


def _rails(rule: RoutingRuleWords | PayoutRuleWords) -> str:
    return _or([each.upper() for each in rule.rails]) if isinstance(rule, PayoutRuleWords) else ""


def _conditions(
    when: WhenWords | PayoutWhenWords, names: Mapping[int, str]
) -> Iterator[tuple[str, str]]:
    if when.merchants:
        yield "Merchants", _or([f"{names.get(each, '')} {each}".strip() for each in when.merchants])
    if isinstance(when, WhenWords):
        yield from _of_instruments(when)
    limits = (("above", when.above_paise), ("up to", when.up_to_paise))
    if amounts := [f"{word} {shown(Money(paise))}" for word, paise in limits if paise]:
        yield "Amount", " and ".join(amounts)
    if when.hours:
        first, end = when.hours
        yield "Hours", f"{first:02}:00 to {end:02}:00 IST{', over midnight' if first > end else ''}"
    if when.weekdays:
        yield "Days", _or([DAY_NAMES.get(each, each) for each in when.weekdays])


def _of_instruments(when: WhenWords) -> Iterator[tuple[str, str]]:
    if when.channels:
        yield (
            "Channels",
            _or([CHANNELS[each].name if each in CHANNELS else each for each in when.channels]),
        )
    if when.networks:
        yield "Card networks", _or(when.networks)
    if when.banks:
        yield "Banks", _or(when.banks)


def _or(several: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(several[:-1]), *several[-1:])))


def _shares(rule: RoutingRuleWords | PayoutRuleWords) -> list[tuple[str, str]]:
    """Return each acquirer of a rule with its share of the attempts, "" for all of them."""
    whole = sum(each.weight for each in rule.use)
    return [
        (each.acquirer, f"{each.weight * 100 / whole:.4g} %" if len(rule.use) > 1 else "")
        for each in rule.use
    ]


def costs_of(plan: PlanWords | PayoutPlanWords) -> list[dict[str, Any]]:
    """Return the acquirers' costs in a plan; parts: by the columns of its `PlanTexts`."""
    if isinstance(plan, PayoutPlanWords):
        parted = {each.acquirer for each in plan.costs if each.rail}
        parts = [
            (each.rail.upper() or ("all others" if each.acquirer in parted else ""),)
            for each in plan.costs
        ]
    else:
        parts = list(_channels(plan))
    return [
        {
            "acquirer": each.acquirer,
            "parts": own,
            "part": f"{each.basis_points / _BASIS_POINTS:.2f} %",
            "fixed": shown(Money(each.fixed_paise)),
        }
        for each, own in zip(plan.costs, parts, strict=True)
    ]


def _channels(plan: PlanWords) -> Iterator[tuple[str, str]]:
    """Yield channel and card network of each cost."""
    parted = {(each.acquirer, each.channel) for each in plan.costs if each.network}
    for each in plan.costs:
        others = "all others" if (each.acquirer, each.channel) in parted else ""
        channel = CHANNELS[each.channel].name if each.channel in CHANNELS else each.channel
        yield channel, each.network or others


def told(fault: RoutingFault) -> str:
    """Return a fault of a plan, and its place."""
    place = ", ".join(part for part in (fault.rule, fault.field) if part)
    return f"{place}: {fault.words}" if place else fault.words


def compared(older: str, newer: str) -> list[tuple[str, str]] | None:
    """Return the lines of a comparison, None where they would be too many.

    Each has a sign: "-", "+", "" for a line in both, or "@" for omitted lines.
    """
    before, after = older.splitlines(), newer.splitlines()
    if max(len(before), len(after)) > COMPARED_LINES_MAX:
        return None
    lines = list(unified_diff(before, after, lineterm="", n=3))[2:]
    return [
        (each[0] if each[0] in "+-" else "", each[1:]) if each[0] != "@" else ("@", "")
        for each in lines
    ]


def tried_of(replay: Replay) -> dict[str, Any]:
    """Return a plan's results on past payments, with amounts for people."""
    return {
        "attempts": replay.attempts,
        "elsewhere": replay.elsewhere,
        "merchants": replay.merchants,
        "by_acquirer": [
            {
                "name": name,
                "then": _share(replay.before, name),
                "now": _share(replay.after, name),
                "uncosted": replay.after[name].uncosted if name in replay.after else 0,
            }
            for name in sorted({*replay.before, *replay.after})
        ],
        "by_rule": list(replay.by_rule.items()),
    }


def _share(shares: Mapping[str, Any], name: str) -> dict[str, Any]:
    if name not in shares:
        return {"attempts": 0, "paid": shown(Money(0)), "cost": shown(Money(0))}
    each = shares[name]
    return {
        "attempts": each.attempts,
        "paid": shown(Money(each.paid_paise)),
        "cost": shown(Money(each.cost_paise)),
    }
