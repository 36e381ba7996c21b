"""The outer envelope of requests in every accepted content type, and of replies."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Literal, cast

import msgspec
from multipart import MultipartError, MultipartParser, parse_options_header

from hundi.wire import cipher, forms, strict_json
from hundi.wire.fields import RECEIVED_MAX
from hundi.wire.strict_json import JsonValue

ReplyFormat = Literal["both", "encrypted", "plain"]

FIELDS_MAX = 64
"""The most outer fields of one request; six are documented (docs/spec/wire.md#bodies)."""

JSON_VALUES_MAX = 4_096
"""The most values in one JSON body: enough for as many entries of terminals as a form holds."""

ACCEPTED_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data", "application/json")

FIELDS = ("merchant_id", "privatekey", "encdata", "checksum", "chmod", "mer_dom")
"""The outer fields of an envelope."""

ALIASES = {"mercid": "merchant_id", "mid": "merchant_id", "data": "encdata", "encData": "encdata"}
"""Outer names of older clients."""


class UnreadableEnvelope(ValueError):  # noqa: N818 (the protocol's word)
    """The body is no envelope.

    `reason` is a sentence for the sender; nothing secret was read yet.
    """

    def __init__(self, reason: str) -> None:
        """Keep the reason."""
        super().__init__(reason)
        self.reason: str = reason


@dataclass(frozen=True, slots=True)
class OuterEnvelope:
    """The outer fields of one request; "" for a missing one. Credentials stay out of its repr.

    extra: every further outer field as text (`apyVer`, or the flat split form), as sent. not_text:
    those of them that JSON sent as an array, an object or a truth value.
    """

    merchant_id: str = ""
    privatekey: str = field(default="", repr=False)
    encdata: str = field(default="", repr=False)
    checksum: str = ""
    chmod: str = ""
    mer_dom: str = ""
    extra: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    not_text: frozenset[str] = frozenset()


def parse_outer(content_type: str, body: bytes) -> OuterEnvelope:
    """Return the envelope of a request body. Raises UnreadableEnvelope.

    content_type: the header as sent. Form, multipart and JSON are accepted on every operation;
    without a header the body decides. A field that comes twice with different values is refused.
    See docs/spec/wire.md#bodies.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if not kind:
        kind = (
            "application/json"
            if body.lstrip().startswith(b"{")
            else "application/x-www-form-urlencoded"
        )
    if kind == "application/x-www-form-urlencoded":
        pairs = _form_pairs(body)
    elif kind == "application/json":
        found = _json_object(body)
        pairs = [(name, _text(value)) for name, value in found.items()]
        return _envelope(pairs, frozenset(name for name in found if _is_no_text(found[name])))
    elif kind == "multipart/form-data":
        pairs = _multipart_pairs(content_type, body)
    else:
        raise UnreadableEnvelope(reason="the content type is none of " + ", ".join(ACCEPTED_TYPES))
    return _envelope(pairs)


def reply_bytes(envelope: Mapping[str, object]) -> bytes:
    r"""Return an envelope for existing readers: compact JSON, `data` last and `message` before it.

    A `}` inside a string is written `\u007d`, because some readers cut the text at the first one:
    see docs/spec/wire.md#replies.
    """
    last = {name: envelope[name] for name in ("message", "data") if name in envelope}
    ordered = {name: value for name, value in envelope.items() if name not in last} | last
    return _escaped(msgspec.json.encode(ordered), _objects(ordered))


def ready(value: object) -> msgspec.Raw:
    """Return a part of replies, encoded once as `reply_bytes` would encode it each time."""
    return msgspec.Raw(_escaped(msgspec.json.encode(value), _objects(value)))


def _escaped(encoded: bytes, objects: int) -> bytes:
    if encoded.count(b"}") == objects:
        return encoded
    # Two control bytes, which JSON never holds, replace the escapes, so that every other quote
    # opens a string.
    quotes = encoded.replace(rb"\\", b"\0").replace(rb"\"", b"\1").split(b'"')
    quotes[1::2] = [inside.replace(b"}", rb"\u007d") for inside in quotes[1::2]]
    return b'"'.join(quotes).replace(b"\1", rb"\"").replace(b"\0", rb"\\")


def wrap_reply(
    fmt: ReplyFormat, merchant_id: str, envelope: Mapping[str, object], key: bytes | None
) -> bytes:
    """Return the reply body in the merchant's `reply_format`.

    key: the merchant's encryption key, or None while the sender is not authenticated: then the
    reply is plain.
    """
    plain = reply_bytes(envelope)
    if fmt == "plain" or key is None:
        return plain
    sealed = msgspec.json.encode({"merchant_id": merchant_id, "response": cipher.seal(key, plain)})
    # Both in one object: all braces are escaped already.
    return sealed if fmt == "encrypted" else sealed[:-1] + b"," + plain[1:]


def _form_pairs(body: bytes) -> Iterable[tuple[str, str]]:
    try:
        return forms.pairs(body, FIELDS_MAX)
    except forms.UnreadableForm as error:
        raise UnreadableEnvelope(reason=str(error)) from None


def _json_object(body: bytes) -> dict[str, JsonValue]:
    try:
        return strict_json.parse(body, JSON_VALUES_MAX)
    except strict_json.UnreadableJson as error:
        raise UnreadableEnvelope(reason=f"the body is not a JSON object: {error}") from None


def _is_no_text(value: JsonValue) -> bool:
    return isinstance(value, bool | list | dict)


def _multipart_pairs(content_type: str, body: bytes) -> Iterable[tuple[str, str]]:
    try:
        _, options = parse_options_header(content_type)
        # The whole body is in memory already, so no part may ever be spooled to a file.
        room = len(body) + 1
        parser = MultipartParser(
            BytesIO(body),
            options.get("boundary", ""),
            len(body),
            part_limit=FIELDS_MAX,
            spool_limit=room,
            memory_limit=room,
            disk_limit=0,
        )
        parts = parser.parts()
    except (MultipartError, ValueError, LookupError):
        raise UnreadableEnvelope(reason="the multipart body does not parse") from None
    if any(part.filename is not None for part in parts):
        raise UnreadableEnvelope(reason="a multipart field holds a file")
    # As in a form, a declared charset changes nothing: decoding some takes the square of a body's
    # length.
    return [(str(part.name), part.raw.decode("utf-8", "replace")) for part in parts]


def _text(value: JsonValue) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, str) else strict_json.compact(value)


def _envelope(
    pairs: Iterable[tuple[str, str]], not_text: frozenset[str] = frozenset()
) -> OuterEnvelope:
    known: dict[str, str] = {}
    extra: dict[str, str] = {}
    for sent, value in pairs:
        name = ALIASES.get(sent, sent)
        into = known if name in _KNOWN else extra
        earlier = into.get(name, "")
        if value and earlier and earlier != value:
            raise UnreadableEnvelope(
                reason=f"the field {name[:RECEIVED_MAX]} came twice with different values"
            )
        into[name] = earlier or value
    return OuterEnvelope(**known, extra=extra, not_text=not_text)


_KNOWN = frozenset(FIELDS)
_SIMPLE = frozenset((str, int, bool, type(None)))
"""Types of most values: without objects inside."""


def _objects(value: object) -> int:
    """Return the number of JSON objects in a value's JSON.

    That many closing braces are outside strings.
    """
    if isinstance(value, dict):
        inner = cast("dict[str, object]", value).values()
        return 1 + sum([_objects(each) for each in inner if type(each) not in _SIMPLE])
    if isinstance(value, list | tuple):
        return sum(
            [
                _objects(each)
                for each in cast("Sequence[object]", value)
                if type(each) not in _SIMPLE
            ]
        )
    return bytes(value).count(b"}") if isinstance(value, msgspec.Raw) else 0
