"""Plans of payouts: which provider pays one out, and on which rail; pure.

`document.py` reads a plan from its document. docs/payouts.md#routing explains every term.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from functools import cached_property

from hundi.acquirers.plans.rules import Prefer, in_hours, in_order, parts_of
from hundi.acquirers.port.payouts import RailTerms
from hundi.kernel.clock import ist
from hundi.money.payouts.rules import PayoutWay


@dataclass(frozen=True, slots=True)
class PayoutProvider:
    """A connector that pays out.

    reachable: it answers this process. merchants: it is theirs; (): everybody's.
    """

    name: str
    rails: tuple[RailTerms, ...]
    reachable: bool = True
    merchants: Collection[int] = ()


def carries(terms: RailTerms, paise: int) -> bool:
    """Return whether a rail carries an amount."""
    return terms.least_paise <= paise and (terms.most_paise is None or paise <= terms.most_paise)


def is_open(terms: RailTerms, at: datetime, *, working_day: bool) -> bool:
    """Return whether a payout leaves on a rail now."""
    if terms.working_days and not working_day:
        return False
    if terms.opens == terms.closes:
        return True
    now = ist(at).time()
    if terms.closes == time.min or terms.opens < terms.closes:
        return terms.opens <= now and (terms.closes == time.min or now < terms.closes)
    return now >= terms.opens or now < terms.closes


@dataclass(frozen=True, slots=True)
class PayoutWhen:
    """The conditions of a rule; all have to hold, and an empty one always does.

    above_paise: exclusive; up_to_paise: inclusive; 0: no bound. hours: of the day in India, the
    second one exclusive. weekdays: 0 is Monday.
    """

    merchants: frozenset[int] = frozenset()
    above_paise: int = 0
    up_to_paise: int = 0
    hours: tuple[int, int] | None = None
    weekdays: frozenset[int] = frozenset()

    def holds(self, merchant_id: int, paise: int, at: datetime) -> bool:
        """Return whether all conditions hold. at: in India."""
        return (
            (not self.merchants or merchant_id in self.merchants)
            and self.above_paise < paise <= (self.up_to_paise or paise)
            and (self.hours is None or in_hours(at.hour, self.hours))
            and (not self.weekdays or at.weekday() in self.weekdays)
        )


@dataclass(frozen=True, slots=True)
class PayoutRule:
    """One rule.

    use: weights by provider. then: tried after them. rails: in this order; (): any. only: where it
    holds no other rule is looked at, so that a payout waits until one of its providers may carry
    it.
    """

    name: str
    use: Mapping[str, int]
    then: tuple[str, ...] = ()
    rails: tuple[str, ...] = ()
    when: PayoutWhen = field(default_factory=PayoutWhen)
    prefer: Prefer = Prefer.WEIGHT
    only: bool = False

    @property
    def providers(self) -> tuple[str, ...]:
        """Return all providers that it names."""
        return *self.use, *self.then


@dataclass(frozen=True, slots=True)
class PayoutCost:
    """A provider's charge for one payout on a rail; rail: "" for those without a line."""

    provider: str
    rail: str = ""
    basis_points: int = 0
    fixed_paise: int = 0


@dataclass(frozen=True)
class PayoutPlan:
    """A plan of payouts.

    version: 0 was never put into force. fault: why a stored plan cannot be read, "" where it can;
    no payout leaves by such a plan.
    """

    rules: tuple[PayoutRule, ...] = ()
    costs: tuple[PayoutCost, ...] = ()
    version: int = 0
    fault: str = ""

    @cached_property
    def _costs(self) -> Mapping[tuple[str, str], PayoutCost]:
        return {(each.provider, each.rail): each for each in self.costs}

    def cost_of(self, way: PayoutWay, paise: int) -> int | None:
        """Return a payout's cost in parts of a paisa, None where the plan gives none."""
        cost = self._costs.get((way.connector, way.rail)) or self._costs.get((way.connector, ""))
        return cost and parts_of(paise, cost.basis_points, cost.fixed_paise)


NO_PLAN = PayoutPlan()


@dataclass(frozen=True, slots=True)
class PayoutCase:
    """The facts that decide about the way of a payout. at: UTC."""

    merchant_id: int
    payout_id: int
    amount_paise: int
    at: datetime
    working_day: bool = True


def decide(
    plan: PayoutPlan, case: PayoutCase, providers: Sequence[PayoutProvider]
) -> tuple[PayoutWay, ...]:
    """Return the ways of a payout, one for each provider, in the order of trying.

    The first rule that holds and names an able provider orders them; without one, the configured
    order, a merchant's own providers first. A rail that is open now is before one that is closed, a
    provider that answers before one that does not. Only those of the rule are tried. Where there is
    none, `why_none` says why.
    """
    if plan.fault:
        return ()
    able = _able(case, providers)
    rule = _rule(plan, case, able)
    rails = rule.rails if rule else ()
    ways = {
        name: PayoutWay(name, terms[0].rail)
        for name, provider in able.items()
        if (terms := _rails(provider, case, rails))
    }
    names = _names(plan, rule, case, ways) if rule else list(ways)

    def badness(name: str) -> tuple[bool, bool]:
        provider = able[name]
        opened = any(
            is_open(each, case.at, working_day=case.working_day)
            for each in provider.rails
            if each.rail == ways[name].rail
        )
        return not provider.reachable, not opened

    return tuple(
        ways[name] for name in sorted((each for each in names if each in ways), key=badness)
    )


def deciding(
    plan: PayoutPlan, case: PayoutCase, providers: Sequence[PayoutProvider]
) -> PayoutRule | None:
    """Return the rule that decides about a payout, None for the configured order."""
    return None if plan.fault else _rule(plan, case, _able(case, providers))


def why_none(plan: PayoutPlan, case: PayoutCase, providers: Sequence[PayoutProvider]) -> str:
    """Return why a payout has no way, for people."""
    if plan.fault:
        return f"version {plan.version} of the plan of payouts cannot be read: {plan.fault}"
    able = _able(case, providers)
    rule = _rule(plan, case, able)
    if rule is None:
        pays = any(_is_for(each, case) for each in providers)
        return "no provider carries the amount" if pays else "no provider pays out"
    if any(each in able for each in rule.providers):
        return f"rule {rule.name}: no provider carries the amount over {', '.join(rule.rails)}"
    return f"rule {rule.name}: none of its providers carries it: {', '.join(rule.providers)}"


def _able(case: PayoutCase, providers: Sequence[PayoutProvider]) -> Mapping[str, PayoutProvider]:
    """Return the providers that carry a payout, the merchant's own first."""
    able = [each for each in providers if _is_for(each, case) and _rails(each, case, ())]
    return {each.name: each for each in sorted(able, key=lambda each: not each.merchants)}


def _is_for(provider: PayoutProvider, case: PayoutCase) -> bool:
    return not provider.merchants or case.merchant_id in provider.merchants


def _rule(plan: PayoutPlan, case: PayoutCase, able: Collection[str]) -> PayoutRule | None:
    """Return the rule that decides, None for the configured order. able: names of providers."""
    at = ist(case.at)
    held = (each for each in plan.rules if each.when.holds(case.merchant_id, case.amount_paise, at))
    decisive = (each for each in held if each.only or any(name in able for name in each.providers))
    return next(decisive, None)


def never_carries(rule: PayoutRule, carried: Mapping[str, Sequence[RailTerms]]) -> bool:
    """Return whether no provider of a rule carries any of its amounts over any of its rails.

    carried: what the rails of each provider carry.
    """
    least, most = rule.when.above_paise + 1, rule.when.up_to_paise
    return not any(
        (not rule.rails or each.rail in rule.rails)
        and (each.most_paise is None or least <= each.most_paise)
        and (not most or each.least_paise <= most)
        for name in rule.providers
        for each in carried.get(name, ())
    )


def _names(
    plan: PayoutPlan, rule: PayoutRule, case: PayoutCase, ways: Mapping[str, PayoutWay]
) -> list[str]:
    """Return the providers of a rule in its order of preference."""

    def cost_of(name: str) -> int | None:
        return plan.cost_of(ways[name], case.amount_paise) if name in ways else None

    return in_order(rule.use, rule.then, rule.prefer, str(case.payout_id), cost_of)


def _rails(
    provider: PayoutProvider, case: PayoutCase, preferred: tuple[str, ...]
) -> list[RailTerms]:
    """Return the rails that carry a payout: open ones first, then in the order of preference.

    preferred: the rule's rails, which alone count; () for the provider's own order.
    """
    able = [each for each in provider.rails if carries(each, case.amount_paise)]
    if preferred:
        able = [each for name in preferred for each in able if each.rail == name]
    return sorted(able, key=lambda each: not is_open(each, case.at, working_day=case.working_day))
