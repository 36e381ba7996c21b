"""The contents of a statement: movements with fees, the hand-over, and deliberate mistakes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace  # noqa: TID251 (no structs here)
from datetime import date
from enum import StrEnum

SETTLEMENT_ACCOUNT = "SANDBOX-SETTLEMENT"
OUR_ACCOUNT = "50200012345678"
"""The gateway's own bank account, for hand-overs and payouts."""
_GST_BPS = 1_800


@dataclass(frozen=True, slots=True)
class AcquirerPrice:
    """The acquirer's fee: hundredths of a per cent, and a fixed amount; GST is added."""

    bps: int = 0
    fixed_paise: int = 0

    def fee_paise(self, gross_paise: int) -> int:
        """Return the fee with its tax, each rounded half up, at most the payment."""
        fee = (gross_paise * self.bps + 5_000) // 10_000 + self.fixed_paise
        return min(fee + (fee * _GST_BPS + 5_000) // 10_000, gross_paise)


PRICES: Mapping[str, AcquirerPrice] = {
    "upi": AcquirerPrice(),
    "card": AcquirerPrice(bps=180),
    "netbanking": AcquirerPrice(bps=150),
    "wallet": AcquirerPrice(bps=150),
    "pay_later": AcquirerPrice(bps=150),
    "transfer": AcquirerPrice(fixed_paise=500),
    "cash": AcquirerPrice(fixed_paise=500),
    "enach": AcquirerPrice(fixed_paise=500),
}
"""The price by the method of a payment; a refund is free."""


_KINDS = {
    "debit": "PAYMENT",
    "capture": "CAPTURE",
    "refund": "REFUND",
    "reversal": "REFUND_REVERSAL",
    "chargeback": "CHARGEBACK",
    "payout": "PAYOUT",
}
"""The type of a line by the kind of its entry in the books."""
_PRICED = frozenset({"debit", "capture"})


class Mistake(StrEnum):
    """The deliberate mistakes of a statement, each about one reference."""

    MISSING = "missing"
    """Its line is missing."""
    LATE = "late"
    """Its line is on the next day's statement."""
    EXTRA = "extra"
    """A payment that nobody made is listed."""
    OTHER_AMOUNT = "other_amount"
    """Its amount is one rupee less."""
    OTHER_FEE = "other_fee"
    """Its fee is one rupee more."""
    DOUBLED = "doubled"
    """Its line is listed twice."""


EXTRA_PAISE = 12_345
OFF_PAISE = 100


@dataclass(frozen=True, slots=True)
class StatementMovement:
    """One line: PAYMENT, CAPTURE, REFUND, REFUND_REVERSAL, CHARGEBACK or PAYOUT.

    gross_paise: before the fee.
    """

    kind: str
    reference: str
    rrn: str
    gross_paise: int
    fee_paise: int

    @property
    def is_credit(self) -> bool:
        """Return whether it increases the acquirer's debt."""
        return self.kind in {"PAYMENT", "CAPTURE", "REFUND_REVERSAL"}

    @property
    def signed_paise(self) -> int:
        """Return the change of the acquirer's debt, before its fee."""
        return self.gross_paise if self.is_credit else -self.gross_paise

    @property
    def net_paise(self) -> int:
        """Return its amount in the hand-over, with its sign."""
        return self.signed_paise - self.fee_paise


@dataclass(frozen=True, slots=True)
class Statement:
    """The acquirer's statement of a day.

    utr: of the transfer that hands the day's sum over.
    """

    day: date
    movements: tuple[StatementMovement, ...]

    @property
    def utr(self) -> str:
        """Return the number of the day's hand-over."""
        return f"SBHO{self.day:%Y%m%d}0001"

    @property
    def net_paise(self) -> int:
        """Return the handed-over sum; below zero the gateway's bank account is debited."""
        return sum(each.net_paise for each in self.movements)


def fee_of(method: str, gross_paise: int) -> int:
    """Return the acquirer's fee for a payment."""
    return PRICES[method].fee_paise(gross_paise)


def movement(
    kind: str, method: str, reference: str, rrn: str, gross_paise: int
) -> StatementMovement:
    """Return the line of an entry in the bank's books. kind: of the entry."""
    fee = fee_of(method, gross_paise) if kind in _PRICED else 0
    return StatementMovement(_KINDS[kind], reference, rrn, gross_paise, fee)


def with_mistakes(
    day: date,
    today: Iterable[StatementMovement],
    before: Iterable[StatementMovement],
    mistakes: Mapping[date, Mapping[str, Mistake]],
) -> Statement:
    """Return the statement of a day.

    before: the day before's movements, of which late lines come today.

    mistakes: of each day, by reference.
    """
    yesterday = mistakes.get(date.fromordinal(day.toordinal() - 1), {})
    lines = [each for each in before if yesterday.get(each.reference) is Mistake.LATE]
    wrong = mistakes.get(day, {})
    for each in today:
        match wrong.get(each.reference):
            case Mistake.MISSING | Mistake.LATE:
                continue
            case Mistake.OTHER_AMOUNT:
                lines.append(
                    replace(each, gross_paise=max(each.gross_paise - OFF_PAISE, each.fee_paise, 1))
                )
            case Mistake.OTHER_FEE:
                lines.append(
                    replace(each, fee_paise=min(each.fee_paise + OFF_PAISE, each.gross_paise))
                )
            case Mistake.DOUBLED:
                lines += [each, each]
            case _:
                lines.append(each)
    extra = sorted(reference for reference, mistake in wrong.items() if mistake is Mistake.EXTRA)
    lines += [
        StatementMovement("PAYMENT", reference, "0" * 12, EXTRA_PAISE, 0) for reference in extra
    ]
    return Statement(day, tuple(lines))
