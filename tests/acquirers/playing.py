"""Stand-ins that run, and their part in the checks of the port's contract."""

from collections.abc import AsyncIterator, Sized
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, Protocol, TypeVar

from hundi.acquirers.contract.steps import ConnectorCase
from hundi.instruments.card import CardNumber

CARD = CardNumber("4539578763621486", 12, 2060, "123", "Asha")
_NETWORK = (
    "pass_challenge",
    "fail_challenge",
    "pay_at_bank",
    "leave_bank",
    "settled",
    "refund_settled",
)


class Standin(Protocol):
    """An acquirer that a test runs."""

    async def open(self) -> None:
        """Listen."""

    async def close(self) -> None:
        """Stop listening."""


Opened = TypeVar("Opened", bound=Standin)


@asynccontextmanager
async def running(standin: Opened) -> AsyncIterator[Opened]:
    """Run a stand-in for as long as it is used."""
    await standin.open()
    yield standin
    await standin.close()


async def nothing(_of: str) -> None:
    """Play nobody: the stand-in decided at once, or sends no customer anywhere."""


def given_at(calls: Sized | None, card: CardNumber = CARD, **differing: Any) -> ConnectorCase:
    """Return how a stand-in's customers and banks are played.

    calls: those that the stand-in got so far; None where they are not counted. differing: what is
    not the same for all.
    """
    numbers = count(1)
    same = {
        "new_reference": lambda: f"10001-{next(numbers)}",
        "good_card": card,
        "declined_card": card,
        "card_of": lambda _bank: card,
        "good_vpa": "asha@okaxis",
        "nobody_vpa": "nobody@okaxis",
        **dict.fromkeys(_NETWORK, nothing),
        "calls_made": None if calls is None else lambda: len(calls),
    }
    return ConnectorCase(**{**same, **differing})
