"""How often a merchant may ask who has an address; pure."""

from datetime import timedelta

CHECKS_A_MINUTE_MAX = 60
CHECKS_A_DAY_MAX = 2_000
"""Checks of addresses one merchant may ask for, cached ones included: enough for a shop, no way to look up names."""
ANSWERS_KEPT_FOR = timedelta(seconds=60)
"""How long an address's answer is given again without asking the network.

See docs/spec/payment-interfaces.md#validatevpa.
"""
CHECKS_KEPT_FOR = timedelta(days=2)


def too_many(this_minute: int, this_day: int) -> bool:
    """Return whether a check, which is counted already, exceeds the limit."""
    return this_minute > CHECKS_A_MINUTE_MAX or this_day > CHECKS_A_DAY_MAX
