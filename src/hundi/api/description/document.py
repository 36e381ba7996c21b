"""The OpenAPI 3.1 document of the payment interface, version 4.0.0, with its encrypted messages."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from hundi.api.addresses import PAGE
from hundi.api.description.fields import (
    AS_FORM,
    FORM,
    JSON,
    MULTIPART,
    NOTHING,
    REQUEST_ID,
    SIGNED,
    Schema,
    described_tag,
    one_of,
    openapi,
    ref,
    sealed,
    written,
)
from hundi.wire.codes import Code
from hundi.wire.kinds import SCHEMAS
from hundi.wire.merchant.payments import INITIATE
from hundi.wire.merchant.splits import MERCHANT_ID
from hundi.wire.merchant.table import TAGS, operations_of
from hundi.wire.operation import Operation, Tag
from hundi.wire.schema import schema_of, with_those_inside

VERSION = "4.0.0"
_Declared = Operation[Any, Any]
OPERATIONS: Mapping[Tag, tuple[_Declared, ...]] = {
    tag: tuple(operation for room in rooms for operation in operations_of(room))
    for tag, rooms in TAGS.items()
}
"""The operations of each tag."""


def _envelope(operation: _Declared) -> Schema:
    proofs = [
        each
        for each in ("privatekey", "encdata", "checksum")
        if each in {*operation.proofs, "encdata"}
    ]
    return {
        "type": "object",
        "required": ["merchant_id", *proofs],
        "properties": {
            "merchant_id": MERCHANT_ID.schema,
            "privatekey": written(
                "Hex SHA-256 of API secret @ username :|: password", r"^[0-9a-f]{64}$"
            ),
            "encdata": sealed(ref(operation.request.__name__), "The business fields, encrypted"),
            "checksum": {"type": "string", "description": "Verified whenever it is sent"},
        },
    }


def _envelopes(data: Schema) -> dict[str, Schema]:
    """Return the fields of a successful envelope."""
    return {
        "status_code": {"const": "200"},
        "status": {"const": "success"},
        "response_code": {"const": Code.SUCCESS.wire},
        "request_id": {"type": "string"},
        "message": {"type": "string"},
        "data": data,
    }


def _success(data: Schema) -> Schema:
    fields = _envelopes(data)
    return {"type": "object", "required": list(fields), "properties": fields}


def _failure() -> Schema:
    codes = [code.wire for code in Code if code is not Code.SUCCESS]
    of_token = {
        "type": "object",
        "required": ["success", "msg"],
        "properties": {
            "success": {"const": False},
            "msg": {"type": "string", "description": "As `message`"},
        },
    }
    return {
        "type": "object",
        "description": "Every refusal, with HTTP status 200",
        "required": ["status_code", "status", "response_code", "request_id", "message", "data"],
        "properties": {
            "status_code": one_of(
                f"{Code.MERCHANT_KEY_WRONG.wire} when `privatekey` is wrong, else 400",
                "400",
                Code.MERCHANT_KEY_WRONG.wire,
            ),
            "status": {"const": "fail"},
            "response_code": {"type": "string", "enum": codes},
            "error_code": {"type": "string", "enum": codes},
            "request_id": {"type": "string"},
            "message": {
                "type": "string",
                "description": "The check that failed and, for a field, what is allowed",
            },
            "data": {"anyOf": [NOTHING, of_token]},
        },
    }


def _part(operation: _Declared, part: str) -> str:
    """Return the name of a schema that only one operation has."""
    return operation.identity[0].upper() + operation.identity[1:] + part


def _parts(operation: _Declared) -> dict[str, Schema]:
    """Return an operation's own schemas.

    The request, and the plain and the encrypted form of the reply.
    """
    done = _part(operation, "Done")
    opened = {"anyOf": [ref(done), ref("Failure")]}
    encrypted = {
        "type": "object",
        "required": ["merchant_id", "response"],
        "properties": {
            "merchant_id": {"type": "string"},
            "response": sealed(opened, "The envelope, encrypted"),
        },
    }
    return {
        _part(operation, "Call"): _envelope(operation),
        done: _success(ref(operation.reply.__name__)),
        _part(operation, "Sealed"): encrypted,
    }


def _path(tag: Tag, operation: _Declared) -> Schema:
    body = ref(_part(operation, "Call"))
    plain = [ref(operation.plain.__name__)] if operation.plain else []
    answers = [ref(_part(operation, "Done")), ref("Failure"), ref(_part(operation, "Sealed"))]
    described: Schema = {
        "operationId": operation.identity,
        "tags": [tag.name],
        "summary": operation.title,
        "description": _description(operation),
        "x-encdata-schema": SCHEMAS + operation.request.__name__,
        "x-data-schema": SCHEMAS + operation.reply.__name__,
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": {"anyOf": [body, *plain]} if plain else body}},
            "x-also-accepts": {kind: {"schema": body} for kind in (FORM, MULTIPART)},
        },
        "responses": {
            "200": {
                "description": "The envelope, of a success or of a refusal",
                "headers": REQUEST_ID,
                "content": {JSON: {"schema": {"anyOf": answers}}},
            }
        },
    }
    if "token" in operation.proofs:
        described["parameters"] = [_token()]
    return {"post": described}


def _description(operation: _Declared) -> str:
    request, reply = operation.request.__name__, operation.reply.__name__
    schemas = _messages()
    asked, told = (schemas[each].get("description", "") for each in (request, reply))
    told = told.partition("\n\n")[0]
    answer = f"A success answers with `{reply}`" + (f": {told}" if told else ".")
    return f"`encdata` holds a `{request}`: {asked}\n\n{answer}"


def _token() -> Schema:
    token = written("Access token", r"^[0-9a-f]{40}$")
    return {
        "name": "token",
        "in": "query",
        "required": True,
        "schema": token,
        "description": token["description"],
    }


def _page() -> Schema:
    request = INITIATE.request.__name__
    return {
        "post": {
            "operationId": INITIATE.identity,
            "tags": ["Payments"],
            "summary": INITIATE.title,
            "description": "A form that the customer's browser posts to the payment page's host. "
            "`encdata` holds a "
            f"`{request}`: {_messages()[request]['description']}",
            "x-encdata-schema": SCHEMAS + request,
            "parameters": [_token()],
            "requestBody": {"required": True, "content": {FORM: {"schema": _envelope(INITIATE)}}},
            "responses": {
                "303": {"description": "To the payment session's page"},
                "default": {
                    "description": "A page that says why not",
                    "content": {"text/html": {}},
                },
            },
            "callbacks": {
                "return": {"{merchant's success or failure URL}": {"post": _return_leg()}}
            },
        }
    }


def _return_leg() -> Schema:
    record = _success({"type": "object", "additionalProperties": {"type": "string"}})
    form = {
        "merchant_id": {"type": "string"},
        "response": sealed(record, "The record, every value a string"),
    }
    return {
        "summary": "The customer's browser comes back with the outcome",
        "requestBody": {"content": {FORM: {"schema": {"type": "object", "properties": form}}}},
        "responses": {"default": {"description": "The merchant's own page"}},
    }


def _notification() -> Schema:
    record = _success(ref("TransactionRecord"))
    form = {
        "merchant_id": {"type": "string"},
        "response": sealed(record, "The envelope with `event`, encrypted"),
    }
    return {
        "post": {
            "summary": "Instant payment notification, signed by the Standard Webhooks rules; any "
            "2xx is delivered",
            "parameters": SIGNED,
            "requestBody": {"content": {JSON: {"schema": {"type": "object", "properties": form}}}},
            "responses": {"2XX": {"description": "Taken"}},
        }
    }


@cache
def _messages() -> dict[str, Schema]:
    """Return the schemas of all messages, before encryption."""
    declared = [each for operations in OPERATIONS.values() for each in operations]
    messages = [
        message
        for each in (INITIATE, *declared)
        for message in (each.request, each.reply, each.plain)
        if message
    ]
    return {
        inner.__name__: schema_of(inner)
        for message in messages
        for inner in with_those_inside(message)
    }


@cache
def document() -> Schema:
    """Return the whole document."""
    described = [(tag, each) for tag, operations in OPERATIONS.items() for each in operations]
    parts = {name: part for _, each in described for name, part in _parts(each).items()}
    return openapi(
        "Hundi payment interface",
        VERSION,
        f"Business fields travel encrypted in `encdata`; {AS_FORM}",
        tags=[described_tag(tag) for tag in OPERATIONS],
        paths={
            **{operation.address: _path(tag, operation) for tag, operation in described},
            PAGE[0]: _page(),
        },
        webhooks={"payment": _notification()},
        components={"schemas": {**_messages(), **parts, "Failure": _failure()}},
    )


@cache
def document_json() -> bytes:
    """Return the document as it is served."""
    return msgspec.json.encode(document())


def operations() -> dict[str, _Declared]:
    """Return each operation by its id."""
    return {each.identity: each for operations in OPERATIONS.values() for each in operations}


def validator_schema(name: str) -> dict[str, Any]:
    """Return one component as a schema of its own."""
    return {**ref(name), "components": {"schemas": document()["components"]["schemas"]}}
