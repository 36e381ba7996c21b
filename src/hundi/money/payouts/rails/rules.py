"""The rails of payouts: the rail for an amount, and when a payout leaves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hundi.kernel.clock import ist

BATCH_EVERY = timedelta(minutes=30)


class Rail(StrEnum):
    """The bank network of a payout."""

    IMPS = "imps"
    """At once."""
    NEFT = "neft"
    """With the next half-hour batch."""
    RTGS = "rtgs"
    """At once, for large amounts."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The amounts that a rail carries.

    least_paise, most_paise: of one payout; None for no limit. source: the rule that says so.
    """

    rail: Rail
    least_paise: int
    most_paise: int | None
    source: str


LIMITS: Mapping[Rail, Limits] = {
    Rail.IMPS: Limits(Rail.IMPS, 1, 5_00_000_00, "docs/spec/domain.md#payout-rails"),
    Rail.NEFT: Limits(Rail.NEFT, 1, None, "docs/spec/domain.md#payout-rails"),
    Rail.RTGS: Limits(Rail.RTGS, 2_00_000_00, None, "docs/spec/domain.md#payout-rails"),
}


class PayoutChannel(StrEnum):
    """The way of a payout to our bank."""

    API = "api"
    """By a call of a connector."""
    FILE = "file"
    """In a file that a person brings to the bank."""


PREFERRED: Mapping[PayoutChannel, Sequence[Rail]] = {
    PayoutChannel.API: (Rail.IMPS, Rail.RTGS, Rail.NEFT),
    PayoutChannel.FILE: (Rail.RTGS, Rail.NEFT),
}
"""The rails in order of preference; the first that carries the amount is taken.

Calls go at once, files with a batch unless RTGS carries the amount.
"""


def rail_for(paise: int, channel: PayoutChannel) -> Rail:
    """Return the rail for an amount."""
    for rail in PREFERRED[channel]:
        limits = LIMITS[rail]
        if limits.least_paise <= paise and (
            limits.most_paise is None or paise <= limits.most_paise
        ):
            return rail
    return Rail.NEFT


def leaves_at(rail: Rail, now: datetime) -> datetime:
    """Return when a payout that is sent now leaves; for NEFT, the next half-hour batch in India."""
    if rail is not Rail.NEFT:
        return now
    local = ist(now)
    began = local.replace(minute=local.minute // 30 * 30, second=0, microsecond=0)
    return began + BATCH_EVERY
