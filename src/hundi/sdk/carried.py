"""The operations for callers that carry requests to the gateway themselves."""

from collections.abc import Awaitable, Callable
from typing import Any

from hundi.sdk.async_methods import AsyncOperations
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.operations import Asked, Told, perform
from hundi.wire.operation import Operation


class CarriedOperations(AsyncOperations):
    """A merchant's operations at the gateway, sent by the caller."""

    def __init__(self, calls: Calls, run: Callable[[Steps[Any]], Awaitable[Any]]) -> None:
        """Keep the dependencies. run: performs the steps of a call."""
        self._calls = calls
        self._run = run

    async def _operation(self, operation: Operation[Asked, Told], asked: Asked) -> Told:
        return await self._run(perform(self._calls, operation, asked))
