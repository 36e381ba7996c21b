"""Transfers that customers send to an account number of one order (virtual account)."""

from dataclasses import dataclass

from hundi.kernel.money import Money


@dataclass(frozen=True, slots=True)
class VirtualAccount:
    """Where the customer sends a transfer.

    app_link: a simulated bank's page that sends it, "" where there is none.
    """

    number: str
    ifsc: str
    holder: str
    app_link: str = ""


@dataclass(frozen=True, slots=True)
class Transfer:
    """One transfer that came in. utr: its number in the banks' network. mode: NEFT, RTGS or IMPS."""

    utr: str
    amount: Money
    mode: str
