"""The network's counters, its voucher numbers, and the refusals at a counter; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from hundi_testbed.bank.rules import PaymentDecision, Status, passes_luhn
from hundi_testbed.bank.settings import Timings
from hundi_testbed.bank.transfers.rules import paise
from hundi_testbed.bank.wording import rupees

FIELDS = ("number", "amount", "mobile", "counter")
CEILING_PAISE = 50_000_00
"""The most cash for one voucher (Income-tax Rules, rule 114B: more cash in a day needs a PAN)."""
NO_REFUND_MOBILE = "9000000057"
"""A customer without a bank account behind the mobile number, whom no refund reaches."""
WITHDRAWN = PaymentDecision(Status.DECLINED, "17", "The voucher was withdrawn", final=True)
_NUMBER = re.compile(r"[0-9]{14}\Z")
_MOBILE = re.compile(r"[6-9][0-9]{9}\Z")


@dataclass(frozen=True, slots=True)
class CashVoucher:
    """An amount that a customer pays at a counter."""

    number: str
    reference: str
    payee_name: str
    amount_paise: int
    currency: str
    expires_at: datetime

    @property
    def receipt(self) -> str:
        """Return the receipt's number: a voucher has only one, so it is paid once."""
        return f"CR{self.number}"


@dataclass(frozen=True, slots=True)
class Counter:
    """A shop that takes cash. told: when the gateway hears of a payment."""

    code: str
    name: str
    told: str


COUNTERS = (
    Counter("asha", "Asha Store", "tells after 20 seconds"),
    Counter("hill", "Hill Road", "tells after 60 seconds"),
    Counter("post", "River Post", "never tells; found when asked after 20 seconds"),
)
_BY_CODE = {each.code: each for each in COUNTERS}


def number_of(rrn: str) -> str:
    """Return a voucher number made from a number used once.

    Its last digit checks the others.
    """
    body = f"6{rrn}"
    return next(body + digit for digit in "0123456789" if passes_luhn(body + digit))


def taken(counter: str, timings: Timings) -> PaymentDecision:
    """Return the decision about cash just taken at a counter: pending until its batch comes in."""
    after_s = timings.deemed_s if counter == "hill" else timings.pending_s
    message = "Taken at the counter"
    return PaymentDecision(
        Status.PENDING, "01", message, settles_after_s=after_s, quiet=counter == "post"
    )


def problems(
    values: Mapping[str, str], voucher: CashVoucher | None, now: datetime
) -> dict[str, str]:
    """Return why a counter takes no cash, by field.

    voucher: the one of the entered number.
    """
    faults: dict[str, str] = {}
    if not _NUMBER.match(values["number"]) or not passes_luhn(values["number"]):
        faults["number"] = (
            "This is no voucher number: it has 14 digits, and the last one checks the others."
        )
    elif voucher is None:
        faults["number"] = "There is no such voucher."
    elif now >= voucher.expires_at:
        faults["number"] = "This voucher has expired. Take no cash."
    elif paise(values["amount"]) != voucher.amount_paise:
        faults["amount"] = (
            f"This voucher is for exactly {rupees(voucher.amount_paise)}. Take no other amount."
        )
    if not _MOBILE.match(values["mobile"]):
        faults["mobile"] = "Enter the customer's mobile number, 10 digits."
    if values["counter"] not in _BY_CODE:
        faults["counter"] = "Choose a counter of the list."
    return faults
