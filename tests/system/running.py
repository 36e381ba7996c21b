"""A gateway as an operator runs it.

`hundi serve --demo` in processes of its own, with everything a test may look at.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

import asyncpg
import httpx
import psutil
from typer.testing import CliRunner, Result

from hundi.cli import application
from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.processes import end_with_parent
from hundi.kernel import clock
from tests.command_output import read_json
from tests.patience import PATIENCE_S
from tests.system.bank_controls import BankControls
from tests.system.machine import (
    LIVELY,
    TRUSTED,
    clean_environment,
    database_on_cluster,
    free_port,
    last_word,
)
from tests.system.prepared import copy_prepared
from tests.system.waiting import until

START_S_MAX = STOP_S_MAX = PATIENCE_S
HUNDI = Path(sys.executable).with_name("hundi")


FACE = os.environ.get("HUNDI_TEST_FACE", "bank")
"""As what the simulated bank is spoken to where a test does not say.

Bank, aggregator or aggregator_direct.
"""
LINK_ENDS: Mapping[str, str] = {"HUNDI_QR_SECONDS": "60"}
"""An aggregator's link takes tries until it ends, so a declined order ends with it.

Within a test's patience.
"""


_SAYS_OTHERWISE = re.compile("DATABASE|KEY|HISTORY")
"""In the name of a setting: a gateway with it is prepared in another way."""


class RunningGateway(BankControls):
    """One gateway from its start to its end.

    `demo` is the content of its `demo.json`, `face` its simulated bank's.
    """

    def __init__(
        self, folder: Path, *options: str, prepared: bool = True, **environment: str
    ) -> None:
        """Start it and wait until it says that it is ready. options: of `hundi serve`.

        prepared: a new one begins with a copy of what its first start would prepare, where no
        option or setting says otherwise.
        """
        self._options = options
        self.data_dir = folder / "data"
        self.log = folder / "gateway.log"
        self.face = environment.get("HUNDI_SIMBANK_FACE", FACE)
        self._on_cluster = database_on_cluster(self.data_dir, environment)
        self._environment = {
            **clean_environment(),
            **LIVELY,
            **({} if self.face == "bank" else LINK_ENDS),
            "HUNDI_SIMBANK_FACE": self.face,
            **self._on_cluster,
            **environment,
        }
        others = (each for each in self._environment if each.startswith("HUNDI_"))
        as_others = not (options or any(map(_SAYS_OTHERWISE.search, others)))
        if prepared and as_others and not self.data_dir.exists():
            copy_prepared(self.data_dir)
        self.process = self._started()
        self.demo: dict[str, Any] = json.loads((self.data_dir / "demo.json").read_text())
        self.base_url: str = self.demo["base_url"]
        self.simbank_url: str = self.demo["simbank_url"]
        self.acquirer_key = (self.data_dir / "acquirer_key").read_text().strip()
        self._looking = threading.Lock()
        self._loop = asyncio.Runner()
        self._connections: dict[str, asyncpg.Connection] = {}
        self.bank = httpx.Client(
            base_url=self.simbank_url, trust_env=False, verify=TRUSTED, timeout=60
        )
        # Nothing of it is kept open: a process that was started again is another.
        self._health = httpx.Client(
            trust_env=False,
            verify=TRUSTED,
            timeout=10,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def _started(self) -> subprocess.Popen[bytes]:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        give_up = time.monotonic() + START_S_MAX
        while True:
            ports = ["--port", str(free_port()), "--simbank-port", str(free_port())]
            command = [
                str(HUNDI),
                "serve",
                "--demo",
                *self._options,
                *ports,
                "--data-dir",
                str(self.data_dir),
            ]
            with self.log.open("ab") as log:
                process = subprocess.Popen(
                    command,
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    # A test run that is killed must leave nothing either.
                    preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),  # noqa: PLW1509 (two system calls)
                )
            while process.poll() is None:
                if (self.data_dir / "demo.json").exists():
                    return process
                assert time.monotonic() < give_up, (
                    f"not ready after {START_S_MAX} s:\n{self.logged()[-4000:]}"
                )
                time.sleep(0.05)
            # Somebody else took a port between our look and the start: that, and only that, is
            # worth another try.
            assert "cannot listen on" in self.logged(), self.logged()[-4000:]
            assert time.monotonic() < give_up

    def stop(self) -> float:
        """Ask it to end, assert that nothing of it stays, and return how many seconds that took."""
        self._look_away()
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(STOP_S_MAX)
        finally:
            left = self.processes()
            for each in left:
                each.kill()
        assert status == 0, self.logged()[-4000:]
        assert not left, f"left behind: {left}"
        return time.monotonic() - began

    def crash(self) -> None:
        """Kill the supervisor outright and assert that everything it started goes with it."""
        self._look_away()
        self.process.kill()
        self.process.wait(STOP_S_MAX)
        try:
            until(lambda: not self.processes(), "everything to end with its supervisor")
        finally:
            for each in self.processes():
                each.kill()
        (self.data_dir / "demo.json").unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def logged(self) -> str:
        """Return everything its processes have written so far, PostgreSQL's own log included."""
        files = (self.log, self.data_dir / "postgres.log")
        return "\n".join(each.read_text(errors="replace") for each in files if each.exists())

    # --- processes ---

    def processes(self) -> list[psutil.Process]:
        """Return every live process of this data directory, by place, argument or environment."""
        return [
            each
            for each in psutil.process_iter()
            if each.pid != os.getpid() and self._is_ours(each)
        ]

    def _is_ours(self, process: psutil.Process) -> bool:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            named = any(str(self.data_dir) in argument for argument in process.cmdline())
            if named or Path(process.cwd()).is_relative_to(self.data_dir):
                return True
            return process.environ().get("HUNDI_DATA_DIR") == str(self.data_dir)
        except psutil.Error:
            return False

    def part(self, name: str) -> list[psutil.Process]:
        """Return the processes of one part (`api`, `worker`, `simbank`), parents first.

        Only the supervisor's own are looked at: who waits for a part asks again and again.
        """
        try:
            started = psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []
        found = [each for each in started if last_word(each) == name]
        return sorted(found, key=lambda each: each.create_time())

    def postmaster(self) -> psutil.Process:
        """Return the database server's first process."""
        return psutil.Process(
            int((self.data_dir / "postgres" / "postmaster.pid").read_text().split()[0])
        )

    def is_ready(self) -> bool:
        """Return whether gateway and bank both answer."""
        try:
            return all(
                self._health.get(url + path).status_code == 200
                for url, path in (
                    (self.base_url, "/health/ready"),
                    (self.simbank_url, "/control/dial"),
                )
            )
        except httpx.HTTPError:
            return False

    def kill_part(self, name: str, times: int = 1) -> None:
        """Kill every process of a part and wait for its restart, so many times."""
        killed: set[int] = set()
        for _ in range(times):
            for each in self.part(name):
                each.kill()
                killed.add(each.pid)
            until(lambda: self.is_ready() and self._has_another(name, killed), f"a new {name}")

    def _has_another(self, name: str, killed: set[int]) -> bool:
        return any(each.pid not in killed for each in self.part(name))

    def run_now(self, *schedules: str) -> None:
        """Let new workers run schedules at once; leases of the killed ones end."""
        for each in self.part("worker"):
            each.kill()
        self.rows(
            "UPDATE schedules SET due_at = now() - interval '1 minute', leased_until = NULL"
            " WHERE name = ANY ($1::text[])",
            [*schedules],
        )

    # --- books ---

    def rows(self, query: str, *values: object, database: str = "hundi") -> list[dict[str, Any]]:
        """Return the rows of a query in this gateway's database, as its tables' owner."""
        with self._looking:
            return self._loop.run(self._rows(query, values, database))

    async def _rows(
        self, query: str, values: tuple[object, ...], database: str
    ) -> list[dict[str, Any]]:
        connection = self._connections.get(database)
        if connection is None or connection.is_closed():
            url = self.database_url(database)
            connection = self._connections[database] = await asyncpg.connect(url, timeout=60)
        return [dict(row) for row in await connection.fetch(query, *values, timeout=60)]

    def database_url(self, database: str = "hundi") -> str:
        """Return the address of a database of this gateway, for the owner of its tables."""
        url = embedded_postgres.running_url(self.data_dir, database)
        if database == "hundi" and self._on_cluster:
            url = self._on_cluster["HUNDI_DATABASE_URL"]
        assert url is not None, "the database is not running"
        return url

    @contextmanager
    def unsealed(self) -> Iterator[None]:
        """Hold the lease of the sealing schedule, for a test that changes and restores rows."""
        self.rows(
            "INSERT INTO schedules (name, due_at, leased_until) VALUES ('seal_books', now(), now()"
            " + interval '1 minute')"
            " ON CONFLICT (name) DO UPDATE SET leased_until = excluded.leased_until"
        )
        try:
            yield
        finally:
            self.rows("UPDATE schedules SET leased_until = NULL WHERE name = 'seal_books'")

    def _look_away(self) -> None:
        """Close what this process has open.

        Where nobody looked into the books, another event loop may be running.
        """
        self.bank.close()
        if self._connections:
            with self._loop:
                self._loop.run(self._disconnect())

    async def _disconnect(self) -> None:
        for each in self._connections.values():
            each.terminate()
        self._connections.clear()

    def value(self, query: str, *values: object) -> Any:
        """Return the one value a query finds, or None."""
        found = self.rows(query, *values)
        return next(iter(found[0].values())) if found else None

    # --- commands ---

    def hundi(self, *arguments: str) -> str:
        """Run a command about this gateway's data in its own process and return its output.

        For those within an event loop, where `operate` cannot run its own.
        """
        ended = self.command(*arguments, "--data-dir", str(self.data_dir))
        assert ended.returncode == 0, ended.stderr
        self.catch_up()
        return ended.stdout

    def command(
        self, *arguments: str, environment: Mapping[str, str] | None = None, text: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run `hundi …` as an operator does and return how it ended."""
        wanted = [str(HUNDI), *arguments]
        given = {**clean_environment(), **self._on_cluster, **(environment or {})}
        return subprocess.run(
            wanted,
            env=given,
            input=text,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def invoke(self, noun: str, *arguments: str, text: str = "") -> Result:
        """Run a command about this gateway's data in this process and return its result."""
        given = [noun, *arguments, "--data-dir", str(self.data_dir)]
        ahead = clock.ahead_by()
        try:
            ended = CliRunner().invoke(application(noun), given, input=text, env=self._on_cluster)
        finally:
            # The command took over the demo's clock; later tests of this process have their own.
            clock.set_ahead(ahead)
        self.catch_up()
        return ended

    def catch_up(self) -> None:
        """Return when the gateway has heard what was changed.

        One that is down reads it when it is back.
        """
        until(self._has_caught_up, "the gateway to hear what was changed")

    def _has_caught_up(self) -> bool:
        # The port of one that has ended may be another server's by now.
        if self.process.poll() is not None:
            return True
        try:
            return self._health.get(f"{self.base_url}/health/ready").status_code == 200
        except httpx.ConnectError:
            return True
        except httpx.HTTPError:
            return False

    def operate(self, noun: str, *arguments: str, status: int = 0, text: str = "") -> Any:
        """Carry out a command with --json, assert its exit status, and return what it prints.

        text: on its input.
        """
        ended = self.invoke(noun, *arguments, "--json", text=text)
        assert ended.exit_code == status, (
            f"{noun} {arguments}: {ended.exit_code} {ended.output} {ended.exception!r}"
        )
        return read_json(ended.stdout)

    def audit(self, *more: str) -> dict[str, Any]:
        """Audit the books, assert that every promise is kept, and return the report."""
        ended = self.invoke("audit", "--json", *more)
        assert ended.stdout, f"{ended.exit_code} {ended.output} {ended.exception!r}"
        report = json.loads(ended.stdout)
        broken = [each for each in report["checked"] if each["violations"]]
        assert (ended.exit_code, report["holds"]) == (0, True), broken
        assert "bank_not_compared" not in report["notes"]
        return report
