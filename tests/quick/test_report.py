"""What a person reads before their quick tests run."""

from tools.quick.change import Change
from tools.quick.reach import Reach
from tools.quick.report import report

FAST = [f"tests/test_{number}.py" for number in range(5)]
SLOW = ["tests/system/test_late.py"]


def test_it_says_what_is_run_and_why_and_what_is_left_out() -> None:
    change = Change("1a2b3c4", ("src/hundi/money.py", "docs/fees.md", *SLOW))
    reach = Reach("", (FAST[0],), (FAST[1],), (), (FAST[2],))
    assert report(change, reach, FAST, SLOW) == (
        "quick: 3 of 5 fast test files for 3 changed files since 1a2b3c4 (1 need a changed file,"
        " 1 name one, 1 read the whole repository). Left out: 2 fast ones that the change does not"
        " reach (make quick-all); 1 that need a server or a program (make test),"
        " tests/system/test_late.py among them"
    )


def test_it_says_why_all_are_run() -> None:
    change, reach = Change("1a2b3c4", ()), Reach("pyproject.toml changed", (*FAST,), (), (), ())
    assert report(change, reach, FAST, SLOW) == (
        "quick: all 5 fast test files (pyproject.toml changed)."
        " Left out: 1 that need a server or a program (make test)"
    )


def test_it_says_that_nothing_changed() -> None:
    assert report(Change("1a2b3c4", ()), Reach("", (), (), (), ()), FAST, SLOW) == (
        "quick: 0 of 5 fast test files for 0 changed files since 1a2b3c4 (nothing). Left out:"
        " 5 fast ones that the change does not reach (make quick-all);"
        " 1 that need a server or a program (make test)"
    )
