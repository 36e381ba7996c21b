"""The OpenAPI 3.1 document of the partners' interfaces."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from hundi.api.addresses import GATEWAY
from hundi.api.description.fields import (
    AS_FORM,
    FORM,
    JSON,
    MULTIPART,
    REQUEST_ID,
    SIGNED,
    Schema,
    described_tag,
    openapi,
    ref,
    written,
)
from hundi.api.description.partner_messages import REQUESTS
from hundi.api.description.partner_replies import REPLIES, refusal, reply_name
from hundi.wire.codes import Code
from hundi.wire.operation import Tag
from hundi.wire.partner.operation import PartnerOperation, Proof
from hundi.wire.partner.table import TAGS, operations_of

VERSION = "1.0.0"
_EVERYBODY = (
    Code.ENVELOPE_UNREADABLE,
    Code.FIELD_INVALID,
    Code.BODY_TOO_LARGE,
    Code.TOO_MANY_REQUESTS,
    Code.HOME_UNREACHABLE,
    Code.OURS,
)
_PERMITTED = (*_EVERYBODY, Code.PARTNER_SUSPENDED, Code.INTERFACE_NOT_ENABLED)
_PROVEN = (*_PERMITTED, Code.PARTNER_UNPROVEN)
_CHECKED = (*_PROVEN, Code.CHECKSUM_WRONG)
_PRINTABLE = r"^[!-~]{1,200}$"


def _header(name: str, schema: Schema, *, required: bool = True) -> Schema:
    return {
        "name": name,
        "in": "header",
        "required": required,
        "schema": schema,
        "description": schema["description"],
    }


_AFFILIATE = _header("affiliate", written("The partner's code", r"^[A-Z0-9]{4,10}$", "AF000001"))
_API_KEY = _header("api-key", written("A key of the partner", _PRINTABLE))
_PROCESSOR_KEY = _header("processor-key", written("A key of the partner", _PRINTABLE))
_CHECKSUM = _header(
    "checksum",
    written(
        "Hex SHA-256 of the parameters' values and the shared secret, joined", r"^[0-9a-f]{64}$"
    ),
)
_LEAD_CHECKSUM = _header(
    "checksum", written("Hex SHA-256 of query, affiliate and shared secret", r"^[0-9a-f]{64}$")
)
_LIVE = _header(
    "live", written("Y, or blank: asks the live provider", r"^Y?$", "Y"), required=False
)
_GATEWAY_KEY = _header(
    "GATEWAYKEY",
    written("Where the operator has set one; AIRPAYKEY, too", r"^[!-~]{8,200}$"),
    required=False,
)
_CARD_TOKEN = _header("token", written("The partner's card token", r"^[A-Za-z0-9]{10}$"))
_TIMESTAMP = _header(
    "timestamp",
    written("Seconds since 1970, at most 300 s from the gateway's", r"^[0-9]{1,11}$", "1763800000"),
)
_SIGNATURE = _header(
    "signature",
    written(
        "Hex HMAC-SHA256 of timestamp, a full stop and the body, under the shared secret",
        r"^[0-9a-f]{64}$",
    ),
)
_KEYS = (_AFFILIATE, _API_KEY, _PROCESSOR_KEY, _CHECKSUM)


_PROOFS: Mapping[Proof, tuple[tuple[Schema, ...], tuple[Code, ...]]] = {
    "keys": (_KEYS, _CHECKED),
    "card token": (
        (_CARD_TOKEN, _CHECKSUM),
        (*_PERMITTED, Code.TOKEN_UNKNOWN, Code.CHECKSUM_WRONG),
    ),
    "processor key": ((_AFFILIATE, _PROCESSOR_KEY, _LEAD_CHECKSUM, _GATEWAY_KEY), _CHECKED),
    "address": ((), (*_EVERYBODY, Code.ADDRESS_NOT_LISTED, Code.MERCHANT_SUSPENDED)),
    "signature": ((_AFFILIATE, _TIMESTAMP, _SIGNATURE), _PROVEN),
}
"""The headers of each proof, and its refusals."""


@dataclass(frozen=True, slots=True)
class Described:
    """What one address serves.

    declared: alternatives that differ only in their messages.
    """

    tag: Tag
    declared: tuple[PartnerOperation[Any, Any], ...]

    @property
    def first(self) -> PartnerOperation[Any, Any]:
        """The operation that declares what all have in common."""
        return self.declared[0]

    @property
    def name(self) -> str:
        """Its name in the document."""
        return self.first.identity

    @property
    def requests(self) -> tuple[str, ...]:
        """The names of the requests."""
        return tuple(each.request.__name__ for each in self.declared)

    @property
    def replies(self) -> tuple[str, ...]:
        """The names of the replies."""
        return tuple(map(reply_name, self.declared))

    @property
    def forms(self) -> tuple[str, ...]:
        """The names of the forms' fields."""
        as_form = (name.removesuffix("Request") + "Form" for name in self.requests)
        return tuple(
            form if form in REQUESTS else name
            for form, name in zip(as_form, self.requests, strict=True)
        )

    @property
    def headers(self) -> tuple[Schema, ...]:
        """The headers of a call."""
        return (*_PROOFS[self.first.proof][0], *((_LIVE,) if self.first.live else ()))

    @property
    def refused(self) -> str:
        """The name of its refusals."""
        return self.name[0].upper() + self.name[1:] + "Refused"

    @property
    def refusal(self) -> Schema:
        """The schema of its refusals, with its own codes."""
        every = refusal(*(each.shape for each in self.declared))
        codes = (*_PROOFS[self.first.proof][1], *self.first.codes)
        code = every["properties"]["error_code"] | {"enum": [code.wire for code in codes]}
        return every | {"properties": every["properties"] | {"error_code": code}}


def _described() -> Iterator[tuple[str, Described]]:
    for tag, rooms in TAGS.items():
        declared = [each for room in rooms for each in operations_of(room)]
        for path in dict.fromkeys(each.paths[0] for each in declared):
            yield (
                GATEWAY + path,
                Described(tag, tuple(each for each in declared if each.paths[0] == path)),
            )


OPERATIONS: Mapping[str, Described] = dict(_described())


def _one(names: tuple[str, ...]) -> Schema:
    return ref(names[0]) if len(names) == 1 else {"anyOf": [ref(name) for name in names]}


def _taken(operation: Described) -> Iterator[str]:
    """Yield a description of each request that an operation takes."""
    for name in operation.requests:
        yield f"`{name}`: {REQUESTS[name]['description']}"


def _path(operation: Described) -> Schema:
    form: Schema = {"schema": _one(operation.forms)}
    replies = [*map(ref, operation.replies), ref(operation.refused)]
    return {
        "post": {
            "operationId": operation.name,
            "tags": [operation.tag.name],
            "summary": operation.first.title,
            "description": "\n\n".join(_taken(operation)),
            "parameters": list(operation.headers),
            "requestBody": {
                "required": True,
                "description": f"At most {operation.first.kib_max} KiB",
                "content": {JSON: {"schema": _one(operation.requests)}},
                "x-also-accepts": {FORM: form, MULTIPART: form},
            },
            "responses": {
                "200": {
                    "description": "What was done, or why not",
                    "headers": REQUEST_ID,
                    "content": {JSON: {"schema": {"anyOf": replies}}},
                },
            },
        }
    }


def _news() -> Schema:
    return {
        "post": {
            "summary": "News of a lead, signed by the Standard Webhooks rules; any 2xx is "
            "delivered",
            "parameters": SIGNED,
            "requestBody": {"content": {JSON: {"schema": ref("LeadNews")}}},
            "responses": {"2XX": {"description": "Taken"}},
        }
    }


@cache
def document() -> Schema:
    """Return the whole document."""
    refusals = {operation.refused: operation.refusal for operation in OPERATIONS.values()}
    return openapi(
        "Hundi interfaces for partners",
        VERSION,
        f"Calls prove themselves by headers; {AS_FORM}",
        tags=[
            described_tag(tag)
            for tag in dict.fromkeys(operation.tag for operation in OPERATIONS.values())
        ],
        paths={path: _path(operation) for path, operation in OPERATIONS.items()},
        webhooks={"lead": _news()},
        components={"schemas": {**REQUESTS, **REPLIES, **refusals}},
    )


@cache
def document_json() -> bytes:
    """Return the document as it is served."""
    return msgspec.json.encode(document())
