"""What differs from the main branch, as a person who works has it."""

import subprocess
from pathlib import Path

import pytest

from tools.quick.change import Change, change_of


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Asha", "-c", "user.email=asha@example.in", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _commit(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, "utf-8")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", f"write {name}")
    return _git(folder, "rev-parse", "--short", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two files on its main branch, and a list of what it ignores."""
    _git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    (tmp_path / ".gitignore").write_text("*.log\n", "utf-8")
    (tmp_path / "kept.py").write_text("", "utf-8")
    _commit(tmp_path, "gone.py", "")
    return tmp_path


def test_nothing_differs_right_after_a_commit_on_main(repository: Path) -> None:
    base = _git(repository, "rev-parse", "--short", "HEAD")
    assert change_of(repository) == Change(base, ())


def test_on_main_the_working_tree_differs(repository: Path) -> None:
    base = _git(repository, "rev-parse", "--short", "HEAD")
    (repository / "kept.py").write_text("1\n", "utf-8")
    (repository / "new file.py").write_text("", "utf-8")
    (repository / "run.log").write_text("", "utf-8")
    (repository / "gone.py").unlink()
    assert change_of(repository) == Change(base, ("gone.py", "kept.py", "new file.py"))


def test_on_a_branch_its_commits_differ_too_and_those_of_main_do_not(repository: Path) -> None:
    base = _git(repository, "rev-parse", "--short", "HEAD")
    _git(repository, "checkout", "--quiet", "-b", "work")
    _commit(repository, "mine.py", "")
    _git(repository, "checkout", "--quiet", "main")
    _commit(repository, "theirs.py", "")
    _git(repository, "checkout", "--quiet", "work")
    (repository / "kept.py").write_text("1\n", "utf-8")
    assert change_of(repository) == Change(base, ("kept.py", "mine.py"))


def test_a_file_that_moved_is_two_files(repository: Path) -> None:
    _commit(repository, "kept.py", "VALUE = 1\n" * 20)
    _git(repository, "mv", "kept.py", "moved.py")
    assert change_of(repository).files == ("kept.py", "moved.py")


def test_a_clone_that_has_no_main_of_its_own_uses_that_of_its_origin(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    clone = tmp_path_factory.mktemp("clone")
    _git(clone, "clone", "--quiet", str(repository), ".")
    _git(clone, "checkout", "--quiet", "-b", "work")
    _git(clone, "branch", "--delete", "main")
    _commit(clone, "mine.py", "")
    assert change_of(clone).files == ("mine.py",)


def test_without_a_repository_nothing_is_known(tmp_path: Path) -> None:
    assert change_of(tmp_path) == Change("", ())
