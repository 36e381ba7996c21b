"""Razorpay's webhooks: our references in them."""

from typing import Any, TypeVar

import msgspec

from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.calls.razorpay_wire import REFERENCE_NOTE, Id, Word, decoded
from hundi.acquirers.razorpay.rules import texts

_Kind = TypeVar("_Kind")


class _Entity(msgspec.Struct, frozen=True):
    receipt: Word | None = None
    notes: Any = None


class _EntityBody(msgspec.Struct, frozen=True):
    entity: _Entity


class _Wrapped(msgspec.Struct, frozen=True):
    entity: Any


class _Token(msgspec.Struct, frozen=True):
    id: Id


class RazorpayWebhook(msgspec.Struct, frozen=True):
    """A webhook; the rest of it is neither believed nor read."""

    event: Word
    payload: dict[str, Any]


def read_event(body: bytes) -> RazorpayWebhook | None:
    """Return a webhook, or None when it does not have this form."""
    return decoded(RazorpayWebhook, body) if is_sound(body) else None


def references(event: RazorpayWebhook) -> tuple[str, ...]:
    """Return our references in a webhook.

    They are the receipts of orders and refunds, and in the notes of payments and transfers.
    """
    names: list[str] = []
    for name in ("order", "payment", "refund", "transfer"):
        body = _converted(event.payload.get(name))
        if body is None:
            continue
        names += [body.receipt or ""] if name != "payment" else []
        names.append(texts(body.notes).get(REFERENCE_NOTE, ""))
    return tuple(dict.fromkeys(each for each in names if each))


def mandates(event: RazorpayWebhook) -> tuple[str, ...]:
    """Return the token that a webhook is about, by Razorpay's name of it."""
    token = entity(event.payload.get("token"), _Token)
    return (token.id,) if token else ()


def entity(answer: object, kind: type[_Kind]) -> _Kind | None:
    """Return a webhook's entity of a kind, or None when it does not have this form."""
    try:
        return msgspec.convert(msgspec.convert(answer, _Wrapped).entity, kind)
    except msgspec.ValidationError:
        return None


def _converted(answer: object) -> _Entity | None:
    try:
        return msgspec.convert(answer, _EntityBody).entity
    except msgspec.ValidationError:
        return None
