"""The root of the repository holds what a reader expects there, and nothing that a program left."""

from fnmatch import fnmatch

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
    "src",
    "testbed",
    "tests",
    "tools",
}
OF_GIT = ".git"
"""A folder, or in a worktree a file."""


def test_the_root_holds_nothing_unexpected() -> None:
    lines = (ROOT / ".gitignore").read_text("utf-8").split()
    ignored = [line.strip("/") for line in lines]
    left = {
        path.name
        for path in ROOT.iterdir()
        if path.name not in {OF_GIT, *FILES, *FOLDERS}
        and not any(fnmatch(path.name, pattern) for pattern in ignored)
    }
    assert left == set()


def test_everything_that_is_expected_is_there() -> None:
    assert {name for name in FILES | FOLDERS if not (ROOT / name).exists()} == set()
