"""How a report becomes a statement: its transfers, what of it is new, and the file; pure."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from hundi.acquirers.settlement_reports import ReportLine
from hundi.money.reconciliation.rules import CsvMapping, LineKind, StatementError

FORMAT = CsvMapping(
    columns={
        "kind": "kind",
        "sign": "sign",
        "gross": "gross",
        "fee": "fee",
        "net": "net",
        "reference": "reference",
        "rrn": "number",
        "utr": "utr",
        "day": "day",
    },
    kinds={each.value: each for each in (LineKind.PAYMENT, LineKind.REFUND, LineKind.CHARGEBACK, LineKind.OTHER)},
    signs={"credit": "credit", "debit": "debit"},
    amounts_in="paise",
    trailer="TOTAL",
    trailer_count="reference",
    trailer_sum="net",
)
"""How the file of a fetched report is written and read."""
_HEAD = ("kind", "sign", "gross", "fee", "net", "reference", "number", "utr", "day", "acquirer")


@dataclass(frozen=True, slots=True)
class Kept:
    """What a line is known by once it was imported: two that agree in all of it are the same line."""

    kind: str
    is_credit: bool
    gross_paise: int
    net_paise: int
    reference: str
    rrn: str
    utr: str
    day: date


def key_of(line: ReportLine) -> Kept:
    """Return what a line will be known by."""
    return Kept(
        line.kind.value,
        line.is_credit,
        line.gross_paise,
        line.net_paise,
        line.reference,
        line.number,
        line.utr,
        line.day,
    )


def with_transfers(lines: Sequence[ReportLine]) -> tuple[list[ReportLine], int]:
    """Return the lines whose transfer is known, and how many wait for theirs.

    A line without a transfer has that of its settlement. Raises StatementError for a settlement of two transfers.
    """
    transfers: dict[str, str] = {}
    for line in lines:
        if line.settlement and line.utr and transfers.setdefault(line.settlement, line.utr) != line.utr:
            utrs = f"{transfers[line.settlement]} and {line.utr}"
            message = f"settlement {line.settlement} is said to have come as {utrs}: ask the acquirer"
            raise StatementError(message)
    full = [replace(each, utr=each.utr or transfers.get(each.settlement, "")) for each in lines]
    ready = [each for each in full if each.utr]
    return ready, len(full) - len(ready)


def unseen(lines: Iterable[ReportLine], before: Iterable[Kept]) -> list[ReportLine]:
    """Return the lines that no earlier report had, as often as they are new."""
    known = Counter(before)
    found: list[ReportLine] = []
    for line in lines:
        key = key_of(line)
        if known[key] > 0:
            known[key] -= 1
        else:
            found.append(line)
    return found


def file_of(connector: str, day: date, lines: Sequence[ReportLine]) -> bytes:
    """Return the file of a report: the same lines are the same bytes, and without any it covers its day."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEAD)
    net = 0
    for line in lines:
        amounts = (line.gross_paise, line.fee_paise, line.net_paise)
        net += line.net_paise if line.is_credit else -line.net_paise
        sign = "credit" if line.is_credit else "debit"
        names = (line.reference, line.number, line.utr, line.day.isoformat(), connector)
        writer.writerow((line.kind.value, sign, *amounts, *names))
    writer.writerow(("TOTAL", "", "", "", net, len(lines), "", "", day.isoformat(), connector))
    return text.getvalue().encode()
