"""A line's reference names its cause."""

import pytest

from hundi.money.reconciliation.rules import LineKind, cause_of


@pytest.mark.parametrize(
    ("reference", "cause"),
    [
        ("10001-217324800352064", (LineKind.PAYMENT, 10001, 217324800352064)),
        ("10001-R217324800352064", (LineKind.REFUND, 10001, 217324800352064)),
        ("pay_nobodys", None),
        # What a certification moved is in nobody's books.
        ("0-217324800352064", None),
        ("0-R217324800352064", None),
    ],
)
def test_a_reference_of_ours_names_its_cause(
    reference: str, cause: tuple[LineKind, int, int] | None
) -> None:
    assert cause_of(reference) == cause
