"""The connector of Setu; see docs/setu.md."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from hundi.acquirers.calls.aggregators import read_object, text_of
from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.check_tries import CheckStanding, CheckTry, TriesChecks
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, AcquirerClient, Timeouts
from hundi.acquirers.calls.own_words import OwnWords
from hundi.acquirers.port.answers import BankAccount, NothingThere, Unknown
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payouts import TakesNoPayments
from hundi.acquirers.setu import rules
from hundi.infra.http.client import HttpAnswer
from hundi.kernel.money import Money

PATH = "/api/verify/ban/async"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetuAccount:
    """Our identity at Setu, and the product that checks accounts."""

    client_id: str
    client_secret: str
    product_id: str
    base_url: str

    def __repr__(self) -> str:
        """Hide the secret: this value reaches tracebacks."""
        return f"SetuAccount({self.client_id}, ****)"

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that authenticate a call."""
        return {
            "x-client-id": self.client_id,
            "x-client-secret": self.client_secret,
            "x-product-instance-id": self.product_id,
        }


class SetuConnector(TriesChecks, TakesNoPayments):
    """One account at Setu. now: returns Unix seconds."""

    def __init__(
        self,
        name: str,
        account: SetuAccount,
        memory: Memory,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        *,
        check_cost: Money,
        simulated: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep the account; the first call opens a connection.

        check_cost: as it was agreed with Setu. simulated: it is of Setu's sandbox.
        """
        self.name, self.simulated, self.check_cost = name, simulated, check_cost
        self._memory, self._now = OwnWords(memory, name), now
        headers = account.headers
        self._client: AcquirerClient[Mapping[str, Any]] = AcquirerClient(
            account.base_url, lambda _method, _path, _body: headers, _read, timeouts
        )

    async def close(self) -> None:
        """Close the connection pool."""
        await self._client.close()

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        return self._client.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def begin_check(
        self,
        attempt: CheckTry,  # noqa: ARG002 (Setu takes no reference of ours)
        account: BankAccount,
        holder: str,  # noqa: ARG002 (Setu compares no names)
    ) -> CheckStanding | Unknown:
        """Call for a check."""
        request = {
            "ifsc": account.ifsc,
            "accountNumber": account.number,
            "narration": rules.NARRATION,
        }
        answer = await self._client.ask(self._client.post(PATH, request))
        if isinstance(answer, Unknown):
            return answer
        standing = rules.check_standing(answer)
        return standing if standing.name else Unknown("unusable", "Setu named no check")

    async def find_check(
        self,
        attempt: CheckTry,  # noqa: ARG002 (Setu finds it by its own name alone)
        name: str,
        account: BankAccount,  # noqa: ARG002 (Setu shows none)
    ) -> CheckStanding | NothingThere | Unknown:
        """Return how a check stands; one whose answer was lost cannot be found."""
        if not name:
            return NothingThere()
        answer = await self._client.ask(self._client.look(f"{PATH}/{quote(name, safe='')}"))
        if isinstance(answer, Unknown):
            return answer
        if text_of(answer.get("id"), 64) not in {"", name}:
            return Unknown("unusable", "Setu speaks of another check")
        return rules.check_standing(answer)


def _read(answer: HttpAnswer) -> Mapping[str, Any] | None:
    return read_object(answer.body) if answer.status == HTTPStatus.OK else None
