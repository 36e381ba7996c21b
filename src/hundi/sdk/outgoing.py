"""Checks what leaves the SDK by the gateway's own bounds: amounts, origins and whole messages."""

import base64
from collections.abc import Callable, Mapping
from typing import TypeVar

from hundi.sdk.errors import InvalidRequestError
from hundi.wire import fields as wire_fields
from hundi.wire.strict_json import JsonValue

Payload = Mapping[str, JsonValue]
Message = TypeVar("Message")


def amount_text(
    amount_paise: int, field: str = "amount", error: type[InvalidRequestError] = InvalidRequestError
) -> str:
    """Return an amount as the wire writes it. Raises `error` for anything but an int above zero."""
    if type(amount_paise) is not int or amount_paise <= 0:
        raise error(
            field=field, received=repr(amount_paise), allowed="whole paise above zero, an int"
        )
    return wire_fields.text_from_paise(amount_paise)


def origin_text(shop_origin: str) -> str:
    """Return `mer_dom` for an origin like `https://shop.example`; "" for none."""
    return base64.b64encode(shop_origin.encode()).decode()


def checked(
    parse: Callable[[Payload], Message],
    payload: Payload,
    error: type[InvalidRequestError] = InvalidRequestError,
) -> Message:
    """Return what the gateway will read in a payload.

    Raises `error` for a field it would refuse.
    """
    try:
        return parse(payload)
    except wire_fields.FieldError as problem:
        raise error(problem.field, problem.received, problem.allowed) from problem
