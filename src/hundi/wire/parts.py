"""The fields of messages: their kinds, and how one is read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace  # noqa: TID251 (no structs here)
from datetime import date
from functools import cache
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

from hundi.wire.fields import FieldError
from hundi.wire.strict_json import JsonValue, compact

Schema = dict[str, Any]
Values = Mapping[str, JsonValue]
Value = TypeVar("Value")
Shape = Literal["text", "raw", "object", "objects", "spread"]

PART = "part"
"""The key of a field's declaration in its metadata."""


class Declared(Protocol):
    """A class that `message` made."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


Message = TypeVar("Message", bound=Declared)


@dataclass(frozen=True, slots=True)
class Conventions:
    """A sender's own ways of writing.

    day_first: dates are DD/MM/YYYY, and not MM/DD/YYYY. today: the sender's day, before which a
    date is past; None where no date is checked.
    """

    day_first: bool = False
    today: date | None = None


CUSTOMARY = Conventions()


@dataclass(frozen=True, slots=True)
class MessageReading:
    """How one message is read.

    message: reads it, and those inside it. demanded: whether an empty required field is refused
    unread.
    """

    message: Callable[[type[Any], Values, "MessageReading"], Any]
    demanded: bool
    conventions: Conventions = CUSTOMARY


@dataclass(frozen=True, slots=True)
class FieldKind(Generic[Value]):
    """The bounds of a field.

    read: returns the value of the sent one; gets the field's name too. Raises FieldError. write:
    returns the sent form of a value. Raises FieldError for a value that nobody may send. schema:
    its bounds as JSON Schema, and the usual meaning. shape: text, for which a number counts as its
    text; raw, any JSON value; or a message: an object, an array of objects, or fields among those
    of the outer message (spread). inside: that message; of a raw one, the messages in its schema.
    reads_empty: an empty text is read as well; otherwise it counts as missing. absent: what a
    refusal says is allowed where a required one is missing. by_convention: reads it in place of
    `read`, where senders write it in several ways. numbers: the lowest and highest of a whole
    number; () where nobody sends it as one.
    """

    read: Callable[[Any, str], Value]
    write: Callable[[Value, str], JsonValue]
    schema: Schema
    shape: Shape = "text"
    inside: type[Declared] | None = None
    reads_empty: bool = False
    absent: str = "a value: this field is required"
    by_convention: Callable[[str, str, Conventions], Value] | None = None
    numbers: tuple[int, ...] = ()

    def bounded(self, **schema: object) -> "FieldKind[Value]":
        """Return the same kind with more of its JSON Schema."""
        return replace(self, schema=self.schema | schema)


def text_in(values: Values, *spellings: str) -> str:
    """Return the first text that is not empty under the names of a field, "" for none.

    Raises FieldError for a value that is no text.
    """
    for spelling in spellings:
        value = values.get(spelling)
        if value is not None and value != "":
            return _text(value, spellings[0])
    return ""


def _text(value: JsonValue, name: str) -> str:
    # A JSON number has a text type of its own, which must not get into a message.
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    raise FieldError(name, type(value).__name__, "text or a number")


@dataclass(frozen=True, slots=True)
class Part:
    """One field of a message.

    attribute: its name in Python. name: on the wire. older: other accepted names. hidden: no log
    may hold it. unused: clients send it, but nothing depends on it: the description leaves it out.
    when: another field requires it: it is read only where that one says so, and is required there.
    """

    attribute: str
    name: str
    kind: FieldKind[Any]
    meaning: str
    older: tuple[str, ...]
    default: Any
    hidden: bool
    unused: bool
    when: Callable[[Values], bool] | None

    @property
    def is_required(self) -> bool:
        """Whether every message without it is refused."""
        return self.default is MISSING

    def sent(self, values: Values) -> Any:  # noqa: ANN401 (any JSON value, or the text of one)
        """Return a message's sent value, None for none. Raises FieldError for another type."""
        value = values.get(self.name)
        if value is None or (value == "" and not self.kind.reads_empty):
            for spelling in self.older:
                value = values.get(spelling)
                if value is not None and (value != "" or self.kind.reads_empty):
                    break
            else:
                return None
        if type(value) is str or self.kind.shape != "text":
            return value
        return _text(value, self.name)

    def read(self, values: Values, reading: MessageReading) -> Any:  # noqa: ANN401 (of its kind)
        """Return a message's value. Raises FieldError."""
        kind, when = self.kind, self.when
        if when is not None and not when(values):
            return self.default
        if kind.shape == "spread":
            return self._spread(values, reading)
        value = self.sent(values)
        if value is None:
            if when is None and self.default is not MISSING:
                return self.default
            if reading.demanded:
                raise FieldError(self.name, "", kind.absent)
            value = ""
        if kind.by_convention is not None:
            return kind.by_convention(value, self.name, reading.conventions)
        if kind.inside is not None and kind.shape in {"object", "objects"}:
            return self._inside(kind.inside, value, reading)
        return kind.read(value, self.name)

    def _inside(self, inside: type[Declared], value: Any, reading: MessageReading) -> Any:  # noqa: ANN401 (of its kind)
        if self.kind.shape == "object":
            return reading.message(inside, object_in(value, self.name), reading)
        _ = self.kind.read(value, self.name)
        return tuple(
            self._item(inside, item, item_name(self.name, place), reading)
            for place, item in enumerate(value)
        )

    def _item(
        self,
        inside: type[Declared],
        value: Any,  # noqa: ANN401 (JSON)
        name: str,
        reading: MessageReading,
    ) -> Any:  # noqa: ANN401 (of its kind)
        """Return one message of an array; what is wrong in it names its place."""
        values = object_in(value, name)
        try:
            return reading.message(inside, values, reading)
        except FieldError as wrong:
            raise wrong.inside(name) from None

    def _spread(self, values: Values, reading: MessageReading) -> Any:  # noqa: ANN401 (a message, or the default)
        assert self.kind.inside is not None, "what is spread is a message"
        inner = parts(self.kind.inside)
        if (
            self.when is None
            and not self.is_required
            and not any(each.sent(values) for each in inner)
        ):
            return self.default
        return reading.message(self.kind.inside, values, reading)


def item_name(name: str, place: int) -> str:
    """Return the name of one item of an array, such as `items[2]`; place: from 0."""
    return f"{name}[{place}]"


def object_in(value: object, name: str) -> Values:
    """Return an object of JSON. Raises FieldError for anything else."""
    if not isinstance(value, Mapping):
        raise FieldError(name, compact(value), "an object")  # pyright: ignore[reportArgumentType]
    return value  # pyright: ignore[reportUnknownVariableType]


@cache
def parts(declared: type[Declared]) -> tuple[Part, ...]:
    """Return the fields of a message, in their order."""
    return tuple(_parts(declared))


def _parts(declared: type[Declared]) -> Iterator[Part]:
    for each in fields(declared):
        kind, name, meaning, older, unused, when = each.metadata[PART]
        yield Part(
            attribute=each.name,
            name=name or each.name,
            kind=kind,
            meaning=meaning,
            older=older,
            default=each.default,
            hidden=not each.repr,
            unused=unused,
            when=when,
        )


@cache
def names(declared: type[Declared]) -> tuple[str, ...]:
    """Return the names of a message's fields on the wire, spread ones included."""
    return tuple(_names(declared))


def _names(declared: type[Declared]) -> Iterator[str]:
    for part in parts(declared):
        if part.kind.shape == "spread" and part.kind.inside is not None:
            yield from _names(part.kind.inside)
        else:
            yield part.name
