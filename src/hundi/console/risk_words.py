"""Why risk rules held or blocked a payment, in words, from what the verdict keeps; pure."""

import re

from hundi.kernel.money import Money, shown
from hundi.payments.risk.rules import FIELDS

_AMOUNT = re.compile(r"\b(\w+)_paise ((?:is|above|below|at least|at most)) (\d+)\b")
_FIELD = re.compile(rf"\b(?:{'|'.join(sorted(each for each in FIELDS if '_' in each))})\b")


def because_words(because: str) -> str:
    """Return the conditions that held: `Amount above ₹10,000.00`."""
    said = _AMOUNT.sub(
        lambda found: f"{found[1]} {found[2]} {shown(Money(int(found[3])))}", because
    )
    said = _FIELD.sub(lambda found: found[0].replace("_", " "), said)
    return said[:1].upper() + said[1:]
