"""What every shop in PHP needs: a database, PHP's own server, and our packed plugin."""

import json
import os
import shutil
import signal
import socket
import subprocess
import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Self

from hundi.infra.processes import end_with_parent
from tests.house.source import ROOT
from tests.system.machine import free_port
from tests.system.waiting import until
from tools.shop_packages import PLUGINS, pack

SERVERS_PATH = f"{os.environ['PATH']}:/usr/sbin"
PHP_PROCESSES = "4"
CREATE = """
$db = mysqli_connect('localhost', 'root', '', '', 0, getenv('SOCKET'));
$db->query('CREATE DATABASE ' . getenv('NAME'));
$db->select_db(getenv('NAME'));
array_map($db->query(...), json_decode(getenv('STATEMENTS')));
"""


def begun(command: list[str], log: Path, **environment: str) -> subprocess.Popen[bytes]:
    """Start a program that ends with this one."""
    with log.open("ab") as written:
        return subprocess.Popen(
            command,
            env=os.environ | {"PATH": SERVERS_PATH} | environment,
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            start_new_session=True,
            preexec_fn=partial(end_with_parent, os.getpid(), signal.SIGTERM),  # noqa: PLW1509 (two system calls)
        )


def ended(process: subprocess.Popen[bytes]) -> None:
    """End a program and those that it started."""
    os.killpg(process.pid, signal.SIGTERM)
    process.wait(timeout=30)


def unpacked(folder: str, into: Path) -> None:
    """Pack a plugin of ours, and unpack it where its shop looks for it."""
    plugin = next(each for each in PLUGINS if each.folder == folder)
    with zipfile.ZipFile(pack(plugin, into)) as archive:
        archive.extractall(into)


class MariaDB:
    """A database server of its own, without a port."""

    def __init__(self, folder: Path) -> None:
        """Make its files and start it."""
        # Paths of sockets are short, and this folder's may not be.
        self.socket = Path("/tmp") / f"hundi-shop-{os.getpid()}.sock"  # noqa: S108 (as above)
        self.log = folder / "mariadb.log"
        data = f"--datadir={folder / 'mariadb'}"
        user = ["--user=root"] if os.geteuid() == 0 else []
        install = ["mariadb-install-db", "--no-defaults", data, "--skip-test-db"]
        subprocess.run(
            [*install, "--auth-root-authentication-method=normal", *user],
            env=os.environ | {"PATH": SERVERS_PATH},
            check=True,
            capture_output=True,
        )
        options = ["--no-defaults", data, f"--socket={self.socket}", "--skip-networking", *user]
        lasting = ["--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M"]
        server = shutil.which("mariadbd", path=SERVERS_PATH)
        assert server is not None
        self.process = begun([server, *options, *lasting], self.log)
        until(self._answers, "MariaDB to start")

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()[-2000:]
        with socket.socket(socket.AF_UNIX) as trying:
            return trying.connect_ex(str(self.socket)) == 0

    def create(self, name: str, *statements: str) -> None:
        """Make a database, and run statements in it."""
        given = {"SOCKET": str(self.socket), "NAME": name, "STATEMENTS": json.dumps(statements)}
        ran(CREATE, Path(), given)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        ended(self.process)
        self.socket.unlink(missing_ok=True)


class PhpServer:
    """PHP's own server for a folder."""

    def __init__(self, root: Path, log: Path, **environment: str) -> None:
        """Start it; environment: what its scripts may read besides."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        listen = ["-S", f"127.0.0.1:{self.port}", "-t", str(root)]
        # Beside a test's own work: what it writes, a test reads.
        told = ["-d", "display_errors=0", "-d", "log_errors=1", "-d", f"error_log={log}"]
        environment["PHP_CLI_SERVER_WORKERS"] = PHP_PROCESSES
        self.process = begun(["php", *told, *listen], log, **environment)
        until(self._answers, "PHP's server to start")

    def _answers(self) -> bool:
        with socket.socket() as trying:
            return trying.connect_ex(("127.0.0.1", self.port)) == 0

    def close(self) -> None:
        """Stop it."""
        ended(self.process)


def ran(script: str, folder: Path, given: Mapping[str, str]) -> str:
    """Run a script of PHP and return what it prints."""
    command = ["php", "-d", "display_errors=1", "-d", "error_reporting=8181", "-r", script]
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | dict(given),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


WORDPRESS = ROOT / "shops" / "build" / "usr" / "share" / "wordpress"
"""Where `make -C shops tools` unpacks Debian's package."""
