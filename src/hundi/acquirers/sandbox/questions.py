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


def approved(mandate: MandateRequest | None) -> dict[str, Any] | None:
    """Return the mandate that a customer approves with a payment, None for none."""
    return mandate and {
        "payee_name": mandate.payee_name,
        "max_paise": mandate.maximum.paise,
        "recur": mandate.recur,
        "valid_from": mandate.valid_from.isoformat(),
        "valid_until": mandate.valid_until.isoformat(),
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
