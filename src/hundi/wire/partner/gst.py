"""GST verification and GST calculator.

See docs/spec/partner-interfaces.md#gst-verification and docs/spec/partner-interfaces.md#gst-calculator.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hundi.wire.fields import FieldError, paise_from_text, text_from_paise
from hundi.wire.partner.envelope import Parameters

CALCULATOR = ("cost", "profit", "gst", "same_state")
"""Parameters in documented order, as a checksum takes them."""
VERIFICATION = ("gstin",)
PER_CENT_DIGITS_MAX = 5
"""Digits before the point of a percentage: a published sample has a profit of 500 and a rate of 100.50.

See docs/spec/partner-interfaces.md#gst-calculator.
"""

_PER_CENT = re.compile(r"[0-9]{1,5}(\.[0-9]{1,4})?\Z")


@dataclass(frozen=True, slots=True)
class CalculatorRequest:
    """What is to be computed. profit: per cent of the cost. rate: the tax, in per cent."""

    cost_paise: int
    profit: Decimal
    rate: Decimal
    same_state: bool


def parse_calculator(parameters: Parameters) -> CalculatorRequest:
    """Return a calculation. Raises FieldError."""
    return CalculatorRequest(
        cost_paise=paise_from_text(parameters.text("cost"), "cost"),
        profit=_per_cent(parameters, "profit"),
        rate=_per_cent(parameters, "gst"),
        same_state=_flag(parameters, "same_state"),
    )


def parse_verification(parameters: Parameters) -> str:
    """Return the requested GSTIN in capitals; partners/gst checks its form. Raises FieldError."""
    given = parameters.text("gstin").strip()
    if not given:
        raise FieldError("gstin", "", "15 characters, such as 27AAPFU0939F1ZV")
    return given.upper()


@dataclass(frozen=True, slots=True)
class TaxedAmount:
    """An amount and the taxes on top of it, in paise; None for a tax that does not apply."""

    paise: int
    sgst_paise: int | None
    cgst_paise: int | None
    igst_paise: int | None


def calculator_data(
    cost: TaxedAmount, profit: TaxedAmount, total_gst_paise: int, total_paise: int
) -> dict[str, object]:
    """Return `data` of a calculation (docs/spec/partner-interfaces.md#gst-calculator)."""
    return {
        "cost": _taxed(cost),
        "profit": _taxed(profit),
        "total_gst": text_from_paise(total_gst_paise),
        "total_amount": text_from_paise(total_paise),
    }


def _taxed(amount: TaxedAmount) -> dict[str, object]:
    taxes = {"sgst": amount.sgst_paise, "cgst": amount.cgst_paise, "igst": amount.igst_paise}
    return {
        "amount": text_from_paise(amount.paise),
        "gst": {name: "" if paise is None else text_from_paise(paise) for name, paise in taxes.items()},
    }


_REGISTRATION = {
    "stjCd": "state_jurisdiction_code",
    "stj": "state_jurisdiction",
    "lgnm": "legal_name",
    "tradeNam": "trade_name",
    "dty": "taxpayer_type",
    "ctb": "constitution",
    "sts": "status",
    "gstin": "gstin",
    "rgdt": "registered_on",
    "lstupdt": "updated_on",
    "cxdt": "cancelled_on",
    "ctjCd": "centre_jurisdiction_code",
    "ctj": "centre_jurisdiction",
    "nba": "activities",
    "pradr": "principal",
    "adadr": "additional",
    "mbr": "members",
    "canFlag": "cancel_flag",
    "cmpRt": "compliance_rating",
    "ppr": "preparer",
    "contacted": "contact",
}
_ADDRESS = {
    "addr": "kind",
    "ntr": "nature",
    "adr": "full",
    "em": "email",
    "lastUpdatedDate": "updated",
    "mb": "mobile",
}
_CONTACT = {"email": "email", "mobNum": "mobile", "name": "name"}


def registration_data(found: Mapping[str, Any]) -> dict[str, object]:
    """Return `data` of a registration, from our names (docs/spec/partner-interfaces.md#gst-verification)."""
    data = {name: found[own] for name, own in _REGISTRATION.items()}
    data["pradr"] = _named(data["pradr"], _ADDRESS)
    data["adadr"] = [_named(each, _ADDRESS) for each in data["adadr"]]
    data["contacted"] = _named(data["contacted"], _CONTACT)
    return data


def read_registration(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a registration by our names from a reply's data. Raises KeyError where a field is missing."""
    found = {own: data[name] for name, own in _REGISTRATION.items()}
    found["principal"] = _ours(found["principal"], _ADDRESS)
    found["additional"] = [_ours(each, _ADDRESS) for each in found["additional"]]
    found["contact"] = _ours(found["contact"], _CONTACT)
    return found


def _named(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {name: values[own] for name, own in names.items()}


def _ours(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {own: values[name] for name, own in names.items()}


def _per_cent(parameters: Parameters, name: str) -> Decimal:
    given = parameters.text(name)
    if not _PER_CENT.match(given):
        raise FieldError(name, given, f"a percentage: up to {PER_CENT_DIGITS_MAX} digits, then up to four places")
    return Decimal(given)


def _flag(parameters: Parameters, name: str) -> bool:
    given = parameters.text(name)
    if given not in {"Y", "N"}:
        raise FieldError(name, given, "Y or N")
    return given == "Y"
