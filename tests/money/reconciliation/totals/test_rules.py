"""A total proves as much as our account and the lines of files confirm."""

from datetime import date

import pytest

from hundi.money.reconciliation.totals.rules import ComparedTotal, TotalProof


@pytest.mark.parametrize(
    ("lines", "arrived", "proof"),
    [
        (None, 0, TotalProof.WAITING),
        (None, 90, TotalProof.OTHER_AMOUNT),
        (None, 100, TotalProof.ARRIVED),
        (100, 0, TotalProof.WAITING),
        (100, 90, TotalProof.OTHER_AMOUNT),
        (100, 100, TotalProof.PROVED),
        (99, 100, TotalProof.LINES_DIFFER),
        (99, 0, TotalProof.LINES_DIFFER),
        (0, 100, TotalProof.LINES_DIFFER),
    ],
)
def test_a_total_is_proved_by_its_lines_and_its_money(
    lines: int | None, arrived: int, proof: TotalProof
) -> None:
    total = ComparedTotal("phonepe", "S1", "U1", date(2026, 11, 27), 100, lines, arrived)
    assert total.proof is proof
