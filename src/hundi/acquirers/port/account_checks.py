"""What an operator checks of an account before it takes money; each connector has a list of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AccountCheck:
    """One step.

    called: what is called at the acquirer. expected: what has to come back. paid: a person pays in
    between.
    """

    name: str
    called: str
    expected: str
    paid: bool = False
