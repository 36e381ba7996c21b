"""What CI does with failed tests.

A flaky one is told and let pass, a broken or known one is not.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

_FLAKY = """
from pathlib import Path
def test_{name}():
    marker = Path(__file__).with_name("seen_{name}")
    seen = marker.exists()
    marker.touch()
    assert seen
"""
_BROKEN = "def test_{name}():\n    raise AssertionError\n"


class Project:
    """A tiny project with our `.ci/run`, whose `make test` runs its tests with our recorder."""

    def __init__(self, folder: Path, *, check: str = "true") -> None:
        self.folder = folder
        (folder / ".ci").mkdir()
        (folder / ".ci/run").write_text((ROOT / ".ci/run").read_text("utf-8"), "utf-8")
        (folder / "tools").mkdir()
        script = (ROOT / "tools/run_failed_again.py").read_text("utf-8")
        (folder / "tools/run_failed_again.py").write_text(script, "utf-8")
        (folder / ".venv/bin").mkdir(parents=True)
        (folder / ".venv/bin/python").write_text(
            f'#!/bin/sh\nexec {sys.executable} "$@"\n', "utf-8"
        )
        (folder / ".venv/bin/python").chmod(0o755)
        (folder / "Makefile").write_text(
            (
                f"test:\n\t{sys.executable} -m pytest -q -p no:cacheprovider"
                f" tests\ncheck:\n\t{check}\n"
            ),
            "utf-8",
        )
        self.tests = folder / "tests"
        self.tests.mkdir()
        self.know()
        recorder = (ROOT / "tests/outcome.py").read_text("utf-8")
        (self.tests / "outcome.py").write_text(recorder, "utf-8")
        (self.tests / "conftest.py").write_text(
            "import outcome\n"
            "def pytest_configure(config):\n"
            "    recorder = outcome.recorder(config)\n"
            "    recorder and config.pluginmanager.register(recorder)\n",
            "utf-8",
        )

    def know(self, *tests: str) -> None:
        rows = "".join(f"| `{test}` | today | nothing |\n" for test in tests)
        (self.tests / "flaky.md").write_text(
            f"| Test | Seen | What is known |\n| --- | --- | --- |\n{rows}", "utf-8"
        )

    def add(self, source: str, *names: str) -> None:
        for name in names:
            (self.tests / f"test_{name}.py").write_text(source.format(name=name), "utf-8")

    def run(self) -> subprocess.CompletedProcess[str]:
        environment = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith(("PYTEST_", "MAKE", "MFLAGS"))
        }
        return subprocess.run(
            ["bash", ".ci/run"],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.add("def test_{name}():\n    pass\n", "right")
    return made


def test_a_run_without_failures_passes_at_once(project: Project) -> None:
    result = project.run()
    assert result.returncode == 0, result.stdout
    assert "flaky" not in result.stdout
    assert json.loads((project.folder / "build/outcome.json").read_text("utf-8")) == {
        "exit_status": 0,
        "failed": {},
    }


def test_a_flaky_test_is_told_and_listed_and_the_run_passes(project: Project) -> None:
    project.add(_FLAKY, "one", "two")
    result = project.run()
    assert result.returncode == 0, result.stdout
    names = ["tests/test_one.py::test_one", "tests/test_two.py::test_two"]
    assert [line for line in result.stdout.splitlines() if line.startswith("flaky: ")] == [
        f"flaky: {name}" for name in names
    ]
    assert result.stdout.count("  E       assert False") == 2, "why each failed is told, too"
    assert (project.folder / "build/flaky.txt").read_text("utf-8").splitlines() == names


def test_a_broken_test_fails_the_run_also_beside_a_flaky_one(project: Project) -> None:
    project.add(_FLAKY, "one")
    project.add(_BROKEN, "two")
    result = project.run()
    assert result.returncode == 1
    assert "failed again, alone: tests/test_two.py::test_two" in result.stdout
    assert "flaky: tests/test_one.py::test_one" in result.stdout


def test_more_flaky_tests_than_are_allowed_fail_the_run(project: Project) -> None:
    project.add(_FLAKY, "one", "two", "three", "four")
    assert project.run().returncode == 1


def test_a_flaky_test_that_is_known_already_fails_the_run(project: Project) -> None:
    project.add(_FLAKY, "one")
    project.know("tests/test_one.py::test_one")
    result = project.run()
    assert result.returncode == 1
    assert "still flaky" in result.stdout


def test_a_check_that_failed_beside_the_tests_is_not_forgotten(tmp_path: Path) -> None:
    project = Project(tmp_path, check="false")
    project.add(_FLAKY, "one")
    result = project.run()
    assert result.returncode == 1
    assert "the checks beside the tests failed" in result.stdout


def test_a_file_that_cannot_be_loaded_fails_the_run(project: Project) -> None:
    project.add("import nothing_of_this_name\n", "one")
    result = project.run()
    assert result.returncode == 1
    assert "not run again: pytest ended with 2" in result.stdout
