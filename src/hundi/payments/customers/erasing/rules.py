"""What of a customer is erased, what stays and until when; pure.

Payments are books. Under Indian law they are kept for years, whoever asks (docs/retention.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date

_PMLA_YEARS = 5
_GST_YEARS = 6
_BOOKS_YEARS = 8
_MARCH, _DECEMBER = 3, 12


@dataclass(frozen=True, slots=True)
class ErasableRows:
    """How many rows of each kind are erased."""

    saved_cards: int = 0
    letters: int = 0
    consents: int = 0
    addresses: int = 0
    languages: int = 0
    links: int = 0

    @property
    def in_all(self) -> int:
        """Return the number of all rows."""
        return sum(asdict(self).values())


@dataclass(frozen=True, slots=True)
class StayingRows:
    """How many rows stay until somebody acts, or their time is over."""

    waiting_letters: int = 0
    open_links: int = 0


@dataclass(frozen=True, slots=True)
class LegalTerm:
    """A law that keeps payments. until: the last day on which it does, for the newest payment."""

    law: str
    until: date


_CARDS = "Nobody pays with them any more. Within ten minutes networks are told to end the tokens."
_LETTERS = "Address, words and file. By themselves they would go 365 days after they were written."
_CONSENTS = (
    "They count as taken back, and the words that your people typed go. The number stays, so that"
    " nobody writes to it."
)
_ADDRESSES = "What the relay or the provider said of them."
_LANGUAGES = "In which the customer saw each payment page."
_LINKS = "Phone and e-mail. What the link was for and what was paid of it stay."
ERASED: Mapping[str, tuple[str, str]] = {
    "saved_cards": ("Saved cards", _CARDS),
    "letters": ("Letters", _LETTERS),
    "consents": ("Consents", _CONSENTS),
    "addresses": ("Addresses that took no letters", _ADDRESSES),
    "languages": ("Languages", _LANGUAGES),
    "links": ("Contact data of payment links that are over", _LINKS),
}
"""What is erased, by the fields of `ErasableRows`: a title, and what it means."""


def laws_of(newest: date) -> tuple[LegalTerm, ...]:
    """Return how long the law keeps a payment, by the day of the newest one.

    A financial year ends on 31 March; its annual return for GST is due on the 31 December after.
    """
    year_ends = newest.year + (newest.month > _MARCH)
    return (
        LegalTerm(
            "Prevention of Money-laundering Act, 2002, section 12: five years from the transaction",
            _years_after(newest, _PMLA_YEARS),
        ),
        LegalTerm(
            "Central Goods and Services Tax Act, 2017, section 36: 72 months from the day on which"
            " the annual return is due",
            date(year_ends + _GST_YEARS, _DECEMBER, 31),
        ),
        LegalTerm(
            "Companies Act, 2013, section 128(5): books of eight financial years",
            date(year_ends + _BOOKS_YEARS, _MARCH, 31),
        ),
    )


def _years_after(day: date, years: int) -> date:
    is_leap_day = (day.month, day.day) == (2, 29)
    return date(day.year + years, day.month, 28 if is_leap_day else day.day)


def said(erased: ErasableRows) -> str:
    """Return what was erased, in words."""
    counts: Sequence[tuple[str, int]] = list(asdict(erased).items())
    parts = [f"{ERASED[name][0].lower()}: {number}" for name, number in counts if number]
    return f"Erased: {', '.join(parts)}." if parts else "Nothing was left to erase."
