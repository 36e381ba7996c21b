"""The root of the repository holds what a reader expects there, and nothing that a program left."""

from fnmatch import fnmatch
from pathlib import Path

from tests.house.source import ROOT

FILES = {
    ".gitattributes",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "PACKAGE.md",
    "README.md",
    "SECURITY.md",
    "hatch_build.py",
    "pyproject.toml",
    "zensical.toml",
}
FOLDERS = {
    ".ci",
    ".github",
    "deploy",
    "docs",
    "examples",
    "requirements",
    "sdks",
    "shops",
    "src",
    "testbed",
    "tests",
    "tools",
}
OF_GIT = ".git"
"""A folder, or in a worktree a file."""


def _is_ignored(path: Path) -> bool:
    """Return whether git ignores it: by our list, or because a cache brings a list of its own."""
    lines = (ROOT / ".gitignore").read_text("utf-8").split()
    listed = any(fnmatch(path.name, line.strip("/")) for line in lines)
    return listed or (path / ".gitignore").exists()


def test_the_root_holds_nothing_unexpected() -> None:
    expected = {OF_GIT, *FILES, *FOLDERS}
    left = [path for path in ROOT.iterdir() if path.name not in expected and not _is_ignored(path)]
    assert left == []


def test_everything_that_is_expected_is_there() -> None:
    assert {name for name in FILES | FOLDERS if not (ROOT / name).exists()} == set()
