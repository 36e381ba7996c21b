"""What a certification finds out about the proof of an acquirer's webhook."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hundi.acquirers.certification.steps import WebhookProof
from hundi.acquirers.port.checkout import SendsTriggers
from hundi.kernel.ids import NO_MERCHANT

CERTIFIED = f"{NO_MERCHANT}-"
"""The beginning of the references of certifications: they are of no merchant."""
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
    changed, headers = _changed(arrived.body), dict(arrived.headers)
    bare = {name: value for name, value in headers.items() if name in _PLAIN}
    return WebhookProof(
        refused=connector.read_trigger(bare, changed, now_s=arrived.now_s) is None,
        covers=connector.read_trigger(headers, changed, now_s=arrived.now_s) is None,
    )


def _changed(body: bytes) -> bytes:
    """Return a body about another reference; of one that is sealed, with another character."""
    found = re.search(rb"\b%b[A-Z]?[0-9]{15}" % CERTIFIED.encode(), body)
    at = found.end() - 1 if found else len(body) // 2
    other = b"1" if body[at : at + 1] != b"1" else b"2"
    return body[:at] + other + body[at + 1 :]
