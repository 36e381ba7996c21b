"""Try a plan on past payouts: which would have gone another way, and at what cost; pure."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from hundi.kernel.records import replace
from hundi.money.payouts.routing.rules import (
    PayoutCase,
    PayoutPlan,
    PayoutProvider,
    decide,
    deciding,
)
from hundi.money.payouts.rules import PayoutWay


@dataclass(slots=True)
class PastShare:
    """What one provider had. cost_parts: in parts of a paisa, of payouts whose cost is known."""

    payouts: int = 0
    paise: int = 0
    cost_parts: int = 0


@dataclass(slots=True)
class PayoutReplay:
    """What a plan would have done. waiting: payouts that no provider would have carried then.

    before, after: by provider. by_rule: payouts by the rule that decides, "" for none. merchants:
    those that were looked at to the end.
    """

    payouts: int = 0
    elsewhere: int = 0
    waiting: int = 0
    merchants: int = 0
    before: dict[str, PastShare] = field(default_factory=lambda: defaultdict(PastShare))
    after: dict[str, PastShare] = field(default_factory=lambda: defaultdict(PastShare))
    by_rule: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def add(
    replay: PayoutReplay,
    plan: PayoutPlan,
    case: PayoutCase,
    sent: PayoutWay,
    providers: Sequence[PayoutProvider],
) -> None:
    """Add a past payout to a replay. sent: how it left.

    Whether providers answered then is not kept, so each counts as reachable.
    """
    able = [replace(provider, reachable=True) for provider in providers]
    rule, ways = deciding(plan, case, able), decide(plan, case, able)
    replay.payouts += 1
    replay.by_rule[rule.name if rule else ""] += 1
    _add(replay.before[sent.connector], plan, case, sent)
    if not ways:
        replay.waiting += 1
        return
    _add(replay.after[ways[0].connector], plan, case, ways[0])
    replay.elsewhere += ways[0] != sent


def _add(share: PastShare, plan: PayoutPlan, case: PayoutCase, way: PayoutWay) -> None:
    share.payouts += 1
    share.paise += case.amount_paise
    share.cost_parts += plan.cost_of(way, case.amount_paise) or 0
