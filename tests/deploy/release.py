"""A signed release of the last commit, built once for every process of a run of tests."""

import fcntl
import json
import os
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from tools.release.build import Source, build, taken_out
from tools.release.debian import build_package
from tools.release.papers import sign, write_papers, write_sums


@dataclass(frozen=True)
class Release:
    """The files of a release, and the tree that they were built from."""

    source: Source
    out: Path
    signers: Path

    def file(self, pattern: str) -> Path:
        """Return the one file of a name."""
        (found,) = self.out.glob(pattern)
        return found


def released(folders: pytest.TempPathFactory) -> Release:
    """Return the release, which the first process that asks builds."""
    run = folders.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        run = run.parent
    folder = run / "release"
    folder.mkdir(exist_ok=True)
    told = folder / "source.json"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not told.exists():
            told.write_text(json.dumps(_built(folder)))
    source = json.loads(told.read_text())
    tree = Source(**source | {"folder": Path(source["folder"])})
    return Release(tree, folder / "out", folder / "signers")


def _built(folder: Path) -> dict[str, Any]:
    """Build and sign a release, and return what its source is."""
    out, key = folder / "out", folder / "key"
    out.mkdir()
    source = taken_out(folder / "source")
    build(source, out)
    write_papers(source, out)
    build_package(source, out, folder / "debian")
    write_sums(out)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    sign(out, key)
    signers = folder / "signers"
    signers.write_text("maintainers " + key.with_suffix(".pub").read_text())
    return {**asdict(source), "folder": str(source.folder)}
