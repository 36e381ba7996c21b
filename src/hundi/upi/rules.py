"""How often a merchant may ask who has an address; pure."""

from datetime import datetime, timedelta

CHECKS_A_MINUTE_MAX = 60
CHECKS_A_DAY_MAX = 2_000
"""Checks of addresses one merchant may ask for, cached ones included: enough for a shop, no way to look up names."""
ANSWERS_KEPT_FOR = timedelta(seconds=60)
"""How long an address's answer is given again without asking the network. [ours]"""
CHECKS_KEPT_FOR = timedelta(days=2)


def spans(now: datetime) -> tuple[datetime, datetime]:
    """Return when this minute and this day (UTC) began."""
    minute = now.replace(second=0, microsecond=0)
    return minute, minute.replace(hour=0, minute=0)


def too_many(this_minute: int, this_day: int) -> bool:
    """Tell whether a check, counted already, is one too many."""
    return this_minute > CHECKS_A_MINUTE_MAX or this_day > CHECKS_A_DAY_MAX
