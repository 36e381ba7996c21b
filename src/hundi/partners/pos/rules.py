"""What a terminal and a sale at it are; pure (docs/spec/domain.md#terminals)."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from hundi.kernel.masking import masked_reference
from hundi.kernel.money import rupees
from hundi.kernel.names import is_name, name_words
from hundi.kernel.refusals import RefusalCode, refuse

LISTED_FOR = timedelta(hours=24)
LISTED_MAX = 1_000
"""Sales in one listing: those of the last 24 hours, newest first.

See docs/spec/partner-interfaces.md#pos-listing.
"""
TOLD_WITHIN = timedelta(days=7)
"""The age of a sale that a manager may still report: terminals lack a network for days."""
AHEAD_MAX = timedelta(minutes=5)
"""How far a terminal's clock may be ahead of ours (docs/spec/partner-interfaces.md#pos-entries)."""
LABEL_MAX, TABLE_MAX, REFERENCE_MAX = 100, 20, 64
AMOUNT_MAX_PAISE = 10**12 - 1
"""Ten digits of rupees, as everywhere on the wire."""
KINDS = ("SALE", "VOID", "REFUND")
Kind: TypeAlias = Literal["SALE", "VOID", "REFUND"]
_TERMINAL = re.compile(r"[A-Za-z0-9]{1,16}\Z")
_MOBILE = re.compile(r"[0-9]{10}\Z")


@dataclass(frozen=True, slots=True)
class Sale:
    """A terminal's report of a transaction.

    reference: the terminal's own; a repeat counts once. edited_paise: the amount after a change at
    the table, a tip for example; 0 for none. mobile: the customer's, of which only the last four
    digits are stored; "" for none.
    """

    merchant_id: int
    terminal_id: str
    reference: str
    at: datetime
    amount_paise: int
    kind: Kind = "SALE"
    edited_paise: int = 0
    table_no: str = ""
    mobile: str = ""


@dataclass(frozen=True, slots=True)
class SaleRecord:
    """A sale as it is stored."""

    transaction_id: int
    at: datetime
    kind: Kind
    amount_paise: int
    edited_paise: int
    table_no: str
    masked_mobile: str

    def is_of(self, sale: Sale) -> bool:
        """Return whether a repeated sale equals the stored one; its time does not count."""
        ours = self.kind, self.amount_paise, self.edited_paise, self.table_no, self.masked_mobile
        return ours == (
            sale.kind,
            sale.amount_paise,
            sale.edited_paise,
            sale.table_no,
            masked(sale.mobile),
        )


def masked(mobile: str) -> str:
    """Return a mobile number as it is stored."""
    return f"XXXXXX{mobile[-4:]}" if mobile else ""


def check_terminal(terminal_id: str, label: str) -> None:
    """Raise Refused (FIELD_INVALID) unless a terminal can be registered like this."""
    if not _TERMINAL.match(terminal_id):
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="terminal_id",
            received=terminal_id[:32],
            allowed="1 to 16 of A-Z a-z 0-9",
        )
    if not is_name(label, LABEL_MAX):
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="label",
            received=label[:32],
            allowed=name_words(LABEL_MAX),
        )


def check_sale(sale: Sale) -> None:
    """Raise Refused (FIELD_INVALID) naming the first impossible field of a sale."""
    most = f"at most {rupees(AMOUNT_MAX_PAISE)} rupees"
    # A mobile number is personal data: it is not repeated.
    for name, received, right, allowed in (
        ("type", sale.kind, sale.kind in KINDS, " ".join(KINDS)),
        (
            "amount",
            rupees(sale.amount_paise),
            0 < sale.amount_paise <= AMOUNT_MAX_PAISE,
            f"above zero, {most}",
        ),
        (
            "edit_amount",
            rupees(sale.edited_paise),
            0 <= sale.edited_paise <= AMOUNT_MAX_PAISE,
            most,
        ),
        (
            "mobile",
            f"{len(sale.mobile)} characters",
            not sale.mobile or _MOBILE.match(sale.mobile),
            "10 digits",
        ),
        (
            "table",
            sale.table_no,
            not sale.table_no or is_name(sale.table_no, TABLE_MAX),
            name_words(TABLE_MAX),
        ),
        (
            "reference",
            sale.reference,
            is_name(sale.reference, REFERENCE_MAX),
            name_words(REFERENCE_MAX),
        ),
        (
            "reference",
            "(not shown)",
            masked_reference(sale.reference) == sale.reference,
            "no card number",
        ),
    ):
        if not right:
            raise refuse(
                RefusalCode.FIELD_INVALID, field=name, received=received[:32], allowed=allowed
            )


def check_time(at: datetime, now: datetime) -> None:
    """Raise Refused (FIELD_INVALID) unless a terminal may now report a sale of that time."""
    if not now - TOLD_WITHIN <= at <= now + AHEAD_MAX:
        allowed = (
            f"the last {TOLD_WITHIN.days} days, and {AHEAD_MAX.seconds // 60} minutes ahead at most"
        )
        raise refuse(
            RefusalCode.FIELD_INVALID, field="at", received=at.isoformat()[:32], allowed=allowed
        )
