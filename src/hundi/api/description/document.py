"""The OpenAPI 3.1 document of the payment interface, version 4.0.0, with its encrypted messages."""

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
    SCHEMAS,
    SIGNED,
    Schema,
    Tag,
    one_of,
    openapi,
    ref,
    sealed,
    written,
)
from hundi.api.description.messages import REQUESTS, declared, replies
from hundi.api.description.operations import OPERATIONS, SealedOperation
from hundi.wire.codes import Code

VERSION = "4.0.0"


def _envelope(operation: SealedOperation) -> Schema:
    required = ["merchant_id", *(["privatekey"] if operation.privatekey else []), "encdata"]
    return {
        "type": "object",
        "required": [*required, *(["checksum"] if operation.checksum else [])],
        "properties": {
            "merchant_id": written("Numeric merchant identifier", r"^[0-9]{1,12}$", "10001"),
            "privatekey": written(
                "Hex SHA-256 of API secret @ username :|: password", r"^[0-9a-f]{64}$"
            ),
            "encdata": sealed(ref(operation.request), "The business fields, encrypted"),
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


def _part(operation: SealedOperation, part: str) -> str:
    """Return the name of a schema that one operation has for itself."""
    return operation.name[0].upper() + operation.name[1:] + part


def _parts(operation: SealedOperation) -> dict[str, Schema]:
    """Return an operation's own schemas.

    What is sent, and the plain and the encrypted form of what is answered.
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
        done: _success(ref(operation.data)),
        _part(operation, "Sealed"): encrypted,
    }


def _path(tag: Tag, operation: SealedOperation) -> Schema:
    body = ref(_part(operation, "Call"))
    flat = [ref("FlatSplitRequest")] if operation.name == "split" else []
    answers = [ref(_part(operation, "Done")), ref("Failure"), ref(_part(operation, "Sealed"))]
    described: Schema = {
        "operationId": operation.name,
        "tags": [tag.name],
        "summary": operation.summary,
        "description": _description(operation),
        "x-encdata-schema": SCHEMAS + operation.request,
        "x-data-schema": SCHEMAS + operation.data,
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": {"anyOf": [body, *flat]} if flat else body}},
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
    if operation.token:
        described["parameters"] = [_token()]
    return {"post": described}


def _description(operation: SealedOperation) -> str:
    schemas = _messages()
    asked = schemas[operation.request]["description"]
    told = schemas[operation.data].get("description", "").partition("\n\n")[0]
    answer = f"A success answers with `{operation.data}`" + (f": {told}" if told else ".")
    return f"`encdata` holds a `{operation.request}`: {asked}\n\n{answer}"


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
    form = _envelope(
        SealedOperation("payment", "", "PaymentRequest", "TransactionRecord", checksum=True)
    )
    return {
        "post": {
            "operationId": "initiatePayment",
            "tags": ["Payments"],
            "summary": "Initiate simple transaction",
            "description": "A form that the customer's browser posts to the payment page's host. "
            "`encdata` holds a "
            f"`PaymentRequest`: {REQUESTS['PaymentRequest']['description']}",
            "x-encdata-schema": SCHEMAS + "PaymentRequest",
            "parameters": [_token()],
            "requestBody": {"required": True, "content": {FORM: {"schema": form}}},
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
    """Return the schemas of all messages, as they are before they are encrypted."""
    return {**REQUESTS, **replies(), **declared()}


@cache
def document() -> Schema:
    """Return the whole document."""
    described = {
        path: (tag, each) for tag, of_tag in OPERATIONS.items() for path, each in of_tag.items()
    }
    parts = {name: part for _, each in described.values() for name, part in _parts(each).items()}
    return openapi(
        "Hundi payment interface",
        VERSION,
        f"Business fields travel encrypted in `encdata`; {AS_FORM}",
        tags=[tag.schema for tag in OPERATIONS],
        paths={
            **{path: _path(tag, operation) for path, (tag, operation) in described.items()},
            PAGE[0]: _page(),
        },
        webhooks={"payment": _notification()},
        components={"schemas": {**_messages(), **parts, "Failure": _failure()}},
    )


@cache
def document_json() -> bytes:
    """Return the document as it is served."""
    return msgspec.json.encode(document())


def operations() -> dict[str, tuple[str, str, str]]:
    """Return each operation's path and the schema names of request and data, by its id."""
    return {
        each.name: (path, each.request, each.data)
        for of_tag in OPERATIONS.values()
        for path, each in of_tag.items()
    }


def validator_schema(name: str) -> dict[str, Any]:
    """Return one component as a schema that stands alone."""
    return {**ref(name), "components": {"schemas": document()["components"]["schemas"]}}
