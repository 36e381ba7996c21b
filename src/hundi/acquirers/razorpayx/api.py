"""RazorpayX's calls, and the account for all of them."""

import time
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import Timeouts
from hundi.acquirers.calls.razorpay_wire import Read, client, decoded, refused, unusable
from hundi.acquirers.port.answers import NothingThere, Unknown
from hundi.acquirers.razorpayx import rules
from hundi.acquirers.razorpayx.messages import (
    BankingBalances,
    RazorpayxPayout,
    RazorpayxPayouts,
    RazorpayxValidation,
    RazorpayxValidations,
)
from hundi.kernel.records import replace

KEY = "X-Payout-Idempotency"
LISTED_MAX = 100
PAGES_MAX = 10
LIST_BYTES_MAX = 2 * 1024 * 1024
_Kind = TypeVar("_Kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class RazorpayxAccount:
    """An account at RazorpayX.

    number: of the account that payouts leave. purpose: RazorpayX's word for what they are. queues:
    it keeps a payout for which the balance is short. bank: holds the account. validation: how bank
    accounts are checked. validation_number: the account that pays for that.
    """

    key_id: str
    key_secret: str
    number: str
    webhook_secrets: tuple[str, ...] = ()
    purpose: str = "payout"
    queues: bool = True
    bank: str = "other"
    validation: str = "optimized"
    validation_number: str = ""
    base_url: str = "https://api.razorpay.com/v1"

    def __repr__(self) -> str:
        """Hide the secrets: this value reaches tracebacks."""
        return f"RazorpayxAccount({self.key_id}, {self.number})"


class RazorpayxApi:
    """Calls to an account over HTTP."""

    def __init__(self, account: RazorpayxAccount, timeouts: Timeouts) -> None:
        """Keep the account; the first call opens a connection."""
        credentials = f"{account.key_id}:{account.key_secret}"
        self._number, self._validation_number = account.number, account.validation_number
        self._client = client(account.base_url, credentials, timeouts)
        self._lists = client(account.base_url, credentials, timeouts, LIST_BYTES_MAX)

    async def close(self) -> None:
        """Close the connection pools."""
        await self._client.close()
        await self._lists.close()

    def reachable(self) -> bool:
        """Return whether calls are made at all."""
        return self._client.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def send(
        self, path: str, request: dict[str, Any], headers: dict[str, str] | None = None
    ) -> Read | Unknown:
        """Make a call that may move money."""
        return await self._client.ask(
            replace(self._client.post(path, request), headers=headers or {})
        )

    async def payout(self, payout_id: str, reference: str) -> RazorpayxPayout | Unknown:
        """Return a payout by RazorpayX's number of it."""
        payout = await self._look(RazorpayxPayout, f"/payouts/{quote(payout_id, safe='')}")
        if isinstance(payout, Unknown):
            return payout
        is_it = (payout.id, payout.reference_id) == (payout_id, reference)
        return payout if is_it else unusable()

    async def payout_of(self, reference: str) -> RazorpayxPayout | NothingThere | Unknown:
        """Return the payout of our reference."""
        query = {
            "account_number": self._number,
            "reference_id": reference,
            "count": LISTED_MAX,
        }
        found = await self._look(RazorpayxPayouts, f"/payouts?{urlencode(query)}")
        if isinstance(found, Unknown):
            return found
        if any(each.reference_id != reference for each in found.items):
            return unusable()
        return rules.standing(found.items) if found.items else NothingThere()

    async def balances(self) -> BankingBalances | Unknown:
        """Return the balances of all accounts."""
        return await self._look(BankingBalances, f"/banking_balances?count={LISTED_MAX}")

    async def validation(self, validation_id: str) -> RazorpayxValidation | Unknown:
        """Return a check by RazorpayX's number of it."""
        path = f"/fund_accounts/validations/{quote(validation_id, safe='')}"
        validation = await self._look(RazorpayxValidation, path)
        if isinstance(validation, Unknown) or validation.id == validation_id:
            return validation
        return unusable()

    async def validation_of(
        self, reference_id: str, since_s: int
    ) -> RazorpayxValidation | NothingThere | Unknown:
        """Return the check of our reference, among those since a time in Unix seconds.

        RazorpayX does not search by it.
        """
        query = {"account_number": self._validation_number, "from": since_s, "count": LISTED_MAX}
        for page in range(PAGES_MAX):
            path = f"/fund_accounts/validations?{urlencode(query | {'skip': page * LISTED_MAX})}"
            found = await self._look(RazorpayxValidations, path)
            if isinstance(found, Unknown):
                return found
            for validation in found.items:
                if validation.reference_id == reference_id:
                    return validation
            if len(found.items) < LISTED_MAX:
                return NothingThere()
        return Unknown("many_checks", "there are more checks than can be told apart")

    async def _look(self, kind: type[_Kind], path: str) -> _Kind | Unknown:
        """Make a call that moves no money; its refusal decides nothing."""
        answer = await self._lists.ask(self._lists.look(path))
        if isinstance(answer, Unknown):
            return answer
        if not answer[0]:
            refusal = refused(answer[1])
            return rules.doubt(refusal) if refusal else unusable()
        return decoded(kind, answer[1]) or unusable()
