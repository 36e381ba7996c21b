"""The bridge: a signed POST by Standard Webhooks to the operator's adapter; pure."""

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus

import msgspec

from hundi.kernel.standard_webhooks import standard_headers
from hundi.letters.mobile.rules import (
    SUCCESS,
    MobileMessage,
    ProviderAccount,
    ProviderCall,
    ProviderKind,
    answered,
)
from hundi.letters.rules import LetterChannel, SendOutcome, SendVerdict

_JSON = "application/json"
_CLIENT_ERRORS = range(400, 500)
_PASSING = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_EARLY,
    HTTPStatus.TOO_MANY_REQUESTS,
)
"""Answers of 4xx that are not about this message."""


class _Answer(msgspec.Struct, frozen=True):
    problem: str = ""


def send(message: MobileMessage, account: ProviderAccount, now: datetime) -> ProviderCall:
    """Return the call that sends a message."""
    template = message.template
    body = {
        "type": "message",
        "reference": message.reference,
        "channel": template.channel,
        "to": f"+91{message.number}",
        "text": message.text,
        "language": template.language,
        "template_id": template.template_id,
        "entity_id": template.entity_id,
        "header": template.header,
        "variables": message.values,
    }
    return _signed(message.reference, body, account, now)


def outcome(status: int, body: bytes) -> SendOutcome:
    """Return what an answer means: 2xx taken, 410 a number that takes none, 4xx refused."""
    if status in SUCCESS:
        return SendOutcome(SendVerdict.TAKEN)
    try:
        words = msgspec.json.decode(body, type=_Answer).problem
    except (msgspec.DecodeError, RecursionError):
        words = ""
    if status == HTTPStatus.GONE:
        return answered(SendVerdict.BOUNCED, status, words)
    is_final = status in _CLIENT_ERRORS and status not in _PASSING
    return answered(SendVerdict.REFUSED if is_final else SendVerdict.LATER, status, words)


def greet(account: ProviderAccount, now: datetime) -> ProviderCall:
    """Return a signed greeting, which sends nothing."""
    return _signed("greeting", {"type": "greeting"}, account, now)


def _signed(
    reference: str, body: Mapping[str, object], account: ProviderAccount, now: datetime
) -> ProviderCall:
    content = msgspec.json.encode(body)
    headers = standard_headers(reference, content, _JSON, (account.secret,), now)
    return ProviderCall("POST", account.url, content, headers)


BRIDGE = ProviderKind("bridge", (LetterChannel.SMS, LetterChannel.WHATSAPP), send, outcome, greet)
