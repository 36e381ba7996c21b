"""Performs the operations declared in `wire`: sends, reads, and compares what must agree."""

from collections.abc import Sequence
from typing import Any

from hundi.sdk import errors
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.outgoing import Payload, payload_of
from hundi.wire.fields import FieldError
from hundi.wire.kinds import DIGITS
from hundi.wire.message import read_reply
from hundi.wire.operation import Asked, Operation, Told
from hundi.wire.parts import Part, parts
from hundi.wire.strict_json import JsonValue


def perform(calls: Calls, operation: Operation[Asked, Told], asked: Asked) -> Steps[Told]:
    """Return an operation's answer.

    Raises InvalidRequestError before anything is sent; MismatchError for an answer about something
    else.
    """
    payload = payload_of(asked, calls.shop_origin)
    envelope = yield from calls.ask(
        operation.address,
        payload,
        as_json=operation.body == "json",
        with_token="token" in operation.proofs,
        repeats=operation.repeats,
    )
    data = envelope.get("data")
    try:
        told = read_reply(operation.reply, data)
    except FieldError as problem:
        message = f"the reply to {operation.name} cannot be read: {problem}"
        raise errors.UnreadableReplyError(message) from problem
    for record in _about(operation, data):
        _demand_the_same(operation, payload, record)
    return told


def _about(operation: Operation[Any, Any], data: JsonValue) -> Sequence[Payload]:
    """Return the subjects of a reply: the parts of the list that the operation gives, or itself."""
    if isinstance(data, dict) and operation.gives:
        data = next(
            data.get(part.name)
            for part in parts(operation.reply)
            if part.attribute == operation.gives
        )
    # The reader has checked that these are objects.
    return [each for each in (data if isinstance(data, list) else [data]) if isinstance(each, dict)]


def _demand_the_same(operation: Operation[Any, Any], payload: Payload, record: Payload) -> None:
    """Raise MismatchError when a reply names something else than the request."""
    asked = {part.name: part for part in parts(operation.request)}
    for name in operation.echoes:
        expected, received = str(payload.get(name) or ""), str(record.get(name) or "")
        if not expected or _is_same(asked[name], expected, received):
            continue
        if asked[name].hidden:
            expected, received = "the one asked for", "another"
        raise errors.MismatchError(name, expected, received)


def _is_same(part: Part, expected: str, received: str) -> bool:
    """Return whether two texts name the same; the gateway's numbers may have leading zeros."""
    if part.kind.schema.get("pattern") == DIGITS:
        return expected.lstrip("0") == received.lstrip("0")
    return expected == received
