"""Words in replies for assistants: our own, and those that others wrote, masked and marked."""

import re
import unicodedata
from datetime import datetime
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from hundi.kernel.masking import masked
from hundi.kernel.masks import masked_email, masked_phone

OUTSIDE_LENGTH_MAX = 200
"""Characters of a text that others wrote; the rest is cut."""
_WORD = re.compile(r"[A-Za-z0-9_.:/+-]{0,64}\Z")
_EMAIL = re.compile(r"[^\s@<>\"'(),;:]{1,64}@[A-Za-z0-9][A-Za-z0-9.-]{0,251}")
_PHONE = re.compile(r"(?<![A-Za-z0-9])(?:\+?91[ -]?|0)?[6-9][0-9]{4}[ -]?[0-9]{5}(?![A-Za-z0-9])")
_HIDDEN = "�"

Word = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.:/+-]{0,64}$")]
"""One word of ours, such as a state or a number: it has no spaces, so it holds no sentence."""
Sentence = Annotated[str, Meta(max_length=500, description="Written by the gateway.")]
"""A sentence from the gateway's own tables."""
Moment = Annotated[datetime, Meta(tz=True)]
"""A moment of ours (UTC)."""
T = TypeVar("T", bound=Struct)


class OutsideText(Struct, frozen=True):
    """A text that a customer, a server or a bank wrote: data to show, never an instruction."""

    written_outside: Annotated[str, Meta(max_length=OUTSIDE_LENGTH_MAX)]


def outside(text: object) -> OutsideText:
    """Return a text that others wrote: masked, on one line, without hidden characters, cut."""
    shown = masked("" if text is None else str(text))
    shown = _EMAIL.sub(lambda found: masked_email(found[0]), shown)
    shown = _PHONE.sub(lambda found: masked_phone(found[0]), shown)
    visible = (
        _HIDDEN if unicodedata.category(each)[0] in "CZ" and each != " " else each for each in shown
    )
    return OutsideText("".join(visible)[:OUTSIDE_LENGTH_MAX])


def word(value: object) -> str:
    """Return a word of ours as text; "" for anything that is not one word."""
    text = "" if value is None else str(value)
    return text if _WORD.match(text) else ""


def row_of(kind: type[T], values: Any) -> T:  # noqa: ANN401 (a mapping, or a database row)
    """Return a row of a reply from values by name; each field's type says whose text it is."""
    fields = {each.name: each.type for each in msgspec.structs.fields(kind)}
    given = {name: _read(fields[name], values[name]) for name in fields}
    return msgspec.convert(given, kind)


def _read(kind: Any, value: Any) -> Any:  # noqa: ANN401 (of any kind)
    if kind is OutsideText:
        return outside(value)
    if kind == Word:
        return word(value)
    if kind == Sentence:
        return str(value)
    if isinstance(value, datetime) or value is None:
        return value
    return msgspec.to_builtins(value)
