"""What every partner's interface shares: bodies, the keyed checksum, and the shapes of replies.

See docs/spec/wire.md#partner-calls.
"""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import msgspec

from hundi.wire.envelope import FIELDS, OuterEnvelope
from hundi.wire.fields import FieldError


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of one call, in the order received.

    They may hold personal data, so they stay out of the repr. not_text: those that JSON sent as an array, an object or
    a truth value, whose text is that JSON.
    """

    received: Mapping[str, str] = field(repr=False)
    not_text: frozenset[str] = frozenset()

    def text(self, name: str, *aliases: str) -> str:
        """Return the first value that is not empty among a name and its aliases, else "".

        Raises FieldError for what JSON sent as no text.
        """
        found = next((each for each in (name, *aliases) if self.received.get(each)), "")
        if found in self.not_text:
            raise FieldError(found, "JSON that is no text", "text or a number")
        return self.received[found] if found else ""

    def json(self, name: str) -> str:
        """Return a value that is JSON, sent as such or as text of it; "" when it is missing."""
        return self.received.get(name, "")


def parameters_of(outer: OuterEnvelope) -> Parameters:
    """Return the fields of a body as parameters, under the names that the payment interface gives its own."""
    named = {name: value for name in FIELDS if (value := getattr(outer, name))}
    return Parameters({**outer.extra, **named} if named else outer.extra, outer.not_text)


def checksum(values: Iterable[str], secret: str) -> str:
    """Return hex sha256 of the values, one after the other, and the shared secret.

    See docs/spec/wire.md#partner-checksum.
    """
    return sha256(("".join(values) + secret).encode("utf-8", "surrogatepass")).hexdigest()


def checksum_form(parameters: Parameters, documented: Sequence[str], given: str, secret: str) -> str | None:
    """Return which order of values gives a checksum: documented, received or key; None when none does.

    documented: the parameters' names in documented order. Every order is tried, whatever fits first.
    See docs/spec/wire.md#partner-checksum.
    """
    received = parameters.received
    texts = {
        "documented": "".join([received.get(name, "") for name in documented]),
        "received": "".join(received.values()),
        "key": "".join([received[name] for name in sorted(received)]),
    }
    sent = given.strip().lower().encode("utf-8", "replace")
    # Most callers send what is documented, in that order: one text then, hashed once.
    right = {text: hmac.compare_digest(checksum((text,), secret).encode(), sent) for text in set(texts.values())}
    return next((form for form, text in texts.items() if right[text]), None)


def success(data: object) -> dict[str, object]:
    """Return the standard reply of what was done (docs/spec/partner-interfaces.md#replies)."""
    return {"status": 200, "message": "success", "data": data}


def failure(code: str, words: str) -> dict[str, object]:
    """Return the standard reply of a refusal: three fields and, of ours, code and sentence.

    See docs/spec/partner-interfaces.md#replies.
    """
    return {"status": 400, "message": "Failed", "data": "", "error_code": code, "error": words}


def encode(reply: Mapping[str, object]) -> bytes:
    """Return a reply as it is sent."""
    return msgspec.json.encode(reply)
