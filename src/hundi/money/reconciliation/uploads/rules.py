"""Uploaded statements: which column is which, what the file's own rows say so, a trial; pure."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from io import BytesIO
from typing import Any, BinaryIO

import msgspec

from hundi.kernel.records import replace
from hundi.money.reconciliation import camt, csv_lines, mt940
from hundi.money.reconciliation.rules import (
    COLUMNS,
    Controls,
    CsvMapping,
    Line,
    LineKind,
    StatementError,
)

BYTES_MAX = 8 * 1024 * 1024
"""Of a statement in the browser; the command takes larger ones."""
KEPT = timedelta(days=1)
"""How long an upload waits for its import."""
SAMPLE_ROWS = 3
SHOWN_LINES = 20
WORDS_MAX = 20
"""The most words of a column of kinds or signs that a form asks about."""
_DELIMITERS = ",;\t|"
_SNIFFED_BYTES = 64 * 1024
COLUMNS_MAX = 200
"""Columns of a file that a page shows; banks have some tens."""
DAY_FORMATS = {
    "%Y-%m-%d": "2026-11-23",
    "%d-%m-%Y": "23-11-2026",
    "%d/%m/%Y": "23/11/2026",
    "%d.%m.%Y": "23.11.2026",
    "%d-%b-%Y": "23-Nov-2026",
    "%d %b %Y": "23 Nov 2026",
    "%d/%m/%y": "23/11/26",
    "%Y-%m-%d %H:%M:%S": "2026-11-23 14:05:00",
    "%d/%m/%Y %H:%M:%S": "23/11/2026 14:05:00",
    "%d-%m-%Y %H:%M:%S": "23-11-2026 14:05:00",
}
"""The forms of days that a form offers, each with an example."""
FIELDS = {
    "kind": "Kind",
    "reference": "Our reference",
    "day": "Day",
    "net": "Amount that moved",
    "gross": "Amount before fee",
    "fee": "Fee with GST",
    "debit": "Debit",
    "credit": "Credit",
    "sign": "Debit or credit",
    "rrn": "RRN",
    "utr": "UTR",
    "account": "Account",
    "currency": "Currency",
}
"""The fields of a line, and what people call each."""
_NAMES: Mapping[str, Sequence[str]] = {
    "kind": ("type", "entity type", "transaction type", "txn type", "kind"),
    "reference": (
        *("merchant reference", "merchant transaction id", "order id", "merchant order id"),
        *("reference", "receipt", "txnid"),
    ),
    "day": (
        *("date", "settlement date", "value date", "transaction date", "txn date", "posting date"),
        "settled at",
    ),
    "net": ("net", "net amount", "settled amount", "settlement amount", "amount"),
    "gross": ("gross", "gross amount", "transaction amount", "txn amount"),
    "fee": ("fee", "fees", "charges", "service fee", "total fee"),
    "debit": ("debit", "withdrawal", "withdrawals", "debit amount"),
    "credit": ("credit", "deposit", "deposits", "credit amount"),
    "sign": ("sign", "dr cr", "cr dr", "debit credit", "dr/cr", "cr/dr"),
    "rrn": ("rrn", "bank reference", "bank rrn", "bank reference number"),
    "utr": ("utr", "settlement utr", "utr number", "reference no", "ref no", "transaction id"),
    "account": ("account", "account number"),
    "currency": ("currency",),
}
"""The headings by which a column is guessed, in the order of trust."""
_KIND_WORDS = (
    ("refund", LineKind.REFUND),
    ("chargeback", LineKind.CHARGEBACK),
    ("dispute", LineKind.CHARGEBACK),
    ("handover", LineKind.HANDOVER),
    ("settlement", LineKind.HANDOVER),
    ("payout", LineKind.HANDOVER),
    ("transfer", LineKind.HANDOVER),
    ("payment", LineKind.PAYMENT),
    ("sale", LineKind.PAYMENT),
    ("capture", LineKind.PAYMENT),
)


class UploadState(StrEnum):
    """Where an upload is."""

    UPLOADED = "uploaded"
    """A person looks at it."""
    ASKED = "asked"
    """The worker imports it."""
    IMPORTED = "imported"
    """Its lines are in the books of statements."""
    REFUSED = "refused"
    """None of its lines was imported; the problem says why."""
    FORGOTTEN = "forgotten"
    """Nobody asked for its import in time."""


@dataclass(frozen=True, slots=True)
class StatementUpload:
    """An uploaded statement without its content. connector: "" for our own bank account's.

    mapping: how its CSV is read, None for the acquirer's terms. result: of its import, by names.
    """

    upload_id: int
    connector: str
    format: str
    name: str
    size_bytes: int
    uploaded_by: str
    uploaded_at: datetime
    state: UploadState
    mapping: CsvMapping | None
    asked_by: str
    result: Mapping[str, Any]
    problem: str


@dataclass(frozen=True, slots=True)
class CsvSample:
    """The head of a CSV file, its first rows, and the words of each column with few of them."""

    delimiter: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: Mapping[str, tuple[str, ...]]

    def examples(self, column: str) -> tuple[str, ...]:
        """Return what the first rows have in a column."""
        if column not in self.head:
            return ()
        place = self.head.index(column)
        return tuple(row[place] for row in self.rows[:SAMPLE_ROWS] if place < len(row))


@dataclass(frozen=True, slots=True)
class StatementTrial:
    """A statement as it would be imported. fault: why it would be refused, "" if it would not."""

    lines: tuple[Line, ...]
    count: int
    net_paise: int
    account: str
    first_day: date | None
    last_day: date | None
    fault: str


@dataclass(slots=True)
class _Words:
    """Collects the words of a column, until there are too many."""

    seen: dict[str, None] = field(default_factory=dict)

    def add(self, word: str) -> None:
        if len(self.seen) <= WORDS_MAX:
            self.seen.setdefault(word)


def sample_of(content: bytes) -> CsvSample:
    """Return the head and the first rows of a CSV file. Raises StatementError if it has none."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        message = "it is no text in UTF-8"
        raise StatementError(message) from None
    first = text.partition("\n")[0]
    if len(first.encode()) > csv_lines.ROW_BYTES_MAX:
        message = f"its first row has more than {csv_lines.ROW_BYTES_MAX} bytes"
        raise StatementError(message)
    delimiter = max(_DELIMITERS, key=first.count)
    rows = csv.reader(text.splitlines(), delimiter=delimiter)
    head = tuple(next(rows, ()))
    if len(head) < 2:  # noqa: PLR2004 (a day and an amount)
        message = "its first row names no columns"
        raise StatementError(message)
    if len(head) > COLUMNS_MAX:
        message = f"its first row names {len(head)} columns; allowed: at most {COLUMNS_MAX}"
        raise StatementError(message)
    words = [_Words() for _ in head]
    kept: list[tuple[str, ...]] = []
    try:
        for row in rows:
            if len(kept) < SAMPLE_ROWS:
                kept.append(tuple(row))
            for column, word in zip(words, row, strict=False):
                column.add(word)
    except csv.Error as error:
        message = f"it is no CSV: {error}"
        raise StatementError(message) from None
    few = {
        name: tuple(column.seen)
        for name, column in zip(head, words, strict=True)
        if len(column.seen) <= WORDS_MAX
    }
    return CsvSample(delimiter, head, tuple(kept), few)


def guess(sample: CsvSample, known: CsvMapping | None) -> CsvMapping:
    """Return a first mapping: that of the acquirer's terms where it fits, else by the headings."""
    if known is not None and set(known.columns.values()) <= set(sample.head):
        return known
    by_name = {name.strip().lower().replace("_", " "): name for name in reversed(sample.head)}
    columns = {
        ours: by_name[name]
        for ours, names in _NAMES.items()
        if (name := next((each for each in names if each in by_name), None)) is not None
    }
    if columns.keys() >= {"debit", "credit"}:
        columns.pop("net", None)
        columns.pop("sign", None)
    examples = [each for each in sample.examples(columns.get("day", "")) if each]
    day_format = next((each for each in DAY_FORMATS if _all_days(examples, each)), "%Y-%m-%d")
    return CsvMapping(
        columns,
        kinds=kinds_of(sample.words.get(columns.get("kind", ""), ())),
        signs=signs_of(sample.words.get(columns.get("sign", ""), ())),
        delimiter=sample.delimiter,
        day_format=day_format,
    )


def proposed(sample: CsvSample, chosen: CsvMapping) -> CsvMapping:
    """Return the mapping of an earlier file of this layout, with the words that are new in it."""
    words = sample.words
    kinds = kinds_of(words.get(chosen.columns.get("kind", ""), ()))
    signs = signs_of(words.get(chosen.columns.get("sign", ""), ()))
    return replace(chosen, kinds=kinds | dict(chosen.kinds), signs=signs | dict(chosen.signs))


def marked(upload: StatementUpload) -> tuple[int | str, ...]:
    """Return what the mark of an import is over: the statement, and how it is read."""
    mapping = "" if upload.mapping is None else msgspec.json.encode(upload.mapping, order="sorted")
    return (
        *(upload.upload_id, upload.connector, upload.format, upload.asked_by),
        mapping if isinstance(mapping, str) else mapping.decode(),
    )


def kinds_of(words: Sequence[str]) -> dict[str, LineKind]:
    """Return what the words of a column of kinds probably mean."""
    return {
        word: next((kind for part, kind in _KIND_WORDS if part in word.lower()), LineKind.OTHER)
        for word in words
        if word
    }


def signs_of(words: Sequence[str]) -> dict[str, Any]:
    """Return what the words of a column of signs mean: `C` and `CR` are credits."""
    return {
        word: "credit" if word.strip().lower().startswith("c") else "debit"
        for word in words
        if word
    }


def _all_days(examples: Sequence[str], form: str) -> bool:
    try:
        for text in examples:
            datetime.strptime(text, form)  # noqa: DTZ007 (a day has no zone)
    except ValueError:
        return False
    return bool(examples)


def mapping_of(document: str) -> CsvMapping:
    """Return the mapping in a JSON document. Raises StatementError."""
    try:
        mapping = msgspec.json.decode(document, type=CsvMapping)
    except (msgspec.MsgspecError, RecursionError) as error:
        message = f"this is no mapping: {error}"
        raise StatementError(message) from None
    if unknown := mapping.columns.keys() - COLUMNS:
        message = f"this is no mapping: unknown {', '.join(sorted(unknown))}"
        raise StatementError(message)
    return mapping


def trial(
    content: bytes, form: str, mapping: CsvMapping | None, account: str, today: date
) -> StatementTrial:
    """Read a statement as an import would, without keeping anything.

    account: ours, where the file does not name one.
    """
    controls, shown, fault = Controls(account, today=today), list[Line](), ""
    try:
        for line in _reader(BytesIO(content), form, mapping, controls):
            if len(shown) < SHOWN_LINES:
                shown.append(line)
    except StatementError as error:
        fault = str(error)
    except KeyError as error:
        fault = f"no column is chosen for: {FIELDS.get(str(error.args[0]), error.args[0])}"
    return StatementTrial(
        tuple(shown), controls.lines, controls.net_paise, controls.account, controls.first_day,
        controls.last_day, fault,
    )  # fmt: skip


def _reader(file: BinaryIO, form: str, mapping: CsvMapping | None, controls: Controls) -> Any:  # noqa: ANN401 (an iterator of lines)
    if form == "camt053":
        return camt.read(file, controls)
    if form == "mt940":
        return mt940.read(file, controls)
    assert mapping is not None, "a CSV file is read by a mapping"
    return csv_lines.read(file, mapping, controls)
