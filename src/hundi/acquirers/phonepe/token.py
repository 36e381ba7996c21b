"""PhonePe's OAuth token: how it is requested and read."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from hundi.acquirers.calls.client import AcquirerClient, Timeouts
from hundi.acquirers.calls.pages import HiddenValue
from hundi.acquirers.calls.tokens import AccessTokens, AcquirerToken
from hundi.infra.http.client import HttpAnswer

PATH = "/v1/oauth/token"
EARLY_S = 60
"""Seconds before its end at which a token is renewed (phonepe-pg-skills, Authentication)."""
TOKEN_TYPE = "O-Bearer"  # noqa: S105 (the name of a kind of token)


class _TokenAnswer(msgspec.Struct, frozen=True):
    access_token: str
    expires_at: int


class _TokenRefusal(msgspec.Struct, frozen=True):
    code: str


@dataclass(frozen=True, slots=True, repr=False)
class PhonePeCredentials(HiddenValue):
    """Our identity at PhonePe: in memory only."""

    client_id: str
    client_secret: str
    client_version: str


class PhonePeTokens(AccessTokens):
    """The token of one connector. now_s: returns the time in Unix seconds."""

    def __init__(
        self,
        url: str,
        credentials: PhonePeCredentials,
        timeouts: Timeouts,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Keep the configuration; the first call requests a token."""
        http = AcquirerClient(url, lambda *_call: {}, _read, timeouts, refuses_credentials=_refuses)
        fields = {
            "client_id": credentials.client_id,
            "client_version": credentials.client_version,
            "client_secret": credentials.client_secret,
            "grant_type": "client_credentials",
        }
        super().__init__("PhonePe", http, http.form(PATH, fields), TOKEN_TYPE, now_s)


def _refuses(_path: str, answer: HttpAnswer) -> bool:
    """Return whether PhonePe rejects our secret, as in test_token_service.py of its SDK."""
    try:
        return msgspec.json.decode(answer.body, type=_TokenRefusal).code == "INVALID_CLIENT"
    except (msgspec.MsgspecError, RecursionError):
        return False


def _read(answer: HttpAnswer) -> AcquirerToken | None:
    try:
        read = msgspec.json.decode(answer.body, type=_TokenAnswer)
    except (msgspec.MsgspecError, RecursionError):
        return None
    token = AcquirerToken(read.access_token, read.expires_at - EARLY_S)
    return token if token.usable else None
