"""Money that customers pay to a virtual account or for a voucher of one order."""

from dataclasses import dataclass

from hundi.kernel.masking import mask_fields
from hundi.kernel.money import Money


@dataclass(frozen=True, slots=True)
class VirtualAccount:
    """The account for the customer's transfer.

    app_link: a simulated bank's page that sends it, "" where there is none.
    """

    number: str
    ifsc: str
    holder: str
    app_link: str = ""

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the acquirer's words."""
        mask_fields(self, "holder")


@dataclass(frozen=True, slots=True)
class Voucher:
    """The voucher that the customer shows at a counter."""

    number: str


@dataclass(frozen=True, slots=True)
class Transfer:
    """One transfer, or cash.

    utr: its number in the banks' network, for cash the number of the receipt. mode: NEFT, RTGS,
    IMPS, CASH, CHEQUE.
    """

    utr: str
    amount: Money
    mode: str
