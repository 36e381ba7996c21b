"""Sealed files of one month each, with a description beside each file: exports of the archive."""

import asyncio
import io
import os
from collections.abc import AsyncIterator, Iterator
from datetime import date, datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from hundi.infra.secrets.sealed_stream import StreamKeys, seal, unseal

SUFFIX = ".jsonl.sealed"
_PIECE_BYTES = 1024 * 1024


class ArchivedMonth(msgspec.Struct, frozen=True):
    """The archived payments of a month. newest: when the last of them was archived."""

    payments: int
    newest: datetime


class FileDescription(msgspec.Struct, frozen=True):
    """The description beside a file.

    Month, payments, when the newest was archived, the file's length and SHA-256.
    """

    month: str
    payments: int
    newest: str
    bytes: int
    sha256: str
    key_id: str


async def export_month(
    folder: Path, month: date, facts: ArchivedMonth, lines: AsyncIterator[bytes], keys: StreamKeys
) -> bool:
    """Write a month's file, unless it exists with the same payments; return whether it was written.

    facts: the month's payments and when the last was archived; a payment that was back may have
    changed. A file gets its name once it is whole, so an existing file is complete.
    """
    name = f"archive-{month:%Y-%m}{SUFFIX}"
    described = folder / f"archive-{month:%Y-%m}.json"
    if _is_written(described, folder / name, facts):
        return False
    loop, fresh = asyncio.get_running_loop(), folder / f"{name}.part"
    with fresh.open("wb") as target:
        source = _Lines(lines, loop)
        await asyncio.to_thread(seal, io.BufferedReader(source, _PIECE_BYTES), target, name, keys)
        target.flush()
        os.fsync(target.fileno())
    digest = await asyncio.to_thread(_digest, fresh)
    newest = facts.newest.isoformat()
    description = FileDescription(
        f"{month:%Y-%m}", source.count, newest, fresh.stat().st_size, digest, keys.newest_id
    )
    described.unlink(missing_ok=True)
    fresh.rename(folder / name)
    described.write_bytes(msgspec.json.format(msgspec.json.encode(description), indent=1))
    return True


def _is_written(described: Path, file: Path, kept: ArchivedMonth) -> bool:
    if not described.exists() or not file.exists():
        return False
    description = msgspec.json.decode(described.read_bytes(), type=FileDescription)
    now = (kept.payments, kept.newest.isoformat())
    return (
        description.payments,
        description.newest,
    ) == now and description.bytes == file.stat().st_size


def read_lines(file: Path, keys: StreamKeys) -> Iterator[bytes]:
    """Yield the content of a file, piece by piece. Raises SealedFileError."""
    with file.open("rb") as source:
        yield from unseal(source, file.name, keys)


def _digest(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()


class _Lines(io.RawIOBase):
    """Lines made by an event loop, as a file that another thread reads once."""

    def __init__(self, lines: AsyncIterator[bytes], loop: asyncio.AbstractEventLoop) -> None:
        """Store the source, and count the lines read."""
        self.count = 0
        self._lines, self._loop, self._left = lines, loop, b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Fill the buffer with the next bytes; 0 at the end."""
        if not self._left:
            self._left = asyncio.run_coroutine_threadsafe(self._more(), self._loop).result()
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size

    async def _more(self) -> bytes:
        """Return some lines together.

        A switch between threads for each line would cost more than the line.
        """
        lines = bytearray()
        async for line in self._lines:
            lines += line
            self.count += 1
            if len(lines) >= _PIECE_BYTES:
                break
        return bytes(lines)
