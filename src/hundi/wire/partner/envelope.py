"""Shared by every partner's interface: bodies, the keyed checksum, and the shapes of replies.

See docs/spec/wire.md#partner-calls.
"""

import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import msgspec

from hundi.wire.envelope import FIELDS, OuterEnvelope
from hundi.wire.fields import FieldError
from hundi.wire.strict_json import JsonValue


@dataclass(frozen=True, slots=True)
class Parameters(Mapping[str, str]):
    """The parameters of one call, in the order received.

    Raises FieldError for JSON that is no text. They may hold personal data, so they stay out of the
    repr. not_text: those that JSON sent as an array, an object or a truth value, whose text is that
    JSON.
    """

    received: Mapping[str, str] = field(repr=False)
    not_text: frozenset[str] = frozenset()

    def __getitem__(self, name: str) -> str:
        """Return the text of a parameter."""
        value = self.received[name]
        if value and name in self.not_text:
            raise FieldError(name, "JSON that is no text", "text or a number")
        return value

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self.received)

    def __len__(self) -> int:
        """Return their number."""
        return len(self.received)

    def text(self, name: str, *aliases: str) -> str:
        """Return the first value that is not empty among a name and its aliases, else ""."""
        return next((value for each in (name, *aliases) if (value := self.get(each))), "")

    def json(self, name: str) -> str:
        """Return a value that is JSON, sent as such or as text of it; "" when it is missing."""
        return self.received.get(name, "")


def parameters_of(outer: OuterEnvelope) -> Parameters:
    """Return the fields of a body as parameters, named as the payment interface names them."""
    named = {name: value for name in FIELDS if (value := getattr(outer, name))}
    return Parameters({**outer.extra, **named} if named else outer.extra, outer.not_text)


def checksum(values: Iterable[str], secret: str) -> str:
    """Return hex sha256 of the concatenated values and the shared secret.

    See docs/spec/wire.md#partner-checksum.
    """
    return sha256(("".join(values) + secret).encode("utf-8", "surrogatepass")).hexdigest()


def checksum_form(
    parameters: Parameters, documented: Sequence[str], given: str, secret: str
) -> str | None:
    """Return the order of values that gives a checksum: documented, received or key.

    None when none does. documented: the parameters' names in documented order. Every order is
    tried, whichever fits first. See docs/spec/wire.md#partner-checksum.
    """
    received = parameters.received
    texts = {
        "documented": "".join([received.get(name, "") for name in documented]),
        "received": "".join(received.values()),
        "key": "".join([received[name] for name in sorted(received)]),
    }
    sent = given.strip().lower().encode("utf-8", "replace")
    # Most callers send the documented parameters in that order: one text then, hashed once.
    right = {
        text: hmac.compare_digest(checksum((text,), secret).encode(), sent)
        for text in set(texts.values())
    }
    return next((form for form, text in texts.items() if right[text]), None)


@dataclass(frozen=True, slots=True)
class Shape:
    """The frame around the fields of replies (docs/spec/partner-interfaces.md#replies).

    done, refused: the fixed fields of every success, and of every refusal. within: the field that
    holds the reply's fields; "" where they are beside the others.
    """

    done: Mapping[str, JsonValue]
    refused: Mapping[str, JsonValue]
    within: str = "data"

    def success(self, told: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Return the reply of a success."""
        return {**self.done, **({self.within: dict(told)} if self.within else told)}

    def failure(self, code: str, words: str, **more: JsonValue) -> dict[str, JsonValue]:
        """Return the reply of a refusal; code and sentence are ours."""
        return {**self.refused, **more, "error_code": code, "error": words}


_DONE: Mapping[str, JsonValue] = {"status": 200, "message": "success"}
STANDARD = Shape(_DONE, {"status": 400, "message": "Failed", "data": ""})
FIRST_OF_XML = Shape({**_DONE, "status": "200"}, {**STANDARD.refused, "status": "400"}, within="")
"""The shape of the first Aadhaar XML call: the status is text."""
TERMINALS = Shape({"status": 200}, {"status": 502, "message": []}, within="")
LEADS = Shape({"status": 200, "message": "Success"}, {"status": 400, "message": "Failed"})
CARDS = Shape(_DONE, {"status": 400, "message": "fail"}, within="")


def encode(reply: Mapping[str, object]) -> bytes:
    """Return a reply as it is sent."""
    return msgspec.json.encode(reply)
