"""POS transaction detail, of one and of many (docs/spec/partner-interfaces.md#pos)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.partner.envelope import Parameters

MERCHANT_DIGITS_MAX, REFERENCE_MAX = 12, 64
_TERMINAL = re.compile(r"[A-Za-z0-9]{1,16}\Z")
_DETAIL_UNIQUE = re.compile(r"[A-Za-z0-9]{4,10}\Z")
_UNIQUE = re.compile(r"[0-9]{4,10}\Z")


@dataclass(frozen=True, slots=True)
class ListingRequest:
    """Whose terminal's transactions to list. unique_id is returned as it was sent and selects nothing."""

    merchant_id: int
    terminal_id: str
    unique_id: int


@dataclass(frozen=True, slots=True)
class DetailRequest:
    """Which transaction of a terminal to tell. unique_id is returned as it was sent and selects nothing."""

    merchant_id: int
    terminal_id: str
    unique_id: int | str
    reference: str


def merchant_of(parameters: Parameters) -> int:
    """Return whose terminals a call is about. Raises FieldError."""
    # `mercid` is what older clients of the payment interface call merchant_id, so it may have been renamed by then.
    return int(fields.digits(parameters.text("mercid", "merchant_id"), "mercid", MERCHANT_DIGITS_MAX))


def _terminal_of(parameters: Parameters) -> str:
    terminal = parameters.text("terminalid")
    if not _TERMINAL.match(terminal):
        raise FieldError("terminalid", terminal, "1 to 16 of A-Z a-z 0-9")
    return terminal


def parse_detail(parameters: Parameters) -> DetailRequest:
    """Return a request for one transaction. Raises FieldError."""
    merchant_id, terminal, unique = merchant_of(parameters), _terminal_of(parameters), parameters.text("uniqueid")
    if not _DETAIL_UNIQUE.match(unique):
        raise FieldError("uniqueid", unique, "4 to 10 of A-Z a-z 0-9")
    reference = parameters.text("referenceid")
    if not reference.strip():
        raise FieldError("referenceid", reference, f"1 to {REFERENCE_MAX} characters")
    fields.free_text(reference, "referenceid", REFERENCE_MAX)
    return DetailRequest(merchant_id, terminal, int(unique) if unique.isdecimal() else unique, reference)


def parse(parameters: Parameters) -> ListingRequest:
    """Return a request. Raises FieldError."""
    merchant_id, terminal = merchant_of(parameters), _terminal_of(parameters)
    unique = parameters.text("uniqueid")
    if not _UNIQUE.match(unique):
        raise FieldError("uniqueid", unique, "4 to 10 digits")
    return ListingRequest(merchant_id, terminal, int(unique))


@dataclass(frozen=True, slots=True)
class Sold:
    """One transaction of a terminal; amounts in paise."""

    transaction_id: int
    table_no: str
    amount_paise: int
    masked_mobile: str
    kind: str
    edited_paise: int


def success(asked: ListingRequest | DetailRequest, sold: Iterable[Sold]) -> dict[str, object]:
    """Return the reply; what stands in rows is text (docs/spec/partner-interfaces.md#pos)."""
    rows = [
        {
            "TRANSACTIONID": str(each.transaction_id),
            "TABLENO": each.table_no,
            "AMOUNT": fields.text_from_paise(each.amount_paise),
            "MOBILENO": each.masked_mobile,
            "TXNTYPE": each.kind,
            "EDITAMOUNT": fields.text_from_paise(each.edited_paise),
        }
        for each in sold
    ]
    return {"status": 200, "MERCHANTID": asked.merchant_id, "UNIQUEID": asked.unique_id, "DATA": rows}


def failure(code: str, words: str) -> dict[str, object]:
    """Return the reply of a refusal: `message` is an empty array.

    See docs/spec/partner-interfaces.md#replies.
    """
    return {"status": 502, "message": [], "error_code": code, "error": words}
