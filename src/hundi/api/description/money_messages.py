"""The messages about disputes as JSON Schema."""

import msgspec

from hundi.api.description import fields as f
from hundi.api.description.fields import Schema, message
from hundi.wire.merchant.disputes import CONTENT_MAX, NAME_MAX, NOTE_MAX, STATES, DisputeData, EvidenceData

_DISPUTE_ID = f.written("A dispute, as the list and the news of it name it", r"^[0-9]{1,20}$", "217383559070001")
_NOTE = f.text("What the bank is told", NOTE_MAX)
_BEFORE = f.described(f.TRANSACTION_ID, "The last id that you have: the page begins after it")

MONEY_REQUESTS: dict[str, Schema] = {
    "ListDisputesRequest": message(
        "Disputes, newest first", (), state=f.one_of("In one state", *STATES), before=_BEFORE
    ),
    "DisputeRequest": message("Which dispute", ("dispute_id",), dispute_id=_DISPUTE_ID),
    "EvidenceRequest": message(
        "A document for the answer to a dispute",
        ("dispute_id", "content"),
        dispute_id=_DISPUTE_ID,
        name=f.text("What the document is called", NAME_MAX),
        content={
            "type": "string",
            "description": "A whole PDF, PNG or JPEG of at most 1 MiB, in base64",
            "pattern": "^([A-Za-z0-9+/]{4})+$",
            "x-max-length": CONTENT_MAX,
        },
    ),
    "ContestDisputeRequest": message(
        "The answer that contests a dispute: it needs a note or a document",
        ("dispute_id",),
        dispute_id=_DISPUTE_ID,
        note=_NOTE,
    ),
    "AcceptDisputeRequest": message(
        "The answer that accepts a dispute, or only a part of it",
        ("dispute_id",),
        dispute_id=_DISPUTE_ID,
        amount=f.described(f.AMOUNT, "What is given up; all of it when left out"),
        note=_NOTE,
    ),
}


def money_replies() -> dict[str, Schema]:
    """Return the schemas of the replies' `data`, by the types' names."""
    types = (DisputeData, EvidenceData)
    _, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    return components | {"DisputesData": _list_of("disputes", "DisputeData")}


def _list_of(field: str, item: str) -> Schema:
    listed = {"type": "array", "items": f.ref(item)}
    return {"type": "object", "required": [field], "properties": {field: listed}}
