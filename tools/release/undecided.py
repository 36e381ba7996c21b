"""What people have to decide before the first public release, and what says that they have not."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.release.run import ReleaseError

_PAGE = Path("docs/versions.md")
_OPEN = re.compile(r"^- \[ \] \*\*(.+?)\*\*", re.MULTILINE)
_PROJECTS = (Path("pyproject.toml"), Path("testbed/pyproject.toml"))
_PLACEHOLDER = "hundi.example"
"""Stands for an address that nobody has chosen."""
_ADDRESSES = (Path("deploy/debian/control"), Path("deploy/debian/changelog"))
_VERSIONS = Path("src/hundi/infra/migrations/versions")


def undecided(folder: Path) -> list[str]:
    """Return what keeps a tree from being released to everybody, in words.

    The page's open points come first, then what contradicts a point that is ticked.
    """
    return [*_OPEN.findall((folder / _PAGE).read_text("utf-8")), *_seen(folder)]


def check_decided(folder: Path) -> None:
    """Raise ReleaseError, in one sentence, while something is undecided."""
    if still_open := undecided(folder):
        message = "nothing is signed before this is decided (docs/versions.md): " + "; ".join(
            still_open
        )
        raise ReleaseError(message)


def _seen(folder: Path) -> Iterator[str]:
    for path in _PROJECTS:
        project = tomllib.loads((folder / path).read_text("utf-8"))["project"]
        if not project.get("urls"):
            yield f"{path} has no [project.urls]"
    for path in _ADDRESSES:
        if _PLACEHOLDER in (folder / path).read_text("utf-8"):
            yield f"{path} names {_PLACEHOLDER}"
    version = tomllib.loads((folder / _PROJECTS[0]).read_text("utf-8"))["project"]["version"]
    frozen = folder / "tests" / "released" / version / "facts.json"
    if frozen.exists():
        now = {path.name[:4] for path in (folder / _VERSIONS).glob("[0-9]*")}
        if now != set(json.loads(frozen.read_text("utf-8"))["versions"]):
            yield f"tests/released/{version} has an older schema than this {version}"
