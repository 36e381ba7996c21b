"""What a terminal and a sale at it are; pure."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Literal, TypeAlias

from hundi.kernel.refusals import RefusalCode, refuse

LISTED_FOR = timedelta(hours=24)
LISTED_MAX = 1_000
"""What one listing tells: the last 24 hours, newest first. Wire decisions, section 8."""
LABEL_MAX, TABLE_MAX, REFERENCE_MAX = 100, 20, 64
AMOUNT_MAX_PAISE = 10**12
KINDS = ("SALE", "VOID", "REFUND")
Kind: TypeAlias = Literal["SALE", "VOID", "REFUND"]
_TERMINAL = re.compile(r"[A-Za-z0-9]{1,16}\Z")
_MOBILE = re.compile(r"[0-9]{10}\Z")


@dataclass(frozen=True, slots=True)
class Sale:
    """What a terminal tells of a transaction.

    reference: the terminal's own; told twice, it counts once. edited_paise: the amount after a change at the table, a
    tip for example; 0 for none. mobile: the customer's, of which only the last four digits are kept; "" for none.
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


def masked(mobile: str) -> str:
    """Return what is kept of a mobile number."""
    return f"XXXXXX{mobile[-4:]}" if mobile else ""


def check_terminal(terminal_id: str, label: str) -> None:
    """Raise Refused (FIELD_INVALID) unless a terminal can be registered so."""
    if not _TERMINAL.match(terminal_id):
        raise refuse(
            RefusalCode.FIELD_INVALID, field="terminal_id", received=terminal_id[:32], allowed="1 to 16 of A-Z a-z 0-9"
        )
    if not 1 <= len(label) <= LABEL_MAX or not label.isprintable():
        raise refuse(
            RefusalCode.FIELD_INVALID, field="label", received=label[:32], allowed="1 to 100 printable characters"
        )


def check_sale(sale: Sale) -> None:
    """Raise Refused (FIELD_INVALID) naming the first thing of a sale that cannot be."""
    for name, right, allowed in (
        ("kind", sale.kind in KINDS, " ".join(KINDS)),
        ("amount", 0 < sale.amount_paise <= AMOUNT_MAX_PAISE, "an amount above zero"),
        ("edit_amount", 0 <= sale.edited_paise <= AMOUNT_MAX_PAISE, "an amount, or 0"),
        ("mobile", not sale.mobile or bool(_MOBILE.match(sale.mobile)), "10 digits, or nothing"),
        ("table", len(sale.table_no) <= TABLE_MAX and (sale.table_no.isprintable()), "at most 20 printable characters"),
        ("reference", 1 <= len(sale.reference) <= REFERENCE_MAX and sale.reference.isprintable(), "1 to 64 characters"),
    ):
        if not right:
            raise refuse(RefusalCode.FIELD_INVALID, field=name, allowed=allowed)


def may_ask(address: str, allowed: tuple[str, ...]) -> bool:
    """Tell whether an address is on a merchant's list; nobody's is on an empty one."""
    try:
        asking = ip_address(address)
    except ValueError:
        return False
    return any(asking in ip_network(each) for each in allowed)
