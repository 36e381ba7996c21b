"""Card details: the operation and its messages (docs/spec/partner-interfaces.md#card-details)."""

from hundi.wire import kinds
from hundi.wire.codes import Code
from hundi.wire.message import message, sent
from hundi.wire.partner import kinds as own
from hundi.wire.partner.envelope import CARDS
from hundi.wire.partner.operation import PartnerOperation

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
ENTITY = kinds.described(
    kinds.matching(
        rf"[A-Za-z0-9_.@-]{{1,{ENTITY_MAX}}}",
        f"1 to {ENTITY_MAX} characters of A-Z a-z 0-9 _ . @ -",
        "CUST0001",
    ),
    "The customer's id at the card programme",
)


@message()
class CardsRequest:
    """The customer whose cards to list."""

    entity_id: str = sent(ENTITY)


@message()
class CardRecord:
    """A customer's card. number: masked. expiry: MM/YY. status: as ACTIVE.

    kind: PHYSICAL or VIRTUAL.
    """

    number: str = sent(kinds.WORDS, "card_no")
    kit_no: str = sent(kinds.WORDS)
    expiry: str = sent(
        kinds.written(lambda text, _: text, "MM/YY", r"^[0-9]{2}/[0-9]{2}$", "09/31"), "expiry_date"
    )
    status: str = sent(
        own.letters(STATUS_LETTERS, "N allocated, A active, L locked, B blocked, …"), "card_status"
    )
    kind: str = sent(own.letters(KIND_LETTERS, "P physical, V virtual"), "card_type")


@message()
class CardRecords:
    """The cards of a customer."""

    cards: tuple[CardRecord, ...] = sent(kinds.objects(CardRecord), "data")


DETAILS = PartnerOperation(
    "card-details",
    "cardDetails",
    "cards",
    "List a customer's cards",
    "partner-interfaces.md#card-details",
    ("/ms/cards/api/card-details",),
    CardsRequest,
    CardRecords,
    "card token",
    codes=(Code.NO_RECORDS, Code.PROVIDER_SILENT),
    shape=CARDS,
)
