"""JSON Schemas of single fields, with the bounds of `wire.fields`, and what the documents share."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from hundi.wire import fields
from hundi.wire.codes import Code
from hundi.wire.merchant.payments import PINCODE_MAX, SUBTYPES
from hundi.wire.merchant.splits import REQUEST_ID_DIGITS_MAX

Schema = dict[str, Any]
SCHEMAS = "#/components/schemas/"
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

# Line and direction controls, as fields refuse them; what a dot leaves out besides is covered by
# it.
_NO_CONTROLS = r"^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]*$"

AS_FORM = (
    "errors come with HTTP status 200. What is taken as JSON is taken as a form, too: "
    "see `x-also-accepts`."
)
NOTHING: Schema = {"type": "array", "items": {}, "maxItems": 0}
"""The empty array of a refusal."""


@dataclass(frozen=True, slots=True)
class Tag:
    """Operations about one matter. page: of the documentation, which tells of it."""

    name: str
    description: str
    page: str

    @property
    def schema(self) -> Schema:
        """What the document says of it."""
        return {
            "name": self.name,
            "description": self.description,
            "externalDocs": {"url": f"/docs/{self.page}/"},
        }


def text(description: str, length_max: int = fields.TEXT_MAX, length_min: int = 0) -> Schema:
    """Return the schema of free text without control characters."""
    return {
        "type": "string",
        "description": description,
        "minLength": length_min,
        "maxLength": length_max,
        "pattern": _NO_CONTROLS,
    }


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


_DECIMAL = r"^(?!0{1,10}(\.0{1,2})?$)[0-9]{1,10}(\.[0-9]{1,2})?$"
AMOUNT = written(
    "Decimal above zero, at most two places, in the currency's units", _DECIMAL, "1499.50", "1"
)
ZERO_OR_AMOUNT = written(
    "Decimal, zero or more, at most two places", r"^[0-9]{1,10}(\.[0-9]{1,2})?$", "20.00", "0"
)
ORDER_ID = written(
    "The merchant's own order id, unique for each merchant", r"^[A-Za-z0-9_.-]{1,64}$", "ORD-1001"
)
IDENTIFIER = written("A linked account of the merchant", r"^[A-Za-z0-9_.-]{1,64}$", "WEAVER-7")
TRANSACTION_ID = written("The gateway's transaction id", r"^[0-9]{1,20}$", "215000000000001")
SPLIT_REQUEST_ID = written(
    "The merchant's own id: the same again changes nothing",
    rf"^[0-9]{{1,{REQUEST_ID_DIGITS_MAX}}}$",
    "1001",
)
RRN = text("The bank's retrieval reference number", fields.RRN_MAX)
CURRENCY_CODE = one_of(
    "ISO 4217 number, or letters", *fields.CURRENCIES.values(), *fields.CURRENCIES
)
ISO_CURRENCY = one_of("ISO 4217 letters, in any case", *fields.CURRENCIES)
PAYER_ACCOUNT = written(
    "The number of the one bank account that may pay", r"^[A-Za-z0-9]{6,18}$", "50100012345678"
)
PAYER_IFSC = written(
    "The IFSC of that account's branch, in any case", r"^[A-Za-z]{4}0[A-Za-z0-9]{6}$", "HDFC0000001"
)
EMAIL = written(
    "At most 254 characters",
    r"^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,60}\.[a-z]{2,20}$",
    "asha@example.in",
)
PHONE = written(
    "8 to 15 digits; + - ( ) and spaces may stand between them",
    r"^\+?[0-9]{8,15}$",
    "+919876543210",
)
VPA = written(
    "A UPI address", r"^[A-Za-z0-9][A-Za-z0-9._-]{1,180}@[A-Za-z][A-Za-z0-9]{1,63}$", "asha@okaxis"
)
CHMOD = written(
    "Channel codes joined by _",
    f"^({'|'.join(sorted(fields.CHANNELS))})(_({'|'.join(sorted(fields.CHANNELS))})){{0,3}}$",
    "upi_pg",
)
MER_DOM = written(
    "Base64 of the origin of the merchant's site",
    r"^[A-Za-z0-9+/]*={0,2}$",
    "aHR0cHM6Ly9zaG9wLmV4YW1wbGU=",
)
TXNSUBTYPE = one_of(
    "1 authorise, 2 sale, 3 MOTO, 7-11 EMI of 3/6/9/12/18 months, 12 subscription", *SUBTYPES
)
CUSTOMER = written(
    "The merchant's own name of its customer", r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,254}$", "asha-7"
)
SAVED_CARD = text("A saved card, as the record and the list name it", length_min=1)
CUSTOMVAR = text("Comes back unchanged", fields.CUSTOMVAR_MAX)
NAME = text("Any script", fields.NAME_MAX, 1)
ADDRESS = text("Any script", fields.ADDRESS_MAX)
PINCODE = text("Postal code", PINCODE_MAX)


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

    schema: of what it holds. keyed_by: what the key is the hash of.
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
    """Return a document. number: its version.

    parts: its tags, paths, components and what else it has.
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
