"""Razorpay's instalments: its plans, and the terms of a payment; pure.

Source: github.com/razorpay/markdown-docs, payments/payment-methods/emi/credit-card-emi.md and
api/payments/fetch-payment-expanded-emi.md, commit ab3bda5f.
"""

import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any, TypeVar

import msgspec

from hundi.acquirers.calls.razorpay_wire import Id, Word
from hundi.acquirers.port.answers import Approved
from hundi.acquirers.port.instalments import InstalmentPlan
from hundi.acquirers.razorpay.messages import AMOUNT_PAISE_MAX
from hundi.instruments.card import NO_CARD
from hundi.kernel.records import replace

METHOD = "emi"
PAID_BY_CUSTOMER = "customer"
"""The bearer of the interest in every published plan.

It is not published what another bearer pays, and when.
"""
RATE_MAX = 100
"""Per cent a year."""
_BASIS_POINTS_A_PER_CENT = 100
_BANK = re.compile(r"[A-Z]{4}\Z")
_Months = Annotated[int, msgspec.Meta(ge=1, le=120)]
_Said = TypeVar("_Said")


class _Option(msgspec.Struct, frozen=True):
    """A plan of a bank. interest: per cent a year; min_amount: in paise."""

    duration: _Months
    interest: Decimal
    subvention: Word
    min_amount: Annotated[int, msgspec.Meta(ge=1, le=AMOUNT_PAISE_MAX)]
    processing_fee_plan: Any = None


class RazorpayEmi(msgspec.Struct, frozen=True):
    """The instalments of a payment.

    issuer: the bank's code; rate: basis points a year; duration: months.
    """

    duration: _Months
    issuer: Word = ""
    rate: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0


class ExpandedPayment(msgspec.Struct, frozen=True):
    """A payment that was requested with its instalments."""

    id: Id
    emi: RazorpayEmi | None = None


def plans_of(options: msgspec.Raw) -> tuple[InstalmentPlan, ...]:
    """Return the plans for credit cards in a list of methods; unreadable ones are left out.

    Plans of debit cards have another code than the bank's (`HDFC_DC`), and some cards are no bank's
    (`onecard`).
    """
    plans: dict[tuple[str, int], InstalmentPlan] = {}
    for bank, entries in (_read(options, dict[str, msgspec.Raw]) or {}).items():
        for each in _options(entries) if _BANK.match(bank) else ():
            plans.setdefault((bank, each.duration), _plan(bank, each))
    return tuple(plans.values())


def _options(options: msgspec.Raw) -> Iterator[_Option]:
    for raw in _read(options, list[msgspec.Raw]) or []:
        option = _read(raw, _Option)
        if (
            option is None
            or not option.interest.is_finite()
            or not 0 <= option.interest <= RATE_MAX
        ):
            continue
        if option.subvention == PAID_BY_CUSTOMER:
            yield option


def _plan(bank: str, option: _Option) -> InstalmentPlan:
    rate_bps = int((option.interest * _BASIS_POINTS_A_PER_CENT).to_integral_value(ROUND_HALF_UP))
    has_fee = option.processing_fee_plan is not None
    return InstalmentPlan(bank, option.duration, rate_bps, option.min_amount, has_fee=has_fee)


def with_terms(answer: Approved, terms: RazorpayEmi | None) -> Approved:
    """Return an approval with Razorpay's instalments of it."""
    if terms is None:
        return answer
    card = answer.card or NO_CARD
    issuer = terms.issuer or card.issuer
    return replace(
        answer,
        card=replace(card, issuer=issuer, emi_months=terms.duration, emi_rate_bps=terms.rate),
    )


def _read(raw: msgspec.Raw, kind: type[_Said]) -> _Said | None:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
