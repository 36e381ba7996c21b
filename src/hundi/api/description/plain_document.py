"""The OpenAPI 3.1 document of the plain interface, from its table."""

from functools import cache
from typing import Any

import msgspec

from hundi.api.description.fields import JSON, REQUEST_ID, SIGNED, described_tag, openapi, ref
from hundi.api.problems import MEDIA_TYPE, ProblemDocument
from hundi.merchants.idempotency.rules import KEY_MAX
from hundi.wire.codes import Code
from hundi.wire.parts import Declared, Schema
from hundi.wire.plain.events import PlainEvent
from hundi.wire.plain.operation import Listing, PlainOperation
from hundi.wire.plain.table import OPERATIONS
from hundi.wire.plain.values import field_schema, messages_inside, plain_schema, shown_parts

VERSION = "1.0.0"
_Declared = PlainOperation[Any, Any]
_KEY = f"^[!-~]{{1,{KEY_MAX}}}$"


def _parameters(operation: _Declared) -> list[Schema]:
    """Return what stands in the address, the query and the headers."""
    listing = operation.listing
    parameters: list[Schema] = []
    for part in shown_parts(operation.request):
        name = part.attribute
        placed = name in operation.placed
        if not placed and operation.method == "POST":
            continue
        schema = field_schema(operation.request, part, asked=True)
        if listing is not None and name == listing.cursor:
            name, schema = "cursor", {**schema, "description": "next_cursor of the page before"}
        parameters.append(
            {
                "name": name,
                "in": "path" if placed else "query",
                "required": placed,
                "schema": schema,
            }
        )
    if operation.repeating:
        parameters.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": operation.repeating == "required",
                "description": "Your own name of this one request, kept for 30 days: the same again"
                " is done once, and refused for another request",
                "schema": {"type": "string", "pattern": _KEY},
            }
        )
    return parameters


def _body_name(operation: _Declared) -> str:
    """Return the name of the schema of a body, "" where all fields are elsewhere."""
    named = [part.attribute for part in shown_parts(operation.request)]
    has_body = operation.method == "POST" and set(named) - set(operation.placed)
    return operation.request.__name__ if has_body and not operation.placed else ""


def _answer(operation: _Declared) -> Schema:
    listing = operation.listing
    return ref(operation.reply.__name__) if listing is None else _page(operation, listing)


def _row_of(operation: _Declared) -> type[Declared]:
    """Return what an operation answers with, or what a page of its list has."""
    if operation.listing is None:
        return operation.reply
    items = operation.listing.items
    part = next(each for each in shown_parts(operation.reply) if each.attribute == items)
    assert part.kind.inside is not None, "a page has messages"
    return part.kind.inside


def _page(operation: _Declared, listing: Listing) -> Schema:
    cursor = {"type": "string" if listing.is_open else ["string", "null"]}
    return {
        "type": "object",
        "required": ["items", "next_cursor"],
        "properties": {
            "items": {"type": "array", "items": ref(_row_of(operation).__name__)},
            "next_cursor": {**cursor, "description": "The `cursor` of the next page"},
        },
    }


def _described(tag: str, operation: _Declared) -> Schema:
    refused = {
        "description": "Why not",
        "headers": REQUEST_ID,
        "content": {MEDIA_TYPE: {"schema": ref("ProblemDocument")}},
    }
    body = _body_name(operation)
    return {
        "operationId": operation.identity,
        "tags": [tag],
        "summary": operation.title,
        "description": f"Needs a bearer key with the scope `{operation.scope}`.",
        "x-scope": operation.scope,
        "security": [{"bearer": []}],
        "parameters": _parameters(operation),
        **(
            {"requestBody": {"required": True, "content": {JSON: {"schema": ref(body)}}}}
            if body
            else {}
        ),
        "responses": {
            str(operation.status): {
                "description": "Done" if operation.method == "POST" else "Found",
                "headers": REQUEST_ID,
                "content": {JSON: {"schema": _answer(operation)}},
            },
            "4XX": refused,
            "5XX": refused,
        },
    }


def _schemas() -> dict[str, Schema]:
    schemas: dict[str, Schema] = {}
    for operations in OPERATIONS.values():
        for operation in operations:
            if name := _body_name(operation):
                schemas |= _with_inside(operation.request, asked=True)
                assert name in schemas, "a body is one of its messages"
            schemas |= _with_inside(_row_of(operation), asked=False)
    return {**schemas, **_with_inside(PlainEvent, asked=False), "ProblemDocument": _problem()}


def _with_inside(declared: type[Declared], *, asked: bool) -> dict[str, Schema]:
    return {inner.__name__: plain_schema(inner, asked=asked) for inner in messages_inside(declared)}


def _problem() -> Schema:
    schema = msgspec.json.schema_components((ProblemDocument,))[1]["ProblemDocument"]
    properties = schema["properties"]
    properties["code"] = {"type": "string", "enum": [code.wire for code in Code]}
    properties["retry"] = {"type": "string", "enum": ["never", "after_fix", "later"]}
    return schema


def _webhook() -> Schema:
    return {
        "post": {
            "summary": "An event, with the setting notification_form standard, signed by the"
            " Standard Webhooks rules; any 2xx is delivered",
            "parameters": SIGNED,
            "requestBody": {"content": {JSON: {"schema": ref("PlainEvent")}}},
            "responses": {"2XX": {"description": "Taken"}},
        }
    }


@cache
def document() -> Schema:
    """Return the whole document."""
    paths: dict[str, dict[str, Schema]] = {}
    for tag, operations in OPERATIONS.items():
        for operation in operations:
            described = _described(tag.name, operation)
            paths.setdefault(operation.address, {})[operation.method.lower()] = described
    return openapi(
        "Hundi plain interface",
        VERSION,
        "JSON with a bearer key. Amounts are whole paise, times are UTC.",
        tags=[described_tag(tag) for tag in OPERATIONS],
        paths=paths,
        webhooks={"event": _webhook()},
        components={
            "schemas": _schemas(),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    )


@cache
def document_json() -> bytes:
    """Return the document as it is served."""
    return msgspec.json.encode(document())
