"""Answers to programs at an unknown address, or with a method other than POST.

Browsers get a page: docs/spec/wire.md#strays.
"""

from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from hundi.api import problems, replies
from hundi.api.addresses import API, AUXILIARY
from hundi.api.inbound import Reply
from hundi.kernel.ids import request_reference
from hundi.kernel.masking import masked
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.wire.merchant.splits import SPLIT
from hundi.wire.partner import envelope as partners

_SHOWN_MAX = 100


def wants_page(accept: str) -> bool:
    """Return whether the header `Accept` names HTML, and before JSON: only browsers do."""
    before, html, _ = accept.lower().partition("text/html")
    return bool(html) and "application/json" not in before


def wants_json(accept: str) -> bool:
    """Return whether the header `Accept` names JSON, and not after HTML."""
    return "application/json" in accept.lower() and not wants_page(accept)


def wrong_method(path: str, method: str) -> Reply:
    """Return the reply to an interface or callback that was called with another method than POST.

    An interface answers 200, as all its errors do.
    """
    refusal = Refusal(RefusalCode.ENVELOPE_UNREADABLE, "method", method, "POST")
    return _reply(path, refusal, HTTPStatus.METHOD_NOT_ALLOWED)


def too_many(path: str, refusal: Refusal) -> Reply:
    """Return the reply to a program that sends too often, or too much at once."""
    return _reply(path, refusal, HTTPStatus.TOO_MANY_REQUESTS)


def _reply(path: str, refusal: Refusal, status_code: HTTPStatus) -> Reply:
    """Return a refusal with its HTTP status, which is 200 at an interface."""
    if problems.is_plain(path):
        return problems.reply_of(refusal, request_reference(), status_code)
    body, headers = _worded(path, refusal)
    sent = [(name.encode(), value.encode()) for name, value in headers]
    status = HTTPStatus.OK if API in path or path.endswith(SPLIT.below) else status_code
    return Reply(body, status, [(b"content-type", b"application/json"), *sent])


def stray(request: Request[Any, Any, Any], problem: HTTPException) -> Response[bytes]:
    """Return an envelope with a request id for an unknown address or method."""
    if problem.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        refusal = Refusal(RefusalCode.ENVELOPE_UNREADABLE, "method", request.method)
    else:
        shown = masked(request.url.path)[:_SHOWN_MAX]
        refusal = Refusal(
            RefusalCode.ENVELOPE_UNREADABLE, "address", shown, "an interface's address"
        )
    return refused(request.url.path, refusal, problem.status_code)


def refused(path: str, refusal: Refusal, status_code: int) -> Response[bytes]:
    """Return a refusal in the form of the interface that the address belongs to."""
    body, headers = _worded(path, refusal)
    return Response(
        body, media_type="application/json", headers=dict(headers), status_code=status_code
    )


def _worded(path: str, refusal: Refusal) -> tuple[bytes, tuple[tuple[str, str], ...]]:
    reference = request_reference()
    if AUXILIARY in path:
        body = partners.encode(
            partners.STANDARD.failure(replies.CODE_OF[refusal.code].wire, replies.words(refusal))
        )
    else:
        body = msgspec.json.encode(replies.refused(refusal, reference))
    headers = (
        ("x-request-id", reference),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
    )
    return body, headers
