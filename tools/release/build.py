"""Builds source archives and wheels from a commit: the same commit gives the same bytes."""

import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.release.run import ROOT, bare_environment, run, step

_DOCS_PYTHON = ROOT / ".venv" / "docs" / "bin" / "python"
_PROJECTS = (".", "testbed")


@dataclass(frozen=True, slots=True)
class Source:
    """The tree of one commit, without anything that is not in it.

    environment: of programs that build from it; its SOURCE_DATE_EPOCH is the commit's time.
    """

    folder: Path
    version: str
    commit: str
    environment: Mapping[str, str]


def taken_out(folder: Path) -> Source:
    """Write the tree of the last commit into a folder."""
    folder.mkdir(parents=True)
    commit, seconds = run(["git", "log", "-1", "--format=%H %ct"]).split()
    archive = folder.with_suffix(".tar")
    run(["git", "archive", "--output", archive, commit])
    unpack(archive, folder)
    archive.unlink()
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    environment = bare_environment(
        SOURCE_DATE_EPOCH=seconds, PYTHONPATH=f"{folder}:{folder / 'src'}", TZ="UTC", LC_ALL="C"
    )
    return Source(folder, project["version"], commit, environment)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive of ours into a folder."""
    run(["tar", "--extract", "--no-same-owner", "--file", archive, "--directory", folder])


def build(source: Source, out: Path) -> None:
    """Build what the distributions bring beside the code, then both, each wheel from its archive.

    A wheel that comes from the archive proves that the archive is complete.
    """
    with step("building the documentation's site"):
        run([_DOCS_PYTHON, "-m", "tools.site"], source.folder, source.environment)
        shutil.rmtree(source.folder / ".cache", ignore_errors=True)
    with step("writing the manual page and completions"):
        shell = [sys.executable, "-m", "tools.shell", source.folder / "build" / "share"]
        run(shell, source.folder, source.environment)
    for project in _PROJECTS:
        with step(f"building the source archive and the wheel of {project}"):
            _distribute(source, project, out)


def _distribute(source: Source, project: str, out: Path) -> None:
    before = set(out.iterdir())
    builder = [sys.executable, "-m", "hatchling", "build", "-d", out, "-t"]
    run([*builder, "sdist"], source.folder / project, source.environment)
    (archive,) = set(out.iterdir()) - before
    unpacked = source.folder.parent / "unpacked"
    unpacked.mkdir(exist_ok=True)
    unpack(archive, unpacked)
    inside = unpacked / archive.name.removesuffix(".tar.gz")
    run([*builder, "wheel"], inside, source.environment)
