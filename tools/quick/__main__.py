"""Runs the fast tests that a change can reach, and says on one line which and why.

python -m tools.quick [--all] [options of pytest]

--all: every fast test.
"""

import os
import subprocess
import sys
from pathlib import Path

from tools.quick.change import change_of
from tools.quick.needs import needs_of
from tools.quick.reach import Repository
from tools.quick.report import report
from tools.quick.scripts import scripts

ROOT = Path(__file__).parents[2]
ALL = "--all"
PYTEST = (sys.executable, "-m", "pytest", "--quick", "--quiet", "-p", "no:schemathesis")
FILES_ALONE_MAX = 20
"""One process runs up to so many test files; more are worth one process for each core."""


def main(arguments: list[str]) -> int:
    """Run them, and return pytest's exit status; 0 when there are none."""
    read = scripts(ROOT)
    repository = Repository(read, needs_of(ROOT, read))
    fast = sorted(repository.fast_tests.needed)
    slow = {script.path for script in read if script.is_test_file} - {*fast}
    change = change_of(ROOT)
    because = "asked for" if ALL in arguments else "" if change.base else "no repository to ask"
    reach = repository.everything(because) if because else repository.reach(change.files)
    print(report(change, reach, fast, slow), flush=True)
    if not reach.files:
        return 0
    processes = [f"-n{os.cpu_count() or 1}"] if len(reach.files) > FILES_ALONE_MAX else []
    options = [argument for argument in arguments if argument != ALL]
    command = [*PYTEST, *processes, *options, *reach.files]
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603 (files of ours)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
