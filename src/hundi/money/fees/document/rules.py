"""Reads a price plan from TOML or JSON, and finds its faults; pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import pairwise
from typing import Any, Literal

import msgspec

from hundi.instruments.card import CARD_TYPES, Scheme
from hundi.instruments.methods import CHANNELS
from hundi.kernel.money import rupees
from hundi.kernel.typed_toml import read_toml
from hundi.money.fees.rules import (
    CELLS,
    DEBIT_CAPS,
    DEBIT_CAPS_SOURCE,
    FREE,
    LAW_ZERO,
    NO_PLAN,
    ON_CARDS,
    OTHERWISE,
    UNBOUNDED,
    UNKNOWN,
    WHOLE,
    ZERO_SOURCE,
    Cell,
    FeePrice,
    FeeRule,
    PricePlan,
    compiled,
    is_capped_by_law,
    is_free_by_law,
    part_of,
)

DOCUMENT_BYTES_MAX = 256 * 1024
RULES_MAX = 500
NAME_LENGTH_MAX = 64
PAISE_MAX = 10_000_000_00
"""The most that a fixed fee, a minimum or a maximum may be, in paise."""
UNNAMED = "unknown"
"""The name in documents for a card whose network or type is unknown."""
_PLACES_SHOWN = 5
_RESERVED = (NO_PLAN, LAW_ZERO, OTHERWISE)


class PlanFaultCode(StrEnum):
    """The names of faults in a price plan; each member's docstring explains it."""

    UNREADABLE = "unreadable"
    """It is neither TOML nor JSON, or too large."""
    WRONG_SHAPE = "wrong_shape"
    """A key is unknown or missing, or a value has the wrong type."""
    OUT_OF_RANGE = "out_of_range"
    """A value is outside the range of its key."""
    UNKNOWN_VALUE = "unknown_value"
    """A channel, network or card type that does not exist."""
    DUPLICATE_NAME = "duplicate_name"
    """Two rules have one name, or one has a name that is reserved."""
    CONTRADICTION = "contradiction"
    """A minimum above its maximum, a band that ends before it begins, or a rule for no payment."""
    ZERO_BY_LAW = "zero_by_law"
    """A rule charges for UPI or a RuPay debit card."""
    OVER_DEBIT_CAP = "over_debit_cap"
    """A rule charges more for a debit card than the cap."""
    OVERLAP = "overlap"
    """Two rules cover the same payments."""
    HOLE = "hole"
    """No rule covers some payments, and the plan has no price otherwise."""


@dataclass(frozen=True, slots=True)
class PlanFault:
    """One fault.

    rule: the name, "" for the whole plan; two names are joined by a comma.
    """

    code: PlanFaultCode
    rule: str
    words: str


class PriceWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A price in a document."""

    basis_points: int = 0
    fixed_paise: int = 0
    minimum_paise: int = 0
    maximum_paise: int = 0

    @property
    def price(self) -> FeePrice:
        """Return the price."""
        return FeePrice(self.basis_points, self.fixed_paise, self.minimum_paise, self.maximum_paise)


class PriceRuleWords(
    PriceWords, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """A rule in a document."""

    name: str
    channels: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    not_networks: tuple[str, ...] = ()
    card_types: tuple[str, ...] = ()
    not_card_types: tuple[str, ...] = ()
    above_paise: int = 0
    up_to_paise: int = 0

    @property
    def rule(self) -> FeeRule:
        """Return the rule."""
        return FeeRule(
            self.name,
            self.price,
            frozenset(self.channels),
            _meant(self.networks),
            _meant(self.not_networks),
            _meant(self.card_types),
            _meant(self.not_card_types),
            self.above_paise,
            self.up_to_paise,
        )


class PlanDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A price plan in a document.

    aggregator: whether a payment aggregator settles. turnover: of the merchant, for the caps on
    debit cards. otherwise: the price of payments without a rule; if it is missing, the rules must
    cover every payment.
    """

    aggregator: bool = True
    turnover: Literal["small", "large"] = "small"
    note: str = ""
    rules: tuple[PriceRuleWords, ...] = ()
    otherwise: PriceWords | None = None


def _meant(names: Iterable[str]) -> frozenset[str]:
    return frozenset(UNKNOWN if each == UNNAMED else each for each in names)


def read(text: str) -> PlanDocument | tuple[PlanFault, ...]:
    """Return the plan of a document, or all of its faults."""
    if len(text.encode()) > DOCUMENT_BYTES_MAX:
        return (PlanFault(PlanFaultCode.UNREADABLE, "", f"more than {DOCUMENT_BYTES_MAX} bytes"),)
    try:
        raw: Any = msgspec.json.decode(text) if text.lstrip().startswith("{") else read_toml(text)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        return (PlanFault(PlanFaultCode.UNREADABLE, "", str(error)),)
    try:
        plan = msgspec.convert(raw, PlanDocument)
    except msgspec.ValidationError as error:
        return (PlanFault(PlanFaultCode.WRONG_SHAPE, "", str(error)),)
    faults = (*_value_faults(plan),)
    # Wrong values say nothing about how rules combine.
    return faults or (*_law_faults(plan), *_cover_faults(plan)) or plan


def plan_of(document: PlanDocument, plan_no: int, first_day: date) -> PricePlan:
    """Return the compiled plan of a document without faults."""
    otherwise = document.otherwise.price if document.otherwise else None
    rules = [each.rule for each in document.rules]
    return compiled(plan_no, first_day, rules, otherwise, aggregator=document.aggregator)


def _value_faults(plan: PlanDocument) -> Iterator[PlanFault]:
    if len(plan.rules) > RULES_MAX:
        yield PlanFault(
            PlanFaultCode.OUT_OF_RANGE, "", f"{len(plan.rules)} rules; at most {RULES_MAX}"
        )
        return
    names: set[str] = set()
    for rule in plan.rules:
        if not 1 <= len(rule.name) <= NAME_LENGTH_MAX or not rule.name.isprintable():
            yield PlanFault(
                PlanFaultCode.OUT_OF_RANGE,
                rule.name[:NAME_LENGTH_MAX],
                f"a name of 1 to {NAME_LENGTH_MAX} letters",
            )
        if rule.name in names or rule.name in _RESERVED:
            yield PlanFault(
                PlanFaultCode.DUPLICATE_NAME, rule.name, "the name is another rule's or reserved"
            )
        names.add(rule.name)
        unknown = [*_unknown_values(rule)]
        yield from unknown
        yield from _price_faults(rule.name, rule)
        yield from _amount_faults(
            rule.name, {"above_paise": rule.above_paise, "up_to_paise": rule.up_to_paise}
        )
        if 0 < rule.up_to_paise <= rule.above_paise:
            yield PlanFault(
                PlanFaultCode.CONTRADICTION, rule.name, "up_to_paise is not above above_paise"
            )
        elif not unknown and not any(rule.rule.is_for(cell) for cell in CELLS):
            yield PlanFault(
                PlanFaultCode.CONTRADICTION,
                rule.name,
                "it is for no payment: only cards have networks and types",
            )
    if plan.otherwise:
        yield from _price_faults(OTHERWISE, plan.otherwise)


def _unknown_values(rule: PriceRuleWords) -> Iterator[PlanFault]:
    networks, types = (*Scheme, UNNAMED), (*CARD_TYPES, UNNAMED)
    for field, allowed in (
        ("channels", tuple(CHANNELS)),
        ("networks", networks),
        ("not_networks", networks),
        ("card_types", types),
        ("not_card_types", types),
    ):
        for value in getattr(rule, field):
            if value not in allowed:
                yield PlanFault(
                    PlanFaultCode.UNKNOWN_VALUE,
                    rule.name,
                    f"{field}: {value[:40]!r} is none of {', '.join(allowed)}",
                )


def _price_faults(name: str, price: PriceWords) -> Iterator[PlanFault]:
    if not 0 <= price.basis_points <= WHOLE:
        yield PlanFault(
            PlanFaultCode.OUT_OF_RANGE,
            name,
            f"basis_points: {price.basis_points} is not 0 to {WHOLE}",
        )
    bounds = {
        each: getattr(price, each) for each in ("fixed_paise", "minimum_paise", "maximum_paise")
    }
    for field, value in bounds.items():
        if not 0 <= value <= PAISE_MAX:
            yield PlanFault(
                PlanFaultCode.OUT_OF_RANGE, name, f"{field}: {value} is not 0 to {PAISE_MAX}"
            )
    if 0 < price.maximum_paise < price.minimum_paise:
        yield PlanFault(PlanFaultCode.CONTRADICTION, name, "minimum_paise is above maximum_paise")


def _amount_faults(name: str, amounts: Mapping[str, int]) -> Iterator[PlanFault]:
    for field, value in amounts.items():
        if not 0 <= value < UNBOUNDED:
            yield PlanFault(
                PlanFaultCode.OUT_OF_RANGE, name, f"{field}: {value} is not 0 to {UNBOUNDED - 1}"
            )


def _law_faults(plan: PlanDocument) -> Iterator[PlanFault]:
    """Find rules that charge more than the law allows."""
    for words in plan.rules:
        rule = words.rule
        free = [cell for cell in CELLS if is_free_by_law(cell) and rule.is_for(cell)]
        if free and rule.price != FREE:
            yield PlanFault(
                PlanFaultCode.ZERO_BY_LAW,
                rule.name,
                f"{_places(free)}: nothing may be charged ({ZERO_SOURCE})",
            )
        capped = [
            cell
            for cell in CELLS
            if is_capped_by_law(cell) and cell not in free and rule.is_for(cell)
        ]
        over = (
            amount_over_cap(rule.price, plan.turnover, rule.above_paise, rule.top_paise)
            if capped
            else 0
        )
        if over:
            yield _over_cap(rule.name, rule.price, plan.turnover, over)
    if plan.otherwise is None:
        return
    for low, high in _left_to_otherwise(plan):
        if over := amount_over_cap(plan.otherwise.price, plan.turnover, low, high):
            yield _over_cap(OTHERWISE, plan.otherwise.price, plan.turnover, over)
            return


def _left_to_otherwise(plan: PlanDocument) -> Iterator[tuple[int, int]]:
    """Yield the bands of debit cards that no rule covers: above an amount, up to another."""
    for cell in CELLS:
        if is_capped_by_law(cell) and not is_free_by_law(cell):
            reached = 0
            for rule in _sorted_for(plan, cell):
                if rule.above_paise > reached:
                    yield reached, rule.above_paise
                reached = max(reached, rule.top_paise)
            if reached < UNBOUNDED:
                yield reached, UNBOUNDED


def _over_cap(rule: str, price: FeePrice, turnover: str, amount_paise: int) -> PlanFault:
    cap = cap_paise(turnover, amount_paise)
    words = f"{rupees(price.fee_paise(amount_paise))} for a debit card's {rupees(amount_paise)}"
    return PlanFault(
        PlanFaultCode.OVER_DEBIT_CAP,
        rule,
        f"{words}: at most {rupees(cap)} for turnover {turnover} ({DEBIT_CAPS_SOURCE})",
    )


def cap_paise(turnover: str, amount_paise: int) -> int:
    """Return the most that a debit card's payment may cost."""
    cap = DEBIT_CAPS[turnover]
    return min(part_of(amount_paise, cap.basis_points), cap.maximum_paise)


def amount_over_cap(price: FeePrice, turnover: str, above_paise: int, up_to_paise: int) -> int:
    """Return an amount in a band whose price exceeds the debit card cap, 0 if none does.

    Price and cap are made of straight lines, so only the band's ends and the amounts where a line
    begins are compared.
    """
    cap = DEBIT_CAPS[turnover]
    lines = [above_paise + 1, up_to_paise]
    for paise, basis_points in (
        (cap.maximum_paise, cap.basis_points),
        (price.minimum_paise - price.fixed_paise, price.basis_points),
        (price.maximum_paise - price.fixed_paise, price.basis_points),
    ):
        if paise > 0 and basis_points:
            begins = paise * WHOLE // basis_points
            lines += [begins - WHOLE, begins, begins + 1, begins + WHOLE]
    inside = sorted(each for each in lines if above_paise < each <= up_to_paise)
    return next((each for each in inside if price.fee_paise(each) > cap_paise(turnover, each)), 0)


def _sorted_for(plan: PlanDocument, cell: Cell) -> list[FeeRule]:
    """Return the rules for a cell, by rising amount."""
    rules = [each.rule for each in plan.rules if each.rule.is_for(cell)]
    return sorted(rules, key=lambda each: (each.above_paise, each.top_paise))


def _cover_faults(plan: PlanDocument) -> Iterator[PlanFault]:
    """Find payments that two rules cover, or none."""
    overlaps: dict[tuple[str, str, int, int], list[Cell]] = {}
    holes: dict[tuple[int, int], list[Cell]] = {}
    for cell in CELLS:
        rules = _sorted_for(plan, cell)
        for first, second in pairwise(rules):
            if second.above_paise < first.top_paise:
                top = min(first.top_paise, second.top_paise)
                overlaps.setdefault((first.name, second.name, second.above_paise, top), []).append(
                    cell
                )
        if plan.otherwise is None and not is_free_by_law(cell):
            reached = 0
            for rule in rules:
                if rule.above_paise > reached:
                    holes.setdefault((reached, rule.above_paise), []).append(cell)
                reached = max(reached, rule.top_paise)
            if reached < UNBOUNDED:
                holes.setdefault((reached, UNBOUNDED), []).append(cell)
    for (first, second, low, high), cells in overlaps.items():
        yield PlanFault(
            PlanFaultCode.OVERLAP,
            f"{first}, {second}",
            f"both are for {_places(cells)}{_amounts(low, high)}",
        )
    for (low, high), cells in holes.items():
        yield PlanFault(
            PlanFaultCode.HOLE, "", f"no rule is for {_places(cells)}{_amounts(low, high)}"
        )


def _amounts(above_paise: int, up_to_paise: int) -> str:
    low = f" above {rupees(above_paise)}" if above_paise else ""
    return low + (f" up to {rupees(up_to_paise)}" if up_to_paise < UNBOUNDED else "")


def _places(cells: list[Cell]) -> str:
    """Return the names of cells; a channel stands for all of its cells."""
    names: list[str] = []
    for channel in dict.fromkeys(cell.channel for cell in cells):
        channel_cells = [cell for cell in cells if cell.channel == channel]
        whole = len(channel_cells) == sum(cell.channel == channel for cell in CELLS)
        names += (
            [channel]
            if whole or channel not in ON_CARDS
            else [_place(cell) for cell in channel_cells]
        )
    more = len(names) - _PLACES_SHOWN
    return ", ".join(names[:_PLACES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _place(cell: Cell) -> str:
    return f"{cell.channel} {cell.network or UNNAMED} {cell.card_type or UNNAMED}"
