"""Which provider answers a question: the simulated ones, or the live one, where there is one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from hundi.kernel.refusals import RefusalCode, refuse

Question = TypeVar("Question")


@dataclass(frozen=True, slots=True)
class Chosen(Generic[Question]):
    """A provider and its name, which keeps its answers apart from those of others."""

    name: str
    provider: Question


class Registers:
    """The providers of this gateway. simulated, live: each by name, in order of preference."""

    def __init__(self, simulated: Sequence[tuple[str, object]], live: Sequence[tuple[str, object]]) -> None:
        """Keep them."""
        self._providers = {False: tuple(simulated), True: tuple(live)}

    def find(self, question: type[Question], *, live: bool) -> Question | None:
        """Return who answers a question, None when nobody does."""
        return next((each for _, each in self._providers[live] if isinstance(each, question)), None)

    def of(self, question: type[Question], *, live: bool) -> Chosen[Question]:
        """Return who answers a question. Raises Refused (INTERFACE_NOT_ENABLED) when nobody does."""
        for name, provider in self._providers[live]:
            if isinstance(provider, question):
                return Chosen(name, provider)
        kind = "live" if live else "simulated"
        raise refuse(RefusalCode.INTERFACE_NOT_ENABLED, detail=f"no {kind} provider answers {question.__name__}")
