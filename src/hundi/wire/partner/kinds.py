"""Kinds of fields in partners' messages only."""

import re
from collections.abc import Mapping
from decimal import Decimal

from hundi.wire import kinds
from hundi.wire.fields import FieldError, text_from_paise
from hundi.wire.parts import FieldKind, Message

PER_CENT_DIGITS_MAX = 5
"""Digits before the point of a percentage.

A published sample has a profit of 500 and a rate of 100.50.

See docs/spec/partner-interfaces.md#gst-calculator.
"""
YES_NO = ("Y", "N")
_PER_CENT = re.compile(rf"[0-9]{{1,{PER_CENT_DIGITS_MAX}}}(\.[0-9]{{1,4}})?\Z")
_RUPEES = re.compile(r"[0-9]{1,20}\.[0-9]{2}\Z")


def per_cent(meaning: str, example: str) -> FieldKind[Decimal]:
    """Return the kind of a percentage."""

    def read(text: str, name: str) -> Decimal:
        if not _PER_CENT.match(text):
            raise FieldError(
                name,
                text,
                f"a percentage: up to {PER_CENT_DIGITS_MAX} digits, then up to four places",
            )
        return Decimal(text)

    schema = {
        "type": "string",
        "description": meaning,
        "pattern": rf"^[0-9]{{1,{PER_CENT_DIGITS_MAX}}}(\.[0-9]{{1,4}})?$",
        "examples": [example],
    }
    return FieldKind(read, lambda value, _: f"{Decimal(value):f}", schema)


def yes_or_no(meaning: str) -> FieldKind[bool]:
    """Return the kind of a question with two answers."""

    def read(text: str, name: str) -> bool:
        if text not in YES_NO:
            raise FieldError(name, text, "Y or N")
        return text == "Y"

    schema = {"type": "string", "description": meaning, "enum": list(YES_NO)}
    return FieldKind(read, lambda value, _: "Y" if value else "N", schema)


def letters(of_words: Mapping[str, str], meaning: str) -> FieldKind[str]:
    """Return the kind of a word that travels as a letter."""
    words = {letter: word for word, letter in of_words.items()}

    def read(letter: str, name: str) -> str:
        if letter not in words:
            raise FieldError(name, letter, "one of " + " ".join(words))
        return words[letter]

    schema = {"type": "string", "description": meaning, "enum": list(words)}
    return FieldKind(read, lambda word, _: of_words[word], schema)


def told_as(meaning: str, *words: str) -> FieldKind[str]:
    """Return the kind of a word of a reply: later versions may add words."""
    return kinds.WORDS.bounded(description=meaning, enum=list(words))


def one(inside: type[Message]) -> FieldKind[Message]:
    """Return the kind of a message inside another one."""
    around = kinds.spread(inside)
    return FieldKind(
        around.read, around.write, {"$ref": kinds.SCHEMAS + inside.__name__}, "object", inside
    )


def _read_rupees(text: str, name: str) -> int:
    if not _RUPEES.match(text):
        raise FieldError(name, text, "rupees with two places")
    return int(text.replace(".", ""))


RUPEES = FieldKind(
    _read_rupees,
    lambda paise, _: text_from_paise(paise),
    {
        "type": "string",
        "description": "Rupees, two places",
        "pattern": r"^[0-9]+\.[0-9]{2}$",
        "examples": ["1499.50"],
    },
)
"""Paise of a reply, which may exceed a request's bound."""
TAX = FieldKind(
    lambda text, name: _read_rupees(text, name) if text else None,
    lambda paise, _: "" if paise is None else text_from_paise(paise),
    {
        "type": "string",
        "description": "Rupees, two places; empty where this tax does not apply",
        "pattern": r"^([0-9]+\.[0-9]{2})?$",
        "examples": ["269.91"],
    },
)
"""Paise; None, for a tax that does not apply, is the empty text."""
NOTES = FieldKind(
    lambda value, name: kinds.TEXTS.read(value, name) if value else (),
    kinds.TEXTS.write,
    kinds.TEXTS.schema,
    "raw",
)
"""An array of texts; missing for none."""
TEXT_OR_NULL: FieldKind[str | None] = FieldKind(
    lambda text, _: text or None, lambda text, _: text, {"type": ["string", "null"]}
)
"""A text, None where it is null."""
NUMBER_AS_TEXT = FieldKind(
    lambda text, name: kinds.WHOLE.read(text, name) if text else 0,
    lambda number, _: str(number or ""),
    {"type": "string"},
)
"""A number that names something, as text; 0 is the empty text."""
NUMBER_OR_TEXT: FieldKind[int | str] = FieldKind(
    lambda value, _: value, lambda value, _: value, {"type": ["integer", "string"]}, "raw"
)
"""A number or a text, as it is."""
