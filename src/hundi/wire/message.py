"""Messages, declared once: each field with its name on the wire, its bounds and its meaning.

From a declaration come the reader of requests, the reader of replies, the writer of both, and the
JSON Schema (docs/decisions/0067-an-operation-is-declared-once.md). `wire.kinds` has the kinds of
fields.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import (
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    TypeVar,
    cast,
    dataclass_transform,
    overload,
)

import msgspec

from hundi.wire.fields import FieldError
from hundi.wire.strict_json import JsonValue, compact

Schema = dict[str, Any]
Values = Mapping[str, JsonValue]
Value = TypeVar("Value")
Shape = Literal["text", "raw", "object", "objects", "spread"]
_PART, _OF_THE_PAGE = "part", "buyer"


class Declared(Protocol):
    """A class that `message` made."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A reply whose fields are what travels, for what is answered most often.

    msgspec writes it several times as fast as a message is written. Every field is a text or a
    whole number.
    """

    def written(self) -> dict[str, JsonValue]:
        """Return it as it is sent."""
        return cast("dict[str, JsonValue]", msgspec.to_builtins(self))


Message = TypeVar("Message", bound=Declared)
Reply = TypeVar("Reply", bound=Declared | Record)
_Record = TypeVar("_Record", bound=Record)
Reader = Callable[[type[Any], Values], Any]


@dataclass(frozen=True, slots=True)
class FieldKind(Generic[Value]):
    """What a field may hold.

    read: returns the value of what was sent; gets the field's name too. Raises FieldError. write:
    returns what is sent of a value. Raises FieldError for one that nobody may send. schema: its
    bounds as JSON Schema, and the usual meaning. shape: text, for which a number counts as its
    text; raw, any JSON value; or a message: an object, an array of objects, or fields that stand
    beside the others of the message around it (spread). inside: that message; of a raw one, what
    its schema refers to. reads_empty: whether an empty text is read as well; it counts as nothing
    otherwise. absent: what a refusal says is allowed where a required one is missing.
    """

    read: Callable[[Any, str], Value]
    write: Callable[[Value, str], JsonValue]
    schema: Schema
    shape: Shape = "text"
    inside: type[Declared] | None = None
    reads_empty: bool = False
    absent: str = "a value: this field is required"


@dataclass(frozen=True, slots=True)
class Part:
    """One field of a message.

    attribute: its name in Python. name: on the wire. older: other names that are read. hidden: no
    log may hold it. unused: read because clients send it, while nothing depends on it: nobody is
    told of it.
    """

    attribute: str
    name: str
    kind: FieldKind[Any]
    meaning: str
    older: tuple[str, ...]
    default: Any
    hidden: bool
    unused: bool

    @property
    def is_required(self) -> bool:
        """Whether a message without it is refused."""
        return self.default is MISSING

    def sent(self, values: Values) -> Any:  # noqa: ANN401 (any JSON value, or the text of one)
        """Return what a message has of it, None for nothing. Raises FieldError for another type."""
        for spelling in (self.name, *self.older):
            value = values.get(spelling)
            if value is None or (value == "" and not self.kind.reads_empty):
                continue
            if self.kind.shape != "text":
                return value
            # A number of JSON is a text of its own type, which nobody is to meet in a message.
            if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
                return str(value)
            raise FieldError(self.name, type(value).__name__, "text or a number")
        return None

    def read(self, values: Values, reader: Reader, *, demanded: bool) -> Any:  # noqa: ANN401 (of its kind)
        """Return the value that a message has of it. Raises FieldError.

        reader: of a message inside. demanded: whether an empty field that is required is refused
        unread.
        """
        kind = self.kind
        if kind.shape == "spread":
            return self._spread(values, reader)
        value = self.sent(values)
        if value is None:
            if not self.is_required:
                return self.default
            if demanded:
                raise FieldError(self.name, "", kind.absent)
            value = ""
        if kind.inside is None or kind.shape in {"text", "raw"}:
            return kind.read(value, self.name)
        if kind.shape == "object":
            return reader(kind.inside, _object(value, self.name))
        _ = kind.read(value, self.name)
        return tuple(reader(kind.inside, _object(each, self.name)) for each in value)

    def _spread(self, values: Values, reader: Reader) -> Any:  # noqa: ANN401 (a message, or the default)
        assert self.kind.inside is not None, "what is spread is a message"
        inner = parts(self.kind.inside)
        if not self.is_required and not any(part.sent(values) for part in inner):
            return self.default
        return reader(self.kind.inside, values)


@dataclass(frozen=True, slots=True)
class MessageBounds:
    """What a message demands beyond its single fields.

    at_least_one: names on the wire of which one has to be sent. without: names that would mean
    something else here, and what is allowed in words. of_the_page: such names, in lower case, that
    the payment page has; None where a message of the page does no harm. bare: whether it travels as
    its one field, without that field's name. check: of the message as it was read; raises
    FieldError. schema: what JSON Schema says of `check`.
    """

    at_least_one: tuple[str, ...] = ()
    without: Mapping[str, str] = field(default_factory=dict[str, str])
    of_the_page: tuple[str, ...] | None = ()
    bare: bool = False
    check: Callable[[Any], None] | None = None
    schema: Schema = field(default_factory=dict[str, Any])


BOUNDS: dict[type, MessageBounds] = {}


@overload
def sent(
    kind: FieldKind[Value],
    name: str = "",
    meaning: str = "",
    *,
    older: tuple[str, ...] = (),
    hidden: bool = False,
    unused: bool = False,
) -> Value: ...


@overload
def sent(
    kind: FieldKind[Value],
    name: str = "",
    meaning: str = "",
    *,
    default: Value,
    older: tuple[str, ...] = (),
    hidden: bool = False,
    unused: bool = False,
) -> Value: ...


@overload
def sent(
    kind: FieldKind[Value],
    name: str = "",
    meaning: str = "",
    *,
    default: None,
    older: tuple[str, ...] = (),
    hidden: bool = False,
    unused: bool = False,
) -> Value | None: ...


def sent(
    kind: FieldKind[Any],
    name: str = "",
    meaning: str = "",
    *,
    default: Any = MISSING,
    older: tuple[str, ...] = (),
    hidden: bool = False,
    unused: bool = False,
) -> Any:
    """Declare a field of a message.

    name: on the wire, the attribute's own when left out. meaning: in place of the kind's. default:
    of a field that may be left out. hidden: for what no log may hold. unused: as in Part.
    """
    return field(
        default=default, repr=not hidden, metadata={_PART: (kind, name, meaning, older, unused)}
    )


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(sent, field))
def message(
    *,
    at_least_one: tuple[str, ...] = (),
    without: Mapping[str, str] | None = None,
    of_the_page: tuple[str, ...] | None = (),
    bare: bool = False,
    check: Callable[[Any], None] | None = None,
    schema: Schema | None = None,
    kw_only: bool = True,
) -> Callable[[type[Value]], type[Value]]:
    """Make a class a message: a frozen dataclass whose fields are declared by `sent`.

    at_least_one, without, of_the_page, bare, check, schema: as in Bounds.
    """

    def made(declared: type[Value]) -> type[Value]:
        whole = dataclass(frozen=True, slots=True, kw_only=kw_only)(declared)
        BOUNDS[whole] = MessageBounds(
            at_least_one, without or {}, of_the_page, bare, check, schema or {}
        )
        return whole

    return made


@cache
def parts(declared: type[Declared]) -> tuple[Part, ...]:
    """Return the fields of a message, in their order."""
    return tuple(_parts(declared))


def _parts(declared: type[Declared]) -> Iterator[Part]:
    for each in fields(declared):
        kind, name, meaning, older, unused = each.metadata[_PART]
        yield Part(
            each.name, name or each.name, kind, meaning, older, each.default, not each.repr, unused
        )


def _object(value: object, name: str) -> Values:
    if not isinstance(value, Mapping):
        raise FieldError(name, compact(value), "an object")  # pyright: ignore[reportArgumentType]
    return value  # pyright: ignore[reportUnknownVariableType]


def read_request(declared: type[Message], values: Values) -> Message:
    """Return a request that was sent. Raises FieldError.

    One with a field of the payment page is refused, unless it has such fields itself: it was made
    for the customer's browser, and the cipher cannot tell who made it. See
    docs/spec/wire.md#page-messages.
    """
    refuse_page_fields(declared, values)
    return _read_request(declared, values)


def _read_request(declared: type[Message], values: Values) -> Message:
    whole, bounds = parts(declared), BOUNDS[declared]
    for name, allowed in bounds.without.items():
        if (value := values.get(name)) is not None:
            raise FieldError(name, str(value), allowed)
    if bounds.at_least_one and not any(
        part.sent(values) for part in whole if part.name in bounds.at_least_one
    ):
        raise FieldError(
            bounds.at_least_one[0], "", f"at least one of {', '.join(bounds.at_least_one)}"
        )
    read = declared(
        **{part.attribute: part.read(values, _read_request, demanded=True) for part in whole}
    )
    if bounds.check is not None:
        bounds.check(read)
    return read


def refuse_page_fields(declared: type[Declared], values: Values) -> None:
    """Raise FieldError for a field of the payment page in a message that has none."""
    named, of_the_page = names(declared), BOUNDS[declared].of_the_page
    if of_the_page is None or any(name.startswith(_OF_THE_PAGE) for name in named):
        return
    for name in values:
        if name.lower().startswith(_OF_THE_PAGE) or name.lower() in of_the_page:
            raise FieldError(
                name, "a field of the payment page", f"only {', '.join(named) or 'no field'}"
            )


@cache
def names(declared: type[Declared]) -> tuple[str, ...]:
    """Return the names of a message's fields on the wire, with those that are spread."""
    return tuple(_names(declared))


def _names(declared: type[Declared]) -> Iterator[str]:
    for part in parts(declared):
        if part.kind.shape == "spread" and part.kind.inside is not None:
            yield from _names(part.kind.inside)
        else:
            yield part.name


def is_bare(declared: type[Declared | Record]) -> bool:
    """Return whether a message travels as its one field, without that field's name."""
    return not issubclass(declared, Record) and BOUNDS[declared].bare


def read_reply(declared: type[Reply], sent: JsonValue) -> Reply:
    """Return a message that the gateway answered with; further fields are left out.

    Raises FieldError.
    """
    if issubclass(declared, Record):
        return _read_record(declared, _object(sent, "data"))
    if is_bare(declared):
        (part,) = parts(declared)
        sent = {part.name: sent}
    return _read_told(declared, _object(sent, "data"))


def _read_told(declared: type[Message], values: Values) -> Message:
    return declared(
        **{
            part.attribute: part.read(values, _read_told, demanded=False)
            for part in parts(declared)
        }
    )


def _read_record(declared: type[_Record], values: Values) -> _Record:
    named = declared.__struct_fields__
    texts = {name: str(values[name]) for name in named if values.get(name) not in (None, "")}
    try:
        return msgspec.convert(texts, declared, strict=False)
    except msgspec.ValidationError as wrong:
        raise FieldError("data", "", str(wrong)) from wrong


def write_request(asked: Declared) -> dict[str, JsonValue]:
    """Return a request as it is sent, without what it leaves open. Raises FieldError."""
    return _written(asked, whole=False)


def write_reply(told: Declared | Record) -> JsonValue:
    """Return a reply as it is sent: all of its fields."""
    if isinstance(told, Record):
        return told.written()
    written = _written(told, whole=True)
    return next(iter(written.values())) if is_bare(type(told)) else written


def _written(told: Declared, *, whole: bool) -> dict[str, JsonValue]:
    written: dict[str, JsonValue] = {}
    for part in parts(type(told)):
        value = getattr(told, part.attribute)
        if not whole and value == part.default:
            continue
        match part.kind.shape:
            case "spread":
                written |= _written(value, whole=whole)
            case "object":
                written[part.name] = _written(value, whole=whole)
            case "objects":
                written[part.name] = [_written(each, whole=whole) for each in value]
            case _:
                written[part.name] = part.kind.write(value, part.name)
    return written
