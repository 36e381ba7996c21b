"""How long checks of addresses are kept; pure."""

from datetime import timedelta

ANSWERS_KEPT_FOR = timedelta(seconds=60)
"""How long an address's answer is given again without asking the network.

See docs/spec/payment-interfaces.md#validatevpa.
"""
CHECKS_KEPT_FOR = timedelta(days=2)
