"""Lookup of UPI addresses (docs/spec/payment-interfaces.md#validatevpa)."""

from hundi.wire import kinds
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation

REGISTERED, NOT_REGISTERED = "200", "400"
"""`status` of a UPI address."""


@message(of_the_page=None)
class ValidateVpaRequest:
    """A UPI address to look up."""

    address: str = sent(kinds.VPA, "vpa", older=("customer_vpa",))


@message()
class UpiAddress:
    """A UPI address, and whether it is registered.

    address: in lower case. name: its holder's, "" if not registered or not known. status: 200, or
    400 when it is not registered.
    """

    address: str = sent(kinds.NAME, "vpa")
    is_registered: bool = sent(kinds.YES_OR_NO, "valid")
    name: str = sent(kinds.WORDS, "vpa_name", hidden=True)
    status: str = sent(kinds.WORDS)
    message: str = sent(kinds.WORDS)


VALIDATE = Operation(
    "validatevpa",
    "validateVpa",
    "validate_vpa",
    "Validate UPI address",
    "payment-interfaces.md#validatevpa",
    ("validatevpa/", "vpavalidate/"),
    ValidateVpaRequest,
    UpiAddress,
    "page",
    words="Raises TooManyRequestsError: the gateway limits these calls.",
    body="json",
)
