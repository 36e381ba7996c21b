"""Which ways to pay are rare at a merchant, and so stand behind a fold; pure."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from hundi.kernel.clock import INDIA, business_day
from hundi.kernel.ids import first_id

LOOKED_BACK = timedelta(days=90)
"""Which payments count: those begun so long before this business day, and not those of today."""
COUNTED_MAX = 5_000
"""The newest payments alone count, so that a large merchant's are read as fast as a small one's."""
COUNTED_MIN = 50
"""Of fewer payments nobody knows which ways are rare."""
RARE_IN = 20
"""A way is rare that less than one payment in so many was made by."""
SHOWN_MIN = 4
"""Ways that always stay in sight: the most used ones."""
FOLDED_MIN = 2
"""Fewer rare ways are not worth a fold."""


def counted_ids(now: datetime) -> tuple[int, int]:
    """Return the first id of the counted payments, and the first one after them.

    Both change with the business day alone, so that a page looks alike all day in each process.
    """
    day = datetime.combine(business_day(now), datetime.min.time(), INDIA)
    return first_id(day - LOOKED_BACK), first_id(day)


def rare_ways(
    order: Sequence[str], counts: Mapping[str, int], shown: Collection[str]
) -> tuple[str, ...]:
    """Return the channels to fold, in order; () for none.

    counts: payments by channel. shown: channels that stay in sight whoever uses them.
    """
    total = sum(counts.get(code, 0) for code in order)
    if total < COUNTED_MIN:
        return ()
    most_used = sorted(order, key=lambda code: -counts.get(code, 0))[:SHOWN_MIN]
    rare = tuple(
        code
        for code in order
        if code not in shown and code not in most_used and counts.get(code, 0) * RARE_IN < total
    )
    return rare if len(rare) >= FOLDED_MIN else ()
