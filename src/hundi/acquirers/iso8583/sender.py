"""Numbering and sending of messages to a bank's switch."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from hundi.acquirers.iso8583 import answers, rules
from hundi.acquirers.iso8583.dialects import Dialect
from hundi.acquirers.iso8583.link import (
    NotConnectedError,
    SwitchAddress,
    SwitchLink,
    SwitchSilenceError,
)
from hundi.acquirers.iso8583.rules import Call, CallKind, Original, Station
from hundi.acquirers.iso8583.wire import Codec, Message
from hundi.acquirers.port.memory import Memory
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money

TRACES_AT_ONCE = 20
"""Traces reserved in the database at once; those that a process does not use are skipped."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SwitchLine:
    """How to reach a bank.

    advice: reversals are advices, 0420. forget_after_s: see docs/iso8583.md#reversals.
    """

    dialect: Dialect
    station: Station
    address: SwitchAddress
    codec: Codec
    advice: bool
    forget_after_s: float


class SwitchSender:
    """The part of the connector that numbers and sends messages."""

    name: str
    _line: SwitchLine
    _link: SwitchLink
    _memory: Memory
    _now: Callable[[], float]
    _taking: asyncio.Lock
    _free: list[int]

    async def _asked(self, message: Message, timeout_s: float | None = None) -> Message | None:
        """Return the answer to a message; None: none came, and it may have been read."""
        try:
            await self._link.ready()
            return await self._link.ask(message, timeout_s)
        except (NotConnectedError, SwitchSilenceError) as error:
            _log.warning(
                "iso8583_no_answer", mti=message.mti, trace=message.fields[11], error=str(error)
            )
            return None

    def _message(
        self,
        call: Call,
        *,
        card: CardNumber | None = None,
        original: Original | None = None,
        again: bool = False,
    ) -> Message:
        line = self._line
        return rules.message(
            line.dialect,
            line.station,
            call,
            card=card,
            original=original,
            advice=line.advice,
            again=again,
        )

    async def _network_message(self, code: str) -> Message:
        trace = await self._trace()
        return rules.network_message(
            self._line.dialect, code, trace, int(self._now()), self._line.station
        )

    async def _new_call(self, kind: CallKind, amount: Money, rrn: str = "") -> Call:
        trace, at = await self._trace(), int(self._now())
        return Call(
            kind, amount.paise, amount.currency, trace, at, rrn or answers.rrn_of(trace, at)
        )

    async def _trace(self) -> int:
        """Return a trace that no process of this gateway has used within the last 999,999."""
        async with self._taking:
            if not self._free:
                first = await self._memory.take(self.name, TRACES_AT_ONCE)
                self._free = list(range(first + TRACES_AT_ONCE - 1, first - 1, -1))
            return (self._free.pop() - 1) % rules.TRACES_MAX + 1
