"""Messages, declared once: each field with its name on the wire, its bounds and its meaning.

The reader and writer of requests and replies, and the JSON Schema, come from a declaration
(docs/decisions/0067-an-operation-is-declared-once.md). `wire.kinds` has the kinds of fields.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field
from functools import cache
from typing import Any, TypeVar, cast, dataclass_transform, overload

import msgspec

from hundi.wire.fields import FieldError
from hundi.wire.parts import (
    CUSTOMARY,
    PART,
    Conventions,
    Declared,
    FieldKind,
    Message,
    MessageReading,
    Part,
    Schema,
    Value,
    Values,
    names,
    object_in,
    parts,
)
from hundi.wire.strict_json import JsonValue

_OF_THE_PAGE = "buyer"
_OF_A_REPLY = ("response_code", "status_code", "transaction_status", "ap_SecureHash")


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A reply whose fields travel as they are, for the most frequent answers.

    msgspec writes it several times as fast as a message. Every field is a text or a whole number.
    """

    def written(self) -> dict[str, JsonValue]:
        """Return it as it is sent."""
        return cast("dict[str, JsonValue]", msgspec.to_builtins(self))


Reply = TypeVar("Reply", bound=Declared | Record)
_Record = TypeVar("_Record", bound=Record)


@dataclass(frozen=True, slots=True)
class MessageBounds:
    """Bounds of a message beyond its single fields.

    at_least_one: names on the wire of which one has to be sent. without: names that would mean
    something else here, and what is allowed in words. of_the_page: such names, in lower case, that
    the payment page has; None where a message of the page does no harm. bare: it travels as its one
    field, without that field's name. check: checks the message after reading; raises FieldError.
    schema: the JSON Schema of `check`.
    """

    at_least_one: tuple[str, ...] = ()
    without: Mapping[str, str] = field(default_factory=dict[str, str])
    of_the_page: tuple[str, ...] | None = ()
    bare: bool = False
    check: Callable[[Any], None] | None = None
    schema: Schema = field(default_factory=dict[str, Any])


_BOUNDS: dict[type, MessageBounds] = {}


@overload
def sent(
    kind: FieldKind[Value],
    name: str = "",
    meaning: str = "",
    *,
    older: tuple[str, ...] = (),
    hidden: bool = False,
    unused: bool = False,
    when: Callable[[Values], bool] | None = None,
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
    when: Callable[[Values], bool] | None = None,
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
    when: Callable[[Values], bool] | None = None,
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
    when: Callable[[Values], bool] | None = None,
) -> Any:
    """Declare a field of a message.

    name: on the wire, by default the attribute's own. meaning: replaces the kind's. default: of an
    optional field. hidden: no log may hold it. unused, when: as in Part.
    """
    declared = (kind, name, meaning, older, unused, when)
    return field(default=default, repr=not hidden, metadata={PART: declared})


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

    at_least_one, without, of_the_page, bare, check, schema: as in MessageBounds.
    """

    def made(declared: type[Value]) -> type[Value]:
        whole = dataclass(frozen=True, slots=True, kw_only=kw_only)(declared)
        _BOUNDS[whole] = MessageBounds(
            at_least_one, without or {}, of_the_page, bare, check, schema or {}
        )
        return whole

    return made


def read_request(
    declared: type[Message], values: Values, conventions: Conventions = CUSTOMARY
) -> Message:
    """Return a received request. Raises FieldError.

    One with a field of the payment page is refused, unless it has such fields itself: it was made
    for the customer's browser, and the cipher cannot prove who made it. See
    docs/spec/wire.md#page-messages. conventions: how its sender writes.
    """
    refuse_page_fields(declared, values)
    reading = (
        _ASKED
        if conventions is CUSTOMARY
        else MessageReading(_read_asked, demanded=True, conventions=conventions)
    )
    return _read_asked(declared, values, reading)


def _read_asked(declared: type[Message], values: Values, reading: MessageReading) -> Message:
    whole, bounds = parts(declared), _BOUNDS[declared]
    for name, allowed in bounds.without.items():
        if (value := values.get(name)) is not None:
            raise FieldError(name, str(value), allowed)
    if bounds.at_least_one and not any(
        part.sent(values) for part in whole if part.name in bounds.at_least_one
    ):
        raise FieldError(
            bounds.at_least_one[0], "", f"at least one of {', '.join(bounds.at_least_one)}"
        )
    asked = declared(**{part.attribute: part.read(values, reading) for part in whole})
    if bounds.check is not None:
        bounds.check(asked)
    return asked


_ASKED = MessageReading(_read_asked, demanded=True)


def refuse_page_fields(declared: type[Declared], values: Values) -> None:
    """Raise FieldError for a field of the payment page in a message that has none."""
    of_the_page = _BOUNDS[declared].of_the_page
    if of_the_page is None or _is_of_the_page(declared):
        return
    for name in values:
        if name.lower().startswith(_OF_THE_PAGE) or name.lower() in of_the_page:
            named = ", ".join(names(declared)) or "no field"
            raise FieldError(name, "a field of the payment page", f"only {named}")


@cache
def _is_of_the_page(declared: type[Declared]) -> bool:
    return any(name.startswith(_OF_THE_PAGE) for name in names(declared))


def refuse_reply(values: Values) -> None:
    """Raise FieldError for a message that the gateway itself encrypted.

    A reply, return or notification: they are sealed with the same key as requests, and a return leg
    passes through the customer's browser. As a request it must be refused. See
    docs/spec/wire.md#page-messages.
    """
    for name in _OF_A_REPLY:
        if name in values:
            raise FieldError(name, "a field of a reply", "the fields of a request")


def bounds_of(declared: type[Declared]) -> MessageBounds:
    """Return a message's bounds beyond its single fields."""
    return _BOUNDS[declared]


def is_bare(declared: type[Declared | Record]) -> bool:
    """Return whether a message travels as its one field, without that field's name."""
    return not issubclass(declared, Record) and _BOUNDS[declared].bare


def read_reply(declared: type[Reply], sent: JsonValue) -> Reply:
    """Return a reply of the gateway; further fields are left out.

    Raises FieldError.
    """
    if issubclass(declared, Record):
        return _read_record(declared, object_in(sent, "data"))
    if is_bare(declared):
        (part,) = parts(declared)
        sent = {part.name: sent}
    return _read_told(declared, object_in(sent, "data"), _TOLD)


def _read_told(declared: type[Message], values: Values, reading: MessageReading) -> Message:
    return declared(**{part.attribute: part.read(values, reading) for part in parts(declared)})


_TOLD = MessageReading(_read_told, demanded=False)


def _read_record(declared: type[_Record], values: Values) -> _Record:
    named = declared.__struct_fields__
    texts = {name: str(values[name]) for name in named if values.get(name) not in (None, "")}
    try:
        return msgspec.convert(texts, declared, strict=False)
    except msgspec.ValidationError as wrong:
        raise FieldError("data", "", str(wrong)) from wrong


def write_request(asked: Declared) -> dict[str, JsonValue]:
    """Return a request as it is sent, without its open fields. Raises FieldError."""
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
        value: Any = getattr(told, part.attribute)
        if _is_left_out(part, value, written, whole=whole):
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


def _is_left_out(part: Part, value: Any, written: Values, *, whole: bool) -> bool:  # noqa: ANN401 (of its kind)
    """Return whether a field is not sent, by the fields written so far."""
    if part.when is None:
        return not whole and value == part.default
    return not part.when(written) or (value is None and part.kind.shape == "spread")
