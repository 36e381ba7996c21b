"""Requests that meet no interface: an address that is not served, or a method other than POST."""

from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from hundi.api import replies
from hundi.api.addresses import API
from hundi.kernel.ids import request_reference
from hundi.kernel.refusals import Refusal, RefusalCode

_SHOWN_MAX = 100


def stray(request: Request[Any, Any, Any], problem: HTTPException) -> Response[bytes]:
    """Return an envelope with a request id. An interface called by another method answers 200, as all its errors do."""
    status, path = problem.status_code, request.url.path
    received, allowed, field = path[:_SHOWN_MAX], "an interface's address", "address"
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        received, allowed, field = request.method, "", "method"
        if API in path:
            allowed, status = "POST", HTTPStatus.OK
    refusal = Refusal(RefusalCode.ENVELOPE_UNREADABLE, field, received, allowed)
    reference = request_reference()
    body = msgspec.json.encode(replies.refused(refusal, reference))
    headers = {"x-request-id": reference, "cache-control": "no-store"}
    return Response(body, media_type="application/json", headers=headers, status_code=status)
