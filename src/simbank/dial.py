"""The dial for trouble: what goes wrong on the line between acquirer and gateway, decided by seed and turn alone."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated

import msgspec

_DELAY_MS_MAX = 60_000
_LATE_S_MAX = 86_400
# A held callback waits this long, plus up to as much again, so that younger ones overtake it.
REORDER_HOLD_S = 0.5

Probability = Annotated[float, msgspec.Meta(ge=0, le=1)]
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=_DELAY_MS_MAX)]


class Dial(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `PUT /control/dial` sets; a key that is left out is its default, which is no trouble.

    delay_ms: shortest and longest delay of an acquirer call and of a callback, in milliseconds.
    lose_request: an acquirer call is dropped before it is processed. lose_reply: processed, but no reply.
    duplicate_callback: a callback is sent twice. reorder_callbacks: held back, so that younger ones overtake it.
    late_success_s: a payment answered "declined" or "pending" succeeds after so many seconds; 0 is off.
    """

    seed: int = 0
    delay_ms: tuple[Milliseconds, Milliseconds] = (0, 0)
    lose_request: Probability = 0.0
    lose_reply: Probability = 0.0
    duplicate_callback: Probability = 0.0
    reorder_callbacks: Probability = 0.0
    late_success_s: Annotated[int, msgspec.Meta(ge=0, le=_LATE_S_MAX)] = 0

    def __post_init__(self) -> None:
        """Refuse a range that runs backwards."""
        if self.delay_ms[0] > self.delay_ms[1]:
            text = "delay_ms must be [shortest, longest]"
            raise ValueError(text)


@dataclass(frozen=True, slots=True)
class CallTrouble:
    """What happens to one acquirer call."""

    delay_s: float = 0.0
    lose_request: bool = False
    lose_reply: bool = False


@dataclass(frozen=True, slots=True)
class CallbackTrouble:
    """What happens to one callback. hold_s: how long it is kept back before it is first sent."""

    hold_s: float = 0.0
    copies: int = 1


def draw(seed: int, stream: str, turn: int) -> float:
    """Return the number in [0, 1) that this seed gives a stream at a turn: for ever the same, in any order."""
    digest = blake2b(f"{seed}:{stream}:{turn}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / (1 << 53)


def call_trouble(dial: Dial, turn: int) -> CallTrouble:
    """Return what the dial does to the turn-th acquirer call since it was set."""
    return CallTrouble(
        delay_s=_delay_s(dial, "call delay", turn),
        lose_request=draw(dial.seed, "lose request", turn) < dial.lose_request,
        lose_reply=draw(dial.seed, "lose reply", turn) < dial.lose_reply,
    )


def callback_trouble(dial: Dial, turn: int) -> CallbackTrouble:
    """Return what the dial does to the turn-th callback since it was set."""
    held = draw(dial.seed, "reorder", turn) < dial.reorder_callbacks
    hold_s = REORDER_HOLD_S * (1 + draw(dial.seed, "hold", turn)) if held else 0.0
    doubled = draw(dial.seed, "duplicate", turn) < dial.duplicate_callback
    return CallbackTrouble(hold_s=hold_s + _delay_s(dial, "callback delay", turn), copies=2 if doubled else 1)


def _delay_s(dial: Dial, stream: str, turn: int) -> float:
    shortest, longest = dial.delay_ms
    return (shortest + (longest - shortest) * draw(dial.seed, stream, turn)) / 1000


class DialInHand:
    """The dial as this process holds it, with the turns counted since it was set."""

    def __init__(self, dial: Dial) -> None:
        """Hold a dial at its first turn."""
        self.turn_to(dial)

    def turn_to(self, dial: Dial) -> None:
        """Set the dial and count from the start again, so that the same seed gives the same trouble."""
        self.dial = dial
        self._troubled = dial != Dial(seed=dial.seed, late_success_s=dial.late_success_s)
        self._calls = 0
        self._callbacks = 0

    def next_call(self) -> CallTrouble:
        """Return the trouble of the next acquirer call."""
        if not self._troubled:
            return CallTrouble()
        self._calls += 1
        return call_trouble(self.dial, self._calls)

    def next_callback(self) -> CallbackTrouble:
        """Return the trouble of the next callback."""
        if not self._troubled:
            return CallbackTrouble()
        self._callbacks += 1
        return callback_trouble(self.dial, self._callbacks)
