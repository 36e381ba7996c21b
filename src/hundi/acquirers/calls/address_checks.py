"""Checks of UPI addresses at acquirers: who may be called, and what an answer means."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hundi.acquirers.calls.aggregators import text_of
from hundi.acquirers.calls.test_instruments import is_test_vpa
from hundi.acquirers.port.answers import NotRegistered, RegisteredName, Unknown

AddressAnswer = RegisteredName | NotRegistered | Unknown
NO_NAME = "NA"
"""What some acquirers write where the bank named nobody."""


@dataclass(frozen=True, slots=True)
class AddressChecks:
    """The port's `ChecksAddresses` of a connector whose account has it.

    holder_of: makes the acquirer's call. simulated: it is the acquirer's test environment.
    """

    holder_of: Callable[[str], Awaitable[AddressAnswer]]
    simulated: bool

    async def check_address(self, vpa: str) -> AddressAnswer:
        """Return an address's holder; no test address reaches a live acquirer."""
        if not self.simulated and is_test_vpa(vpa):
            return NotRegistered()
        return await self.holder_of(vpa)


def address_answer(vpa: str, *, about: object, exists: bool, name: object) -> AddressAnswer:
    """Return the meaning of an answer that says whether an address exists.

    about: the address of which the acquirer speaks. name: of its holder, which may be missing.
    """
    if text_of(about).strip().lower() != vpa.strip().lower():
        return Unknown(message="the acquirer speaks of another address")
    if not exists:
        return NotRegistered()
    holder = text_of(name).strip()
    return RegisteredName("" if holder.upper() == NO_NAME else holder)
