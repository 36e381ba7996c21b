"""The health of banks, and what a plan comes to."""

import pytest

from hundi.acquirers.port.instalments import InstalmentPlan
from hundi.kernel.money import Money
from hundi.payments.availability.rules import emi_plan
from hundi.payments.routing.health.rules import Health, Outcomes, health


@pytest.mark.parametrize(
    ("ended", "troubled", "expected"),
    [
        (0, 0, Health.UP),
        (4, 4, Health.UP),
        (5, 0, Health.UP),
        (10, 2, Health.UP),
        (10, 3, Health.DEGRADED),
        (10, 6, Health.DEGRADED),
        (10, 7, Health.DOWN),
        (5, 5, Health.DOWN),
    ],
)
def test_the_health_of_a_bank_is_that_of_its_latest_attempts(
    ended: int, troubled: int, expected: Health
) -> None:
    assert health(Outcomes(ended, troubled)) is expected


def test_a_bank_nobody_used_is_up() -> None:
    assert health(None) is Health.UP


def test_a_plan_says_whose_it_is_and_what_it_costs() -> None:
    plan = InstalmentPlan("HDFC", 3, 1_500, 1_000_00)
    found = emi_plan(plan, "HDFC Bank", Money(10_000_00))
    assert (found.key, found.instalments.monthly_paise) == ("HDFC-3", 3_417_01)
    free = emi_plan(
        InstalmentPlan("HDFC", 3, 1_500, 1_000_00, no_cost=True), "HDFC Bank", Money(10_000_00)
    )
    assert (free.instalments.monthly_paise, free.instalments.interest_paise) == (3_333_33, 0)
    assert free.instalments.discount_paise > 0
