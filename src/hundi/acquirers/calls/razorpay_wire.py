"""The common part of Razorpay's products: who calls, what a refusal is, the proof of a webhook.

Sources: github.com/razorpay/markdown-docs, errors/x.md and webhooks/validate-test.md, commit
ab3bda5f.
"""

from base64 import b64encode
from hashlib import sha256
from hmac import compare_digest
from hmac import new as new_hmac
from http import HTTPStatus
from typing import Annotated, TypeVar

import msgspec

from hundi.acquirers.calls.client import AcquirerClient, Timeouts
from hundi.acquirers.port.answers import Unknown
from hundi.infra.http.client import HttpAnswer

SIGNATURE = "x-razorpay-signature"
REFERENCE_NOTE = "hundi_reference"
"""The note that holds our reference at Razorpay: webhooks bring it back."""
MESSAGE_MAX = 255
"""Characters of Razorpay's texts that are kept."""
Word = Annotated[str, msgspec.Meta(max_length=64)]
Text = Annotated[str, msgspec.Meta(max_length=2_048)]
Id = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_]{1,64}\Z")]
KeyId = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^rzp_(live|test)_[A-Za-z0-9]+\Z",
        description="rzp_live_ or rzp_test_, then letters and digits",
    ),
]
_PREFIX = {"live": "rzp_live_", "test": "rzp_test_"}
Read = tuple[bool, bytes]
"""Whether the call was done, and its body: the result, or why it was refused."""
Said = TypeVar("Said")


class RazorpayRefusal(msgspec.Struct, frozen=True):
    """Why a call was refused, or a payment failed."""

    code: Word = ""
    description: Text | None = None
    source: Word | None = None
    reason: Word | None = None
    field: Word | None = None


class ErrorAnswer(msgspec.Struct, frozen=True):
    """A call that Razorpay refused."""

    error: RazorpayRefusal


def mode_fault(key_id: str, mode: str) -> str:
    """Return what is wrong with a key for a mode, "" for nothing. mode: live or test."""
    begins = _PREFIX[mode]
    return "" if key_id.startswith(begins) else f"mode {mode} needs keys that begin with {begins}"


def decoded(kind: type[Said], body: bytes) -> Said | None:
    """Return a body as a value, or None when it does not have this form."""
    try:
        return msgspec.json.decode(body, type=kind)
    # msgspec's errors do not include text that is not UTF-8.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def refused(body: bytes) -> RazorpayRefusal | None:
    """Return why a call was refused, or None when the body does not say."""
    answer = decoded(ErrorAnswer, body)
    return answer.error if answer else None


def unusable() -> Unknown:
    """Return Unknown, for an answer that cannot be used."""
    return Unknown("unusable", "Razorpay's answer cannot be used")


def signed_by(secrets: tuple[bytes, ...], signature: str, body: bytes) -> bool:
    """Return whether a header is the signature of a raw body by one of our secrets.

    Without a secret nothing holds: anybody can sign with an empty one.
    """
    signatures = (new_hmac(secret, body, sha256).hexdigest() for secret in secrets if secret)
    return any(compare_digest(each.encode(), signature.encode()) for each in signatures)


def client(
    base_url: str,
    credentials: str,
    timeouts: Timeouts,
    answer_bytes_max: int = 64 * 1024,
    *,
    in_doubt: str | None = None,
) -> AcquirerClient[Read]:
    """Return a client; only 200 is an answer and 400 a refusal.

    401, 404 and 409 say nothing of the money. credentials: key id and secret. in_doubt: the
    beginning of the paths at which refused credentials do not prove that nothing was done.
    """
    proof = {"Authorization": "Basic " + b64encode(credentials.encode()).decode()}

    def refuses_credentials(path: str, answer: HttpAnswer) -> bool:
        if in_doubt is not None and path.startswith(in_doubt):
            return False
        refusal = refused(answer.body) if answer.status == HTTPStatus.UNAUTHORIZED else None
        return refusal is not None and refusal.code == "BAD_REQUEST_ERROR"

    return AcquirerClient(
        base_url,
        lambda _method, _path, _body: proof,
        _read,
        timeouts,
        answer_bytes_max=answer_bytes_max,
        readable=(HTTPStatus.OK, HTTPStatus.BAD_REQUEST),
        refuses_credentials=refuses_credentials,
    )


def _read(answer: HttpAnswer) -> Read:
    return answer.status == HTTPStatus.OK, answer.body
