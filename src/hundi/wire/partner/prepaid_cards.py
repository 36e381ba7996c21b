"""Card details (docs/spec/partner-interfaces.md#card-details)."""

import re
from collections.abc import Iterable

from hundi.wire.fields import FieldError
from hundi.wire.partner.envelope import Parameters

DOCUMENTED = ("entity_id",)
ENTITY_MAX = 50
STATUS_LETTERS = {
    "ALLOCATED": "N",
    "ACTIVE": "A",
    "LOCKED": "L",
    "BLOCKED": "B",
    "REPLACED": "R",
    "HOTLISTED": "H",
    "CLOSED": "C",
    "EXPIRED": "E",
}
"""card_status on the wire (docs/spec/partner-interfaces.md#card-letters)."""
KIND_LETTERS = {"PHYSICAL": "P", "VIRTUAL": "V"}
_ENTITY = re.compile(r"[A-Za-z0-9_.@-]{1,50}\Z")


def parse(parameters: Parameters) -> str:
    """Return the customer whose cards are asked for. Raises FieldError."""
    given = parameters.text("entity_id")
    if not _ENTITY.match(given):
        raise FieldError("entity_id", given, f"1 to {ENTITY_MAX} characters of A-Z a-z 0-9 _ . @ -")
    return given


def record(number: str, kit_no: str, expiry: str, status: str, kind: str) -> dict[str, str]:
    """Return one card record. number: masked. expiry: MM/YY. status, kind: words."""
    return {
        "card_no": number,
        "kit_no": kit_no,
        "expiry_date": expiry,
        "card_status": STATUS_LETTERS[status],
        "card_type": KIND_LETTERS[kind],
    }


def success(records: Iterable[dict[str, str]]) -> dict[str, object]:
    """Return the reply."""
    return {"status": 200, "message": "success", "data": list(records)}


def failure(code: str, words: str) -> dict[str, object]:
    """Return the reply of a refusal: without data (docs/spec/partner-interfaces.md#replies)."""
    return {"status": 400, "message": "fail", "error_code": code, "error": words}
