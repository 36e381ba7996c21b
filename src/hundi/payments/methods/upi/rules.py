"""How long checks of addresses are kept, and what a payment link is; pure."""

import re
from datetime import timedelta

ANSWERS_KEPT_FOR = timedelta(seconds=60)
"""How long an address's answer is repeated without asking the network.

See docs/spec/payment-interfaces.md#validatevpa.
"""
CHECKS_KEPT_FOR = timedelta(days=2)
LINK_LENGTH_MAX = 2_048
_LINK = re.compile(r"upi://(pay|mandate)\?[!-~]+\Z")


def is_link(url: str, *, mandate: bool) -> bool:
    """Return whether an acquirer's link can be shown: a UPI link on one line, without spaces.

    mandate: it has to approve a mandate, and a link that only pays approves none.
    """
    match = _LINK.match(url)
    of_kind = match is not None and (match[1] == "mandate") is mandate
    return len(url) <= LINK_LENGTH_MAX and of_kind
