"""Fault injection between acquirer and gateway, decided by a seed and a running number alone."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, Literal

import msgspec

_DELAY_MS_MAX = 60_000
_LATE_S_MAX = 86_400
# A delayed callback waits this long, plus up to as much again, so that later ones overtake it.
REORDER_HOLD_S = 0.5

Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=_DELAY_MS_MAX)]


class FaultSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of `PUT /control/dial`; an omitted key injects no fault.

    delay_ms: shortest and longest delay of an acquirer call and of a callback, in milliseconds.
    lose_request: an acquirer call is dropped before it is processed. lose_reply: it is processed,
    its reply is dropped. duplicate_callback: a callback is sent twice. reorder_callbacks: it is
    delayed, so that later ones arrive before it. late_success_s: a payment answered "declined",
    "pending" or not at all succeeds after so many seconds; 0 is off. `POST /control/late-success`
    makes the waiting ones succeed now. odd_answers: an aggregator's call gets odd_answer instead of
    its own answer.
    """

    seed: int = 0
    delay_ms: tuple[Milliseconds, Milliseconds] = (0, 0)
    lose_request: Probability = 0.0
    lose_reply: Probability = 0.0
    duplicate_callback: Probability = 0.0
    reorder_callbacks: Probability = 0.0
    late_success_s: Annotated[int, msgspec.Meta(ge=0, le=_LATE_S_MAX)] = 0
    odd_answers: Probability = 0.0
    odd_answer: Literal["409", "429", "garbage", "html", "truncated", "other_amount"] = "garbage"

    def __post_init__(self) -> None:
        """Refuse a range whose first number is the larger one."""
        if self.delay_ms[0] > self.delay_ms[1]:
            text = "delay_ms must be [shortest, longest]"
            raise ValueError(text)


@dataclass(frozen=True, slots=True)
class CallFaults:
    """The faults of one acquirer call."""

    delay_s: float = 0.0
    lose_request: bool = False
    lose_reply: bool = False
    odd_answer: str = ""


@dataclass(frozen=True, slots=True)
class CallbackFaults:
    """The faults of one callback. hold_s: the wait before its first sending."""

    hold_s: float = 0.0
    copies: int = 1


def draw(seed: int, stream: str, turn: int) -> float:
    """Return a number in [0, 1) that depends on seed, stream and turn alone."""
    digest = blake2b(f"{seed}:{stream}:{turn}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / (1 << 53)


def call_faults(settings: FaultSettings, turn: int) -> CallFaults:
    """Return the faults of an acquirer call, by its number since the settings were made."""
    return CallFaults(
        delay_s=_delay_s(settings, "call delay", turn),
        lose_request=draw(settings.seed, "lose request", turn) < settings.lose_request,
        lose_reply=draw(settings.seed, "lose reply", turn) < settings.lose_reply,
        odd_answer=settings.odd_answer
        if draw(settings.seed, "odd answer", turn) < settings.odd_answers
        else "",
    )


def callback_faults(settings: FaultSettings, turn: int) -> CallbackFaults:
    """Return the faults of a callback, by its number since the settings were made."""
    held = draw(settings.seed, "reorder", turn) < settings.reorder_callbacks
    hold_s = REORDER_HOLD_S * (1 + draw(settings.seed, "hold", turn)) if held else 0.0
    doubled = draw(settings.seed, "duplicate", turn) < settings.duplicate_callback
    return CallbackFaults(
        hold_s=hold_s + _delay_s(settings, "callback delay", turn), copies=2 if doubled else 1
    )


def _delay_s(settings: FaultSettings, stream: str, turn: int) -> float:
    shortest, longest = settings.delay_ms
    return (shortest + (longest - shortest) * draw(settings.seed, stream, turn)) / 1000


class FaultInjector:
    """Gives each call or callback its faults; one of them is a turn."""

    def __init__(self, settings: FaultSettings) -> None:
        """Begin with these settings at the first turn."""
        self.use(settings)

    def use(self, settings: FaultSettings) -> None:
        """Change the settings and restart the turns, so a seed gives the same faults again."""
        self.settings = settings
        self._enabled = settings != FaultSettings(
            seed=settings.seed, late_success_s=settings.late_success_s
        )
        self._calls = 0
        self._callbacks = 0

    def next_call(self) -> CallFaults:
        """Return the faults of the next acquirer call."""
        if not self._enabled:
            return CallFaults()
        self._calls += 1
        return call_faults(self.settings, self._calls)

    def next_callback(self) -> CallbackFaults:
        """Return the faults of the next callback."""
        if not self._enabled:
            return CallbackFaults()
        self._callbacks += 1
        return callback_faults(self.settings, self._callbacks)
