"""A run that parts from the expected one says at which step."""

import pytest

from hundi_testbed.simulation.trace import ExpectedTrace

EXPECTED = ["0.1 a", "0.2 b", "0.3 c"]


@pytest.mark.parametrize(
    ("lines", "difference"),
    [
        (EXPECTED, ""),
        (["0.1 a", "0.2 x", "0.3 y"], 'step 2: expected "0.2 b", was "0.2 x"'),
        (["0.1 a", "0.2 b"], 'step 3: expected "0.3 c", was the end'),
        ([*EXPECTED, "0.4 d", "0.5 e"], 'step 4: expected the end, was "0.4 d"'),
    ],
)
def test_the_first_step_that_differs_is_named(lines: list[str], difference: str) -> None:
    trace = ExpectedTrace(f"{each}\n" for each in EXPECTED)
    for each in lines:
        trace.hear(each)
    assert trace.difference() == difference
