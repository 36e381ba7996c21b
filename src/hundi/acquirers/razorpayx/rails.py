"""The rails of RazorpayX, with the hours of the bank that holds the account.

Source: github.com/razorpay/markdown-docs, x/payouts.md, commit ab3bda5f. RTGS leaves only within
these hours; IMPS leaves at any time, and NEFT at any time where its bank has it so.
"""

from collections.abc import Mapping
from datetime import time

from hundi.acquirers.port.payouts import RailTerms

LEAST_PAISE = 1_00
IMPS_MOST_PAISE = 5_00_000_00
RTGS_LEAST_PAISE = 2_00_000_00
Hours = tuple[time, time]
_EARLY = time(2), time(18)
_HOURS: Mapping[str, Mapping[str, Hours]] = {
    "lite": {"neft": _EARLY, "rtgs": _EARLY},
    "idfc": {"neft": _EARLY, "rtgs": _EARLY},
    "rbl": {"neft": _EARLY, "rtgs": (time(8), time(17, 30))},
    "icici": {"neft": (time(1), time(18, 45)), "rtgs": (time(9, 30), time(17, 15))},
    "yes": {"neft": (time(1), time(18, 45)), "rtgs": (time(7), time(18, 30))},
    "other": {"neft": _EARLY, "rtgs": (time(9, 30), time(17, 15))},
}
"""By the bank; `other` has the hours in which every bank of the page works."""


def rails_at(bank: str) -> tuple[RailTerms, ...]:
    """Return the rails of an account at a bank, the preferred one first."""
    neft, rtgs = (_HOURS[bank][rail] for rail in ("neft", "rtgs"))
    return (
        RailTerms("imps", LEAST_PAISE, IMPS_MOST_PAISE),
        RailTerms("rtgs", RTGS_LEAST_PAISE, None, *rtgs, working_days=True),
        RailTerms("neft", LEAST_PAISE, None, *neft, working_days=True),
    )
