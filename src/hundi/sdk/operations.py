"""Performs the operations that `wire` declares: what is sent, what is read, what must agree."""

from collections.abc import Sequence
from typing import Any, cast

from hundi.sdk import errors
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.incoming import Record
from hundi.sdk.outgoing import origin_text
from hundi.wire.batch import Unread
from hundi.wire.fields import FieldError
from hundi.wire.kinds import DIGITS, SHOP
from hundi.wire.message import Declared, Part, parts, read_reply, read_request, write_request
from hundi.wire.operation import Asked, Operation, Told
from hundi.wire.strict_json import JsonValue


def perform(calls: Calls, operation: Operation[Asked, Told], asked: Asked) -> Steps[Told]:
    """Return what an operation answers.

    Raises InvalidRequestError before anything is sent; MismatchError for an answer about something
    else.
    """
    payload = _checked(calls, operation, asked)
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


def _checked(calls: Calls, operation: Operation[Asked, Told], asked: Asked) -> dict[str, JsonValue]:
    """Return the fields to send.

    Raises InvalidRequestError for one that the gateway would refuse.
    """
    try:
        payload = write_request(asked)
        if calls.shop_origin:
            payload |= {
                each.name: origin_text(calls.shop_origin)
                for each in parts(operation.request)
                if each.kind is SHOP
            }
        read = read_request(operation.request, payload)
    except FieldError as problem:
        raise errors.InvalidRequestError(
            problem.field, problem.received, problem.allowed
        ) from problem
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
                raise errors.InvalidRequestError(field, wrong.received, wrong.allowed) from wrong


def _about(operation: Operation[Any, Any], data: JsonValue) -> Sequence[Record]:
    """Return what a reply is about.

    Each part of the list that the operation gives, or the reply itself.
    """
    if isinstance(data, dict) and operation.gives:
        data = next(
            data.get(part.name)
            for part in parts(operation.reply)
            if part.attribute == operation.gives
        )
    # The reader made sure that these are objects.
    return [each for each in (data if isinstance(data, list) else [data]) if isinstance(each, dict)]


def _demand_the_same(operation: Operation[Any, Any], payload: Record, record: Record) -> None:
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
    """Return whether two texts name the same; the gateway's numbers may have zeros in front."""
    if part.kind.schema.get("pattern") == DIGITS:
        return expected.lstrip("0") == received.lstrip("0")
    return expected == received
