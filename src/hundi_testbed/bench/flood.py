"""A flood of one merchant from its own process, and the waiting time of other merchants meanwhile.

`python -m hundi_testbed.bench.flood HOST SECONDS` reads whole requests (4 bytes of length before
each) and repeats them.
"""

import asyncio
import os
import struct
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle

from hundi_testbed.bench.load import BrokenChainError, Connection

CONNECTIONS = 64
"""Connections with one request each: four times as many as a busy merchant's server has."""
BYSTANDERS_PER_SECOND = 60
SOURCE = "127.0.0.2"
"""The source of the flood: another address than the bystanders', as on a real network."""
_LENGTH = struct.Struct(">I")
_NICE = 10
"""The flood uses the machine's cores only when nothing else needs them.

The gateway is measured, not the generator.
"""
START_S = 1.0
_END_S_MAX = 30


@dataclass(slots=True)
class Flood:
    """A running flood.

    answered: the number of answers, known at its end.
    """

    answered: int = field(default=0)


@asynccontextmanager
async def flood(host: str, requests: Sequence[bytes], seconds: float) -> AsyncIterator[Flood]:
    """Send requests in a closed loop over many connections, for a time or until the block ends.

    Raises BrokenChainError when the sender fails.
    """
    command = [sys.executable, "-m", "hundi_testbed.bench.flood", host, str(seconds)]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    load = Flood()
    sent = b"".join(_LENGTH.pack(len(each)) + each for each in requests)
    ending = asyncio.create_task(process.communicate(sent))
    try:
        await asyncio.sleep(START_S)
        yield load
        async with asyncio.timeout(seconds + _END_S_MAX):
            output, _ = await ending
    finally:
        ending.cancel()
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode or not output.strip():
        message = f"the flood ended with status {process.returncode}"
        raise BrokenChainError(message)
    load.answered = int(output)


def _parsed(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        yield data[at : at + length]
        at += length


async def _send(host: str, requests: Sequence[bytes], seconds: float) -> int:
    turns, ends, answered = cycle(requests), time.monotonic() + seconds, 0
    name, _, port = host.rpartition(":")
    at = name, int(port)

    async def customer() -> None:
        nonlocal answered
        connection = Connection(*at, SOURCE)
        while time.monotonic() < ends:
            try:
                await connection.send(next(turns))
            except OSError:
                continue
            answered += 1
        connection.close()

    await asyncio.gather(*(customer() for _ in range(CONNECTIONS)))
    return answered


if __name__ == "__main__":
    os.nice(_NICE)
    print(
        asyncio.run(_send(sys.argv[1], list(_parsed(sys.stdin.buffer.read())), float(sys.argv[2])))
    )
