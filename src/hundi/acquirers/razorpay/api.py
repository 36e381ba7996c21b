"""Razorpay's calls that only ask, and the account that all of them are made with."""

import time
from base64 import b64encode
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from cachetools import TTLCache

from hundi.acquirers.answers import NothingThere, Unknown
from hundi.acquirers.breaker import BreakerState
from hundi.acquirers.client import AcquirerClient, Call, Timeouts
from hundi.acquirers.port import BankEntry
from hundi.acquirers.razorpay import questions, rules
from hundi.infra.http_client import Answer

LIST_KEPT_S = 600.0
METHODS_BYTES_MAX = 1024 * 1024
REFUNDS_LISTED_MAX = 100
Listed = dict[tuple[str, str], tuple[str, BankEntry]]
Read = tuple[bool, bytes]
"""Whether the call was done, and its body: what it is, or why it was refused."""
_Kind = TypeVar("_Kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account at Razorpay. email, phone: of the merchant, for customers who have none; "" for none."""

    key_id: str
    key_secret: str
    webhook_secrets: tuple[str, ...] = ()
    email: str = ""
    phone: str = ""
    base_url: str = "https://api.razorpay.com/v1"

    def __repr__(self) -> str:
        """Hide the secrets: this value reaches tracebacks."""
        return f"Account({self.key_id})"


class RazorpayApi:
    """What an account can be asked over HTTP. origin: scheme, host and port of its pages."""

    def __init__(self, account: Account, timeouts: Timeouts) -> None:
        """Remember the account; nothing is opened before the first call."""
        self._client = _client(account, f"{account.key_id}:{account.key_secret}", timeouts)
        # This list is asked for with the public half of the key.
        self._lists = _client(account, f"{account.key_id}:", timeouts, METHODS_BYTES_MAX)
        self._listed: TTLCache[str, Listed] = TTLCache(1, LIST_KEPT_S)
        self.origin = self._client.origin

    async def close(self) -> None:
        """Close the connection pools."""
        await self._client.close()
        await self._lists.close()

    def reachable(self) -> bool:
        """Return whether calls are made at all."""
        return self._client.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def send(
        self, path: str, asked: dict[str, Any], *, headers: dict[str, str] | None = None, waits: bool = False
    ) -> Read | Unknown:
        """Make a call that may move money. waits: as long as for an authorisation."""
        call = replace(self._client.post(path, asked), headers=headers or {})
        return await self._client.ask(replace(call, timeout_s=self._client.timeouts.authorise_s) if waits else call)

    async def orders(self, reference: str) -> tuple[rules.Order, ...] | Unknown:
        """Return the orders of a reference: one, or several of an account that lets a receipt come twice."""
        said = await self._asked(rules.Orders, self._client.look(f"/orders?{urlencode({'receipt': reference})}"))
        if isinstance(said, Unknown):
            return said
        return said.items if all(each.receipt == reference for each in said.items) else unusable()

    async def payments(self, order_ids: list[str]) -> tuple[rules.Payment, ...] | Unknown:
        """Return every payment of these orders."""
        found: list[rules.Payment] = []
        for order_id in order_ids:
            path = f"/orders/{quote(order_id, safe='')}/payments"
            said = await self._asked(rules.Payments, self._client.look(path))
            if isinstance(said, Unknown):
                return said
            if any(each.order_id != order_id for each in said.items):
                return unusable()
            found += said.items
        return tuple(found)

    async def refund(self, reference: str, payment: str) -> rules.Refund | NothingThere | Unknown:
        """Return the refund of a reference, found among those of its payment."""
        path = f"/payments/{quote(payment, safe='')}/refunds?count={REFUNDS_LISTED_MAX}"
        said = await self._asked(rules.Refunds, self._client.look(path))
        if isinstance(said, Unknown):
            return said
        ours = [each for each in said.items if each.receipt == reference]
        if len(ours) == 1:
            return ours[0] if ours[0].payment_id == payment else unusable()
        if ours or len(said.items) >= REFUNDS_LISTED_MAX:
            return Unknown("many_refunds", "this payment has more refunds than can be told apart")
        return NothingThere()

    async def methods(self) -> Listed | Unknown:
        """Return the account's banks, wallets and lenders, which seldom change."""
        if "methods" in self._listed:
            return self._listed["methods"]
        said = await self._asked(rules.Methods, self._lists.look("/methods"), self._lists)
        if isinstance(said, Unknown):
            return said
        self._listed["methods"] = found = questions.listed(said)
        return found

    async def _asked(
        self, kind: type[_Kind], call: Call, client: AcquirerClient[Read] | None = None
    ) -> _Kind | Unknown:
        """Ask for something; a refusal of a question decides nothing."""
        said = await (client or self._client).ask(call)
        if isinstance(said, Unknown):
            return said
        return (rules.decoded(kind, said[1]) if said[0] else None) or unusable()


def unusable() -> Unknown:
    """Return what an answer is that says nothing of what was asked."""
    return Unknown("unusable", "Razorpay's answer cannot be used")


def _client(
    account: Account, credentials: str, timeouts: Timeouts, answer_bytes_max: int = 64 * 1024
) -> AcquirerClient[Read]:
    """Return a client; only 200 is an answer and 400 a refusal: 401, 404 and 409 say nothing of the payment."""
    proof = {"Authorization": "Basic " + b64encode(credentials.encode()).decode()}
    return AcquirerClient(
        account.base_url,
        lambda _method, _path, _body: proof,
        _read,
        timeouts,
        answer_bytes_max=answer_bytes_max,
        readable=(HTTPStatus.OK, HTTPStatus.BAD_REQUEST),
    )


def _read(answer: Answer) -> Read:
    return answer.status == HTTPStatus.OK, answer.body
