"""Warnings about a routing plan, which do not refuse it."""

from collections.abc import Collection, Iterator, Sequence

from hundi.acquirers.plans.document import HOURS, PAISE_MAX, RoutingFault, RoutingFaultCode
from hundi.acquirers.plans.rules import Prefer, in_hours
from hundi.payments.routing.rules import RoutingPlan, RoutingRule, When


def warnings(plan: RoutingPlan, disabled: Collection[str]) -> tuple[RoutingFault, ...]:
    """Return what an operator may not have intended; the plan can be put into force.

    disabled: the names of the accounts that take no new payments.
    """
    return (*_unreachable(plan.rules), *_without_cost(plan), *_disabled(plan.rules, disabled))


def _unreachable(rules: Sequence[RoutingRule]) -> Iterator[RoutingFault]:
    for place, rule in enumerate(rules):
        before = next((each for each in rules[:place] if covers(each.when, rule.when)), None)
        if before is not None:
            words = f"{before.name}, which comes before it, is for all its attempts"
            yield RoutingFault(RoutingFaultCode.UNREACHABLE, rule.name, "when", words)


def covers(wide: When, narrow: When) -> bool:
    """Return whether the wide conditions hold wherever the narrow ones do."""
    sets = ("merchants", "channels", "networks", "banks", "weekdays")
    pairs = ((getattr(wide, each), getattr(narrow, each)) for each in sets)
    if any(mine and not (theirs and theirs <= mine) for mine, theirs in pairs):
        return False
    highest = PAISE_MAX
    if wide.above_paise > narrow.above_paise or (wide.up_to_paise or highest) < (
        narrow.up_to_paise or highest
    ):
        return False
    if (wide.above_paise or wide.up_to_paise) and not (narrow.above_paise or narrow.up_to_paise):
        return False
    hours = [each for each in range(HOURS) if narrow.hours is None or in_hours(each, narrow.hours)]
    return wide.hours is None or all(in_hours(each, wide.hours) for each in hours)


def _without_cost(plan: RoutingPlan) -> Iterator[RoutingFault]:
    priced = {(each.acquirer, each.channel) for each in plan.costs}
    for rule in plan.rules:
        if rule.prefer is not Prefer.COST:
            continue
        for name in rule.use:
            missing = [code for code in rule.when.channels if (name, code) not in priced]
            if missing or not any(name == acquirer for acquirer, _ in priced):
                where = ", ".join(sorted(missing)) or "any channel"
                yield RoutingFault(
                    RoutingFaultCode.NO_COST,
                    rule.name,
                    "prefer",
                    f"no cost of {name} is known for {where}",
                )


def _disabled(rules: Sequence[RoutingRule], disabled: Collection[str]) -> Iterator[RoutingFault]:
    for rule in rules:
        for name in rule.acquirers:
            if name in disabled:
                words = f"{name} is disabled: it takes no new payments until it is enabled"
                yield RoutingFault(RoutingFaultCode.DISABLED, rule.name, "use and then", words)
