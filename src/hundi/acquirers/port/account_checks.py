"""An operator's checks of an account before it takes money; each connector has a list of them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AccountCheck:
    """One step.

    called: the acquirer's call. expected: the answer. paid: a person pays in between.
    """

    name: str
    called: str
    expected: str
    paid: bool = False
