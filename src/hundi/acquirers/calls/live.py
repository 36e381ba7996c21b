"""Keep test cards and test addresses from live acquirers: `front` asks before each call."""

import inspect
from collections.abc import Mapping

from hundi.acquirers.calls.test_instruments import decline_test_card, decline_test_vpa
from hundi.acquirers.port.answers import Declined, NotRegistered
from hundi.instruments.card import CardNumber

_ADDRESSES = ("vpa", "payer_vpa")
"""Parameters of the port that hold a customer's UPI address."""


def refusal(
    call: str,
    signature: inspect.Signature,
    arguments: tuple[object, ...],
    named: Mapping[str, object],
) -> Declined | NotRegistered | None:
    """Return the answer in place of a live acquirer's, None where it may be called.

    Any card and any customer's address among the arguments is checked, so that no connector and no
    later capability can forget it. See docs/spec/domain.md#test-instruments.
    """
    for name, value in signature.bind(*arguments, **named).arguments.items():
        if isinstance(value, CardNumber):
            declined = decline_test_card(value.number)
        elif name in _ADDRESSES:
            declined = decline_test_vpa(str(value))
        else:
            declined = None
        if declined is not None:
            return NotRegistered() if call == "check_address" else declined
    return None
