"""The files that differ from the main branch: committed, changed, new and removed ones."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAIN = ("main", "origin/main")
"""Names of the main branch; a clone may have only the second."""


@dataclass(frozen=True, slots=True)
class Change:
    """Files that differ from a commit. base: its short name, "" without a repository.

    files: paths from the repository's root, sorted, with removed files.
    """

    base: str
    files: tuple[str, ...]


def change_of(root: Path) -> Change:
    """Return the difference from where this branch left the main branch.

    On the main branch, or without one: from the last commit.
    """
    if _git(root, "rev-parse", "--is-inside-work-tree") is None:
        return Change("", ())
    base = next((commit for commit in _bases(root) if commit), "HEAD")
    changed = _paths(root, "diff", "--name-only", "--no-renames", "-z", base)
    new = _paths(root, "ls-files", "--others", "--exclude-standard", "-z")
    short = _git(root, "rev-parse", "--short", base) or base
    return Change(short.strip(), tuple(sorted({*changed, *new})))


def _bases(root: Path) -> Iterator[str]:
    """Yield where this branch left each branch that may be the main one."""
    for name in MAIN:
        yield (_git(root, "merge-base", "HEAD", name) or "").strip()


def _paths(root: Path, *arguments: str) -> list[str]:
    return [path for path in (_git(root, *arguments) or "").split("\0") if path]


def _git(root: Path, *arguments: str) -> str | None:
    """Return git's output, None where it fails."""
    command = ["git", "-C", str(root), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return ended.stdout if ended.returncode == 0 else None
