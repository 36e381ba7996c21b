"""Try a plan on past attempts: what would have gone elsewhere, and at what cost; pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hundi.acquirers.plans.rules import whole_paise
from hundi.acquirers.registry import Way
from hundi.instruments.methods import (
    CARD,
    CARD_DIRECT,
    CHANNEL_OF_METHOD,
    METHODS,
    UPI,
    UPI_LINK,
    UPI_QR,
    Method,
)
from hundi.kernel.moves import SUCCESSFUL
from hundi.kernel.states import PaymentKind
from hundi.payments.routing.needs.rules import RUPEES, Needs
from hundi.payments.routing.rules import NOT_FOR_THIS, RoutingCase, RoutingPlan, decide

ALIKE: Mapping[str, tuple[Method, ...]] = {
    **dict.fromkeys((CARD.name, CARD_DIRECT.name), (CARD, CARD_DIRECT)),
    **dict.fromkeys((UPI_QR.name, UPI_LINK.name), UPI.first_steps),
}
"""Methods that differ by acquirer and not for customers: each stands for the others."""


@dataclass(frozen=True, slots=True)
class PastAttempt:
    """A past attempt. acquirer: where it was made.

    paid: whether it paid or held its amount.
    """

    case: RoutingCase
    among: tuple[Method, ...]
    acquirer: str
    paid: bool

    @classmethod
    def of(cls, merchant_id: int, row: Mapping[str, Any]) -> "PastAttempt":
        """Return the attempt of a row."""
        restrictions: Mapping[str, Any] = row["restrictions"] or {}
        needs = Needs(
            PaymentKind(row["kind"]),
            row["currency"],
            bool(restrictions.get("payer_account")),
            bool(restrictions.get("card_types")),
        )
        case = RoutingCase(
            merchant_id,
            needs,
            row["payment_id"],
            row["tries"],
            CHANNEL_OF_METHOD[row["method"]].code,
            row["network"] or "",
            row["bank"],
            row["amount_paise"],
            row["at"],
        )
        among = ALIKE.get(row["method"], (METHODS[row["method"]],))
        return cls(case, among, row["connector"], row["state"] in SUCCESSFUL)


@dataclass(slots=True)
class AcquirerShare:
    """One acquirer's share of the attempts.

    paid_paise, cost: of those paid in rupees; the cost in parts of a paisa. uncosted: those for
    which the plan has no cost.
    """

    attempts: int = 0
    paid_paise: int = 0
    cost: int = 0
    uncosted: int = 0

    @property
    def cost_paise(self) -> int:
        """Return the cost in whole paise."""
        return whole_paise(self.cost)


@dataclass(slots=True)
class Replay:
    """What a plan would have done.

    elsewhere: attempts that would have gone to another acquirer. before, after: by acquirer, what
    happened and what would have. by_rule: attempts that each rule decided, "" for none. merchants:
    those whose attempts were all read.
    """

    attempts: int = 0
    elsewhere: int = 0
    merchants: int = 0
    before: dict[str, AcquirerShare] = field(default_factory=lambda: defaultdict(AcquirerShare))
    after: dict[str, AcquirerShare] = field(default_factory=lambda: defaultdict(AcquirerShare))
    by_rule: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def add(replay: Replay, plan: RoutingPlan, past: PastAttempt, ways: Sequence[Way]) -> None:
    """Add an attempt to a replay. ways: those that can take it now."""
    route = decide(plan, past.case, ways, {}, lambda _: NOT_FOR_THIS)
    then = route.first.connector.name if route.first else past.acquirer
    replay.attempts += 1
    replay.elsewhere += then != past.acquirer
    replay.by_rule[route.routed.rule] += 1
    for name, shares in ((past.acquirer, replay.before), (then, replay.after)):
        share, cost = shares[name], plan.cost_of(name, past.case)
        share.attempts += 1
        if past.paid and past.case.needs.currency == RUPEES:
            share.paid_paise += past.case.amount_paise
            share.cost += cost or 0
            share.uncosted += cost is None
