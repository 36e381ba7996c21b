"""When a posting is settled, and how a day's amount is shared out; pure.

See docs/spec/domain.md#settlement.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

from hundi.kernel.clock import INDIA, business_day
from hundi.kernel.ids import first_id
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.calendar.rules import WORKING_DAYS_MAX, Calendar
from hundi.money.ledger.rules import PostingKind

PRIMARY = "primary"
"""The beneficiary that is the merchant itself; others are identifiers of linked accounts."""
SETTLE_AFTER = timedelta(minutes=30)
"""How long after its due time a day is settled: all that was committed before is collected."""
DAY_MINUTES = 1_440
BASE_DAYS_MAX = 365
RESERVE_DAYS_MAX = 730
CLOSED_DAYS_MAX = 60
"""The most days in a row that banks are closed."""
WHOLE_BPS = 10_000
"""All of an amount in basis points, hundredths of a per cent."""
INSTANT_BPS_MAX = 1_000
MINIMUM_PAISE_MAX = 10**12
PRICE_TAX_BPS = 1_800
"""GST on the price of an instant settlement (docs/spec/domain.md#gst-on-fees)."""

OWN_KINDS = (
    PostingKind.SETTLEMENT_FEE,
    PostingKind.SETTLEMENT_TAX,
    PostingKind.RESERVE_HELD,
    PostingKind.RESERVE_RELEASED,
    PostingKind.SHARE_DUE,
)
"""The kinds that settlements post themselves, and therefore do not settle."""
SALE_KINDS = (PostingKind.PAYMENT, PostingKind.CAPTURE, PostingKind.REVIEW_RELEASED)
"""The kinds that credit a customer's payment to the merchant; they bear fees and wait."""
REFUND_KINDS = (
    PostingKind.LATE_REFUND_DUE,
    PostingKind.REFUND_BEGUN,
    PostingKind.REFUND_FAILED,
    PostingKind.REFUND_REVERSED,
)


class BaseEvent(StrEnum):
    """The event from which working days before a settlement are counted."""

    PAYMENT = "payment"
    """The payment itself."""
    SHIPMENT = "shipment"
    """The goods left: an agreed number of days after the payment, because nobody tells us."""
    DELIVERY = "delivery"
    """The goods arrived: an agreed number of days after the payment."""
    REFUND_WINDOW = "refund_window"
    """The customer may not return the goods: an agreed number of days after the payment."""


class SettlementKind(StrEnum):
    """Why a settlement was made."""

    DAILY = "daily"
    """The merchant's day was due."""
    INSTANT = "instant"
    """The merchant asked for it: it takes items that are not ready as well, at a price."""


_EVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SettlementTerms:
    """One version of when and how a merchant is settled.

    terms_no: 0 if nothing was agreed. set_at: since when it is in force, UTC. cut_off_minute: money
    from this minute of the Indian day on counts as the next day's. base_days: from the payment to
    the base event. working_days: of banks, after that. minimum_paise: a smaller amount is carried
    to the next settlement. reserve_bps, reserve_days: the part of sales that is withheld, and for
    how long. held: nothing is settled. instant_bps: the price of an instant settlement, None if
    there is none.
    """

    terms_no: int = 0
    set_at: datetime = _EVER
    cut_off_minute: int = DAY_MINUTES
    base_event: BaseEvent = BaseEvent.PAYMENT
    base_days: int = 0
    working_days: int = 1
    centre: str = "IN"
    minimum_paise: int = 100
    reserve_bps: int = 0
    reserve_days: int = 0
    held: bool = False
    instant_bps: int | None = None


DEFAULT_TERMS = SettlementTerms()
"""Payment and one working day (docs/spec/domain.md#settlement)."""


def check_terms(terms: SettlementTerms) -> None:
    """Raise Refused (FIELD_INVALID) for the first fault of new terms."""
    checks = (
        ("cut_off_minute", terms.cut_off_minute, range(1, DAY_MINUTES + 1)),
        ("base_days", terms.base_days, range(BASE_DAYS_MAX + 1)),
        ("working_days", terms.working_days, range(WORKING_DAYS_MAX + 1)),
        ("minimum_paise", terms.minimum_paise, range(1, MINIMUM_PAISE_MAX + 1)),
        ("reserve_bps", terms.reserve_bps, range(WHOLE_BPS + 1)),
        ("reserve_days", terms.reserve_days, range(RESERVE_DAYS_MAX + 1)),
        ("instant_bps", terms.instant_bps or 0, range(INSTANT_BPS_MAX + 1)),
    )
    for name, value, allowed in checks:
        if value not in allowed:
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field=name,
                received=str(value),
                allowed=f"{allowed[0]} to {allowed[-1]}",
            )
    if bool(terms.reserve_bps) is not bool(terms.reserve_days):
        allowed = "above 0 with a reserve, and 0 without one"
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="reserve_days",
            received=str(terms.reserve_days),
            allowed=allowed,
        )
    if terms.base_event is BaseEvent.PAYMENT and terms.base_days:
        allowed = "0 where the payment itself is the base event"
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="base_days",
            received=str(terms.base_days),
            allowed=allowed,
        )


def terms_at(versions: Sequence[SettlementTerms], moment: datetime) -> SettlementTerms:
    """Return the terms in force at a moment. versions: oldest first."""
    return next((each for each in reversed(versions) if each.set_at <= moment), DEFAULT_TERMS)


def paid_on(at: datetime, terms: SettlementTerms) -> date:
    """Return the day that a posting counts for: the next day from the cut-off on."""
    return business_day(at + timedelta(minutes=DAY_MINUTES - terms.cut_off_minute))


def sale_ready_on(day: date, terms: SettlementTerms, calendar: Calendar) -> date:
    """Return the day on which a day's sale is settled."""
    return calendar.after(day + timedelta(days=terms.base_days), terms.working_days)


def other_ready_on(day: date, terms: SettlementTerms, calendar: Calendar) -> date:
    """Return the day on which a day's refund or other posting is settled."""
    return calendar.after(day, min(1, terms.working_days))


def due_at(day: date, terms: SettlementTerms) -> datetime:
    """Return when a day is settled, UTC: as it begins, or after its cut-off for its own sales."""
    from_minute = terms.cut_off_minute if terms.working_days == 0 else 0
    begins = datetime.combine(day, time(), INDIA).astimezone(UTC)
    return begins + timedelta(minutes=from_minute) + SETTLE_AFTER


def day_due(now: datetime, terms: SettlementTerms) -> date:
    """Return the newest day that may be settled now, whether or not banks work on it."""
    today = business_day(now)
    return today if due_at(today, terms) <= now else today - timedelta(days=1)


def last_working(day: date, calendar: Calendar) -> date:
    """Return the newest working day up to a day; days missed before are settled with it."""
    return next(
        candidate
        for back in range(CLOSED_DAYS_MAX)
        if calendar.is_working(candidate := day - timedelta(days=back))
    )


def id_of(day: date, kind: SettlementKind) -> int:
    """Return the id of a merchant's settlement, which is the same in every run."""
    return first_id(datetime.combine(day, time(), INDIA)) + list(SettlementKind).index(kind)


def share_id_of(settlement_id: int, place: int) -> int:
    """Return the id of a settlement's share. place: counts from 0."""
    return settlement_id + 10 * (place + 1)


def half_up(paise: int, bps: int) -> int:
    """Return a part of an amount in basis points, rounded half up to the paisa."""
    return (2 * paise * bps + WHOLE_BPS) // (2 * WHOLE_BPS)


@dataclass(frozen=True, slots=True)
class LinkedPart:
    """A linked account's part of one payment.

    base_paise: the shared amount. left_paise: the rest of it after refunds.
    """

    payment_id: int
    identifier: str
    amount_paise: int
    base_paise: int
    left_paise: int

    @property
    def due_paise(self) -> int:
        """Return the part after refunds, in proportion.

        Paise left over by rounding go to the primary account.
        """
        return self.amount_paise * min(self.left_paise, self.base_paise) // self.base_paise


@dataclass(frozen=True, slots=True)
class ItemSums:
    """The sums of the items in a settlement.

    gross_paise: sales. refunds_paise: done or under way, less the failed ones. other_paise:
    disputes and corrections, below zero if they cost the merchant.
    """

    items: int = 0
    gross_paise: int = 0
    refunds_paise: int = 0
    other_paise: int = 0
    fee_paise: int = 0
    tax_paise: int = 0
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class CarriedBalance:
    """What earlier settlements left.

    settlement_no: of the last one. carried_paise: not paid out then, below zero if the merchant
    owes it. linked_carried: the part of it that linked accounts are owed. reserve_due_paise: to be
    released now.
    """

    settlement_no: int = 0
    day: date = date.min
    carried_paise: int = 0
    linked_carried: Mapping[str, int] = field(default_factory=dict[str, int])
    reserve_due_paise: int = 0


@dataclass(frozen=True, slots=True)
class Amounts:
    """The outcome of a settlement; together the amounts equal what was taken and carried in.

    shares: beneficiary and paise, the primary first. carried_paise, linked_carried: as in
    CarriedBalance.
    """

    reserve_held_paise: int
    reserve_released_paise: int
    price_paise: int
    price_tax_paise: int
    shares: tuple[tuple[str, int], ...]
    carried_paise: int
    linked_carried: Mapping[str, int]

    @property
    def net_paise(self) -> int:
        """Return the amount for the merchant's own account."""
        return sum(paise for name, paise in self.shares if name == PRIMARY)

    @property
    def splits_paise(self) -> int:
        """Return the amount for linked accounts."""
        return sum(paise for name, paise in self.shares if name != PRIMARY)


def settle(
    sums: ItemSums,
    parts: Iterable[LinkedPart],
    before: CarriedBalance,
    terms: SettlementTerms,
    kind: SettlementKind,
) -> Amounts:
    """Share out the taken and the carried amounts.

    Linked accounts come first, because their money is not the merchant's. If refunds or fees left
    less than they are owed, they share it in proportion, and get the rest with later settlements.
    An amount below the minimum, or below zero, is carried whole.
    """
    reserve = half_up(sums.gross_paise, terms.reserve_bps)
    there = before.carried_paise + sums.gross_paise - sums.refunds_paise + sums.other_paise
    there += before.reserve_due_paise - sums.fee_paise - sums.tax_paise - reserve
    price = half_up(max(there, 0), terms.instant_bps or 0) if kind is SettlementKind.INSTANT else 0
    price_tax = half_up(price, PRICE_TAX_BPS)
    there -= price + price_tax
    owed = dict(before.linked_carried)
    for part in parts:
        owed[part.identifier] = owed.get(part.identifier, 0) + part.due_paise
    linked_shares = dict[str, int]()
    if there >= max(terms.minimum_paise, 1):
        total = sum(owed.values())
        linked_shares = owed if total <= there else distribute(there, owed)
        if total < there:
            linked_shares = {PRIMARY: there - total, **linked_shares}
    shares = tuple(
        (name, linked_shares[name]) for name in _in_order(linked_shares) if linked_shares[name]
    )
    left = {
        name: paise - linked_shares.get(name, 0)
        for name, paise in sorted(owed.items())
        if paise > linked_shares.get(name, 0)
    }
    carried = there - sum(linked_shares.values())
    return Amounts(reserve, before.reserve_due_paise, price, price_tax, shares, carried, left)


def _in_order(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (name != PRIMARY, name))


def distribute(paise: int, owed: Mapping[str, int]) -> dict[str, int]:
    """Return an amount shared out in proportion to what each is owed, to the paisa.

    Largest remainder: each gets its share rounded down; the paise left over go to the largest
    fractions, among equal ones to the first name.
    """
    total = sum(owed.values())
    if not 0 <= paise <= total:
        message = f"{paise} paise cannot be shared out among {total}"
        raise ValueError(message)
    if total == 0:
        return dict.fromkeys(owed, 0)
    shares = {name: paise * due // total for name, due in owed.items()}
    largest = sorted(owed, key=lambda name: (-(paise * owed[name] % total), name))
    for name in largest[: paise - sum(shares.values())]:
        shares[name] += 1
    return shares
