"""The stand-in of Cashfree as a server, with its faults."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from decimal import Decimal
from json import loads
from typing import Any

from aiohttp import web

from tests.acquirers.cashfree.standin import (
    BANK,
    CLIENT_ID,
    CLIENT_SECRET,
    HTML,
    Bank,
    Fault,
    Handler,
    Pages,
    Refusal,
    create_order,
    create_refund,
    end_hold,
    fetch_order,
    fetch_payment,
    fetch_payments,
    fetch_refund,
    fetch_refunds,
    page,
    pay_session,
    simulate,
    terminate_order,
)
from tests.acquirers.cashfree.world import body_of

ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("POST", "/pg/orders", create_order),
    ("POST", "/pg/orders/sessions", pay_session),
    ("GET", "/pg/orders/{order_id}", fetch_order),
    ("PATCH", "/pg/orders/{order_id}", terminate_order),
    ("GET", "/pg/orders/{order_id}/payments", fetch_payments),
    ("GET", "/pg/orders/{order_id}/payments/{payment_id}", fetch_payment),
    ("POST", "/pg/orders/{order_id}/authorization", end_hold),
    ("POST", "/pg/orders/{order_id}/refunds", create_refund),
    ("GET", "/pg/orders/{order_id}/refunds", fetch_refunds),
    ("GET", "/pg/orders/{order_id}/refunds/{refund_id}", fetch_refund),
    ("POST", "/pg/simulate", simulate),
)


def _answered(handler: Handler) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Return a handler behind what every call has.

    Faults, credentials, errors and the idempotency key.
    """

    async def answer(request: web.Request) -> web.StreamResponse:
        bank, raw = request.app[BANK], await request.read()
        bank.calls.append(f"{request.method} {request.path}")
        fault = bank.fault_for(request.path)
        if fault and fault != "lost":
            return _gone_wrong(request, fault)
        status, body, more = _worked(bank, request, handler, raw)
        if fault == "lost":
            return _gone_wrong(request, fault)
        return web.Response(status=status, body=body, content_type="application/json", headers=more)

    return answer


def _worked(
    bank: Bank, request: web.Request, handler: Handler, raw: bytes
) -> tuple[int, bytes, dict[str, str]]:
    """Return status, body and headers of a call.

    The same key with the same body is the first answer again.
    """
    key = request.headers.get("x-idempotency-key", "") if request.method == "POST" else ""
    named = f"{request.path} {key}"
    try:
        _admit(bank, request)
        if body := _repeated(bank, named, raw) if key else b"":
            return 200, body, {"x-idempotency-key": key, "x-idempotency-replayed": "true"}
        asked = _read(request.content_type, raw)
        bank.bodies.append(asked)
        body = body_of(handler(bank, request, asked))
    except Refusal as refusal:
        return refusal.status, body_of(refusal.said), {}
    if key:
        bank.repeats[named] = raw, body
    return 200, body, {"x-idempotency-key": key, "x-idempotency-replayed": "false"} if key else {}


def _repeated(bank: Bank, named: str, raw: bytes) -> bytes:
    """Return the first answer to a call with this key, b"" where it is the first."""
    first, body = bank.repeats.get(named, (raw, b""))
    if first != raw:
        raise Refusal(
            422, "request_invalid", "idempotency key has another request", "idempotency_error"
        )
    return body


def _admit(bank: Bank, request: web.Request) -> None:
    if not request.headers.get("x-api-version"):
        raise Refusal(400, "request_failed", "x-api-version : is missing in the request")
    if request.path == "/pg/orders/sessions":
        return
    given = request.headers.get("x-client-id"), request.headers.get("x-client-secret")
    if not bank.credentials_hold or given != (CLIENT_ID, CLIENT_SECRET):
        raise Refusal(401, "request_failed", "authentication Failed", "authentication_error")


def _read(kind: str, raw: bytes) -> dict[str, Any]:
    if kind == "multipart/form-data":
        return {"form": raw}
    try:
        asked = loads(raw or b"{}", parse_float=Decimal)
    except ValueError:
        raise Refusal(400, "request_failed", "request body is not JSON") from None
    if not isinstance(asked, dict):
        raise Refusal(400, "request_failed", "request body is no object")
    return asked


def _gone_wrong(request: web.Request, fault: Fault) -> web.StreamResponse:
    if fault in {"lost", "never"}:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()
    if fault == "html":
        return web.Response(status=200, body=HTML, content_type="text/html")
    if fault == "truncated":
        return web.Response(status=200, body=b'{"order_id": "', content_type="application/json")
    said = {
        "429": ("Too many requests from IP. Check headers", "request_failed", "rate_limit_error"),
        "500": ("internal Server Error", "internal_error", "api_error"),
        "502": ("something is not found", "request_failed", "api_error"),
        # Of a proxy, say: not what Cashfree says of keys.
        "401": ("Unauthorized", "", ""),
        "keys": ("authentication Failed", "request_failed", "authentication_error"),
    }[fault]
    body = body_of(dict(zip(("message", "code", "type"), said, strict=True)))
    headers = {"x-ratelimit-retry": "10", "x-ratelimit-type": "app_id"} if fault == "429" else {}
    status = 401 if fault == "keys" else int(fault)
    return web.Response(status=status, body=body, content_type="application/json", headers=headers)


@asynccontextmanager
async def running(*more: tuple[str, str, Handler], pages: Pages = ()) -> AsyncIterator[Bank]:
    """Run the stand-in on a free port of this machine.

    `url` has no path, the API is under `/pg`. more: further routes, and others for known ones.
    """
    bank, app = Bank(), web.Application()
    app[BANK] = bank
    handlers = {(method, path): handler for method, path, handler in (*ROUTES, *more)}
    for (method, path), handler in handlers.items():
        app.router.add_route(method, path, _answered(handler))
    for path, page_handler in pages:
        app.router.add_route("*", path, page_handler)
    app.router.add_route("*", "/pg/view/gateway/{payment_id}", page)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    bank.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield bank
    finally:
        await runner.cleanup()
