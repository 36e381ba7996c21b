"""The line that says which tests run, why, and what is left out."""

from collections.abc import Collection, Iterator

from tools.quick.change import Change
from tools.quick.reach import Reach


def report(change: Change, reach: Reach, fast: Collection[str], slow: Collection[str]) -> str:
    """Return the line. fast, slow: all test files."""
    left = "; ".join(_left(change, reach, fast, slow))
    return f"quick: {_run(change, reach, fast)}. Left out: {left}"


def _run(change: Change, reach: Reach, fast: Collection[str]) -> str:
    if reach.all_because:
        return f"all {len(fast)} fast test files ({reach.all_because})"
    reasons = {
        "need a changed file": reach.importing,
        "name one": reach.naming,
        "are nearest to one": reach.nearest,
        "read the whole repository": reach.reading,
    }
    parts = ", ".join(f"{len(files)} {reason}" for reason, files in reasons.items() if files)
    differ = f"{len(change.files)} changed files since {change.base}"
    return f"{len(reach.files)} of {len(fast)} fast test files for {differ} ({parts or 'nothing'})"


def _left(
    change: Change, reach: Reach, fast: Collection[str], slow: Collection[str]
) -> Iterator[str]:
    rest = len(fast) - len(reach.files)
    if rest:
        yield f"{rest} fast ones that the change does not reach (make quick-all)"
    changed = ", ".join(path for path in change.files if path in slow)
    yield f"{len(slow)} that need a server or a program (make test)" + (
        f", {changed} among them" if changed else ""
    )
