"""The agreement between each merchant of a simulation and the operator, drawn from a seed."""

from dataclasses import dataclass
from random import Random

from hundi.money.settlements.rules import SettlementTerms

CARD, BANK, UPI = "card", "netbanking", "upi"
"""The ways to pay with prices of their own."""
LINKED = "WEAVER"
"""The name of a merchant's linked account."""
RESERVES = ((0, 0), (0, 0), (500, 2), (1_000, 400))
CUT_OFFS = (1_440, 17 * 60 + 30, 12 * 60)


@dataclass(frozen=True, slots=True)
class AgreedPrice:
    """A part of the amount, a fixed part, and the minimum for a payment."""

    basis_points: int
    fixed_paise: int = 0
    minimum_paise: int = 0


@dataclass(frozen=True, slots=True)
class Agreement:
    """Prices and terms of one merchant.

    prices: by the way to pay; UPI has none, by law. by_aggregator: fees of small card payments have
    no tax. linked: it shares payments with a linked account.
    """

    prices: dict[str, AgreedPrice]
    by_aggregator: bool
    dispute_fee_paise: int
    cut_off_minute: int
    working_days: int
    minimum_paise: int
    reserve_bps: int
    reserve_days: int
    linked: bool

    @property
    def terms(self) -> SettlementTerms:
        """Return the terms in the gateway's form."""
        return SettlementTerms(
            cut_off_minute=self.cut_off_minute,
            working_days=self.working_days,
            minimum_paise=self.minimum_paise,
            reserve_bps=self.reserve_bps,
            reserve_days=self.reserve_days,
        )

    @property
    def plan(self) -> str:
        """Return the price plan in the operator's form."""
        return f"""
            aggregator = {str(self.by_aggregator).lower()}
            [[rules]]
            name = "cards"
            channels = ["pg"]
            not_card_types = ["debit"]
            {_document(self.prices[CARD])}
            [[rules]]
            name = "banks"
            channels = ["nb"]
            {_document(self.prices[BANK])}
            [otherwise]
            basis_points = 0
        """


def _document(price: AgreedPrice) -> str:
    listed = ("basis_points", "fixed_paise", "minimum_paise")
    return "\n".join(f"{name} = {getattr(price, name)}" for name in listed)


def draw(source: Random) -> Agreement:
    """Return a random agreement."""
    reserve_bps, reserve_days = source.choice(RESERVES)
    return Agreement(
        prices={
            CARD: AgreedPrice(
                source.randint(0, 350), source.choice((0, 300)), source.choice((0, 500))
            ),
            BANK: AgreedPrice(
                source.randint(0, 250), source.choice((0, 1_000)), source.choice((0, 1_500))
            ),
        },
        by_aggregator=source.random() < 0.5,  # noqa: PLR2004 (a coin)
        dispute_fee_paise=source.choice((0, 25_000, 33_333)),
        cut_off_minute=source.choice(CUT_OFFS),
        working_days=source.choice((0, 1, 2)),
        minimum_paise=source.choice((100, 20_000)),
        reserve_bps=reserve_bps,
        reserve_days=reserve_days,
        linked=source.random() < 0.7,  # noqa: PLR2004 (as above)
    )
