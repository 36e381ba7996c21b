"""Rules of files of payment links: their columns and bounds, and what is wrong with one; pure."""

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from hundi.kernel.masking import masked
from hundi.kernel.money import paise_typed, rupees
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.payments.links import rules as links
from hundi.payments.links.items.rules import LinkItem, items_sum, parse_item
from hundi.payments.links.reminders.rules import ReminderPlan, parse_days, times_of
from hundi.payments.links.rules import NewLink
from hundi.payments.orders.rules import Buyer

FILE_BYTES_MAX = 256 * 1024
LINES_MAX = 500
COLUMNS: Mapping[str, str] = {
    "reference": "your own reference of the link; the same one makes the same link",
    "description": "what it is for; the customer reads it",
    "amount": "rupees; empty where items are named: then their sum",
    "email": "the customer's e-mail address",
    "phone": "the customer's phone number",
    "minimum": "the smallest part payment in rupees; empty: paid in one payment",
    "until": f"the last day, such as 2026-12-31; empty: {links.LIFE.days} days from now",
    "surplus": "refund or keep; empty: refund",
    "items": "what; how many; amount, with | between several",
    "remind_before": "days before the last day on which to remind, such as 1 3",
    "remind_after": "days after today on which to remind",
}
"""The columns of a file, in any order, each with its meaning."""
NEEDED = ("reference", "description")
_AMOUNTS = ("amount", "items")
_SEPARATORS = ",;\t"
_ITEMS_BETWEEN = "|"
_PRIVATE = {"email", "phone"}
_RECEIVED_MAX = 40
_CELL_LENGTH_MAX = 6_000
"""Characters of one cell: fifty items."""
_COLUMN_OF = {"expires_at": "until"}
EXAMPLE = (
    ("reference", "description", "amount", "email", "phone", "until", "items"),
    ("FEES-2026-101", "School fees, term 2", "12500.00", "", "9876543210", "", ""),
    (
        "FEES-2026-102",
        "School fees and bus",
        "",
        "",
        "",
        "",
        "School fees; 1; 12500.00|Bus; 3; 4500",
    ),
)
"""A file to begin with."""


@dataclass(frozen=True, slots=True)
class BatchFault:
    """What is wrong with one cell of a file. line: of the file, whose head is line 1; 0 for all."""

    line: int
    column: str
    received: str
    allowed: str

    @property
    def words(self) -> str:
        """Return the fault in words."""
        place = f"Line {self.line}, " if self.line else ""
        named = f"{place}{self.column}: " if self.column else place
        received = f"{self.received!r} cannot be used; " if self.received else ""
        return f"{named}{received}use {self.allowed}"


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A line of a file as the link that it asks for.

    fault: why it cannot be made now, which is none of a link that is there already.
    """

    line: int
    link: NewLink
    fault: BatchFault | None


@dataclass(frozen=True, slots=True)
class LinkFile:
    """What a file says: its lines, or what is wrong with it. content_hash: of its bytes."""

    lines: tuple[BatchLine, ...]
    faults: tuple[BatchFault, ...]
    content_hash: bytes

    @property
    def sum_paise(self) -> int:
        """Return what its links ask for together."""
        return sum(line.link.amount_paise for line in self.lines)


@dataclass(frozen=True, slots=True)
class LinkBatch:
    """Links that were made from one file. lines: how many. made_by: who made them, in words."""

    merchant_id: int
    batch_id: int
    reference: str
    content_hash: bytes
    lines: int
    made_by: str
    created_at: datetime


def read_file(content: bytes, now: datetime) -> LinkFile:
    """Return what a file says, and every fault in it."""
    digest = hashlib.sha256(content).digest()
    try:
        rows = _rows(content)
    except ValueError as problem:
        fault = BatchFault(0, "file", "", str(problem))
        return LinkFile((), (fault,), digest)
    lines: list[BatchLine] = []
    faults: list[BatchFault] = []
    first: dict[str, int] = {}
    for number, cells in rows:
        try:
            link = _link_of(cells, now)
            fault = _fault_now(number, link, now)
        except Refused as refused:
            faults.append(_fault_of(number, refused))
            continue
        earlier = first.setdefault(link.reference, number)
        if earlier != number:
            allowed = f"a reference of its own: line {earlier} has this one"
            faults.append(BatchFault(number, "reference", link.reference, allowed))
            continue
        lines.append(BatchLine(number, link, fault))
    return LinkFile(tuple(lines), tuple(faults), digest)


def _rows(content: bytes) -> Sequence[tuple[int, Mapping[str, str]]]:
    """Return the cells of each line by column. Raises ValueError for no such file, in words."""
    if len(content) > FILE_BYTES_MAX:
        message = f"a file of at most {FILE_BYTES_MAX // 1024} kB"
        raise ValueError(message)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        message = "a CSV file in UTF-8 (in a spreadsheet: save as CSV UTF-8)"
        raise ValueError(message) from None
    head_line = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=head_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        head = [cell.strip().lower() for cell in next(reader, ())]
        _check_head(head)
        rows: list[tuple[int, Mapping[str, str]]] = []
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            number = reader.line_num
            if len(cells) > len(head) and any(cell.strip() for cell in cells[len(head) :]):
                message = f"as many cells in line {number} as the head has: {len(head)}"
                raise ValueError(message)
            # A line may end before its last columns.
            filled = [*map(str.strip, cells), *("" for _ in head)][: len(head)]
            rows.append((number, dict(zip(head, filled, strict=True))))
    except csv.Error as error:
        message = f"a whole CSV file (line {reader.line_num}: {error})"
        raise ValueError(message) from None
    if not 1 <= len(rows) <= LINES_MAX:
        message = f"1 to {LINES_MAX} lines below the head, and not {len(rows)}"
        raise ValueError(message)
    return rows


def _check_head(head: Sequence[str]) -> None:
    unknown = [masked(name)[:_RECEIVED_MAX] for name in head if name not in COLUMNS]
    missing = [name for name in NEEDED if name not in head]
    if not any(name in head for name in _AMOUNTS):
        missing.append(" or ".join(_AMOUNTS))
    if unknown or missing or len(set(head)) != len(head):
        wrong = [
            *(f"{name!r} is unknown" for name in unknown[:5]),
            *(f"{name} is missing" for name in missing),
        ]
        message = (
            f"a first line with names of columns ({', '.join(wrong) or 'each of them once'});"
            f" there are {', '.join(COLUMNS)}"
        )
        raise ValueError(message)


def _link_of(cells: Mapping[str, str], now: datetime) -> NewLink:
    """Return the link that a line asks for. Raises Refused (FIELD_INVALID)."""
    for name, cell in cells.items():
        if len(cell) > _CELL_LENGTH_MAX:
            raise _wrong(name, cell, f"at most {_CELL_LENGTH_MAX:,} characters")
    items = _items_of(cells.get("items", ""))
    until = _day_of(cells.get("until", ""))
    return NewLink(
        reference=cells["reference"],
        amount_paise=_paise_of("amount", cells.get("amount", "")) or items_sum(items),
        description=masked(cells["description"]),
        expires_at=links.end_of(until) if until else now + links.LIFE,
        expiry="" if until else f"{links.LIFE.days} days",
        minimum_paise=_paise_of("minimum", cells.get("minimum", "")),
        surplus=_surplus_of(cells.get("surplus", "")),
        buyer=Buyer(email=cells.get("email", ""), phone=cells.get("phone", "")),
        items=items,
        reminders=ReminderPlan(
            parse_days(cells.get("remind_before", ""), "remind_before"),
            parse_days(cells.get("remind_after", ""), "remind_after"),
        ),
    )


def _fault_now(line: int, new: NewLink, now: datetime) -> BatchFault | None:
    """Return why a link cannot be made now."""
    try:
        links.check(new, now)
        _ = times_of(new.reminders, now, new.expires_at, now)
    except Refused as refused:
        return _fault_of(line, refused)
    return None


def _items_of(cell: str) -> tuple[LinkItem, ...]:
    return tuple(parse_item(masked(text)) for text in cell.split(_ITEMS_BETWEEN)) if cell else ()


def _paise_of(column: str, cell: str) -> int:
    paise = paise_typed(cell) if cell else 0
    if paise is None:
        raise _wrong(column, cell, "rupees, such as 1499.50")
    return paise


def _day_of(cell: str) -> date | None:
    try:
        return date.fromisoformat(cell) if cell else None
    except ValueError:
        raise _wrong("until", cell, "a day such as 2026-12-31") from None


def _surplus_of(cell: str) -> links.Surplus:
    for choice in links.SURPLUS:
        if cell in {choice, ""}:
            return choice
    raise _wrong("surplus", cell, " or ".join(links.SURPLUS))


def _wrong(column: str, received: str, allowed: str) -> Refused:
    return refuse(RefusalCode.FIELD_INVALID, field=column, received=received[:64], allowed=allowed)


def _fault_of(line: int, refused: Refused) -> BatchFault:
    refusal = refused.refusal
    column = _COLUMN_OF.get(refusal.field, refusal.field)
    received = "" if column in _PRIVATE else masked(refusal.received)[:_RECEIVED_MAX]
    return BatchFault(line, column, received, refusal.allowed)


def words_of(file: LinkFile) -> str:
    """Return in words what a file asks for: `12 links of ₹48,000.00 together`."""
    count = len(file.lines)
    return f"{count} link{'' if count == 1 else 's'} of {rupees(file.sum_paise)} together"
