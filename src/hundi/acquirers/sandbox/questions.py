"""Parts of requests to the simulated bank: charges, amounts, cards; pure."""

from typing import Any

from hundi.acquirers.port.mandates import MandateRequest
from hundi.acquirers.port.payments import Charge
from hundi.instruments.card import CardNumber
from hundi.kernel.money import PAISE_PER_RUPEE, Money


def rupees(amount_asked: Money) -> str:
    """Return an amount in rupees, as a form takes it."""
    whole, rest = divmod(amount_asked.paise, PAISE_PER_RUPEE)
    return f"{whole}.{rest:02d}"


def charged(charge: Charge) -> dict[str, Any]:
    """Return a charge with its reference."""
    return {"reference": charge.reference, **amount(charge.amount)}


def approved(asked: MandateRequest | None) -> dict[str, Any] | None:
    """Return the mandate that a customer approves with a payment, None for none."""
    return asked and {
        "payee_name": asked.payee_name,
        "max_paise": asked.maximum.paise,
        "recur": asked.recur,
        "valid_from": asked.valid_from.isoformat(),
        "valid_until": asked.valid_until.isoformat(),
    }


def amount(of: Money) -> dict[str, Any]:
    """Return an amount and its currency."""
    return {"amount_paise": of.paise, "currency": of.currency}


def typed(card: CardNumber) -> dict[str, Any]:
    """Return a typed card."""
    return {
        "number": card.number,
        "expiry_month": card.expiry_month,
        "expiry_year": card.expiry_year,
        "cvv": card.cvv,
        "holder": card.holder,
    }
