"""Refusals as problem documents (RFC 9457), for the plain interface."""

from collections.abc import Mapping
from http import HTTPStatus

import msgspec

from hundi.api import replies
from hundi.api.inbound import Reply
from hundi.kernel.masking import masked
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.wire.plain.operation import PREFIX

MEDIA_TYPE = "application/problem+json"
CODES_PAGE = "/docs/codes/"
STATUS_OF: Mapping[RefusalCode, HTTPStatus] = {
    **dict.fromkeys(
        (RefusalCode.TOKEN_UNKNOWN, RefusalCode.TOKEN_EXPIRED), HTTPStatus.UNAUTHORIZED
    ),
    **dict.fromkeys(
        (
            RefusalCode.SENDER_UNPROVEN,
            RefusalCode.KEY_OUT_OF_SCOPE,
            RefusalCode.SANDBOX_MERCHANT,
            RefusalCode.MERCHANT_SUSPENDED,
            RefusalCode.RISK_BLOCKED,
        ),
        HTTPStatus.FORBIDDEN,
    ),
    RefusalCode.NO_RECORDS: HTTPStatus.NOT_FOUND,
    **dict.fromkeys(
        (
            RefusalCode.ORDER_CONTENT_DIFFERS,
            RefusalCode.ORDER_ALREADY_PAID,
            RefusalCode.STATE_FORBIDS,
            RefusalCode.REFUND_EXISTS,
            RefusalCode.UNDER_DISPUTE,
            RefusalCode.DISPUTE_OVER,
            RefusalCode.REQUEST_ID_REUSED,
            RefusalCode.BANK_REFUSED,
        ),
        HTTPStatus.CONFLICT,
    ),
    RefusalCode.BODY_TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    **dict.fromkeys(
        (
            RefusalCode.FIELD_INVALID,
            RefusalCode.MORE_THAN_REMAINS,
            RefusalCode.CHANNEL_NOT_ENABLED,
            RefusalCode.NO_CHANNEL_SERVED,
        ),
        HTTPStatus.UNPROCESSABLE_ENTITY,
    ),
    RefusalCode.TOO_MANY_REQUESTS: HTTPStatus.TOO_MANY_REQUESTS,
    **dict.fromkeys(
        (RefusalCode.BANK_UNREACHABLE, RefusalCode.HOME_UNREACHABLE),
        HTTPStatus.SERVICE_UNAVAILABLE,
    ),
    RefusalCode.OURS: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""The HTTP status of a refusal; 400 for all others."""
_WORDS: Mapping[RefusalCode, str] = {
    RefusalCode.TOKEN_UNKNOWN: "The bearer key is not known, or was ended",
    RefusalCode.TOKEN_EXPIRED: "The bearer key has expired",
    RefusalCode.SENDER_UNPROVEN: "The bearer key does not count from this address",
    RefusalCode.KEY_OUT_OF_SCOPE: "The bearer key is for other operations",
}
"""The words of refusals that speak of other proofs elsewhere."""


class ProblemDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A problem document. reason: the refusal's name in the gateway's logs.

    retry: never, after_fix or later. field, received, allowed: of bad input, else "".
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    reason: str
    retry: str
    field: str
    received: str
    allowed: str
    request_id: str


def log_words(refusal: Refusal) -> str:
    """Return what the merchant's request log says of a refusal."""
    return replies.words(refusal, _WORDS.get(refusal.code, ""))


def status_of(refusal: Refusal) -> HTTPStatus:
    """Return the HTTP status of a refusal."""
    return STATUS_OF.get(refusal.code, HTTPStatus.BAD_REQUEST)


def problem_of(
    refusal: Refusal, request_id: str, status: HTTPStatus | None = None
) -> ProblemDocument:
    """Return the document of a refusal; card and Aadhaar numbers in it are masked."""
    code, own = replies.CODE_OF[refusal.code], _WORDS.get(refusal.code)
    return ProblemDocument(
        type=CODES_PAGE,
        title=own or code.words,
        status=status or status_of(refusal),
        detail=own or replies.words(refusal),
        code=code.wire,
        reason=refusal.code.log_name,
        retry=refusal.code.retry,
        field=masked(refusal.field),
        received=masked(refusal.received),
        allowed=refusal.allowed,
        request_id=request_id,
    )


def reply_of(refusal: Refusal, request_id: str, status: HTTPStatus | None = None) -> Reply:
    """Return the HTTP reply of a refusal. status: where the address or the method decides."""
    problem = problem_of(refusal, request_id, status)
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-request-id", request_id.encode()),
    ]
    if problem.status == HTTPStatus.UNAUTHORIZED:
        headers.append((b"www-authenticate", b'Bearer realm="hundi"'))
    return Reply(msgspec.json.encode(problem), problem.status, headers)


def is_plain(path: str) -> bool:
    """Return whether an address belongs to the plain interface."""
    return path.startswith(PREFIX)
