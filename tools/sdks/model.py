"""The table of operations as the writers of other languages need it: names, types and checks.

Nothing is declared here a second time: what a field accepts is taken from its kind, and the words
of a refusal from the refusal itself.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from inspect import cleandoc
from typing import Any, get_type_hints

from hundi.sdk import errors
from hundi.wire import kinds
from hundi.wire.codes import Code
from hundi.wire.fields import TEXT_MAX, FieldError
from hundi.wire.merchant import mandates, payments, qr_orders
from hundi.wire.merchant.record import TransactionRecord
from hundi.wire.merchant.refunds import REFUND
from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.merchant.token import ISSUE
from hundi.wire.merchant.verify import VERIFY
from hundi.wire.message import Record, bounds_of, is_bare
from hundi.wire.operation import Operation
from hundi.wire.parts import FieldKind, Part, parts
from tools.sdks.record import record_fields
from tools.sdks.shapes import FieldModel, MessageModel, OperationModel

WRITTEN = {
    id(kinds.EMAIL): "email",
    id(kinds.PHONE): "phone",
    id(kinds.CUSTOMER): "customer",
    id(payments.UID): "customer",
    id(kinds.SHOP): "shop",
    id(kinds.VPA): "vpa",
    id(payments.VPA): "vpa",
    id(payments.ISO_CURRENCY): "currency",
}
"""Checks of requests that no pattern of the schema says exactly."""
READ = {
    id(kinds.NAME): ("name", "text"),
    id(kinds.WORDS): ("words", "text"),
    id(kinds.MONEY): ("money", "paise"),
    id(kinds.BALANCE): ("balance", "paise"),
    id(kinds.MONEY_OR_NONE): ("money_or_none", "paise"),
    id(kinds.MOMENT): ("moment", "moment"),
    id(kinds.DAY): ("day", "day"),
    id(kinds.WHOLE): ("whole", "whole"),
    id(kinds.LIMIT): ("limit", "paise"),
    id(kinds.NUMBER): ("number", "text"),
    id(kinds.YES_OR_NO): ("yes_or_no", "flag"),
    id(kinds.TEXTS): ("texts", "texts"),
    id(kinds.FLAG): ("flag", "flag"),
}
"""Kinds of replies: the reader's method, and the type it gives."""
_PLACE_OF_PNG = next(part.kind for part in parts(qr_orders.QrData) if part.attribute == "png")
_COUNT_WORDS = re.compile(r"a whole number from ([0-9]+) to ([0-9]+)")
_NOT_BEFORE = re.compile(r"\^?\(\?!([a-z|-]+)\)")
_BYTES = re.compile(r"base64 of at most ([0-9]+) bytes")
_WRONG = "\x01"
_OF_ANY_FORM = ("any text", "2001:db8::1")
"""Texts that a pattern refuses; a kind that accepts one has a pattern for its description alone."""
BY_HAND = (ISSUE, VERIFY, REFUND)
"""Operations that each SDK calls by hand-written code over the generated messages."""


def operations() -> list[OperationModel]:
    """Return the operations that are written, in the table's order."""
    return [_operation(each) for each in OPERATIONS]


def messages() -> list[MessageModel]:
    """Return every message once: those inside a message before it, requests before replies."""
    sent: dict[type, None] = {}
    received: dict[type, None] = {}
    for operation in (*OPERATIONS, payments.INITIATE):
        _collect(operation.request, sent)
        _collect(operation.reply, received)
    requests = [_request(each) for each in sent]
    replies = [_reply(each) for each in received if not issubclass(each, Record)]
    transaction = MessageModel(
        "Transaction",
        "One payment's transaction record; texts are empty where the record has none.",
        record_fields(),
    )
    return [*requests, transaction, *replies]


def _collect(message: type[Any], found: dict[type, None]) -> None:
    if not issubclass(message, Record):
        for part in parts(message):
            if part.kind.inside is not None and not part.unused:
                _collect(part.kind.inside, found)
    found[message] = None


def _operation(operation: Operation[Any, Any]) -> OperationModel:
    request, reply = operation.request, operation.reply
    by_wire = {part.name: part for part in parts(request)}
    gives = operation.gives
    given = (
        next(part for part in parts(reply) if part.attribute == gives)
        if gives and not issubclass(reply, Record)
        else None
    )
    return OperationModel(
        name=operation.name,
        method=operation.method,
        title=operation.title,
        section=operation.section,
        words=" ".join(operation.words.split()),
        address=operation.address,
        request=request.__name__,
        reply="Transaction" if reply is TransactionRecord else reply.__name__,
        gives=gives,
        gives_wire="" if given is None or is_bare(reply) else given.name,
        item=given.kind.inside.__name__ if given and given.kind.inside else "",
        echoes=tuple(
            (name, by_wire[name].kind.schema.get("pattern") == kinds.DIGITS, by_wire[name].hidden)
            for name in operation.echoes
        ),
        as_json=operation.body == "json",
        with_token="token" in operation.proofs,
        repeats=operation.repeats,
        by_hand=operation in BY_HAND,
    )


def _doc(message: type[Any]) -> str:
    first = cleandoc(message.__doc__ or "").split("\n\n", 1)[0]
    return " ".join(first.split())


def _request(message: type[Any]) -> MessageModel:
    hints = get_type_hints(message)
    fields = tuple(
        _written(part, hints[part.attribute]) for part in parts(message) if not _left_out(part)
    )
    if message is mandates.OrderMandate:
        fields = (_constant("txnsubtype", payments.SUBSCRIPTION), *fields)
    return MessageModel(
        message.__name__,
        _doc(message),
        tuple(sorted(fields, key=lambda each: not each.required)),
        sent=True,
        at_least_one=bounds_of(message).at_least_one,
    )


def _left_out(part: Part) -> bool:
    return part.unused or part.kind is payments.CURRENCY_CODE


def _constant(wire: str, value: str) -> FieldModel:
    return FieldModel(wire, wire, "text", "constant", (value,))


def _written(part: Part, hint: Any) -> FieldModel:  # noqa: ANN401 (a type, or a form of typing)
    inside, enum = part.kind.inside, part.kind.schema.get("enum", ())
    if len(enum) == 1:
        return _constant(part.name, enum[0])
    kind, check, bounds = _check_of(part, hint)
    nullable = part.default is None or part.when is not None
    nullable = nullable or (kind == "message" and not part.is_required)
    if check in {"amount", "count"} and not nullable and not part.is_required:
        check += "_unless_zero"
    return FieldModel(
        "currency" if check == "currency" else part.attribute,
        part.name,
        kind,
        check,
        bounds,
        of=inside.__name__ if inside else "",
        nullable=nullable,
        required=part.is_required and check != "currency",
        hidden=part.hidden,
        meaning=_meaning(part),
    )


def _meaning(part: Part) -> str:
    return part.meaning or str(part.kind.schema.get("description", ""))


def _check_of(part: Part, hint: Any) -> tuple[str, str, tuple[object, ...]]:  # noqa: ANN401 (as above)
    """Return a sent field's type, the writer's method and its bounds."""
    kind, schema = part.kind, part.kind.schema
    if kind.shape == "objects":
        return "messages", "objects" if part.is_required else "objects_unless_empty", ()
    if kind.shape == "spread":
        return "message", kind.shape, ()
    if "contentSchema" in schema:
        return "messages", "batch", (schema["contentSchema"]["maxItems"],)
    return ("text", WRITTEN[id(kind)], ()) if id(kind) in WRITTEN else _special(part, hint)


def _special(part: Part, hint: Any) -> tuple[str, str, tuple[object, ...]]:  # noqa: ANN401 (as above)
    """Return the same for fields that their name or pattern tells."""
    kind, schema = part.kind, part.kind.schema
    if part.attribute == "channels":
        return "texts", "channels", ()
    if schema.get("pattern") == kinds.AMOUNT.schema["pattern"]:
        return "paise", "amount", ()
    if part.attribute == "primary_value":
        return "paise", "amount_or_zero", ()
    if part.attribute == "recurring_count":
        return "whole", "debits", (mandates.ENDLESS, mandates.AS_PRESENTED)
    return _scalar(kind, hint)


def _scalar(kind: FieldKind[Any], hint: Any) -> tuple[str, str, tuple[object, ...]]:  # noqa: ANN401 (as above)
    schema = kind.schema
    if _has(hint, date):
        return "day", "day", ()
    if _has(hint, bytes):
        return "bytes", "document", (schema["x-max-length"],)
    allowed = allowed_of(kind)
    count = _COUNT_WORDS.match(allowed)
    if count:
        return "whole", "count", (int(count[1]), int(count[2]))
    if "enum" in schema:
        return "text", "one_of", (tuple(map(str, schema["enum"])),)
    if "maxLength" in schema or any(accepts(kind, text) for text in _OF_ANY_FORM):
        return "text", "text", (schema.get("maxLength", TEXT_MAX),)
    return "text", "matching", (*split_pattern(schema["pattern"]), allowed)


def accepts(kind: FieldKind[Any], text: str) -> bool:
    """Return whether a kind reads a text."""
    try:
        _ = kind.read(text, "field")
    except FieldError:
        return False
    return True


def split_pattern(pattern: str) -> tuple[str, tuple[str, ...]]:
    """Return a pattern without its refused beginnings, and these: Go's patterns have none."""
    refused = _NOT_BEFORE.match(pattern)
    if refused is None:
        return pattern, ()
    return "^" + pattern[refused.end() :], tuple(refused[1].split("|"))


def allowed_of(kind: FieldKind[Any]) -> str:
    """Return what a refusal by a kind says is allowed; "" where it accepts every text."""
    try:
        _ = kind.read(_WRONG, "field")
    except FieldError as refused:
        return refused.allowed
    return ""


def _has(hint: Any, wanted: type) -> bool:  # noqa: ANN401 (as above)
    return hint is wanted or wanted in getattr(hint, "__args__", ())


def _reply(message: type[Any]) -> MessageModel:
    return MessageModel(message.__name__, _doc(message), tuple(_read(parts(message))))


def _read(received: Iterable[Part]) -> Iterator[FieldModel]:
    for part in received:
        check, kind, bounds = _reader_of(part)
        inside = part.kind.inside
        default = _default(part, check)
        if default and check in {"name", "words", "money"}:
            check, bounds = f"{check}_or", default
        elif check == "objects" and not part.is_required:
            check = "objects_or_none"
        yield FieldModel(
            part.attribute,
            part.name,
            kind,
            check,
            bounds,
            of=inside.__name__ if inside else "",
            nullable=check in {"moment", "day", "limit", "whole_or_none"},
            hidden=part.hidden,
            meaning=_meaning(part),
        )


def _default(part: Part, check: str) -> tuple[object, ...]:
    """Return what is read in place of a missing value, where the reader does not know it."""
    return () if part.is_required or (check == "words" and not part.default) else (part.default,)


def _reader_of(part: Part) -> tuple[str, str, tuple[object, ...]]:
    kind = part.kind
    if kind.shape in {"objects", "spread"}:
        return kind.shape, "messages" if kind.shape == "objects" else "message", ()
    if id(kind) in READ:
        return (*READ[id(kind)], ())
    if kind is _PLACE_OF_PNG:
        return "bytes", "bytes", ()
    if kind.schema.get("type") == "object":
        return "pairs", "pairs", ()
    if kind.schema.get("type") == "integer":
        none = kind.write(None, part.name) if _reads_none(kind) else None
        return ("whole", "whole", ()) if none is None else ("whole_or_none", "whole", (none,))
    return "words", "text", ()


def _reads_none(kind: FieldKind[Any]) -> bool:
    return kind.read(str(mandates.ENDLESS), "field") is None


def currencies() -> Sequence[tuple[str, str]]:
    """Return the currencies: letters and number."""
    return tuple(payments.fields.CURRENCIES.items())


def codes() -> list[tuple[str, str, str]]:
    """Return each code of a refusal, what kind of error it is, and whether a retry can help."""
    return [
        (code.wire, kind_of(type(errors.refusal({"response_code": code.wire}))), code.retry)
        for code in Code
        if code is not Code.SUCCESS
    ]


def kind_of(error: type[errors.HundiError]) -> str:
    """Return the name of a kind of error: `token_refused` of TokenRefusedError."""
    words = re.findall(r"[A-Z][a-z]+", error.__name__.removesuffix("Error"))
    return "_".join(words).lower()
