"""Which provider answers a question, simulated or live, and what its answer means."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from cachetools import TTLCache

from hundi.kernel.refusals import RefusalCode, refuse
from hundi.partners.registers.port import Nobody, Silent

Question = TypeVar("Question")
Key = TypeVar("Key")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class ChosenProvider(Generic[Question]):
    """A provider and its name, which keeps its answers apart from those of others."""

    name: str
    provider: Question


class Registers:
    """The providers of this gateway. simulated, live: by name, in order of preference."""

    def __init__(
        self, simulated: Sequence[tuple[str, object]], live: Sequence[tuple[str, object]]
    ) -> None:
        """Keep the providers."""
        self._providers = {False: tuple(simulated), True: tuple(live)}

    def find(self, question: type[Question], *, live: bool) -> Question | None:
        """Return the provider for a question, None when there is none."""
        return next((each for _, each in self._providers[live] if isinstance(each, question)), None)

    def of(self, question: type[Question], *, live: bool) -> ChosenProvider[Question]:
        """Return the provider for a question.

        Raises Refused (INTERFACE_NOT_ENABLED) when there is none.
        """
        for name, provider in self._providers[live]:
            if isinstance(provider, question):
                return ChosenProvider(name, provider)
        kind = "live" if live else "simulated"
        raise refuse(
            RefusalCode.INTERFACE_NOT_ENABLED,
            detail=f"no {kind} provider answers {question.__name__}",
        )


def told(answer: Answer | Nobody | Silent) -> Answer:
    """Return a register's answer. Raises Refused (NO_RECORDS, PROVIDER_SILENT)."""
    match answer:
        case Silent(reason):
            raise refuse(RefusalCode.PROVIDER_SILENT, detail=reason)
        case Nobody():
            raise refuse(RefusalCode.NO_RECORDS)
        case _:
            return answer


class AnswerCache(Generic[Key, Answer]):
    """Registers' answers, repeated for a while without asking; silence is no answer."""

    def __init__(self, kept_max: int, kept_s: float) -> None:
        """Start empty. kept_s: seconds for which an answer is kept."""
        self._kept: TTLCache[Key, Answer | Nobody, float] = TTLCache(kept_max, kept_s)

    async def get(self, key: Key, ask: Callable[[], Awaitable[Answer | Nobody | Silent]]) -> Answer:
        """Return the answer of a key, cached or asked for.

        Raises Refused (NO_RECORDS, PROVIDER_SILENT).
        """
        answer = self._kept.get(key)
        if answer is None:
            answer = await ask()
            if not isinstance(answer, Silent):
                self._kept[key] = answer
        return told(answer)
