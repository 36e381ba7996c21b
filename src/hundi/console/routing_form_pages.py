"""The pages of a plan's form: rows come and go, text becomes a form and a form text."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from litestar import Response

from hundi.acquirers.plans.document import COSTS_MAX, RULES_MAX
from hundi.console import payout_plans, routing_plans
from hundi.console.form_rows import folded, without_row
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import id_of
from hundi.console.plan_pages import DOCUMENT_MAX, FORM_BYTES_MAX, PlanKind
from hundi.console.plan_words import DAY_NAMES
from hundi.console.routing_form import (
    PAYMENTS,
    PAYOUTS,
    PREFERS,
    PlanShape,
    costs_in,
    filled_in,
    routing_fields,
    rules_in,
    typed_routing,
)
from hundi.console.visits import ConsoleVisit
from hundi.instruments.card import Scheme
from hundi.instruments.methods import CHANNELS
from hundi.money.payouts.rails.rules import Rail
from hundi.staff.people.rules import Permission

_PREFERS = {"weight": "Each gets its share", "cost": "The cheapest for the amount gets them"}
assert set(_PREFERS) == set(PREFERS)
_FIRST: Mapping[str, str] = {"r1_name": "everything"}
_NAMES = {"r": ("name", rules_in), "c": ("acquirer", costs_in)}
"""The field that every row has, and the rows of a form, by the beginning of their fields."""


@dataclass(frozen=True, slots=True)
class PlanFormPages:
    """The pages of one kind of plan's form.

    acquirers: that there are, as the shape reads them. review: shows a plan without faults, tried
    on the past and compared with the one in force, before it is published.
    """

    kind: PlanKind
    shape: PlanShape
    acquirers: Callable[[ConsoleVisit], Any]
    review: Callable[[ConsoleVisit, str, int], Awaitable[Response[Any]]]

    async def show(self, visit: ConsoleVisit) -> Response[Any]:
        """Show the form, filled in with the plan in force."""
        live = await self.kind.store.select_live(visit.db)
        seen = live["version"] if live else 0
        fields = routing_fields(live["document"], self.shape) if live else _FIRST
        if fields is None:
            return await self.kind.form(visit, live["document"] if live else "", seen)
        return self._page(visit, fields, seen)

    async def act(self, visit: ConsoleVisit) -> Response[Any]:
        """Do what the pressed button says with the form; nothing is published."""
        pressed, fields = visit.form.get("act", ""), dict(visit.form)
        seen = id_of(fields.get("seen", "")) or 0
        if "document" in fields:
            document = fields["document"].replace("\r\n", "\n")[:DOCUMENT_MAX]
            as_form = routing_fields(document, self.shape)
            if as_form is None:
                faults = ["it has not the shape of a plan"]
                return await self.kind.form(visit, document, seen, faults=faults)
            return self._page(visit, as_form, seen)
        changed = _with_rows(fields, pressed)
        if changed is not None:
            return self._page(visit, changed, seen)
        typed = typed_routing(fields, self.acquirers(visit), self.shape)
        if typed.faults:
            return self._page(visit, fields, seen, typed.faults)
        return await self.review(visit, typed.text, seen)

    def _page(
        self,
        visit: ConsoleVisit,
        fields: Mapping[str, str],
        seen: int,
        faults: Mapping[str, str] | None = None,
    ) -> Response[Any]:
        rules, costs = rules_in(fields), costs_in(fields)
        used = {number: filled_in(fields, f"r{number}_use_") for number in rules}
        names = self.kind.names(visit)
        return visit.page(
            "routing_form.html",
            self.kind.another,
            409 if faults else 200,
            fields=fields,
            seen=seen,
            rules=rules,
            costs=costs,
            folded=folded("r", rules, fields, faults or {}),
            folded_costs=folded("c", costs, fields, faults or {}),
            rules_max=RULES_MAX,
            costs_max=COSTS_MAX,
            shape=self.shape,
            ticks=self.shape.ticks,
            prefers=_PREFERS,
            networks=tuple(map(str, Scheme)),
            rails={str(each): each.upper() for each in Rail},
            channels={code: each.name for code, each in CHANNELS.items()},
            names=names,
            used=used,
            offered={number: _offered(names, number, fields) for number in rules},
            day_names=DAY_NAMES,
            faults=faults or {},
            **self.kind.frame,
        )

    def routes(self) -> tuple[ConsoleRoute, ...]:
        """Return the routes of its pages."""
        path = f"{self.kind.path}/form"
        route = partial(ConsoleRoute, needs=Permission.ACQUIRERS_CHANGE, at="all")
        form = partial(route, fresh=True, body_bytes_max=FORM_BYTES_MAX)
        return (
            route(method="GET", path=path, handler=self.show),
            form(method="POST", path=path, handler=self.act),
        )


def _offered(names: Sequence[str], number: int, fields: Mapping[str, str]) -> list[str]:
    """Return the names that a rule can choose: its own first, also of accounts that are gone."""
    own = (filled_in(fields, f"r{number}_{part}_") for part in ("use", "then"))
    return list(dict.fromkeys([*chain.from_iterable(own), *names]))


def _with_rows(fields: Mapping[str, str], pressed: str) -> dict[str, str] | None:
    """Return the fields with a row more, less or opened; None for a button of another kind."""
    verb, _, row = pressed.partition(" ")
    if verb == "open":
        return {**fields, f"{row}_open": "1"}
    if verb == "remove":
        return without_row(row, fields)
    if verb != "add" or row not in _NAMES:
        return None
    named, numbers = _NAMES[row]
    own = f"{row}{max(numbers(fields), default=0) + 1}"
    return {**fields, f"{own}_{named}": "", f"{own}_open": "1"}


ROUTES = (
    *PlanFormPages(
        routing_plans.KIND, PAYMENTS, routing_plans.KIND.names, routing_plans.review
    ).routes(),
    *PlanFormPages(payout_plans.KIND, PAYOUTS, payout_plans.carried, payout_plans.review).routes(),
)
