"""wrk, where it is installed: it sends more requests for less CPU than anything in Python."""

import asyncio
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hundi_testbed.bench.load import BrokenChainError

_SCRIPT = Path(__file__).with_name("calls.lua")
_SAID = re.compile(r"right ([0-9]+) wrong ([0-9]+) seconds ([0-9.]+)")
_SPARE_S = 20

Call = tuple[str, bytes]
"""Path and form of one request."""


def installed() -> str | None:
    """Return the path of wrk."""
    return shutil.which("wrk")


@dataclass(frozen=True, slots=True)
class Load:
    """The load of one operation.

    wanted: text in every right answer. url: the gateway's. folder: for the calls. headers: of every
    call, besides its content type.
    """

    wanted: str
    url: str
    seconds: float
    connections: int
    folder: Path
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


async def run(program: str, calls: Iterable[Call], load: Load) -> tuple[int, float]:
    """Repeat the calls for a time; return (answers, seconds).

    Raises BrokenChainError on a wrong one.
    """
    bodies = load.folder / "calls.txt"
    with bodies.open("wb") as file:
        for path, body in calls:
            file.write(path.encode() + b" " + body + b"\n")
    spent = max(1, round(load.seconds))
    options = ["-t", "1", "-c", str(load.connections), "-d", f"{spent}s", "-s", str(_SCRIPT)]
    lines = [f"{name}:{value}" for name, value in load.headers.items()]
    arguments = [load.url, "--", str(bodies), load.wanted, *lines]
    process = await asyncio.create_subprocess_exec(
        program,
        *options,
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(spent + _SPARE_S):
        output, _ = await process.communicate()
    match = _SAID.search(output.decode())
    if match is None or int(match[2]):
        message = f"calls by wrk went wrong: {output.decode()[-1_000:]}"
        raise BrokenChainError(message)
    return int(match[1]), float(match[3])
