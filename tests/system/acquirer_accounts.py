"""Accounts at acquirers, added to a gateway of their own while it runs."""

import asyncio
import json
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.system.running import RunningGateway

_Standin = TypeVar("_Standin")


@contextmanager
def running_apart(folder: Path, *acquirers: str) -> Iterator[RunningGateway]:
    """Run a gateway to which a test adds accounts, and audit its books at the end.

    acquirers: whose own books nobody shows the audit.
    """
    with RunningGateway(folder) as running:
        yield running
        left_out = [part for name in acquirers for part in ("--without-acquirer", name)]
        assert running.operate("audit", *left_out)["holds"]


def acquirer(gateway: RunningGateway, verb: str, *arguments: str, fields: object = None) -> Any:
    """Run `hundi acquirer` with fields on standard input, and return what it prints."""
    return gateway.operate("acquirer", verb, *arguments, text=json.dumps(fields) if fields else "")


@contextmanager
def alongside(
    standin: AbstractAsyncContextManager[_Standin],
) -> Iterator[tuple[_Standin, asyncio.AbstractEventLoop]]:
    """Run a stand-in in a thread of its own, as the processes of the gateway call it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def wait(work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(20)

    stack = AsyncExitStack()
    try:
        yield wait(stack.enter_async_context(standin)), loop
    finally:
        wait(stack.aclose())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
