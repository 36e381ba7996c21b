"""Runs of acquirers' official clients, in the environments that `make sdks` makes.

A script stands for a merchant's program. It is told where the stand-in is, and does one step of its
acquirer's client for each that a test asks for.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE_S

HERE = Path(__file__).parent
ENVIRONMENTS = Path(sys.executable).parents[1]
LINE_BYTES_MAX = 1 << 20
Step = Callable[..., Awaitable[Any]]


@asynccontextmanager
async def program(script: str, environment: str = "sdks", **told: Any) -> AsyncIterator[Step]:
    """Run a script until the block ends; gives what does one of its steps.

    environment: sdks-older for clients that want older libraries. told: what every step is told.
    """
    python = ENVIRONMENTS / environment / "bin" / "python"
    assert python.exists(), "make sdks"
    with tempfile.TemporaryDirectory() as folder:  # Easebuzz's client writes a log where it runs
        running = await asyncio.create_subprocess_exec(
            str(python),
            str(HERE / f"{script}.py"),
            json.dumps(told),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LINE_BYTES_MAX,
            cwd=folder,
        )
        async with _steps(running) as step:
            yield step


@asynccontextmanager
async def _steps(running: asyncio.subprocess.Process) -> AsyncIterator[Step]:
    """Give what asks a running program for a step, and end it."""
    assert running.stdin
    assert running.stdout
    assert running.stderr
    asks, answers, failed = running.stdin, running.stdout, running.stderr

    async def step(name: str, **more: Any) -> Any:
        asks.write(json.dumps({"step": name, "told": more}).encode() + b"\n")
        said = await asyncio.wait_for(answers.readline(), PATIENCE_S)
        assert said, (await failed.read()).decode()
        return json.loads(said)

    try:
        yield step
    finally:
        asks.close()
        await asyncio.wait_for(running.wait(), PATIENCE_S)
