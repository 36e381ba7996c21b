"""JSON Schemas of replies to partners: of declared operations, and of the news of leads."""

from collections.abc import Iterator, Mapping
from typing import Any

from hundi.api.description.fields import NOTHING, Schema, one_of, ref, sealed, text, written
from hundi.partners.leads.rules import LeadNews, LeadState
from hundi.wire.codes import Code
from hundi.wire.partner.envelope import Shape
from hundi.wire.partner.leads import CREATE, LeadProblems
from hundi.wire.partner.operation import PartnerOperation
from hundi.wire.partner.table import OPERATIONS
from hundi.wire.parts import Declared
from hundi.wire.schema import schema_of, with_those_inside
from hundi.wire.strict_json import JsonValue

OPENED = "LeadAnswer"
"""The contents of a lead's reply when it was accepted."""
_TEXT: Schema = {"type": "string"}


def _told(description: str = "", **properties: Schema) -> Schema:
    """Return the schema of an object that has all of these fields.

    Later versions may add others.
    """
    said = {"description": description} if description else {}
    return {"type": "object", **said, "required": list(properties), "properties": properties}


def _fixed(values: Mapping[str, JsonValue]) -> dict[str, Schema]:
    """Return the schemas of fields that never change."""
    return {name: NOTHING if value == [] else {"const": value} for name, value in values.items()}


def _refusal(**around: Schema) -> Schema:
    return _told(
        "Every refusal, with HTTP status 200",
        **around,
        error_code=one_of(
            "See x-response-codes", *(code.wire for code in Code if code is not Code.SUCCESS)
        ),
        error={"type": "string", "description": "What is wrong and, of a field, what is allowed"},
    )


def refusal(*shapes: Shape) -> Schema:
    """Return the schema of the refusals of an address, with every code.

    shapes: of its operations.
    """
    every = [_fixed(each.refused) for each in shapes]
    around = {name: _any([each[name] for each in every]) for name in every[0]}
    return _refusal(
        **around, **({"data": ref(LeadProblems.__name__)} if CREATE.shape in shapes else {})
    )


def _any(schemas: list[Schema]) -> Schema:
    different = [each for place, each in enumerate(schemas) if each not in schemas[:place]]
    return different[0] if len(different) == 1 else {"anyOf": different}


def reply_name(operation: PartnerOperation[Any, Any]) -> str:
    """Return the description's name of an operation's reply."""
    return operation.request.__name__.removesuffix("Request") + "Reply"


def _reply(operation: PartnerOperation[Any, Any]) -> Schema:
    """Return the schema of an operation's reply."""
    shape, around = operation.shape, _fixed(operation.shape.done)
    if shape.within:
        return _told("What was done", **around, **{shape.within: ref(operation.reply.__name__)})
    return _told(
        "What was done", **around, **operation.twice(schema_of(operation.reply)["properties"])
    )


def _messages() -> Iterator[type[Declared]]:
    """Yield every message of replies but those whose fields are beside the status."""
    yield from with_those_inside(LeadProblems)
    for each in OPERATIONS:
        for inside in with_those_inside(each.reply):
            if each.shape.within or inside is not each.reply:
                yield inside


REPLIES: dict[str, Schema] = {
    **{each.__name__: schema_of(each) for each in _messages()},
    **{reply_name(each): _reply(each) for each in OPERATIONS},
    OPENED: _reply(CREATE),
    "LeadRefusal": refusal(CREATE.shape),
    reply_name(CREATE): _told(
        query=sealed(
            {"anyOf": [ref(OPENED), ref("LeadRefusal")]},
            "The answer, encrypted",
            "affiliate ~:~ shared secret",
        ),
    ),
    "LeadNews": _told(
        "What became of a lead",
        event=one_of("The news", *LeadNews),
        affiliate=_TEXT,
        lead_id={"type": "integer"},
        state=one_of("Where the lead stands", *LeadState),
        reason=text("The operator's words"),
        merchant_id=written("Empty until the lead is a merchant", r"^[0-9]*$", "10001"),
        at=_TEXT,
    ),
}
