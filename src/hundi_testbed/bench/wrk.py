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


async def run(program: str, calls: Iterable[Call], asked: Load) -> tuple[int, float]:
    """Repeat the calls for a time; return (answers, seconds).

    Raises BrokenChainError on a wrong one.
    """
    bodies = asked.folder / "calls.txt"
    with bodies.open("wb") as file:
        for path, body in calls:
            file.write(path.encode() + b" " + body + b"\n")
    spent = max(1, round(asked.seconds))
    options = ["-t", "1", "-c", str(asked.connections), "-d", f"{spent}s", "-s", str(_SCRIPT)]
    lines = [f"{name}:{value}" for name, value in asked.headers.items()]
    given = [asked.url, "--", str(bodies), asked.wanted, *lines]
    process = await asyncio.create_subprocess_exec(
        program, *options, *given, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    async with asyncio.timeout(spent + _SPARE_S):
        said, _ = await process.communicate()
    found = _SAID.search(said.decode())
    if found is None or int(found[2]):
        message = f"calls by wrk went wrong: {said.decode()[-1_000:]}"
        raise BrokenChainError(message)
    return int(found[1]), float(found[3])
