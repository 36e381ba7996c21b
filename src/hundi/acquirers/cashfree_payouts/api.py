"""Cashfree's calls about payouts, balance and bank accounts."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from hundi.acquirers.calls.aggregators import object_of, paise_of, read_object, text_of
from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import AcquirerClient, Sign, Timeouts
from hundi.acquirers.cashfree_payouts import rules
from hundi.acquirers.cashfree_payouts.account import CashfreeKeys, CashfreePayoutsAccount
from hundi.acquirers.port.answers import NothingThere, Unknown
from hundi.infra.http.client import HttpAnswer
from hundi.kernel.money import Money
from hundi.kernel.records import replace

API_VERSION = "2024-01-01"
CHECKS_API_VERSION = "2023-12-18"
TOKEN_KEPT_S = 300
"""Seconds for which a token of the older interface is used; it is valid for six minutes."""
READABLE = (
    HTTPStatus.OK,
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.CONFLICT,
    HTTPStatus.PRECONDITION_FAILED,
    HTTPStatus.UNPROCESSABLE_ENTITY,
)
"""Statuses whose bodies are read; any other answer decides nothing."""
Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CashfreeReply:
    """An answer that arrived; its numbers are texts."""

    status: int
    fields: Fields

    @property
    def done(self) -> bool:
        """Return whether the call was done."""
        return self.status == HTTPStatus.OK

    @property
    def doubt(self) -> Unknown:
        """Return the meaning of a refusal that decides nothing."""
        return Unknown(*rules.refusal_of(self.status, self.fields))


class CashfreePayoutsApi:
    """Calls to an account over HTTP. now: returns Unix seconds."""

    def __init__(
        self, account: CashfreePayoutsAccount, timeouts: Timeouts, now: Callable[[], float]
    ) -> None:
        """Keep the account; the first call opens a connection."""
        self._now = now
        self._transfers = _client(
            account.base_url, self._signed(account.keys, API_VERSION), timeouts
        )
        self._tokens = _client(
            account.balance_url, self._signed(account.keys, API_VERSION), timeouts
        )
        self._balances = _client(account.balance_url, self._with_token, timeouts)
        checks = account.checks or account.keys
        self._checks = _client(
            account.checks_url, self._signed(checks, CHECKS_API_VERSION), timeouts
        )
        self._token, self._token_until_s = "", 0.0

    async def close(self) -> None:
        """Close the connection pools."""
        for each in (self._transfers, self._tokens, self._balances, self._checks):
            await each.close()

    def reachable(self) -> bool:
        """Return whether transfers are called for at all."""
        return self._transfers.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def transfer(self, request: dict[str, Any]) -> CashfreeReply | Unknown:
        """Call for a transfer, which may move money."""
        return await self._transfers.ask(self._transfers.post("/transfers", request))

    async def transfer_of(self, reference: str) -> Fields | NothingThere | Unknown:
        """Return the transfer of our reference."""
        name = rules.cashfree_id(reference)
        query = urlencode({"transfer_id": name})
        answer = await self._transfers.ask(self._transfers.look(f"/transfers?{query}"))
        found = _found(answer, rules.NOT_FOUND)
        if isinstance(found, Unknown | NothingThere) or found.get("transfer_id") == name:
            return found
        return Unknown("unusable", "Cashfree speaks of another transfer")

    async def balance(self) -> Money | Unknown:
        """Return the balance less what is under way."""
        if not self._token or self._now() >= self._token_until_s:
            token = await self._fetched_token()
            if isinstance(token, Unknown):
                return token
            self._token, self._token_until_s = token, self._now() + TOKEN_KEPT_S
        answer = await self._balances.ask(self._balances.look("/payout/v1/getBalance"))
        if isinstance(answer, Unknown):
            return answer
        # The older interface says in the body whether the call was done.
        data = object_of(answer.fields.get("data")) or {}
        available = text_of(data.get("availableBalance"))
        if answer.fields.get("status") != "SUCCESS" or not available:
            self._token = ""
            return answer.doubt
        return Money(paise_of(available))

    async def begin_check(self, request: dict[str, Any]) -> CashfreeReply | Unknown:
        """Call for a check of a bank account."""
        return await self._checks.ask(self._checks.post("/bank-account/async", request))

    async def check_of(self, name: str) -> Fields | NothingThere | Unknown:
        """Return the check of a try."""
        query = urlencode({"user_id": rules.cashfree_id(name)})
        answer = await self._checks.ask(self._checks.look(f"/bank-account?{query}"))
        return _found(answer, rules.CHECK_NOT_FOUND)

    async def address(self, vpa: str) -> Fields | Unknown:
        """Return Cashfree's check of a UPI address.

        A check costs money, so it is called for once, and after silence looked for by our name.
        """
        name = f"hundi_{secrets.token_hex(16)}"
        request = {"verification_id": name, "vpa": vpa}
        answer = await self._checks.ask(self._checks.post("/upi", request))
        if isinstance(answer, Unknown) and answer.sent and not answer.credentials_refused:
            query = urlencode({"verification_id": name})
            answer = await self._checks.ask(self._checks.look(f"/upi?{query}"))
        if isinstance(answer, Unknown):
            return answer
        if not answer.done:
            return answer.doubt
        is_ours = answer.fields.get("verification_id") == name
        return answer.fields if is_ours else Unknown("unusable", "Cashfree speaks of another check")

    async def _fetched_token(self) -> str | Unknown:
        answer = await self._tokens.ask(self._tokens.question("/payout/v1/authorize", {}))
        if isinstance(answer, Unknown):
            return answer
        token = text_of((object_of(answer.fields.get("data")) or {}).get("token"), 4_096)
        usable = token.isascii() and token.isprintable() and " " not in token
        return token if token and usable else answer.doubt

    def _signed(self, keys: CashfreeKeys, version: str) -> Sign:
        def sign(_method: str, _path: str, _body: bytes) -> Mapping[str, str]:
            return {**keys.headers(self._now()), "x-api-version": version}

        return sign

    def _with_token(self, _method: str, _path: str, _body: bytes) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self._token}"}


def _found(answer: CashfreeReply | Unknown, absent: str) -> Fields | NothingThere | Unknown:
    """Return what an inquiry found. absent: the code of a name that Cashfree does not know."""
    if isinstance(answer, Unknown):
        # An inquiry that was not made says nothing about the call in question.
        return replace(answer, sent=True) if answer.credentials_refused else answer
    if answer.done:
        return answer.fields
    is_absent = answer.status == HTTPStatus.NOT_FOUND and answer.fields.get("code") == absent
    return NothingThere() if is_absent else answer.doubt


def _client(base_url: str, sign: Sign, timeouts: Timeouts) -> AcquirerClient[CashfreeReply]:
    return AcquirerClient(
        base_url,
        sign,
        _read,
        timeouts,
        readable=READABLE,
        refuses_credentials=_refuses_credentials,
    )


def _read(answer: HttpAnswer) -> CashfreeReply | None:
    fields = read_object(answer.body)
    return None if fields is None else CashfreeReply(answer.status, fields)


def _refuses_credentials(_path: str, answer: HttpAnswer) -> bool:
    """Return whether Cashfree refuses our keys, so that no work was done.

    It says so with status 401; an address that is not listed gets 403.
    """
    fields = read_object(answer.body) if answer.status == HTTPStatus.UNAUTHORIZED else None
    return fields is not None and fields.get("type") == "authentication_error"
