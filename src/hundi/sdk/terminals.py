"""What terminals sold, as partners tell and read it (docs/spec/partner-interfaces.md#pos)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hundi.wire.fields import text_from_paise

_AMOUNT = re.compile(r"[0-9]{1,20}\.[0-9]{2}\Z")


@dataclass(frozen=True, slots=True)
class TerminalSale:
    """What was sold at a terminal. edited_paise: the amount after a change at the table, 0 for none."""

    transaction_id: int
    kind: str
    amount_paise: int
    edited_paise: int
    table_no: str
    masked_mobile: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalEntry:
    """A sale to be told.

    reference: the terminal's own. edited_paise, table_no, mobile: where there are such.
    at: when it was sold, aware; the time of the call when None.
    """

    terminal_id: str
    reference: str
    amount_paise: int
    kind: str = "SALE"
    edited_paise: int = 0
    table_no: str = ""
    mobile: str = field(default="", repr=False)
    at: datetime | None = None

    def told(self) -> dict[str, str]:
        """Return the entry as it is sent."""
        return {
            "terminalid": self.terminal_id,
            "reference": self.reference,
            "type": self.kind,
            "amount": text_from_paise(self.amount_paise),
            "edit_amount": text_from_paise(self.edited_paise) if self.edited_paise else "",
            "table": self.table_no,
            "mobile": self.mobile,
            "at": self.at.isoformat() if self.at else "",
        }


@dataclass(frozen=True, slots=True)
class EntryResult:
    """What became of an entry: recorded, repeated or refused. transaction_id: 0 for a refused one.

    code, problem: why it was refused, "" otherwise.
    """

    terminal_id: str
    reference: str
    result: str
    transaction_id: int
    code: str
    problem: str


def read_sale(row: Mapping[str, Any]) -> TerminalSale:
    """Return a row of a listing. Raises KeyError, ValueError."""
    return TerminalSale(
        int(row["TRANSACTIONID"]),
        row["TXNTYPE"],
        reply_paise(row["AMOUNT"]),
        reply_paise(row["EDITAMOUNT"]),
        row["TABLENO"],
        row["MOBILENO"],
    )


def read_results(reply: Mapping[str, Any]) -> tuple[EntryResult, ...]:
    """Return what became of each entry. Raises KeyError, ValueError."""
    return tuple(
        EntryResult(
            each["terminalid"],
            each["reference"],
            each["result"],
            int(each["transactionid"] or 0),
            each["error_code"],
            each["error"],
        )
        for each in reply["data"]["entries"]
    )


def reply_paise(text: str) -> int:
    """Return an amount of a reply, which may have more digits than one that is sent. Raises ValueError."""
    if not _AMOUNT.match(text):
        message = "an amount has two places"
        raise ValueError(message)
    return int(text.replace(".", ""))
