"""Exotel's interface for SMS: https://developer.exotel.com/api/sms; pure."""

from base64 import b64encode
from datetime import datetime
from http import HTTPStatus
from urllib.parse import quote, urlencode

from hundi.letters.mobile.rules import (
    SUCCESS,
    MobileMessage,
    ProviderAccount,
    ProviderCall,
    ProviderKind,
    answered,
)
from hundi.letters.rules import LetterChannel, SendOutcome, SendVerdict

_FINAL = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
)
"""Answers about this message; others are about our account or the hour, and pass."""


def send(message: MobileMessage, account: ProviderAccount, _now: datetime) -> ProviderCall:
    """Return the call that sends a message."""
    template = message.template
    fields = {
        "From": template.header,
        "To": f"+91{message.number}",
        "Body": message.text,
        "EncodingType": "plain" if message.text.isascii() else "unicode",
        "SmsType": "transactional",
        "DltEntityId": template.entity_id,
        "DltTemplateId": template.template_id,
        "CustomField": message.reference,
    }
    headers = {**_signed_in(account), "content-type": "application/x-www-form-urlencoded"}
    return ProviderCall("POST", _url(account, "Sms/send"), urlencode(fields).encode(), headers)


def outcome(status: int, _body: bytes) -> SendOutcome:
    """Return what an answer means; its documentation says to rely on the status alone."""
    if status in SUCCESS:
        return SendOutcome(SendVerdict.TAKEN)
    return answered(SendVerdict.REFUSED if status in _FINAL else SendVerdict.LATER, status)


def greet(account: ProviderAccount, _now: datetime) -> ProviderCall:
    """Return a call for a message that does not exist: 404 says that the keys are right."""
    return ProviderCall("GET", _url(account, "SMS/Messages/none"), headers=_signed_in(account))


def _url(account: ProviderAccount, path: str) -> str:
    return f"{account.url}/v1/Accounts/{quote(account.account, safe='')}/{path}"


def _signed_in(account: ProviderAccount) -> dict[str, str]:
    pair = b64encode(f"{account.user}:{account.secret}".encode()).decode()
    return {"authorization": f"Basic {pair}"}


EXOTEL = ProviderKind("exotel", (LetterChannel.SMS,), send, outcome, greet)
