"""The line of the simulated switch: sign-on, answers, and the troubles of cards and tests."""

import asyncio
import contextlib
import ssl
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

from hundi_testbed.switch.books import SwitchBooks, key_of, original_of
from hundi_testbed.switch.cards import CARDS, Play
from hundi_testbed.switch.messages import FaultyError, SwitchMessage, read
from hundi_testbed.switch.sealing import holds, sealed

DEAF_REVERSALS = 2
_LENGTH = 2


@dataclass(slots=True)
class SwitchBehaviour:
    """The behaviour of the line.

    late_s: seconds before a late answer. The others are troubles that tests switch on. silent:
    money moves without an answer. deaf: reversals are neither read nor answered. astray: they are
    not read, and answered with another one's answer. cut_next: the number of connections to end at
    once.
    """

    mac: str = "none"
    key: bytes = field(default=b"", repr=False)
    late_s: float = 30.0
    refuse_sign_on: bool = False
    silent: bool = False
    deaf: bool = False
    astray: bool = False
    cut_next: int = 0


@dataclass(slots=True)
class Counts:
    """The messages heard so far.

    faulty: unreadable ones. wrong_mac: those with a wrong code.
    """

    messages: int = 0
    sign_ons: int = 0
    echoes: int = 0
    sign_offs: int = 0
    faulty: int = 0
    wrong_mac: int = 0
    types: list[str] = field(default_factory=list)


class Host:
    """A switch that listens until it is closed."""

    def __init__(self, terms: SwitchBehaviour) -> None:
        """Start with empty books."""
        self.terms, self.books, self.counts = terms, SwitchBooks(), Counts()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._lines: set[asyncio.StreamWriter] = set()
        self._plays: dict[tuple[str, int, str], Play] = {}
        self._overtaken: dict[tuple[str, int, str], tuple[SwitchMessage, asyncio.StreamWriter]] = {}

    async def open(
        self, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
    ) -> int:
        """Listen, and return the port. The books continue after a close."""
        self._server = await asyncio.start_server(self._serve, host, port, ssl=tls)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """End every connection."""
        if self._server is not None:
            self._server.close()
        self.drop_lines()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def drop_lines(self) -> None:
        """End every connection; clients connect again if they want."""
        for line in tuple(self._lines):
            line.close()

    async def echo_all(self) -> None:
        """Ask every client for an echo, as switches do."""
        for line in tuple(self._lines):
            self._send(line, SwitchMessage("0800", {7: "1123090000", 11: "000777", 70: "301"}))

    async def _serve(self, reader: asyncio.StreamReader, line: asyncio.StreamWriter) -> None:
        if self.terms.cut_next:
            self.terms.cut_next -= 1
            line.close()
            return
        self._lines.add(line)
        try:
            while True:
                length = int.from_bytes(await reader.readexactly(_LENGTH), "big")
                self._hear(await reader.readexactly(length), line)
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            self._lines.discard(line)
            line.close()

    def _hear(self, raw: bytes, line: asyncio.StreamWriter) -> None:
        self.counts.messages += 1
        if not holds(self.terms.mac, self.terms.key, raw):
            self.counts.wrong_mac += 1
            return
        try:
            message = read(raw)
        except FaultyError:
            self.counts.faulty += 1
            return
        self.counts.types.append(message.mti)
        match message.mti[1], message.mti[2]:
            case "8", "0":
                self._network(message, line)
            case "1" | "2", "0":
                self._charge(message, line)
            case "2", "2":
                self._answer(self.books.capture(message), Play.APPROVE, line)
            case "4", _:
                self._reverse(message, line)

    def _network(self, message: SwitchMessage, line: asyncio.StreamWriter) -> None:
        what = message.of(24) if message.is_2003 else message.of(70)
        good, bad = ("0000", "9102") if message.is_2003 else ("00", "12")
        refused = False
        if what in {"001", "801"}:
            self.counts.sign_ons += 1
            refused = self.terms.refuse_sign_on
        elif what in {"301", "831"}:
            self.counts.echoes += 1
        else:
            self.counts.sign_offs += 1
        self._send(line, message.answered({39: bad if refused else good}))

    def _charge(self, message: SwitchMessage, line: asyncio.StreamWriter) -> None:
        play = CARDS.get(message.of(2), Play.APPROVE)
        key = key_of(message)
        self._plays[key] = play
        if play is Play.LOST:
            return
        if play is Play.OVERTAKEN:
            self._overtaken[key] = message, line
            return
        self._answer(self.books.charge(message, play), play, line)

    def _answer(self, answer: SwitchMessage, play: Play, line: asyncio.StreamWriter) -> None:
        raw = sealed(self.terms.mac, self.terms.key, answer)
        match play:
            case _ if self.terms.silent:
                return
            case Play.SILENT | Play.DEAF:
                return
            case Play.LATE:
                self._begin(self._later(line, answer))
            case Play.TWICE:
                self._send(line, answer)
                self._send(line, answer)
            case Play.WRONG_MAC:
                _frame(line, raw[:-1] + (b"0" if raw[-1:] != b"0" else b"1"))
            case Play.GARBAGE:
                _frame(line, b"\xff\x00 nobody reads this")
            case Play.HALF:
                line.write(len(raw).to_bytes(_LENGTH, "big") + raw[: len(raw) // 2])
                line.close()
            case Play.CUT:
                line.close()
            case _:
                self._send(line, answer)

    def _reverse(self, message: SwitchMessage, line: asyncio.StreamWriter) -> None:
        if self.terms.astray:
            self._send(
                line,
                message.answered({37: "000000000001", 39: "0000" if message.is_2003 else "00"}),
            )
        if self.terms.deaf or self.terms.astray:
            return
        key = original_of(message)
        heard = self.books.reversals.get(key, 0)
        if self._plays.get(key) is Play.DEAF and heard < DEAF_REVERSALS:
            self.books.reversals[key] = heard + 1
            return
        self._send(line, self.books.reverse(message))
        overtaken = self._overtaken.pop(key, None)
        if overtaken is not None:
            self._send(overtaken[1], self.books.charge(overtaken[0], Play.OVERTAKEN))

    async def _later(self, line: asyncio.StreamWriter, answer: SwitchMessage) -> None:
        await asyncio.sleep(self.terms.late_s)
        self._send(line, answer)

    def _send(self, line: asyncio.StreamWriter, message: SwitchMessage) -> None:
        _frame(line, sealed(self.terms.mac, self.terms.key, message))

    def _begin(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _frame(line: asyncio.StreamWriter, raw: bytes) -> None:
    with contextlib.suppress(OSError):
        line.write(len(raw).to_bytes(_LENGTH, "big") + raw)
