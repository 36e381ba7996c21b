"""The start of an application: what the setup refuses is one sentence and no trace."""

from collections.abc import Awaitable, Callable, MutableMapping
from logging import getLogger
from typing import Any

from hundi.infra.errors import OperatorError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[..., Awaitable[None]]
"""Takes a scope, and what receives and sends; each framework has types of its own for them."""
_FAILED = "lifespan.startup.failed"


class RefusableStart:
    """An application whose start may be refused.

    The server that runs it prints the trace of any exception in its start. refusal: why the setup
    does not let it start; None where it started, or failed by a fault of ours.
    """

    def __init__(self, application: Application) -> None:
        """Take over an application that was not started."""
        self._application = application
        self.refusal: OperatorError | None = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on; of a start that is refused keep the reason."""
        if scope["type"] != "lifespan":
            await self._application(scope, receive, send)
            return
        try:
            await self._application(scope, receive, _without_trace(send))
        except (OperatorError, ExceptionGroup) as error:
            self.refusal = _refusal(error)
            if self.refusal is None:
                raise
            # Nothing but the sentence: the server would only add that it ends.
            getLogger("uvicorn.error").disabled = True
            await send({"type": _FAILED, "message": ""})


def _refusal(error: Exception) -> OperatorError | None:
    """Return the refusal in an error: the application adds groups around it."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        (error,) = error.exceptions
    return error if isinstance(error, OperatorError) else None


def _without_trace(send: Send) -> Send:
    """Return a sender that leaves out the trace of a failed start: the exception follows it."""

    async def sent(message: Message) -> None:
        if message["type"] != _FAILED:
            await send(message)

    return sent
