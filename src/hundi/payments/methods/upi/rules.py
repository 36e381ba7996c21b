"""How long checks of addresses are kept, and what a payment link is; pure."""

import re
from datetime import timedelta

ANSWERS_KEPT_FOR = timedelta(seconds=60)
"""How long an address's answer is repeated without asking the network.

See docs/spec/payment-interfaces.md#validatevpa.
"""
CHECKS_KEPT_FOR = timedelta(days=2)
LINK_LENGTH_MAX = 2_048
_PAY_LINK = re.compile(r"upi://pay\?[!-~]+\Z")


def is_pay_link(url: str) -> bool:
    """Return whether an acquirer's link can be shown: a UPI link on one line, without spaces."""
    return len(url) <= LINK_LENGTH_MAX and bool(_PAY_LINK.match(url))
