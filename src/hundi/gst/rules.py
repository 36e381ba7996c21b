"""How a GSTIN is written and what GST comes to; pure."""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from stdnum import luhn

GSTIN_LENGTH = 15
STATES = {
    "01": "Jammu and Kashmir",
    "02": "Himachal Pradesh",
    "03": "Punjab",
    "04": "Chandigarh",
    "05": "Uttarakhand",
    "06": "Haryana",
    "07": "Delhi",
    "08": "Rajasthan",
    "09": "Uttar Pradesh",
    "10": "Bihar",
    "11": "Sikkim",
    "12": "Arunachal Pradesh",
    "13": "Nagaland",
    "14": "Manipur",
    "15": "Mizoram",
    "16": "Tripura",
    "17": "Meghalaya",
    "18": "Assam",
    "19": "West Bengal",
    "20": "Jharkhand",
    "21": "Odisha",
    "22": "Chhattisgarh",
    "23": "Madhya Pradesh",
    "24": "Gujarat",
    "25": "Daman and Diu",
    "26": "Dadra and Nagar Haveli and Daman and Diu",
    "27": "Maharashtra",
    "28": "Andhra Pradesh (before 2014)",
    "29": "Karnataka",
    "30": "Goa",
    "31": "Lakshadweep",
    "32": "Kerala",
    "33": "Tamil Nadu",
    "34": "Puducherry",
    "35": "Andaman and Nicobar Islands",
    "36": "Telangana",
    "37": "Andhra Pradesh",
    "38": "Ladakh",
    "96": "Foreign country",
    "97": "Other Territory",
    "99": "Centre Jurisdiction",
}
"""Names by state code; python-stdnum knows neither 38 nor the nineties and refuses real numbers. Domain facts, 5.2."""
_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FORM = re.compile(
    r"[0-9]{2}(?:[A-Z]{5}[0-9]{4}[A-Z][1-9A-Z][ZCD1-9ABE-J][0-9A-Z]"  # with a PAN or TAN inside
    r"|[0-9]{2}[A-Z]{3}[0-9]{5}(?:NR|OS|UN|ON)[0-9A-Z])\Z"  # non-residents, online services, United Nations
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text is no GSTIN. allowed: what would be right, in words."""

    allowed: str


def check_digit(first: str) -> str:
    """Return the last character of a GSTIN from its first 14: Luhn's weights over base 36. Domain facts, 5.1."""
    return luhn.calc_check_digit(first, _ALPHABET)


def fault_of(gstin: str) -> Fault | None:
    """Return why a text cannot be a GSTIN, None when it can."""
    if not _FORM.match(gstin):
        return Fault(f"{GSTIN_LENGTH} characters: state, PAN, number, Z and a check character, as in 27AAPFU0939F1ZV")
    if gstin[:2] not in STATES:
        return Fault("a state code of GST in the first two places")
    if check_digit(gstin[:-1]) != gstin[-1]:
        return Fault("a check character that fits the other 14; one of them was mistyped")
    return None


def pan_of(gstin: str) -> str:
    """Return the PAN that a GSTIN of the usual kind holds."""
    return gstin[2:12]


@dataclass(frozen=True, slots=True)
class Taxed:
    """An amount and the taxes on top of it, in paise; None for a tax that does not apply."""

    paise: int
    sgst_paise: int | None = None
    cgst_paise: int | None = None
    igst_paise: int | None = None

    @property
    def tax_paise(self) -> int:
        """Return all its taxes."""
        return (self.sgst_paise or 0) + (self.cgst_paise or 0) + (self.igst_paise or 0)


@dataclass(frozen=True, slots=True)
class Calculation:
    """GST on a cost and on the profit on top of it."""

    cost: Taxed
    profit: Taxed

    @property
    def total_tax_paise(self) -> int:
        """Return the taxes of both."""
        return self.cost.tax_paise + self.profit.tax_paise

    @property
    def total_paise(self) -> int:
        """Return both amounts with their taxes."""
        return self.cost.paise + self.profit.paise + self.total_tax_paise


def calculate(cost_paise: int, profit: Decimal, rate: Decimal, *, same_state: bool) -> Calculation:
    """Return GST on a cost and its profit. Wire decisions, section 8.

    profit: per cent of the cost. rate: per cent, on top of each amount. Within one state the halves are two levies,
    each rounded on its own, half a paisa up; between states one levy takes the whole rate.
    """
    profit_paise = _share(cost_paise, profit)
    return Calculation(_taxed(cost_paise, rate, same_state), _taxed(profit_paise, rate, same_state))


def _taxed(paise: int, rate: Decimal, same_state: bool) -> Taxed:  # noqa: FBT001 (one caller)
    if same_state:
        half = _share(paise, rate / 2)
        return Taxed(paise, sgst_paise=half, cgst_paise=half)
    return Taxed(paise, igst_paise=_share(paise, rate))


def _share(paise: int, per_cent: Decimal) -> int:
    return int((paise * per_cent / 100).quantize(Decimal(1), ROUND_HALF_UP))
