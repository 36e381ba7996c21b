"""Takes mails on a Unix socket by SMTP, and keeps the newest in memory."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.mailbox.rules import Mail, address_in, answer_to, mail_of

MAILS_MAX = 500
"""Mails that are kept; older ones go."""
MAIL_BYTES_MAX = 10 * 1024 * 1024
_LINE_BYTES_MAX = 64 * 1024
_SESSION_S_MAX = 60.0
_OK = "250"
_ANSWERS = {
    b"EHLO": f"250-mailbox.demo.example\r\n250 SIZE {MAIL_BYTES_MAX}",
    b"HELO": "250 mailbox.demo.example",
    b"MAIL": "250 2.1.0 Ok",
    b"RSET": "250 2.0.0 Ok",
    b"NOOP": "250 2.0.0 Ok",
}
"""The answers to commands that are always taken."""
_log = logging.getLogger("simbank.mailbox")


class Mailbox:
    """The mails that arrived, the newest last."""

    def __init__(self) -> None:
        """Start empty."""
        self._mails: deque[Mail] = deque(maxlen=MAILS_MAX)
        self._taken = 0

    def mails(self, recipient: str = "") -> list[Mail]:
        """Return the mails to an address, "" for all, the newest first."""
        return [each for each in reversed(self._mails) if recipient in {"", each.recipient}]

    def one(self, number: int) -> Mail | None:
        """Return one mail."""
        return next((each for each in self._mails if each.number == number), None)

    def take(self, recipients: list[str], content: bytes) -> None:
        """Keep a mail for each of its recipients."""
        for recipient in recipients:
            self._taken += 1
            self._mails.append(mail_of(self._taken, clock.now(), recipient, content))


@asynccontextmanager
async def receiving(mailbox: Mailbox, path: Path | None) -> AsyncIterator[None]:
    """Take mails on a socket during the block; without a path, none arrives."""
    if path is None:
        yield
        return
    _remove(path)

    async def session(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_SESSION_S_MAX):
                await _Session(mailbox, reader, writer).run()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
            _log.warning("a mail session ended: %s", type(error).__name__)
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    server = await asyncio.start_unix_server(session, path, limit=_LINE_BYTES_MAX)
    async with server:
        yield
    _remove(path)


def _remove(path: Path) -> None:
    """Remove a socket, also one that a killed process left."""
    path.unlink(missing_ok=True)


class _Session:
    """One connection: a client greets, names sender and recipients, and gives the mail."""

    def __init__(
        self, mailbox: Mailbox, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._mailbox = mailbox
        self._reader = reader
        self._writer = writer
        self._recipients: list[str] = []

    async def run(self) -> None:
        """Answer each command until the client leaves."""
        await self._say("220 mailbox.demo.example ESMTP")
        while line := await self._reader.readline():
            command = line.strip()[:4].upper()
            if command == b"QUIT":
                await self._say("221 2.0.0 Bye")
                return
            await self._say(await self._answer(command, line))

    async def _answer(self, command: bytes, line: bytes) -> str:
        match command:
            case b"MAIL" | b"RSET":
                self._recipients = []
            case b"RCPT":
                return self._name(address_in(line))
            case b"DATA":
                return await self._take()
        return _ANSWERS.get(command, "503 5.5.1 Not now")

    def _name(self, recipient: str | None) -> str:
        """Note a recipient, and return the answer to it."""
        answer = "501 5.1.3 Bad address" if recipient is None else answer_to(recipient)
        if recipient is not None and answer.startswith(_OK):
            self._recipients.append(recipient)
        return answer

    async def _take(self) -> str:
        if not self._recipients:
            return "503 5.5.1 Name a recipient first"
        await self._say("354 End data with <CR><LF>.<CR><LF>")
        content = await self._content()
        if content is None:
            return "552 5.3.4 Too large"
        self._mailbox.take(self._recipients, content)
        return f"{_OK} 2.0.0 Ok"

    async def _content(self) -> bytes | None:
        """Return a mail up to its last line, which is a full stop; None if it is too large."""
        lines: list[bytes] = []
        size = 0
        while (line := await self._reader.readline()) not in {b".\r\n", b""}:
            size += len(line)
            if size <= MAIL_BYTES_MAX:
                lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        return b"".join(lines) if size <= MAIL_BYTES_MAX else None

    async def _say(self, text: str) -> None:
        self._writer.write(text.encode() + b"\r\n")
        await self._writer.drain()
