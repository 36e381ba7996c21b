"""Runs each failed test once more, alone, and tells flaky tests from broken ones (`.ci/run`).

python tools/run_failed_again.py build/outcome.json

A test that passes alone is printed as `flaky: NAME`, with the end of the report of its failure, and
written to `build/flaky.txt`. The run passes when every failed test is flaky, there are at most
FLAKY_MAX of them, and `tests/flaky.md` names none: its cause must then be mended. The other checks
of `make test` run again, since they may have failed too.
"""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import indent

FLAKY_MAX = 3
"""The most flaky tests of one run."""
TESTS_FAILED = 1
"""Exit status of pytest when tests failed and nothing else went wrong."""
SECONDS_MAX = 1200
"""Seconds that one test may take alone."""
KNOWN = Path("tests/flaky.md")
FLAKY = Path("build/flaky.txt")


def known_flaky(page: str) -> set[str]:
    """Return the ids of tests in the repository's list, one in code marks a row."""
    return set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))


def passes_alone(test: str) -> bool:
    """Run one test in its own process and return whether it passed."""
    command = [sys.executable, "-m", "pytest", "--no-header", "-p", "no:cacheprovider", test]
    try:
        return subprocess.run(command, check=False, timeout=SECONDS_MAX).returncode == 0  # noqa: S603 (a test's id)
    except subprocess.TimeoutExpired:
        return False


def verdict(failed: Sequence[str], flaky: Sequence[str], known: set[str]) -> str:
    """Return why the run failed, or "" when its failures are flaky, new and few."""
    broken = sorted(set(failed) - set(flaky))
    if broken:
        return f"failed again, alone: {' '.join(broken)}"
    if len(flaky) > FLAKY_MAX:
        return f"{len(flaky)} flaky tests, and {FLAKY_MAX} are allowed"
    listed = sorted(known.intersection(flaky))
    return f"still flaky, see {KNOWN}: {' '.join(listed)}" if listed else ""


def main(outcome: Path) -> int:
    """Return the exit status of the whole run."""
    if not outcome.exists():
        print("the run ended before its tests did")
        return 1
    ended = json.loads(outcome.read_text("utf-8"))
    failed: dict[str, str] = ended["failed"]
    if ended["exit_status"] not in {0, TESTS_FAILED} or len(failed) > FLAKY_MAX:
        print(
            f"not run again: pytest ended with {ended['exit_status']}, {len(failed)} tests failed"
        )
        return 1
    flaky = [test for test in failed if passes_alone(test)]
    FLAKY.parent.mkdir(exist_ok=True)
    FLAKY.write_text("".join(f"{test}\n" for test in flaky), "utf-8")
    reason = verdict(list(failed), flaky, known_flaky(KNOWN.read_text("utf-8")))
    if not reason and subprocess.run(["make", "check"], check=False).returncode != 0:  # noqa: S607 (as `.ci/run` does)
        reason = "the checks beside the tests failed"
    for test in flaky:
        print(f"flaky: {test}")
        print(indent(failed[test], "  "))
    print(reason or f"{len(failed)} failed tests passed alone")
    return 1 if reason else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
