"""A wire between a connector and a stand-in, on which single calls go wrong."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import StrEnum

from aiohttp import ClientSession, web


class Mishap(StrEnum):
    """What happens to one call that changes something."""

    LOST_BEFORE = "lost before it came"
    LOST_AFTER = "the answer was lost"
    CUT = "half of the answer came"

    KILLED = "our process ended while it waited for the answer"


class Between:
    """Passes calls on. url: what the connector calls in place of the stand-in.

    plan: what happens to a call, by its number among those that change something. kill: ends the
    process that made a call. questions: what the bodies of calls have that change nothing.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self.url = ""
        self.changes = 0
        self.plan: dict[int, Mishap] = {}
        self.kill: Callable[[], object] = lambda: None
        self.questions: tuple[bytes, ...] = ()

    def begin(self, plan: dict[int, Mishap]) -> None:
        """Count anew, with another plan."""
        self.changes, self.plan = 0, dict(plan)

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        """Pass on one call."""
        mishap = None
        asked = await request.read()
        asks = any(each in asked for each in self.questions)
        if request.method != "GET" and not request.path.endswith("/token") and not asks:
            self.changes += 1
            mishap = self.plan.pop(self.changes, None)
        if mishap is Mishap.LOST_BEFORE:
            return _broken_off(request)
        headers = {name: each for name, each in request.headers.items() if name != "Host"}
        async with (
            ClientSession() as there,
            there.request(
                request.method,
                self._target + request.path_qs,
                data=await request.read(),
                headers=headers,
            ) as answer,
        ):
            body = await answer.read()
        if mishap is Mishap.KILLED:
            self.kill()
        if mishap in {Mishap.LOST_AFTER, Mishap.KILLED}:
            return _broken_off(request)
        if mishap is Mishap.CUT:
            body = body[: len(body) // 2]

        return web.Response(body=body, status=answer.status, content_type="application/json")


def _broken_off(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


@asynccontextmanager
async def between(target: str) -> AsyncIterator[Between]:
    """Open a wire to a stand-in. target: its address, scheme, host and port."""
    wire = Between(target)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", wire.pass_on)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    wire.url = f"http://{host}:{port}"
    yield wire
    await runner.cleanup()
