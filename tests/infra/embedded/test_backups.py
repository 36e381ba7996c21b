"""A follower of a log that lost segments, and the check of copies without a key."""

import asyncio
import hashlib
import io
import shutil
import tarfile
import tempfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import msgspec
import pytest

from hundi.infra.embedded import backups, restores
from hundi.infra.embedded.backups import BackupError, CopiedServer
from hundi.infra.embedded.server import start
from hundi.infra.secrets.sealed_stream import seal
from hundi.infra.secrets.vault import Vault

KEYS = Vault({"k1": bytes(32)})
FORGETFUL = {
    "fsync": "off",
    "max_slot_wal_keep_size": "1MB",
    "wal_keep_size": "0",
    "min_wal_size": "32MB",
    "max_wal_size": "32MB",
    "autovacuum": "off",
}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the server's own user may have its part of."""
    path = Path(tempfile.mkdtemp(prefix="hundi-test-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def _stop_after(seconds: float) -> threading.Event:
    """Return an event that is set after some seconds, so that no test waits for ever."""
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    return stop


async def _followed(server: CopiedServer, target: Path) -> None:
    """Follow the log until a segment has come; some segment has, when it is sealed as it stands."""
    stop = threading.Event()
    sealed = target / "wal"
    before = {path: path.stat().st_mtime_ns for path in sealed.glob("*")}
    following = asyncio.create_task(
        asyncio.to_thread(backups.follow, server, target, KEYS, 0.5, stop)
    )
    try:
        async with asyncio.timeout(60):
            while not following.done() and before == {
                path: path.stat().st_mtime_ns for path in sealed.glob("*.sealed")
            }:
                await asyncio.sleep(0.05)
    finally:
        stop.set()
    await following


async def test_a_follower_that_was_away_too_long_begins_anew_and_says_so(folder: Path) -> None:
    with start(folder / "data", databases=("hundi",), options=FORGETFUL) as running:
        server, target = CopiedServer(folder / "data"), folder / "target"
        await _followed(server, target)
        connection = await asyncpg.connect(running.url("hundi"))
        await connection.execute("create table filler (text text)")
        await connection.execute("alter table filler alter text set storage external")
        for _ in range(200):
            await connection.execute("insert into filler select repeat('x', 1000000)")
            if await connection.fetchval("select wal_status = 'lost' from pg_replication_slots"):
                break
        else:
            pytest.fail("the slot was kept")
        await connection.close()
        with pytest.raises(BackupError, match="make a new copy"):
            await asyncio.to_thread(backups.follow, server, target, KEYS, 0.5, _stop_after(20))
        await _followed(server, target)


def test_a_copy_that_was_changed_or_lost_is_found_without_a_key(folder: Path) -> None:
    target = folder / "target"
    with start(folder / "data", databases=("hundi",), options={"fsync": "off"}):
        made = backups.make_base(
            CopiedServer(folder / "data"), target, KEYS, lambda _done, _total: None
        )
    assert backups.check_sums(target, [made]) == []
    with (target / made.name).open("ab") as file:
        file.write(b"x")
    assert backups.check_sums(target, backups.manifests(target)) == [made.name]
    (target / made.name).unlink()
    assert backups.check_sums(target, backups.manifests(target)) == [made.name]


@pytest.mark.parametrize("content", [b"{", b"{}", b'{"name": "../../etc/passwd"}'])
def test_what_describes_no_copy_is_said_and_not_followed(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "base-20260101T000000Z.json").write_bytes(content)
    with pytest.raises(BackupError, match="base-20260101T000000Z"):
        backups.manifests(tmp_path)


def test_a_description_names_the_copy_beside_it_alone(tmp_path: Path) -> None:
    name, at = "base-20260101T000000Z", datetime(2026, 1, 1, tzinfo=UTC)
    for named, follows in (
        (f"{name}.tar.sealed", True),
        (f"../{name}.tar.sealed", False),
        ("postgres.conf", False),
    ):
        described = backups.CopyManifest(named, at, at, "0" * 64, 1, "k1", "0" * 24)
        (tmp_path / f"{name}.json").write_bytes(msgspec.json.encode(described))
        if follows:
            assert backups.manifests(tmp_path) == [described]
        else:
            with pytest.raises(BackupError, match="not the copy beside it"):
                backups.manifests(tmp_path)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("../escaped", tarfile.REGTYPE),
        ("/escaped", tarfile.REGTYPE),
        ("link", tarfile.SYMTYPE),
        ("pipe", tarfile.FIFOTYPE),
    ],
)
def test_a_copy_holds_files_and_folders_of_its_own_alone(
    folder: Path, name: str, kind: bytes
) -> None:
    copy, content, sealed = (
        f"base-20260101T000000Z{backups.BASE_SUFFIX}",
        io.BytesIO(),
        io.BytesIO(),
    )
    with tarfile.open(fileobj=content, mode="w") as archive:
        member = tarfile.TarInfo(str(folder) + name if name.startswith("/") else name)
        member.type, member.linkname = kind, "/etc"
        archive.addfile(member)
    content.seek(0)
    seal(content, sealed, copy, KEYS)
    (folder / copy).write_bytes(sealed.getvalue())
    digest, at = hashlib.sha256(sealed.getvalue()).hexdigest(), datetime(2026, 1, 1, tzinfo=UTC)
    described = backups.CopyManifest(copy, at, at, digest, len(sealed.getvalue()), "k1", "0" * 24)
    (folder / "base-20260101T000000Z.json").write_bytes(msgspec.json.encode(described))
    before = set(folder.rglob("*"))
    (folder / "data").mkdir()
    with (
        pytest.raises(BackupError, match="no file or folder of a database"),
        restores.restored(folder, folder / "data", None, KEYS, lambda _done, _total: None),
    ):
        pytest.fail("it was restored")
    assert set(folder.rglob("*")) == before | {folder / "data"}
