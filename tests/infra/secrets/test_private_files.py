"""Files in a folder of another user, who swaps names for links."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hundi.infra.secrets.key_sources import KeyFile, VaultError, new_key
from hundi.infra.secrets.private_files import mark, open_lock, write_private

_SWAP = """
import os, sys
folder, target = sys.argv[1:]
print("ready", flush=True)
while True:
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.startswith("kek.") and not name.endswith(".lock") and not os.path.islink(path):
            try:
                os.unlink(path)
                os.symlink(target, path)
            except OSError:
                pass
"""
_SWAPS = 40
_STRANGER = 65_534


def _link(folder: Path, name: str) -> tuple[Path, Path]:
    """Return a link in a folder, and the file outside that it leads to."""
    target = folder / "target"
    target.write_text("mine\n")
    os.utime(target, (0, 0))
    (folder / "data").mkdir()
    link = folder / "data" / name
    link.symlink_to(target)
    return link, target


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_root_gives_away_the_new_key_file_and_nothing_behind_a_link(tmp_path: Path) -> None:
    target, folder = tmp_path / "target", tmp_path / "data"
    target.write_text("root's\n")
    folder.mkdir(mode=0o777)
    os.chown(folder, _STRANGER, _STRANGER)
    command = (sys.executable, "-c", _SWAP, str(folder), str(target))
    with subprocess.Popen(command, stdout=subprocess.PIPE) as swapping:
        try:
            assert swapping.stdout is not None
            assert swapping.stdout.readline() == b"ready\n"
            file = KeyFile(folder / "kek")
            for _ in range(_SWAPS):
                # It was taken away, and no other was put there yet.
                with suppress(FileNotFoundError):
                    file.write({"k1": new_key()})
                time.sleep(0.005)
                assert target.stat().st_uid == 0
        finally:
            swapping.kill()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_key_file_belongs_to_the_owner_of_its_folder(tmp_path: Path) -> None:
    os.chown(tmp_path, _STRANGER, _STRANGER)
    KeyFile(tmp_path / "kek").write({"k1": new_key()})
    found = (tmp_path / "kek").stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (_STRANGER, _STRANGER, 0o600)


def test_the_lock_of_a_key_file_is_no_link(tmp_path: Path) -> None:
    link, _ = _link(tmp_path, "kek.lock")
    with (
        pytest.raises(VaultError, match=r"kek\.lock cannot be used"),
        KeyFile(link.parent / "kek").locked(),
    ):
        pass
    with pytest.raises(OSError, match="symbolic links"):
        open_lock(link)


def test_a_mark_is_made_and_renewed(tmp_path: Path) -> None:
    made = tmp_path / "last_backup"
    mark(made)
    os.utime(made, (0, 0))
    mark(made)
    assert (made.read_text(), time.time() - made.stat().st_mtime < 60) == ("", True)


def test_a_mark_goes_to_no_target_of_a_link(tmp_path: Path) -> None:
    link, target = _link(tmp_path, "last_backup")
    with pytest.raises(OSError, match="symbolic links"):
        mark(link)
    assert (target.read_text(), target.stat().st_mtime) == ("mine\n", 0)


def test_a_private_file_takes_the_place_of_a_link(tmp_path: Path) -> None:
    link, target = _link(tmp_path, "demo.json")
    link.with_name("demo.json.new").symlink_to(target)
    write_private(link, "secret")
    assert (target.read_text(), link.read_text(), link.is_symlink()) == (
        "mine\n",
        "secret\n",
        False,
    )
