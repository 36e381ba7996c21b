"""What a certification finds out about the proof of an acquirer's webhook."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hundi.acquirers.certification.steps import WebhookProof
from hundi.acquirers.port.checkout import SendsTriggers
from hundi.kernel.ids import NO_MERCHANT

CERTIFIED = f"{NO_MERCHANT}-"
"""The beginning of the references of certifications: they are of no merchant."""
_REFERENCE = re.compile(rb"\b%b[A-Z]?[0-9]{15}" % CERTIFIED.encode())
_PLAIN = frozenset({"content-type", "content-length", "host", "user-agent", "accept"})
"""Headers that prove nothing."""


@dataclass(frozen=True, slots=True)
class WebhookBody:
    """A webhook as it arrived. headers: names in small letters. now_s: Unix seconds."""

    headers: Mapping[str, str]
    body: bytes
    now_s: int


def proof_of(connector: SendsTriggers, arrived: WebhookBody) -> WebhookProof:
    """Return what happens to an authentic webhook that somebody changes on its way."""
    bare = {name: value for name, value in arrived.headers.items() if name in _PLAIN}
    return WebhookProof(
        refused=not _believed(connector, arrived, bare),
        covers=not _believed(connector, arrived, dict(arrived.headers)),
    )


def _believed(connector: SendsTriggers, arrived: WebhookBody, headers: dict[str, str]) -> bool:
    """Return whether a changed body causes inquiries that the true one does not cause."""
    true = connector.read_trigger(dict(arrived.headers), arrived.body, now_s=arrived.now_s)
    named = set(true.references) if true else set[str]()
    for body in _changed(arrived.body):
        forged = connector.read_trigger(headers, body, now_s=arrived.now_s)
        if forged is not None and not named.issuperset(forged.references):
            return True
    return False


def _changed(body: bytes) -> tuple[bytes, ...]:
    """Return bodies about another reference: where it is in the clear, and within a sealed one."""
    places = [match.end() - 1 for match in _REFERENCE.finditer(body)]
    in_the_clear = bytearray(body)
    for at in places:
        in_the_clear[at : at + 1] = _other(body, at)
    middle = len(body) // 2
    sealed = body[:middle] + _other(body, middle) + body[middle + 1 :]
    return (bytes(in_the_clear), sealed) if places else (sealed,)


def _other(body: bytes, at: int) -> bytes:
    return b"1" if body[at : at + 1] != b"1" else b"2"
