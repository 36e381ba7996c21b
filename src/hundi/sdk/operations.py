"""Performs the operations that `wire` declares: what is sent, what is read, what must agree."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from hundi.sdk import errors
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.incoming import Record
from hundi.wire.fields import FieldError
from hundi.wire.kinds import DIGITS
from hundi.wire.message import Declared, Part, parts, read_reply, read_request, write_request
from hundi.wire.operation import Operation
from hundi.wire.strict_json import JsonValue

API_PATH = "/gateway/pay/v4/api/"

Asked = TypeVar("Asked", bound=Declared)
Told = TypeVar("Told", bound=Declared)


def perform(calls: Calls, operation: Operation[Asked, Told], asked: Asked) -> Steps[Told]:
    """Return what an operation answers.

    Raises InvalidRequestError before anything is sent; MismatchError for an answer about something else.
    """
    payload = _checked(operation, asked)
    envelope = yield from calls.ask(
        API_PATH + operation.paths[0],
        payload,
        as_json=operation.body == "json",
        repeats=operation.repeats,
    )
    data = envelope.get("data")
    if not isinstance(data, Mapping):
        message = f"the reply to {operation.name} holds no object"
        raise errors.UnreadableReplyError(message)
    try:
        told = read_reply(operation.reply, data)
    except FieldError as problem:
        message = f"the reply to {operation.name} cannot be read: {problem}"
        raise errors.UnreadableReplyError(message) from problem
    for record in _about(operation, data):
        _demand_the_same(operation, payload, record)
    return told


def _checked(operation: Operation[Asked, Told], asked: Asked) -> dict[str, JsonValue]:
    """Return the fields to send. Raises InvalidRequestError for one that the gateway would refuse."""
    try:
        payload = write_request(asked)
        _ = read_request(operation.request, payload)
    except FieldError as problem:
        raise errors.InvalidRequestError(problem.field, problem.received, problem.allowed) from problem
    return payload


def _about(operation: Operation[Any, Any], data: Record) -> Sequence[Record]:
    """Return what a reply is about: each part of the list that the operation gives, or the reply itself."""
    listed = next((data.get(part.name) for part in parts(operation.reply) if part.attribute == operation.gives), None)
    # The reader made sure that these are objects.
    return [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else [data]


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
