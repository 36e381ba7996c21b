"""Parts of JSON Schemas that both documents share."""

from importlib.metadata import version

from hundi.wire import fields, kinds
from hundi.wire.codes import Code
from hundi.wire.kinds import SCHEMAS
from hundi.wire.operation import Tag
from hundi.wire.parts import Schema

JSON, FORM, MULTIPART = (
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
)
REQUEST_ID: Schema = {"x-request-id": {"schema": {"type": "string"}}}
"""Headers of each reply."""
SIGNED: list[Schema] = [
    {"name": name, "in": "header", "required": True, "schema": {"type": "string"}}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
]
"""Headers of each notification."""

AS_FORM = (
    "errors come with HTTP status 200. What is taken as JSON is taken as a form, too: "
    "see `x-also-accepts`."
)
NOTHING: Schema = {"type": "array", "items": {}, "maxItems": 0}
"""The empty array of a refusal."""


def described_tag(tag: Tag) -> Schema:
    """Return a tag as documents have it."""
    return {
        "name": tag.name,
        "description": tag.description,
        "externalDocs": {"url": f"/docs/{tag.page}/"},
    }


def text(description: str, length_max: int = fields.TEXT_MAX, length_min: int = 0) -> Schema:
    """Return the schema of free text without control characters."""
    return described(kinds.text(length_max, length_min).schema, description)


def written(description: str, pattern: str, *examples: str) -> Schema:
    """Return the schema of text that matches a pattern."""
    return {
        "type": "string",
        "description": description,
        "pattern": pattern,
        "examples": list(examples),
    }


def one_of(description: str, *values: str) -> Schema:
    """Return the schema of one of some words."""
    return {"type": "string", "description": description, "enum": list(values)}


def described(schema: Schema, description: str) -> Schema:
    """Return a field's schema with another description."""
    return schema | {"description": description}


def message(description: str, required: tuple[str, ...], /, **properties: Schema) -> Schema:
    """Return the schema of an inner message.

    Further fields are allowed, and covered by the checksum.
    """
    return {
        "type": "object",
        "description": description,
        "required": list(required),
        "properties": properties,
    }


def ref(name: str) -> Schema:
    """Return a reference to a schema of the document."""
    return {"$ref": SCHEMAS + name}


def sealed(schema: Schema, description: str, keyed_by: str = "username ~:~ password") -> Schema:
    """Return the schema of an encrypted text.

    schema: of its contents. keyed_by: what the key is the hash of.
    """
    cipher = (
        "AES-256-CBC, PKCS#7; key: the 32 lower-case hex characters of "
        f"md5({keyed_by}) as ASCII; the first 16 "
        "characters are the IV, then standard padded base64 of the ciphertext"
    )
    return {
        "type": "string",
        "description": f"{description}. {cipher}",
        "contentMediaType": JSON,
        "contentSchema": schema,
    }


def openapi(title: str, number: str, description: str, **parts: object) -> Schema:
    """Return a document.

    number: its version. parts: its tags, paths, components and the rest.
    """
    return {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": number,
            "x-hundi-version": version("hundi"),
            "description": description,
        },
        "servers": [{"url": "/"}],
        **parts,
        "x-response-codes": [
            {"code": code.wire, "words": code.words, "retry": code.retry} for code in Code
        ],
    }
