"""Answer requests to an address that is not served, or with a method other than POST."""

from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from hundi.api import replies
from hundi.api.addresses import API
from hundi.api.inbound import Reply
from hundi.kernel.ids import request_reference
from hundi.kernel.refusals import Refusal, RefusalCode

_SHOWN_MAX = 100


def wrong_method(path: str, method: str) -> Reply:
    """Return the reply to an interface or callback that was called with another method than POST.

    An interface answers 200, as all its errors do.
    """
    refusal = Refusal(RefusalCode.ENVELOPE_UNREADABLE, "method", method, "POST")
    body, headers = _worded(refusal)
    status = HTTPStatus.OK if API in path else HTTPStatus.METHOD_NOT_ALLOWED
    return Reply(
        body, status, [(b"content-type", b"application/json"), *((n.encode(), v.encode()) for n, v in headers)]
    )


def stray(request: Request[Any, Any, Any], problem: HTTPException) -> Response[bytes]:
    """Return an envelope with a request id for an unknown address or method."""
    if problem.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        refusal = Refusal(RefusalCode.ENVELOPE_UNREADABLE, "method", request.method)
    else:
        path = request.url.path[:_SHOWN_MAX]
        refusal = Refusal(RefusalCode.ENVELOPE_UNREADABLE, "address", path, "an interface's address")
    body, headers = _worded(refusal)
    return Response(body, media_type="application/json", headers=dict(headers), status_code=problem.status_code)


def _worded(refusal: Refusal) -> tuple[bytes, tuple[tuple[str, str], ...]]:
    reference = request_reference()
    body = msgspec.json.encode(replies.refused(refusal, reference))
    return body, (("x-request-id", reference), ("cache-control", "no-store"))
