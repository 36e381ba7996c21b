"""POS transaction detail, of one and of many: the operations and their messages.

See docs/spec/partner-interfaces.md#pos.
"""

from hundi.wire import fields, kinds
from hundi.wire.codes import Code
from hundi.wire.fields import FieldError
from hundi.wire.message import message, sent
from hundi.wire.partner import kinds as own
from hundi.wire.partner.envelope import TERMINALS, Parameters
from hundi.wire.partner.operation import PartnerOperation
from hundi.wire.parts import FieldKind

MERCHANT_DIGITS_MAX, REFERENCE_MAX, LISTED_MAX = 12, 64, 1_000
SALE_KINDS = ("SALE", "VOID", "REFUND")
MERCHANT = kinds.written(
    lambda text, name: fields.digits(text, name, MERCHANT_DIGITS_MAX),
    "The merchant's number",
    rf"^[0-9]{{1,{MERCHANT_DIGITS_MAX}}}$",
    "10001",
)
TERMINAL = kinds.described(
    kinds.matching(r"[A-Za-z0-9]{1,16}", "1 to 16 of A-Z a-z 0-9", "T1"), "The terminal"
)


def _read_reference(text: str, name: str) -> str:
    if not text.strip():
        raise FieldError(name, text, f"1 to {REFERENCE_MAX} characters")
    return fields.free_text(text, name, REFERENCE_MAX)


REFERENCE = FieldKind(
    _read_reference,
    lambda text, _: text,
    kinds.described(kinds.text(REFERENCE_MAX, 1), "The terminal's own reference of a sale").schema,
)
# `mercid` is what older clients of the payment interface call merchant_id, so it may have been
# renamed by then.
OLDER = ("merchant_id",)


@message()
class SalesRequest:
    """The terminal whose sales to list. unique_id comes back as a number, and selects nothing."""

    merchant_id: str = sent(MERCHANT, "mercid", older=OLDER)
    terminal_id: str = sent(TERMINAL, "terminalid")
    unique_id: str = sent(
        kinds.described(
            kinds.matching(r"[0-9]{4,10}", "4 to 10 digits", "4711"),
            "Comes back as a number, selects nothing",
        ),
        "uniqueid",
    )


@message()
class SaleRequest:
    """The sale to show. unique_id comes back, a number as a number, and selects nothing."""

    merchant_id: str = sent(MERCHANT, "mercid", older=OLDER)
    terminal_id: str = sent(TERMINAL, "terminalid")
    unique_id: str = sent(
        kinds.described(
            kinds.matching(r"[A-Za-z0-9]{4,10}", "4 to 10 of A-Z a-z 0-9", "a4711"),
            "Comes back, selects nothing",
        ),
        "uniqueid",
    )
    reference: str = sent(REFERENCE, "referenceid")


def merchant_of(parameters: Parameters) -> int:
    """Return the merchant of a call about terminals. Raises FieldError."""
    return int(MERCHANT.read(parameters.text("mercid", *OLDER), "mercid"))


@message()
class TerminalSale:
    """A sale at a terminal.

    edited_paise: the amount after a change at the table, 0 for none.
    """

    transaction_id: int = sent(own.NUMBER_AS_TEXT, "TRANSACTIONID")
    table_no: str = sent(kinds.WORDS, "TABLENO")
    amount_paise: int = sent(own.RUPEES, "AMOUNT")
    masked_mobile: str = sent(kinds.WORDS, "MOBILENO")
    kind: str = sent(own.told_as("What it was", *SALE_KINDS), "TXNTYPE")
    edited_paise: int = sent(own.RUPEES, "EDITAMOUNT")


@message()
class TerminalSales:
    """Sales. unique_id: as it was sent, a number where it is one."""

    merchant_id: int = sent(kinds.WHOLE, "MERCHANTID")
    unique_id: int | str = sent(own.NUMBER_OR_TEXT, "UNIQUEID")
    sales: tuple[TerminalSale, ...] = sent(
        kinds.objects(TerminalSale).bounded(maxItems=LISTED_MAX), "DATA"
    )


_CODES = (Code.NO_RECORDS,)
LISTING = PartnerOperation(
    "pos",
    "listSales",
    "sales",
    "List a terminal's sales of the last 24 hours. The merchant lists the addresses that may ask",
    "partner-interfaces.md#pos",
    ("/ms/pos/api/transaction-detail-bulk",),
    SalesRequest,
    TerminalSales,
    "address",
    codes=_CODES,
    shape=TERMINALS,
)
DETAIL = PartnerOperation(
    "pos-detail",
    "showSale",
    "sale",
    "Show one sale of a terminal. The merchant lists the addresses that may ask",
    "partner-interfaces.md#pos-detail",
    ("/ms/pos/api/transaction-detail",),
    SaleRequest,
    TerminalSales,
    "address",
    codes=_CODES,
    shape=TERMINALS,
)
