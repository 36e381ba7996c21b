"""A start that is refused: its reason is kept, and the server is told nothing to print."""

from collections.abc import Iterator
from logging import getLogger

import pytest
from litestar import Litestar

from hundi.infra.errors import OperatorError
from hundi.infra.http.lifespan import Message, RefusableStart


def _starting(error: Exception | None) -> RefusableStart:
    """Return an application whose start ends so."""

    async def start() -> None:
        if error is not None:
            raise error

    return RefusableStart(Litestar(route_handlers=[], on_startup=[start]))


class _Server:
    """Starts an application as an ASGI server does."""

    def __init__(self) -> None:
        self.told: list[Message] = []
        self._asks = iter(("lifespan.startup", "lifespan.shutdown"))

    async def receive(self) -> Message:
        return {"type": next(self._asks)}

    async def send(self, message: Message) -> None:
        self.told.append(message)

    async def start(self, application: RefusableStart) -> None:
        await application({"type": "lifespan", "state": {}}, self.receive, self.send)


@pytest.fixture
def server() -> Iterator[_Server]:
    """A server that has started nothing yet."""
    yield _Server()
    getLogger("uvicorn.error").disabled = False


async def test_a_refused_start_has_a_reason_and_no_trace(server: _Server) -> None:
    application = _starting(OperatorError("the disk is full: make room"))
    await server.start(application)
    assert str(application.refusal) == "the disk is full: make room"
    assert server.told == [{"type": "lifespan.startup.failed", "message": ""}]


async def test_a_fault_of_ours_goes_on_to_the_server(server: _Server) -> None:
    application = _starting(ZeroDivisionError())
    with pytest.raises(ExceptionGroup):
        await server.start(application)
    assert application.refusal is None
    assert server.told == []


async def test_a_good_start_is_passed_on(server: _Server) -> None:
    application = _starting(None)
    await server.start(application)
    assert [each["type"] for each in server.told] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
