"""Pine Labs' access token: how it is requested and read."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from hundi.acquirers.calls.aggregators import read_object, text_of
from hundi.acquirers.calls.client import AcquirerClient, Timeouts
from hundi.acquirers.calls.pages import HiddenValue
from hundi.acquirers.calls.tokens import AccessTokens, AcquirerToken
from hundi.infra.http.client import HttpAnswer

PATH = "/auth/v1/token"
LIFE_S = 3_000
"""Seconds for which Pine Labs' own client keeps a token (pinelabs-online-mcp, client.py)."""
TOKEN_LENGTH_MAX = 8_192


@dataclass(frozen=True, slots=True, repr=False)
class PineLabsCredentials(HiddenValue):
    """Our identity at Pine Labs: in memory only."""

    client_id: str
    client_secret: str


class PineLabsTokens(AccessTokens):
    """The token of one connector. now_s: returns the time in Unix seconds."""

    def __init__(
        self,
        url: str,
        credentials: PineLabsCredentials,
        timeouts: Timeouts,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Keep the configuration; the first call requests a token."""

        def read(answer: HttpAnswer) -> AcquirerToken | None:
            text = text_of((read_object(answer.body) or {}).get("access_token"), TOKEN_LENGTH_MAX)
            token = AcquirerToken(text, now_s() + LIFE_S)
            return token if token.usable else None

        http = AcquirerClient(url, lambda *_call: {}, read, timeouts)
        fields = {
            "client_id": credentials.client_id,
            "client_secret": credentials.client_secret,
            "grant_type": "client_credentials",
        }
        super().__init__("Pine Labs", http, http.post(PATH, fields), "Bearer", now_s)
