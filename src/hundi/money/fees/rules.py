"""What a payment costs its merchant: price plans, limits of the law, GST on fees; pure.

See docs/spec/domain.md#fees.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from hundi.instruments.card import CARD_TYPES, Scheme
from hundi.instruments.methods import BHARAT_QR, CARDS, CHANNEL_OF_METHOD, CHANNELS, EMI, UPI
from hundi.kernel.money import rupees
from hundi.money.ledger.rules import PostingKind

WHOLE = 10_000
"""100.00 per cent in basis points."""
NO_PLAN = "no_plan"
"""The rule of a payment on a day without a price plan: it costs nothing."""
LAW_ZERO = "zero_by_law"
"""The rule of payments that must be free by law: UPI and RuPay debit cards."""
OTHERWISE = "otherwise"
"""The rule of payments that no other rule of a plan covers."""
UNKNOWN = ""
"""The network or type of a card that is unknown."""
UNBOUNDED = 10**15
"""In paise, above every amount."""

CHARGED = frozenset({PostingKind.PAYMENT, PostingKind.CAPTURE, PostingKind.REVIEW_RELEASED})
"""The kinds of posting that bear a fee: a customer paid, and the merchant is owed."""
ON_CARDS = frozenset({CARDS.code, EMI.code})
NETWORKS = (UNKNOWN, *Scheme)
TYPES = (UNKNOWN, *CARD_TYPES)
DEBIT = "debit"


@dataclass(frozen=True, slots=True)
class TaxRate:
    """GST on fees. since: the first day. source: the law."""

    basis_points: int
    since: date
    source: str


@dataclass(frozen=True, slots=True)
class TaxExemption:
    """Payments whose fees bear no GST.

    words: why, for people. up_to_paise: the largest payment. by_aggregator: only if a payment
    aggregator regulated by RBI settles it.
    """

    name: str
    words: str
    channels: frozenset[str]
    up_to_paise: int
    by_aggregator: bool
    since: date
    source: str


TAX_RATES = (TaxRate(18_00, date(2017, 7, 1), "CGST and IGST Acts 2017, SAC 9971"),)
"""The rates of GST on fees, newest last."""
TAX_EXEMPTIONS = (
    TaxExemption(
        "card_up_to_2000",
        "card payments up to ₹2,000 are exempt",
        ON_CARDS,
        2_000_00,
        by_aggregator=True,
        since=date(2017, 7, 1),
        source=(
            "Notification 12/2017-CT(R) serial 34; CBIC Circular 245/02/2025-GST of 28 January 2025"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class DebitCap:
    """The most that a merchant may be charged for a debit card.

    turnover: of the merchant in the year before.
    """

    turnover: str
    basis_points: int
    maximum_paise: int


DEBIT_CAPS: Mapping[str, DebitCap] = {
    "small": DebitCap("small", 40, 200_00),
    "large": DebitCap("large", 90, 1_000_00),
}
"""By turnover: `small` is up to 20 lakh rupees a year. For payments online, not by QR."""
DEBIT_CAPS_SOURCE = "RBI/2017-18/105, 6 December 2017"
ZERO_SOURCE = "section 10A of the Payment and Settlement Systems Act 2007, since 1 January 2020"

EXEMPT_WORDS: Mapping[str, str] = {each.name: each.words for each in TAX_EXEMPTIONS}
"""Why there is no GST, by the exemption's name."""


class FeeFacts(NamedTuple):
    """The facts that decide a fee.

    channel: its code. network, card_type: of the card, "" for none or unknown. amount_paise: the
    amount received. day: its Indian business day. discount_paise: the merchant's part of
    instalments.
    """

    channel: str
    network: str
    card_type: str
    amount_paise: int
    day: date
    discount_paise: int = 0


class PaymentFee(NamedTuple):
    """The price of one payment.

    fee_paise: without tax, including the merchant's part of no-cost instalments. rule: its name in
    the plan. plan_no: 0 for no plan.
    """

    fee_paise: int
    tax_paise: int
    rule: str
    plan_no: int

    def net_paise(self, gross_paise: int) -> int:
        """Return the rest of an amount; below zero if the fee is larger than the amount."""
        return gross_paise - self.fee_paise - self.tax_paise


class FeePrice(NamedTuple):
    """A part of the amount and a fixed part, within bounds. maximum_paise: 0 for no bound."""

    basis_points: int = 0
    fixed_paise: int = 0
    minimum_paise: int = 0
    maximum_paise: int = 0

    def fee_paise(self, amount_paise: int) -> int:
        """Return the fee for an amount, rounded half up to the paisa."""
        fee = self.fixed_paise + part_of(amount_paise, self.basis_points)
        if fee < self.minimum_paise:
            return self.minimum_paise
        return self.maximum_paise if 0 < self.maximum_paise < fee else fee


FREE = FeePrice()


@dataclass(frozen=True, slots=True)
class FeeRule:
    """A price and its payments: those above one amount, up to another.

    channels, networks, card_types: empty means any. up_to_paise: 0 for no bound.
    """

    name: str
    price: FeePrice
    channels: frozenset[str] = frozenset()
    networks: frozenset[str] = frozenset()
    not_networks: frozenset[str] = frozenset()
    card_types: frozenset[str] = frozenset()
    not_card_types: frozenset[str] = frozenset()
    above_paise: int = 0
    up_to_paise: int = 0

    def is_for(self, cell: "Cell") -> bool:
        """Return whether the rule covers a cell, at some amount."""
        return (
            (not self.channels or cell.channel in self.channels)
            and (not self.networks or cell.network in self.networks)
            and cell.network not in self.not_networks
            and (not self.card_types or cell.card_type in self.card_types)
            and cell.card_type not in self.not_card_types
        )

    @property
    def top_paise(self) -> int:
        """Return the largest amount of the rule, in paise."""
        return self.up_to_paise or UNBOUNDED


class Cell(NamedTuple):
    """A kind of payment for price plans: payments that differ only in their amount."""

    channel: str
    network: str
    card_type: str


CELLS = tuple(
    Cell(channel, network, card_type)
    for channel in CHANNELS
    for network in (NETWORKS if channel in ON_CARDS else ("",))
    for card_type in (TYPES if channel in ON_CARDS else ("",))
)
"""All kinds of payment; a plan has a price for each."""


class Band(NamedTuple):
    """The price of a cell's payments up to an amount."""

    up_to_paise: int
    price: FeePrice
    rule: str


@dataclass(frozen=True, slots=True)
class PricePlan:
    """A merchant's prices from a day on, compiled.

    aggregator: a payment aggregator settles, so fees for small card payments bear no tax. cells:
    for each kind of payment its bands, by rising amount and without a hole.
    """

    plan_no: int
    first_day: date
    aggregator: bool
    cells: Mapping[Cell, tuple[Band, ...]]


@dataclass(frozen=True, slots=True)
class Plans:
    """The price plans of a merchant, by number."""

    plans: tuple[PricePlan, ...] = ()

    def on(self, day: date) -> PricePlan | None:
        """Return the newest plan that has begun on a business day, or None."""
        for plan in reversed(self.plans):
            if plan.first_day <= day:
                return plan
        return None

    def numbered(self, plan_no: int) -> PricePlan | None:
        """Return the plan of a number; None for the number 0."""
        return next((each for each in self.plans if each.plan_no == plan_no), None)


def part_of(amount_paise: int, basis_points: int) -> int:
    """Return a part of an amount, half a paisa rounded up."""
    return (amount_paise * basis_points * 2 + WHOLE) // (2 * WHOLE)


def is_free_by_law(cell: Cell) -> bool:
    """Return whether such a payment must be free for the merchant (ZERO_SOURCE)."""
    return cell.channel in {UPI.code, BHARAT_QR.code} or (
        cell.channel == CARDS.code and cell.network == Scheme.RUPAY and cell.card_type == DEBIT
    )


def is_capped_by_law(cell: Cell) -> bool:
    """Return whether such a payment is by debit card, with a cap in DEBIT_CAPS."""
    return cell.channel == CARDS.code and cell.card_type == DEBIT


def compiled(
    plan_no: int,
    first_day: date,
    rules: Iterable[FeeRule],
    otherwise: FeePrice | None,
    *,
    aggregator: bool,
) -> PricePlan:
    """Return the plan of rules without faults."""
    by_amount = sorted(rules, key=lambda each: each.above_paise)
    cells: dict[Cell, tuple[Band, ...]] = {}
    for cell in CELLS:
        if is_free_by_law(cell):
            cells[cell] = (Band(UNBOUNDED, FREE, LAW_ZERO),)
            continue
        bands: list[Band] = []
        reached = 0
        for rule in by_amount:
            if not rule.is_for(cell):
                continue
            if otherwise is not None and rule.above_paise > reached:
                bands.append(Band(rule.above_paise, otherwise, OTHERWISE))
            bands.append(Band(rule.top_paise, rule.price, rule.name))
            reached = rule.top_paise
        if otherwise is not None and reached < UNBOUNDED:
            bands.append(Band(UNBOUNDED, otherwise, OTHERWISE))
        cells[cell] = tuple(bands)
    return PricePlan(plan_no, first_day, aggregator, cells)


def quote(plan: PricePlan | None, facts: FeeFacts) -> PaymentFee:
    """Return the price of a payment by a plan.

    The merchant's part of instalments is always in it.
    """
    if plan is None:
        return PaymentFee(facts.discount_paise, 0, NO_PLAN, 0)
    _, price, rule = _band_for(plan, facts)
    fee = price.fee_paise(facts.amount_paise)
    tax = part_of(fee, tax_basis_points(plan, facts)) if fee else 0
    return PaymentFee(fee + facts.discount_paise, tax, rule, plan.plan_no)


def _band_for(plan: PricePlan, facts: FeeFacts) -> Band:
    cells, amount = plan.cells, facts.amount_paise
    bands = cells.get(facts[:3])  # pyright: ignore[reportArgumentType, reportCallIssue] (a Cell is a tuple)
    if bands is None:
        bands = cells[_known_cell(facts)]
    for band in bands:
        if amount <= band[0]:
            return band
    raise ValueError(f"{amount} paise are above every amount")


def _known_cell(facts: FeeFacts) -> Cell:
    """Return the cell for facts whose network or type their channel or the plans do not know."""
    if facts.channel not in ON_CARDS:
        return Cell(facts.channel, UNKNOWN, UNKNOWN)
    return Cell(
        facts.channel,
        facts.network if facts.network in NETWORKS else UNKNOWN,
        facts.card_type if facts.card_type in TYPES else UNKNOWN,
    )


def tax_basis_points(plan: PricePlan, facts: FeeFacts) -> int:
    """Return the rate of GST on a payment's fee in basis points, 0 if it is exempt."""
    if exemption_of(plan, facts):
        return 0
    for rate in reversed(TAX_RATES):
        if rate.since <= facts.day:
            return rate.basis_points
    return 0


def exemption_of(plan: PricePlan, facts: FeeFacts) -> str:
    """Return the name of the exemption from GST on a payment's fee, "" for none."""
    for each in TAX_EXEMPTIONS:
        if (
            facts.amount_paise <= each.up_to_paise
            and facts.channel in each.channels
            and (plan.aggregator or not each.by_aggregator)
            and each.since <= facts.day
        ):
            return each.name
    return ""


def facts_of(
    method: str, card: Mapping[str, str], amount_paise: int, day: date, discount_paise: int = 0
) -> FeeFacts:
    """Return the facts of an attempt.

    card: its column of that name. discount_paise: `emi_discount_paise`.
    """
    return FeeFacts(
        CHANNEL_OF_METHOD[method].code,
        card.get("scheme", ""),
        card.get("type", ""),
        amount_paise,
        day,
        discount_paise,
    )


def explained(plan: PricePlan | None, facts: FeeFacts) -> str:
    """Return in words how a fee and its tax are computed."""
    parts = [f"{rupees(facts.discount_paise)} of instalments"] if facts.discount_paise else []
    if plan is None:
        return " + ".join(["no price plan", *parts])
    _, price, rule = _band_for(plan, facts)
    if rule == LAW_ZERO:
        return f"No fee: the law forbids one ({ZERO_SOURCE})"
    if price.basis_points or not any(price):
        parts.insert(0, f"{price.basis_points / 100:.2f} % of {rupees(facts.amount_paise)}")
    if price.fixed_paise:
        parts.insert(0, rupees(price.fixed_paise))
    bounds = [f"at least {rupees(price.minimum_paise)}"] if price.minimum_paise else []
    bounds += [f"at most {rupees(price.maximum_paise)}"] if price.maximum_paise else []
    exemption = exemption_of(plan, facts)
    tax = (
        f"no GST: {EXEMPT_WORDS[exemption]}"
        if exemption
        else f"GST {tax_basis_points(plan, facts) / 100:.2f} %"
    )
    return "; ".join([" + ".join(parts), *bounds, tax])
