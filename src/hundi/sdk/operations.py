"""Performs the operations that `wire` declares: what is sent, what is read, what must agree."""

from collections.abc import Mapping
from typing import TypeVar

from hundi.sdk import errors
from hundi.sdk.calls import Calls, Steps
from hundi.wire.fields import FieldError
from hundi.wire.message import Declared, read_reply, read_request, write_request
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
    for name in operation.echoes:
        _demand_the_same(name, payload, data)
    return told


def _checked(operation: Operation[Asked, Told], asked: Asked) -> dict[str, JsonValue]:
    """Return the fields to send. Raises InvalidRequestError for one that the gateway would refuse."""
    try:
        payload = write_request(asked)
        _ = read_request(operation.request, payload)
    except FieldError as problem:
        raise errors.InvalidRequestError(problem.field, problem.received, problem.allowed) from problem
    return payload


def _demand_the_same(name: str, payload: Mapping[str, JsonValue], data: Mapping[str, JsonValue]) -> None:
    """Raise MismatchError when a reply names something else than the request."""
    expected, received = str(payload.get(name) or ""), str(data.get(name) or "")
    if expected and expected.lstrip("0") != received.lstrip("0"):
        raise errors.MismatchError(name, expected, received)
