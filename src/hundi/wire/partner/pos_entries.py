"""What terminal managers tell of sales: a signed message of many entries, each answered by itself.

See docs/spec/partner-interfaces.md#pos-entries.
"""

import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

from hundi.masking import masked, masked_reference
from hundi.wire import fields, strict_json
from hundi.wire.fields import FieldError
from hundi.wire.partner.envelope import Parameters
from hundi.wire.partner.pos import REFERENCE_MAX, merchant_of
from hundi.wire.strict_json import JsonValue

ENTRIES_MAX = 200
"""Entries of one message (docs/spec/partner-interfaces.md#pos-entries)."""
_ENTRY_VALUES_MAX = 16
_WORD_MAX = 32
"""Values of one entry, itself counted, twice over, so that a field too many is named and not counted."""
TABLE_MAX = 20
_SECONDS = re.compile(r"[0-9]{1,11}\Z")
_ZERO = re.compile(r"0{1,10}(\.0{1,2})?")
_NAMES = frozenset({"terminalid", "reference", "type", "amount", "edit_amount", "table", "mobile", "at"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One transaction of a terminal; amounts in paise. at: None where it has no clock.

    mobile: "" for none.
    """

    terminal_id: str
    reference: str
    kind: str
    amount_paise: int
    edited_paise: int
    table_no: str
    mobile: str = field(repr=False)
    at: datetime | None


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """An entry as it was read: what it says, or what is wrong with it. The texts are for its answer."""

    terminal_id: str
    reference: str
    entry: Entry | None = None
    problem: FieldError | None = None


@dataclass(frozen=True, slots=True)
class EntriesMessage:
    """All that one message tells, of terminals of one merchant."""

    merchant_id: int
    entries: tuple[ReadEntry, ...]


@dataclass(frozen=True, slots=True)
class EntryAnswer:
    """What became of an entry.

    result: recorded, repeated or refused. code, words: why it was refused.
    """

    terminal_id: str
    reference: str
    result: str
    transaction_id: int = 0
    code: str = ""
    words: str = ""


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return hex HMAC-SHA256 of timestamp, a full stop and the body, under the shared secret."""
    return hmac.new(secret.encode(), timestamp.encode("latin-1", "replace") + b"." + body, sha256).hexdigest()


def signed_at(timestamp: str) -> int | None:
    """Return the seconds since 1970 of a header, None for anything else."""
    return int(timestamp) if _SECONDS.match(timestamp) else None


def parse(parameters: Parameters) -> EntriesMessage:
    """Return a message, each entry read by itself. Raises FieldError when it is no list of entries."""
    merchant_id = merchant_of(parameters)
    allowed = f"a JSON array of 1 to {ENTRIES_MAX} objects"
    try:
        sent = strict_json.parse_array(parameters.json("entries").encode(), ENTRIES_MAX * _ENTRY_VALUES_MAX)
    except (strict_json.Unreadable, UnicodeEncodeError):
        raise FieldError("entries", "", allowed) from None
    if not 1 <= len(sent) <= ENTRIES_MAX:
        raise FieldError("entries", f"{len(sent)} entries", allowed)
    return EntriesMessage(merchant_id, tuple(_read(each) for each in sent))


def _read(sent: JsonValue) -> ReadEntry:
    if not isinstance(sent, dict):
        return ReadEntry("", "", problem=FieldError("entries", "", "objects, each an entry"))
    terminal_id, reference = _text_or_none(sent, "terminalid"), _text_or_none(sent, "reference")
    # Enough to find the entry again: what can be no name of a terminal is masked as words are.
    terminal_id = (terminal_id if terminal_id.isalnum() else masked(terminal_id))[:REFERENCE_MAX]
    reference = masked_reference(reference)[:REFERENCE_MAX]
    try:
        return ReadEntry(terminal_id, reference, entry=_entry(sent))
    except FieldError as problem:
        return ReadEntry(terminal_id, reference, problem=problem)


def _text_or_none(sent: Mapping[str, JsonValue], name: str) -> str:
    value = sent.get(name)
    return value if isinstance(value, str) else ""


def _entry(sent: Mapping[str, JsonValue]) -> Entry:
    for name in sent:
        if name not in _NAMES:
            raise FieldError(name, "", "no field of an entry: " + " ".join(sorted(_NAMES)))
    terminal_id, reference = _text(sent, "terminalid"), _text(sent, "reference")
    if not fields.free_text(terminal_id, "terminalid", _WORD_MAX):
        raise FieldError("terminalid", "", "1 to 16 of A-Z a-z 0-9")
    if not reference.strip():
        raise FieldError("reference", "", f"1 to {REFERENCE_MAX} characters")
    mobile = fields.free_text(_text(sent, "mobile"), "mobile", _WORD_MAX)
    edited = _text(sent, "edit_amount")
    return Entry(
        terminal_id=terminal_id,
        reference=fields.free_text(reference, "reference", REFERENCE_MAX),
        kind=fields.free_text(_text(sent, "type"), "type", _WORD_MAX) or "SALE",
        amount_paise=fields.paise_from_text(_text(sent, "amount")),
        edited_paise=0 if not edited or _ZERO.fullmatch(edited) else fields.paise_from_text(edited, "edit_amount"),
        table_no=fields.words(_text(sent, "table"), "table", TABLE_MAX),
        mobile=mobile,
        at=_at(_text(sent, "at")),
    )


def _text(sent: Mapping[str, JsonValue], name: str) -> str:
    value = sent.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise FieldError(name, "", "text or a number")
    return str(value)


def _at(text: str) -> datetime | None:
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise FieldError("at", text, "ISO 8601 with an offset, such as 2026-11-22T14:05:00+05:30")
    return found


def answered(answers: Iterable[EntryAnswer]) -> dict[str, object]:
    """Return the `data` of the reply: how many entries ended how, and each of them in the order sent."""
    told = [
        {
            "terminalid": each.terminal_id,
            "reference": each.reference,
            "result": each.result,
            "transactionid": str(each.transaction_id or ""),
            "error_code": each.code,
            "error": each.words,
        }
        for each in answers
    ]
    results = [each["result"] for each in told]
    return {**{name: results.count(name) for name in ("recorded", "repeated", "refused")}, "entries": told}
