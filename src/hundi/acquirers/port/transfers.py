"""Money that customers pay to a virtual account or for a voucher of one order."""

from dataclasses import dataclass

from hundi.kernel.money import Money
from hundi.masking import mask_fields


@dataclass(frozen=True, slots=True)
class VirtualAccount:
    """Where the customer sends a transfer.

    app_link: a simulated bank's page that sends it, "" where there is none.
    """

    number: str
    ifsc: str
    holder: str
    app_link: str = ""

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in what the acquirer says."""
        mask_fields(self, "holder")


@dataclass(frozen=True, slots=True)
class Voucher:
    """What the customer shows at a counter."""

    number: str


@dataclass(frozen=True, slots=True)
class Transfer:
    """One transfer, or cash, that came in.

    utr: its number in the banks' network, of cash the number of the receipt. mode: NEFT, RTGS,
    IMPS, CASH, CHEQUE.
    """

    utr: str
    amount: Money
    mode: str
