"""PostgreSQL servers of an operator, outside the gateway: Debian's, or the wheel's newer one."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.deploy.data.recipes import RecipeStep
from tests.docs.examples import ROOT
from tests.patience import PATIENCE_S
from tests.places import databases_folder
from tests.system.machine import clean_environment, free_port

DEBIANS = Path("/usr/lib/postgresql/15/bin")
POSTGRES = "postgres"
"""The user that Debian's package made. PostgreSQL refuses to run as root."""
SAMPLES = ROOT / "deploy" / "data"
LOCALHOST = "127.0.0.1"
ADMITTED = f"""
local all postgres trust
local replication postgres trust
host all,replication all {LOCALHOST}/32 scram-sha-256
"""
"""Who may connect: the administrator here, everybody else by password."""


@contextmanager
def operators_folder() -> Iterator[Path]:
    """Yield a folder for servers, which PostgreSQL's user may enter, gone at the end."""
    folder = Path(tempfile.mkdtemp(prefix="hundi-data-", dir=databases_folder()))
    try:
        give(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def give(path: Path) -> None:
    """Make a folder or file the one of PostgreSQL's user."""
    if os.getuid() == 0:
        account = pwd.getpwnam(POSTGRES)
        os.chown(path, account.pw_uid, account.pw_gid)


def as_postgres() -> list[str]:
    """Return what a command of PostgreSQL's user begins with."""
    other = ["setpriv", f"--reuid={POSTGRES}", f"--regid={POSTGRES}", "--init-groups"]
    return other if os.getuid() == 0 else []


@dataclass(frozen=True)
class OwnServer:
    """A server of an operator: its folder, the programs of its version, and its port.

    shared: the folder with the addresses of its roles.
    """

    folder: Path
    shared: Path
    port: int
    programs: Path = DEBIANS
    more: tuple[tuple[str, str], ...] = ()

    @property
    def data(self) -> Path:
        """Return PostgreSQL's data directory."""
        return self.folder / "data"

    @property
    def environment(self) -> dict[str, str]:
        """Return what docs/database.md asks to set first."""
        ours = Path(sys.executable).parent
        return {
            **clean_environment(),
            "PATH": f"{self.programs}:{ours}:{os.environ['PATH']}",
            "PGDATA": str(self.data),
            "PGHOST": str(self.folder),
            "PGPORT": str(self.port),
            "PGUSER": POSTGRES,
            "SHARED": str(self.shared),
            "SERVER": LOCALHOST,
            "HOME": str(self.folder),
            "PGBACKREST_PG1_PATH": str(self.data),
            "PGBACKREST_PG1_PORT": str(self.port),
            "PGBACKREST_PG1_SOCKET_PATH": str(self.folder),
            "PGBACKREST_PG1_USER": POSTGRES,
            **dict(self.more),
        }

    def carry_out(self, steps: Sequence[RecipeStep], **more: str) -> str:
        """Run steps of the page, each as its user, and return what they print."""
        return "".join(
            self.run(step.script, **more)
            if step.user == POSTGRES
            else run(step.script, self.environment | more, self.folder)
            for step in steps
        )

    def run(self, script: str, **more: str) -> str:
        """Run shell commands as the server's administrator and return what they print."""
        return run(script, self.environment | more, self.folder, as_postgres())

    def prepare(self) -> None:
        """Make the folders of a machine that has no data yet."""
        for folder in (self.folder, self.shared):
            folder.mkdir(exist_ok=True)
            give(folder)

    def make(self, *options: str) -> None:
        """Make an empty server, stopped."""
        self.prepare()
        words = " ".join(("--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", *options))
        self.run(f"initdb --username={POSTGRES} {words}")
        self.configure()

    def configure(self, settings: str = "") -> None:
        """Say where the server is, and add settings as an operator does."""
        place = (
            f"unix_socket_directories = '{self.folder}'\nport = {self.port}\n"
            # Nothing of a test has to survive a power cut.
            f"listen_addresses = '{LOCALHOST}'\nshared_buffers = '64MB'\nfsync = off\n"
        )
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(settings + place)
        (self.data / "pg_hba.conf").write_text(ADMITTED)

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        self.run('pg_ctl start --wait --silent --log="$HOME/log"')

    def stop(self, mode: str = "fast") -> None:
        """Stop the server, if it runs."""
        if (self.data / "postmaster.pid").exists():
            self.run(f"pg_ctl stop --wait --silent --mode={mode}")

    def kill(self) -> None:
        """Kill the server outright, as a machine that loses its power does."""
        number = int((self.data / "postmaster.pid").read_text().split()[0])
        everything = [psutil.Process(number), *psutil.Process(number).children()]
        for each in everything:
            # One that had its own end in the meantime is as good as killed.
            with suppress(psutil.NoSuchProcess):
                each.send_signal(signal.SIGKILL)
        psutil.wait_procs(everything, PATIENCE_S)
        # Its number may be another process's by now.
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def sql(self, statement: str, database: str = "hundi") -> str:
        """Run a statement as the administrator and return its one value."""
        return self.run('psql -XAtqc "$SQL" "$DB"', SQL=statement, DB=database).strip()

    def addresses(self, *others: "OwnServer") -> Mapping[str, str]:
        """Return the address of each role, with the places of a replica and this server."""
        here = f"{LOCALHOST}:{self.port}"
        places = ",".join((here, *(f"{LOCALHOST}:{other.port}" for other in others)))
        lines = (self.shared / "addresses").read_text().splitlines()
        return {
            role: url.strip("'").replace(here, places)
            for role, _, url in (line.partition("=") for line in lines)
        }

    def settings(self, *others: "OwnServer") -> dict[str, str]:
        """Return a gateway's settings for this server."""
        addresses = self.addresses(*others)
        return {
            "HUNDI_DATABASE_URL": addresses["gateway"],
            "HUNDI_CONSOLE_DATABASE_URL": addresses["console"],
            "HUNDI_WORKER_DATABASE_URL": addresses["worker"],
            "HUNDI_OWNER_DATABASE_URL": addresses["owner"],
        }


def run(
    script: str, environment: Mapping[str, str], folder: Path, before: Sequence[str] = ()
) -> str:
    """Run shell commands, assert that they succeed, and return what they print."""
    # Into a file: a server that the commands start would keep a pipe open.
    with tempfile.TemporaryFile("w+") as told:
        ended = subprocess.run(
            [*before, "bash", "-euo", "pipefail", "-c", script],
            env=dict(environment),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE_S,
            check=False,
        )
        told.seek(0)
        words = told.read()
    assert ended.returncode == 0, f"{script}\n{words[-4000:]}"
    return words


@contextmanager
def own_server(
    folder: Path, settings: str = "", environment: Mapping[str, str] | None = None
) -> Iterator[OwnServer]:
    """Yield a new, empty, running server of Debian's in an operator's folder."""
    more = tuple((environment or {}).items())
    server = OwnServer(folder / "first", folder / "shared", free_port(), more=more)
    server.make()
    server.configure(settings)
    server.start()
    try:
        yield server
    finally:
        server.stop("immediate")
