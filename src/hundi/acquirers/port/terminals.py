"""Sales at merchants' terminals, as acquirers report them."""

from dataclasses import dataclass

from hundi.kernel.masking import mask_fields


@dataclass(frozen=True, slots=True)
class TerminalSale:
    """An acquirer's report of a sale at a merchant's terminal; see `pos.rules.Sale`."""

    merchant_id: int
    terminal_id: str
    reference: str
    kind: str
    amount_paise: int
    edited_paise: int
    table_no: str
    mobile: str

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in the acquirer's words."""
        mask_fields(self, "table_no")
