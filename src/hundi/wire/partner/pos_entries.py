"""Terminal managers' reports of sales: a signed message of many entries, each answered by itself.

See docs/spec/partner-interfaces.md#pos-entries.
"""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from hundi.kernel.masking import masked, masked_reference
from hundi.wire import fields, kinds, strict_json
from hundi.wire.codes import Code
from hundi.wire.fields import FieldError
from hundi.wire.message import message, read_reply, sent
from hundi.wire.partner import kinds as own
from hundi.wire.partner.envelope import Parameters
from hundi.wire.partner.operation import PartnerOperation
from hundi.wire.partner.pos import MERCHANT, OLDER, REFERENCE, REFERENCE_MAX, SALE_KINDS, TERMINAL
from hundi.wire.parts import FieldKind, names
from hundi.wire.strict_json import JsonValue

ENTRIES_MAX = 200
"""Entries of one message (docs/spec/partner-interfaces.md#pos-entries)."""
ENTRIES_KIB_MAX = 256
_ENTRY_VALUES_MAX = 16
"""Values of one entry, itself counted.

There is room for as many again, so that an unknown field is named.
"""
_WORD_MAX = 32
TABLE_MAX = 20
_SECONDS = re.compile(r"[0-9]{1,11}\Z")
_ZERO = re.compile(r"0{1,10}(\.0{1,2})?")
_DAY, _MONTH = "(0[1-9]|[12][0-9]|3[01])", "(0[1-9]|1[0-2])"
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]"
ENTRY_CODES = (Code.FIELD_INVALID, Code.NO_RECORDS, Code.REQUEST_ID_REUSED)
"""The refusals of a terminal's entry."""


def _word(text: str, name: str) -> str:
    """Return a word that the feature checks."""
    return fields.free_text(text, name, _WORD_MAX)


def _read_terminal(text: str, name: str) -> str:
    if not _word(text, name):
        raise FieldError(name, "", "1 to 16 of A-Z a-z 0-9")
    return text


def _read_reference(text: str, name: str) -> str:
    return REFERENCE.read(text.strip() and text, name)


def _read_edited(text: str, name: str) -> int:
    return 0 if _ZERO.fullmatch(text) else fields.paise_from_text(text, name)


def _read_at(text: str, name: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise FieldError(name, text, "ISO 8601 with an offset, such as 2026-11-22T14:05:00+05:30")
    return found


_EDITED = FieldKind(
    _read_edited,
    lambda paise, _: fields.text_from_paise(paise),
    {
        "type": "string",
        "description": "The amount after a correction; zero for none",
        "pattern": r"^[0-9]{1,10}(\.[0-9]{1,2})?$",
        "examples": ["20.00", "0"],
    },
)
_AT: FieldKind[datetime | None] = FieldKind(
    _read_at,
    lambda moment, _: moment.isoformat() if moment else "",
    {
        "type": "string",
        "description": "ISO 8601 with an offset: the last 7 days, 5 minutes ahead at most; the "
        "time "
        "of the call when "
        "missing",
        "pattern": rf"^[0-9]{{4}}-{_MONTH}-{_DAY}T{_TIME}:[0-5][0-9](\.[0-9]{{1,"
        rf"6}})?(Z|[+-]{_TIME})$",
        "examples": ["2026-11-22T14:05:00+05:30"],
    },
)


@message(schema={"additionalProperties": False})
class TerminalEntry:
    """A sale to report. The same reference again is the same sale.

    reference: the terminal's own. edited_paise, table_no, mobile: optional. at: the time of the
    sale, aware; None for the time of the call.
    """

    terminal_id: str = sent(
        FieldKind(_read_terminal, TERMINAL.write, TERMINAL.schema), "terminalid"
    )
    reference: str = sent(FieldKind(_read_reference, REFERENCE.write, REFERENCE.schema))
    kind: str = sent(
        FieldKind(
            _word,
            TERMINAL.write,
            {"type": "string", "description": "SALE when missing", "enum": [*SALE_KINDS]},
        ),
        "type",
        default="SALE",
    )
    amount_paise: int = sent(kinds.AMOUNT, "amount")
    edited_paise: int = sent(_EDITED, "edit_amount", default=0)
    table_no: str = sent(kinds.words(TABLE_MAX), "table", "The table", default="")
    mobile: str = sent(
        kinds.written(
            _word,
            "The customer's, of which the last four digits are kept",
            r"^[0-9]{10}$",
            "9876543210",
        ),
        default="",
        hidden=True,
    )
    at: datetime | None = sent(_AT, default=None)


@message()
class EntriesRequest:
    """The sales of one merchant's terminals."""

    merchant_id: str = sent(MERCHANT, "mercid", older=OLDER)
    entries: tuple[TerminalEntry, ...] = sent(
        kinds.objects(TerminalEntry).bounded(minItems=1, maxItems=ENTRIES_MAX)
    )


@message()
class EntryResult:
    """The result of an entry: recorded, repeated or refused. transaction_id: 0 for a refused one.

    code, problem: why it was refused, "" otherwise.
    """

    terminal_id: str = sent(kinds.WORDS, "terminalid")
    reference: str = sent(kinds.WORDS)
    result: str = sent(own.told_as("What became of the entry", "recorded", "repeated", "refused"))
    transaction_id: int = sent(own.NUMBER_AS_TEXT, "transactionid")
    code: str = sent(
        own.told_as("Empty unless it is refused", "", *(code.wire for code in ENTRY_CODES)),
        "error_code",
    )
    problem: str = sent(kinds.WORDS, "error")


@message()
class EntryResults:
    """The number of entries by result, and each result in the order sent."""

    recorded: int = sent(kinds.WHOLE)
    repeated: int = sent(kinds.WHOLE)
    refused: int = sent(kinds.WHOLE)
    entries: tuple[EntryResult, ...] = sent(
        kinds.objects(EntryResult).bounded(minItems=1, maxItems=ENTRIES_MAX)
    )


ENTRIES = PartnerOperation(
    "pos-entries",
    "recordSales",
    "tell_sales",
    "Record sales of terminals, each entry once and by itself",
    "partner-interfaces.md#pos-entries",
    ("/ms/pos/api/transaction-entries",),
    EntriesRequest,
    EntryResults,
    "signature",
    body="json",
    kib_max=ENTRIES_KIB_MAX,
)


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """An entry that was read: its contents, or its problem.

    The texts are for its answer.
    """

    terminal_id: str
    reference: str
    entry: TerminalEntry | None = None
    problem: FieldError | None = None


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return hex HMAC-SHA256 of timestamp, a full stop and the body, under the shared secret."""
    return hmac.new(
        secret.encode(), timestamp.encode("latin-1", "replace") + b"." + body, sha256
    ).hexdigest()


def signed_at(timestamp: str) -> int | None:
    """Return the seconds since 1970 of a header, None for anything else."""
    return int(timestamp) if _SECONDS.match(timestamp) else None


def read_entries(parameters: Parameters) -> tuple[ReadEntry, ...]:
    """Return the entries of a message, each read by itself.

    Raises FieldError when it is no list of entries.
    """
    allowed = f"a JSON array of 1 to {ENTRIES_MAX} objects"
    try:
        given = strict_json.parse_array(
            parameters.json("entries").encode(), ENTRIES_MAX * _ENTRY_VALUES_MAX
        )
    except (strict_json.UnreadableJson, UnicodeEncodeError):
        raise FieldError("entries", "", allowed) from None
    if not 1 <= len(given) <= ENTRIES_MAX:
        raise FieldError("entries", f"{len(given)} entries", allowed)
    return tuple(map(_read, given))


def _read(given: JsonValue) -> ReadEntry:
    if not isinstance(given, dict):
        return ReadEntry("", "", problem=FieldError("entries", "", "objects, each an entry"))
    terminal_id, reference = (
        str(value) if isinstance(value := given.get(name), str) else ""
        for name in ("terminalid", "reference")
    )
    # Enough to find the entry again; a text that cannot be a terminal's name is masked as words
    # are.
    terminal_id = (terminal_id if terminal_id.isalnum() else masked(terminal_id))[:REFERENCE_MAX]
    reference = masked_reference(reference)[:REFERENCE_MAX]
    try:
        return ReadEntry(terminal_id, reference, entry=_entry(given))
    except FieldError as problem:
        return ReadEntry(terminal_id, reference, problem=problem)


def _entry(given: Mapping[str, JsonValue]) -> TerminalEntry:
    known = names(TerminalEntry)
    for name in given:
        if name not in known:
            raise FieldError(name, "", "no field of an entry: " + " ".join(sorted(known)))
    values = {name: value for name in known if (value := given.get(name)) is not None}
    for name, value in values.items():
        if not isinstance(value, str):
            raise FieldError(name, "", "text or a number")
    # The kind of a missing required field refuses it. Numbers are read as their text.
    return read_reply(TerminalEntry, {name: str(value) for name, value in values.items()})
