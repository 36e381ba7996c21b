"""The payer, for acquirers that want to know."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Customer:
    """The payer: in memory only, without a readable form.

    address: of the browser, in the network. Any field may be "".
    """

    name: str = ""
    email: str = ""
    phone: str = ""
    address: str = ""
    user_agent: str = ""

    def __repr__(self) -> str:
        """Hide the person: this value reaches tracebacks."""
        return "Customer(****)"


NOBODY = Customer()
