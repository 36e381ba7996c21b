"""Calls to the simulated bank network, and the signature of both directions.

Its acquirer and its registers are one server with one key.
"""

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from hundi.acquirers.calls.client import ANSWER_BYTES_MAX, AcquirerClient, Timeouts

SIGNATURE_AGE_S_MAX = 300
Word = TypeVar("Word")


class OpensClient(Protocol):
    """Opens a client of the simulator: over HTTP, or over a network that is simulated too."""

    def __call__(
        self,
        base_url: str,
        key: bytes,
        timeouts: Timeouts,
        read: Callable[[bytes], Word | None],
        answer_bytes_max: int = ANSWER_BYTES_MAX,
        /,
    ) -> AcquirerClient[Word]:
        """Return a client whose answers `read` makes a value of."""
        ...


def simulator_client(
    base_url: str,
    key: bytes,
    timeouts: Timeouts,
    read: Callable[[bytes], Word | None],
    answer_bytes_max: int = ANSWER_BYTES_MAX,
) -> AcquirerClient[Word]:
    """Return a client that signs its calls as the simulator wants it. See `AcquirerClient`."""

    def signed(method: str, path: str, body: bytes) -> Mapping[str, str]:
        return {
            "Acquirer-Signature": sign(
                key, int(time.time()), body if method == "POST" else path.encode()
            )
        }

    return AcquirerClient(
        base_url,
        signed,
        lambda answer: read(answer.body),
        timeouts,
        answer_bytes_max=answer_bytes_max,
    )


def sign(key: bytes, at_s: int, message: bytes) -> str:
    """Return the signature header over a body or a GET's path and query; time in Unix seconds."""
    digest = hmac.new(key, b"%d." % at_s + message, hashlib.sha256).hexdigest()
    return f"t={at_s},v1={digest}"


def signature_holds(key: bytes, header: str, message: bytes, now_s: int) -> bool:
    """Return whether a header is our key's signature of this message, within SIGNATURE_AGE_S_MAX.

    Without a key nothing holds: anybody can sign with an empty one.
    """
    if not key:
        return False
    at, separator, _ = header.removeprefix("t=").partition(",v1=")
    if not separator or not at.isascii() or not at.isdigit() or len(at) > len(str(now_s)):
        return False
    expected = sign(key, int(at), message)
    fresh = abs(now_s - int(at)) <= SIGNATURE_AGE_S_MAX
    return hmac.compare_digest(expected.encode(), header.encode()) and fresh
