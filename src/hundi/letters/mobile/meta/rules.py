"""Meta's Cloud API for WhatsApp: messages by approved templates, and its error codes; pure.

https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes
"""

from datetime import datetime
from http import HTTPStatus
from urllib.parse import quote

import msgspec

from hundi.letters.mobile.rules import (
    SUCCESS,
    MobileMessage,
    ProviderAccount,
    ProviderCall,
    ProviderKind,
    answered,
)
from hundi.letters.rules import LetterChannel, SendOutcome, SendVerdict

_UNDELIVERABLE = 131026
_PAUSED = 132015
"""A template that Meta paused for its quality comes back by itself."""
_TEMPLATES = range(132000, 133000)
_LATER = frozenset(
    {
        *(1, 2, 131000, 131016, 131057),  # its own trouble
        *(4, 80007, 130429, 131048, 131056, 133016),  # too many at once
        *(0, 3, 10, 190, 368, 131005, 131031, 131042, 131045),  # our account, not the letter
        *range(200, 300),
        _PAUSED,
    }
)
"""Codes after which the same message may be taken."""


class _Error(msgspec.Struct, frozen=True):
    code: int = -1
    message: str = ""


class _Answer(msgspec.Struct, frozen=True):
    error: _Error = _Error()


def send(message: MobileMessage, account: ProviderAccount, _now: datetime) -> ProviderCall:
    """Return the call that sends a message."""
    parameters = [{"type": "text", "text": value} for value in message.values]
    template = {
        "name": message.template.template_id,
        "language": {"code": message.template.language},
        "components": [{"type": "body", "parameters": parameters}] if parameters else [],
    }
    body = {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": f"91{message.number}",
        "type": "template",
        "template": template,
        "biz_opaque_callback_data": message.reference,
    }
    headers = {**_signed_in(account), "content-type": "application/json"}
    return ProviderCall("POST", f"{_url(account)}/messages", msgspec.json.encode(body), headers)


def outcome(status: int, body: bytes) -> SendOutcome:
    """Return what an answer means, by its code; the words may change."""
    if status in SUCCESS:
        return SendOutcome(SendVerdict.TAKEN)
    try:
        error = msgspec.json.decode(body, type=_Answer).error
    except (msgspec.DecodeError, RecursionError):
        error = _Error()
    words = f"{error.code} {error.message}".strip() if error.code >= 0 else ""
    return answered(_verdict(status, error.code), status, words)


def _verdict(status: int, code: int) -> SendVerdict:
    if code == _UNDELIVERABLE:
        return SendVerdict.BOUNCED
    if code in _LATER:
        return SendVerdict.LATER
    is_final = code in _TEMPLATES or status == HTTPStatus.BAD_REQUEST
    return SendVerdict.REFUSED if is_final else SendVerdict.LATER


def greet(account: ProviderAccount, _now: datetime) -> ProviderCall:
    """Return a call that reads our own phone number."""
    return ProviderCall("GET", f"{_url(account)}?fields=id", headers=_signed_in(account))


def _url(account: ProviderAccount) -> str:
    return f"{account.url}/{quote(account.account, safe='')}"


def _signed_in(account: ProviderAccount) -> dict[str, str]:
    return {"authorization": f"Bearer {account.secret}"}


META = ProviderKind("meta", (LetterChannel.WHATSAPP,), send, outcome, greet)
