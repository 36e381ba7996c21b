"""Checks outgoing requests by the gateway's own bounds."""

import base64
from collections.abc import Mapping
from typing import cast

from hundi.sdk.errors import InvalidRequestError
from hundi.wire.batch import Unread
from hundi.wire.fields import FieldError
from hundi.wire.kinds import SHOP
from hundi.wire.message import read_request, write_request
from hundi.wire.parts import Declared, parts
from hundi.wire.strict_json import JsonValue

Payload = Mapping[str, JsonValue]


def payload_of(
    asked: Declared,
    shop_origin: str = "",
    error: type[InvalidRequestError] = InvalidRequestError,
) -> dict[str, JsonValue]:
    """Return the fields of a request, as they are sent.

    shop_origin: sent as `mer_dom`, where the request has it. Raises `error` for a field that the
    gateway would refuse.
    """
    try:
        payload = write_request(asked)
        if shop_origin:
            origin = base64.b64encode(shop_origin.encode()).decode()
            payload |= {each.name: origin for each in parts(type(asked)) if each.kind is SHOP}
        read = read_request(type(asked), payload)
    except FieldError as problem:
        raise error(problem.field, problem.received, problem.allowed) from problem
    _refuse_unread(read)
    return payload


def _refuse_unread(read: Declared) -> None:
    """Raise InvalidRequestError for an item of a batch that the gateway would refuse."""
    for part in parts(type(read)):
        batch: object = getattr(read, part.attribute)
        items = cast("tuple[object, ...]", batch) if isinstance(batch, tuple) else ()
        for place, item in enumerate(items):
            if isinstance(item, Unread):
                field, wrong = f"{part.name}[{place}].{item.problem.field}", item.problem
                raise InvalidRequestError(field, wrong.received, wrong.allowed) from wrong
