"""An address where a connection is neither made nor refused."""

import contextlib
import socket
from collections.abc import Iterator


@contextlib.contextmanager
def unanswered() -> Iterator[str]:
    """Give the address of a listener that never accepts, its queue full.

    Linux leaves the next connection waiting.
    """
    with socket.socket() as listener, contextlib.ExitStack() as waiting:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):
            each = waiting.enter_context(socket.socket())
            each.settimeout(0)
            each.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
