"""The operations for those who carry requests to the gateway by themselves."""

from collections.abc import Awaitable, Callable
from typing import Any

from hundi.sdk.async_methods import AsyncOperations
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.operations import Asked, Told, perform
from hundi.wire.operation import Operation


class CarriedOperations(AsyncOperations):
    """What a merchant can ask of the gateway, sent by somebody else."""

    def __init__(self, calls: Calls, run: Callable[[Steps[Any]], Awaitable[Any]]) -> None:
        """Send nothing yet. run: performs the steps of a call."""
        self._calls = calls
        self._run = run

    async def _operation(self, operation: Operation[Asked, Told], asked: Asked) -> Told:
        return await self._run(perform(self._calls, operation, asked))
