"""An invoice for fees: its parties, number, lines and taxes; pure.

See docs/reports.md#invoices.
"""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date

from hundi.kernel.names import is_name, name_words
from hundi.kernel.registrations import STATES, gstin_fault, pan_fault, pan_of
from hundi.money.reports.rules import DaySpan

OPERATOR = 0
"""The party that supplies: the operator of this gateway."""
SAC = "997158"
"""GST code of services: processing and clearing of financial transactions."""
NAME_LENGTH_MAX, ADDRESS_LENGTH_MAX = 100, 300
LENGTH_SHOWN = 40
NUMBER_LENGTH_MAX = 16
"""The longest number that an invoice may have (CGST Rules 2017, rule 46 b)."""
_APRIL = 4


@dataclass(frozen=True, slots=True)
class Party:
    """A party of an invoice. state: its GST code. gstin, pan: "" for none."""

    name: str
    address: str
    state: str
    gstin: str = ""
    pan: str = ""

    def fault(self) -> tuple[str, str, str] | None:
        """Return (field, received, allowed) of what is wrong, or None."""
        is_address = 1 <= len(self.address) <= ADDRESS_LENGTH_MAX and self.address.isprintable()
        pan = pan_of(self.gstin) if self.gstin else self.pan
        judged = (
            ("name", "" if is_name(self.name, NAME_LENGTH_MAX) else name_words(NAME_LENGTH_MAX)),
            ("address", "" if is_address else f"1 to {ADDRESS_LENGTH_MAX} characters"),
            ("state", "" if self.state in STATES else "a state code of GST, such as 27"),
            ("gstin", gstin_fault(self.gstin) if self.gstin else ""),
            (
                "gstin",
                f"one of the state {self.state}" if self.gstin[:2] not in {"", self.state} else "",
            ),
            ("pan", pan_fault(self.pan) if self.pan else ""),
            ("pan", f"the one in the GSTIN, {pan}" if self.pan not in {"", pan} else ""),
        )
        return next(
            (
                (field, getattr(self, field)[:LENGTH_SHOWN], words)
                for field, words in judged
                if words
            ),
            None,
        )


@dataclass(frozen=True, slots=True)
class Charges:
    """A merchant's charges of a month, by how they are taxed.

    other_paise: the lender's interest in instalments that the merchant bears. tax_paise: the sum of
    each payment's tax.
    """

    taxable_paise: int = 0
    exempt_paise: int = 0
    other_paise: int = 0
    tax_paise: int = 0

    @property
    def fee_paise(self) -> int:
        """Return the charges without tax."""
        return self.taxable_paise + self.exempt_paise + self.other_paise

    @property
    def total_paise(self) -> int:
        """Return the charges with tax."""
        return self.fee_paise + self.tax_paise


@dataclass(frozen=True, slots=True)
class InvoiceTaxes:
    """The levies of a tax: centre and state within a state, one between states."""

    cgst_paise: int = 0
    sgst_paise: int = 0
    igst_paise: int = 0


@dataclass(frozen=True, slots=True)
class Invoice:
    """One issued invoice."""

    merchant_id: int
    month: date
    financial_year: int
    serial_no: int
    issued_on: date
    supplier: Party
    recipient: Party
    charges: Charges
    taxes: InvoiceTaxes

    @property
    def number(self) -> str:
        """Return its number: the financial year and a serial number within it."""
        return number_of(self.financial_year, self.serial_no)


def financial_year(day: date) -> int:
    """Return the year in which the financial year of a day began, on 1 April."""
    return day.year if day.month >= _APRIL else day.year - 1


def number_of(year: int, serial_no: int) -> str:
    """Return an invoice's number, such as `26-27/000123`: at most 16 characters."""
    return f"{year % 100:02d}-{(year + 1) % 100:02d}/{serial_no:06d}"


def month_of(first: date) -> DaySpan:
    """Return the days of a month."""
    return DaySpan(first, first.replace(day=monthrange(first.year, first.month)[1]))


def split_tax(tax_paise: int, supplier: Party, recipient: Party) -> InvoiceTaxes:
    """Return the levies of a tax; of an odd number of paise the centre's half has one more."""
    if supplier.state != recipient.state:
        return InvoiceTaxes(igst_paise=tax_paise)
    return InvoiceTaxes(cgst_paise=tax_paise - tax_paise // 2, sgst_paise=tax_paise // 2)
