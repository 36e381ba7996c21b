"""Runs the fast tests that a change can reach, and says on one line which and why.

    python -m tools.quick [--all] [options of pytest]

--all: every fast test.
"""

import subprocess
import sys
from pathlib import Path

from tools.quick.change import Change, change_of
from tools.quick.needs import needs_of
from tools.quick.reach import Reach, Repository
from tools.quick.scripts import scripts

ROOT = Path(__file__).parents[2]
ALL = "--all"
PYTEST = (sys.executable, "-m", "pytest", "--quick", "--quiet", "-p", "no:schemathesis")


def summary(change: Change, reach: Reach, fast: int, slow: int) -> str:
    """Return what is run and why, and what is left out."""
    if reach.all_by:
        return f"{reach.all_by} changed, which decides how tests run: all {fast} fast test files"
    reasons = {
        "need them": reach.importing,
        "name them": reach.naming,
        "are nearest": reach.nearest,
        "read everything": reach.reading,
    }
    said = ", ".join(f"{len(files)} {reason}" for reason, files in reasons.items() if files)
    run = len(reach.files)
    return (
        f"{len(change.files)} files differ from {change.base}: {run} of {fast} fast test files "
        f"({said or 'nothing to run'}); not reached: {fast - run} (make quick-all), "
        f"with a server: {slow} (make test)"
    )


def main(arguments: list[str]) -> int:
    """Run them and return pytest's exit status; without any, return 0."""
    read = scripts(ROOT)
    repository = Repository(read, needs_of(ROOT, read))
    fast = repository.fast_tests.needed
    slow = sum(script.is_test_file for script in read) - len(fast)
    if ALL in arguments:
        arguments.remove(ALL)
        files = sorted(fast)
        print(
            f"quick: all {len(files)} fast test files; with a server: {slow} (make test)",
            flush=True,
        )
    else:
        change = change_of(ROOT)
        reach = repository.reach(change.files)
        files = reach.files
        print(f"quick: {summary(change, reach, len(fast), slow)}", flush=True)
    if not files:
        return 0
    command = [*PYTEST, *arguments, *files]
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603 (files of ours)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
