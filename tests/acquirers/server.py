"""What the stand-ins of aggregators share.

A server that remembers calls, loses answers and answers something else.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from aiohttp import web


async def opened_site(
    routes: Callable[[web.Application], None], door: Any
) -> tuple[web.AppRunner, str]:
    """Serve on a free port, and return the runner, whose cleanup ends it, and the address.

    door: the middleware of every call.
    """
    app = web.Application(middlewares=[door])
    routes(app)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    return runner, f"http://{host}:{port}"


class Server(ABC):
    """A server on a free port.

    calls: path and body of every call of a merchant's server. answer_next: (status, body) that
    replace the next answers, after the work was done. lose: paths whose next call is worked on and
    never answered.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, bytes]] = []
        self.answer_next: list[tuple[int, bytes]] = []
        self.lose: list[str] = []
        self.url = ""
        self._runner: web.AppRunner | None = None

    @abstractmethod
    def routes(self, app: web.Application) -> None:
        """Say which paths the stand-in answers."""

    async def open(self) -> None:
        self._runner, self.url = await opened_site(self.routes, self._door)

    async def close(self) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    def called(self) -> list[str]:
        return [path for path, _body in self.calls]

    @web.middleware
    async def _door(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.calls.append((request.path, await request.read()))
        answer = await handler(request)
        if request.path in self.lose:
            self.lose.remove(request.path)
            assert request.transport is not None
            request.transport.abort()
            await asyncio.sleep(0)
        if self.answer_next:
            status, content = self.answer_next.pop(0)
            return web.Response(status=status, body=content, content_type="text/html")
        return answer


BROKEN = [
    (200, b"<html><body>Service temporarily unavailable</body></html>"),
    (200, b'{"body": {"resultInfo": {"resultStatus": "TXN_SUCC'),
    (200, b""),
    (200, b"[]"),
    (200, b"null"),
    (200, b'{"body": 1, "body": 2}'),
    (200, b'{"body": {}, "a": "\\u0000"}'),
    (200, b'"' + b"x" * 1_100_000 + b'"'),
    (301, b"{}"),
    (400, b"{}"),
    (404, b"{}"),
    (409, b"{}"),
    (429, b"{}"),
    (500, b"{}"),
    (503, b""),
]
"""What no acquirer should answer, and some do: nothing of it decides anything."""
