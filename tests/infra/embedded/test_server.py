"""The embedded PostgreSQL.

Safe writes, one owner, nothing left behind, whoever starts it and however that one ends.
"""

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import asyncpg
import psutil
import pytest

from hundi.infra.embedded.cluster import PROGRAM_COPIES, wheel_binaries
from hundi.infra.embedded.server import (
    DataDirectoryInUseError,
    EmbeddedPostgresError,
    reach,
    running_url,
    start,
)
from hundi.infra.postgres.roles import SERVED, DatabaseRole

_TMP = Path(tempfile.gettempdir())


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data directory that does not exist yet, in a folder that is closed to other users."""
    path = Path(tempfile.mkdtemp(prefix="hundi-test-", dir=_TMP))
    yield path / "data"
    shutil.rmtree(path, ignore_errors=True)


async def _value(url: str, query: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


async def _until(ask: Callable[[], Awaitable[object]]) -> None:
    """Ask until the server admits who asks.

    It reads its files again some moment after it was told to.
    """
    give_up = time.monotonic() + 60
    while True:
        try:
            await ask()
        except asyncpg.InvalidAuthorizationSpecificationError:
            assert time.monotonic() < give_up
            await asyncio.sleep(0.02)
        else:
            return


def _servers(folder: Path) -> list[int]:
    """Return the servers that work in the folder."""
    return [
        process.pid
        for process in psutil.process_iter(["cwd", "name"])
        if process.info["name"] == "postgres"
        and (process.info["cwd"] or "").startswith(str(folder))
    ]


def _wait_until_gone(folder: Path) -> None:
    give_up = time.monotonic() + 60
    while _servers(folder) and time.monotonic() < give_up:
        time.sleep(0.02)
    assert not _servers(folder)


async def test_writes_are_safe_and_no_port_is_open(folder: Path) -> None:
    with start(folder, databases=("hundi", "simbank")) as server:
        for name in ("fsync", "synchronous_commit", "full_page_writes", "data_checksums"):
            assert await _value(server.url("hundi"), f"show {name}") == "on"
        assert await _value(server.url("simbank"), "show listen_addresses") == ""
        assert not psutil.Process(server.pid).net_connections("inet")
        assert running_url(folder, "hundi") == server.url("hundi")
        assert (folder / "postgres").stat().st_mode & 0o777 == 0o700
    assert running_url(folder, "hundi") is None
    assert not _servers(folder)


async def test_data_stays_and_a_warm_start_is_fast(folder: Path) -> None:
    with start(folder, databases=("hundi",)) as server:
        await _value(server.url("hundi"), "create table t as select 7 as n")
    began = time.perf_counter()
    with start(folder, databases=("hundi",)) as server:
        assert time.perf_counter() - began < 30
        assert await _value(server.url("hundi"), "select n from t") == 7


async def test_what_the_superuser_made_in_an_earlier_version_is_handed_over(folder: Path) -> None:
    access = folder / "postgres" / "pg_hba.conf"
    with start(folder, databases=("hundi",)) as server:
        kept = access.read_text()
        access.write_text("local all hundi trust\n")
        os.kill(server.pid, signal.SIGHUP)
        address = f"postgresql://hundi@/hundi?{server.url('hundi').partition('?')[2]}"
        await _until(lambda: _value(address, "create table t as select 7 as n"))
        await _value(address, "create domain d as text")
    (folder / "postgres" / "hundi_roles").unlink()
    with start(folder, databases=("hundi",)) as server:
        await _value(server.url("hundi"), "alter table t add column m d")
        await _value(server.url("hundi"), "comment on domain d is 'ours'")
        assert access.read_text() == kept
        with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
            await _value(address, "select 1")


async def test_each_role_has_its_own_password_and_database(folder: Path) -> None:
    with start(folder, databases=("hundi", "simbank")) as server:
        for role in SERVED:
            assert await _value(server.url("hundi", role), "select current_user::text") == role
            with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
                await _value(server.url("simbank", role), "select 1")
        for role in DatabaseRole:
            assert (folder / "roles" / role.value).stat().st_mode & 0o777 == 0o600


def test_one_owner_at_a_time(folder: Path) -> None:
    with start(folder) as server, pytest.raises(DataDirectoryInUseError):
        start(folder, owner_wait_s=0.1)
    server.stop()  # twice is once


async def test_a_command_reaches_the_running_server_or_its_own(folder: Path) -> None:
    with reach(folder, "hundi") as url:
        await _value(url, "create table t as select 7 as n")
    with start(folder) as server:
        with reach(folder, "hundi") as url:
            assert url == server.url("hundi")
            assert await _value(url, "select n from t") == 7
        assert server.is_running()


_OWNER = """
import sys, time
from pathlib import Path
from hundi.infra.embedded.server import start
server = start(Path(sys.argv[1]), databases=("hundi",))
print(server.pid, flush=True)
time.sleep(60)
"""


def _owner(folder: Path) -> tuple[subprocess.Popen[str], int]:
    process = subprocess.Popen(
        [sys.executable, "-c", _OWNER, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    process.stdout.close()
    return process, pid


async def test_the_owner_is_killed(folder: Path) -> None:
    owner, _ = _owner(folder)
    owner.kill()
    owner.wait()
    if sys.platform == "linux":
        _wait_until_gone(folder)
    with start(folder) as server:
        assert await _value(server.url("hundi"), "select 1") == 1


async def test_the_server_is_killed_and_its_files_are_stale(folder: Path) -> None:
    owner, pid = _owner(folder)
    os.kill(pid, signal.SIGKILL)
    owner.kill()
    owner.wait()
    assert (folder / "postgres" / "postmaster.pid").exists()
    with start(folder) as server:
        assert await _value(server.url("hundi"), "select 1") == 1


async def test_the_stale_file_names_a_stranger(folder: Path) -> None:
    with start(folder, databases=("hundi",)):
        pass
    stranger = subprocess.Popen(["sleep", "60"])
    (folder / "postgres" / "postmaster.pid").write_text(
        f"{stranger.pid}\n{folder}\n1\n5432\n/nowhere\n\n1 2\nready\n"
    )
    try:
        assert running_url(folder, "hundi") is None
        with start(folder) as server:
            assert await _value(server.url("hundi"), "select 1") == 1
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_an_interrupted_first_start_is_begun_again(folder: Path) -> None:
    half = folder / "postgres.unfinished"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18")
    start(folder).stop()


def test_two_first_starts_at_once(folder: Path) -> None:
    program = """
import sys
from pathlib import Path
from hundi.infra.embedded.server import reach
with reach(Path(sys.argv[1]), "hundi") as url:
    print(url)
"""
    both = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    urls = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert urls[0] == urls[1] != ""
    _wait_until_gone(folder)


async def test_a_long_path(folder: Path) -> None:
    with start(folder / ("long" * 30), databases=("hundi",)) as server:
        assert await _value(server.url("hundi"), "select 1") == 1


def test_a_server_that_cannot_start_says_why(folder: Path) -> None:
    with pytest.raises(EmbeddedPostgresError, match="no_such_setting"):
        start(folder, options={"no_such_setting": "1"})
    assert not _servers(folder)


_AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows a process's environment")
def test_the_server_is_told_no_secret(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUNDI_KEY_ENCRYPTION_KEY", "secret")
    monkeypatch.setenv("PGOPTIONS", "-c no_such_setting=1")
    with start(folder, databases=("hundi",)) as server:
        told = Path(f"/proc/{server.pid}/environ").read_bytes()
        assert set(dict(entry.split(b"=", 1) for entry in told.split(b"\0") if entry)) == {
            b"PATH",
            b"LC_ALL",
        }


@_AS_ROOT
async def test_no_folder_above_is_opened(folder: Path) -> None:
    folder = folder / "deeper" / "data"
    folder.parent.mkdir(parents=True, mode=0o700)
    folder.mkdir(mode=0o700)
    above = {path: path.stat().st_mode for path in (folder, *folder.parents)}
    with start(folder, databases=("hundi",)) as server:
        owner = psutil.Process(server.pid).uids()
        assert await _value(server.url("hundi"), "select 1") == 1
    with start(folder) as server:
        assert psutil.Process(server.pid).uids() == owner
        assert await _value(server.url("hundi"), "select 1") == 1
    assert owner.real == owner.effective == owner.saved != 0
    assert owner.real not in {entry.pw_uid for entry in pwd.getpwall()}
    assert {path.stat().st_uid for path in (folder / "postgres").rglob("*")} == {owner.real}
    assert above == {path: path.stat().st_mode for path in above}


@_AS_ROOT
async def test_programs_in_a_closed_folder_are_copied(folder: Path) -> None:
    package = wheel_binaries().parents[1]
    closed = folder.parent / "closed"
    closed.mkdir(mode=0o700)
    for path in (package, package.with_name(f"{package.name}.libs")):
        shutil.copytree(path, closed / path.name)
    binaries = closed / wheel_binaries().relative_to(package.parent)
    above = {path: path.stat().st_mode for path in (closed, *closed.parents)}
    with start(folder, binaries=binaries, databases=("hundi",)) as server:
        copy = Path(psutil.Process(server.pid).exe()).parents[3]
        assert await _value(server.url("hundi"), "select 1") == 1
    try:
        assert copy.parent == PROGRAM_COPIES
        began = copy.stat().st_ctime_ns
        start(folder, binaries=binaries).stop()
        assert copy.stat().st_ctime_ns == began, "copied once"
        assert above == {path: path.stat().st_mode for path in above}
        copy.chmod(0o777)
        with pytest.raises(EmbeddedPostgresError, match="can be changed by other users than root"):
            start(folder, binaries=binaries)
    finally:
        shutil.rmtree(copy)


@_AS_ROOT
async def test_a_cluster_that_belongs_to_an_account_still_starts(folder: Path) -> None:
    start(folder).stop()
    daemon = pwd.getpwnam("daemon")
    for path in (folder / "postgres", *(folder / "postgres").rglob("*")):
        os.chown(path, daemon.pw_uid, daemon.pw_gid)
    with start(folder, databases=("hundi",)) as server:
        assert psutil.Process(server.pid).uids().real == daemon.pw_uid
        assert await _value(server.url("hundi"), "select 1") == 1


@_AS_ROOT
def test_without_being_root(folder: Path) -> None:
    folder.mkdir()
    for path in (folder.parent, folder):
        path.chmod(0o777)
    program = """
import os, pwd, sys, asyncio
from pathlib import Path
import asyncpg, psutil
from hundi.infra.embedded.server import start
user = pwd.getpwnam(sys.argv[2])
os.setgroups([]); os.setgid(user.pw_gid); os.setuid(user.pw_uid)
os.environ["HOME"] = "/"
async def ask(url):
    return await asyncpg.connect(url)
with start(Path(sys.argv[1]), databases=("hundi",)) as server:
    asyncio.run(ask(server.url("hundi")))
    assert psutil.Process(server.pid).uids().real == user.pw_uid
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder / "own"), "nobody"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
