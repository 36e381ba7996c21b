"""Our account at the other gateway: the SDK's steps over the connectors' own HTTP client."""

import asyncio
import time
from collections.abc import Mapping
from typing import TypeVar

import structlog

from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, AcquirerClient, HttpCall, Timeouts
from hundi.acquirers.port.answers import Unknown
from hundi.infra.http.client import HttpAnswer
from hundi.kernel.records import replace
from hundi.sdk.calls import Answer, Calls, Gateway, HttpReply, Pause, Send, Step, Steps, performed
from hundi.sdk.credentials import Credentials
from hundi.sdk.errors import HundiError, InvalidRequestError, RefusedError

ANSWER_BYTES_MAX = 512 * 1024
"""Bytes; enough for a bank list with a few hundred banks, sealed and in plain."""
CODE_MAX = 16
REFUSED_PAUSE_S = 5.0
"""Seconds without a token request after a refusal.

Open payments cause inquiries all the time, with expired keys too.
"""
_NO_TOKEN = "the other gateway gives us no token"  # noqa: S105 (words)
Result = TypeVar("Result")
_log = structlog.get_logger(__name__)


class _SilentError(Exception):
    """One of the calls got no answer; it carries the operation's outcome."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.message)
        self.unknown = unknown


class Account:
    """Our merchant account at the other gateway.

    All operations share one access token for each scope.
    """

    def __init__(
        self, credentials: Credentials, gateway: Gateway, timeouts: Timeouts = DEFAULT_TIMEOUTS
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        # The client repeats what may be repeated, and knows what certainly never left.
        self.calls = Calls(credentials, replace(gateway, pauses_s=()))
        self.credentials = credentials
        self.client = AcquirerClient(
            gateway.base_url, _unsigned, _as_it_is, timeouts, answer_bytes_max=ANSWER_BYTES_MAX
        )
        self._base_url, self._timeouts = gateway.base_url.rstrip("/"), timeouts
        self._token_turn = asyncio.Lock()
        self._pauses_until_s = 0.0

    async def ask(
        self, steps: Steps[Result], *, repeatable: bool = True, waits_for_bank: bool = False
    ) -> Result | RefusedError | InvalidRequestError | Unknown:
        """Perform an operation; return its result, a refusal, or Unknown.

        repeatable: it moves no money, or carries an id that keeps it from moving money twice.
        waits_for_bank: the other gateway calls a bank before it answers.
        """

        async def perform(step: Step) -> Answer:
            if isinstance(step, Send):
                return await self._send(step, repeatable=repeatable, waits_for_bank=waits_for_bank)
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                return None
            async with self._token_turn:
                return await self._token(self.calls.issue_token(step.scope, step.rejected))

        try:
            return await performed(steps, perform)
        except _SilentError as silent:
            return silent.unknown
        except HundiError as problem:
            if isinstance(problem, InvalidRequestError) or (
                isinstance(problem, RefusedError) and problem.code
            ):
                return problem
            # Damaged, about something else, under another key, or a refusal without a code: it
            # decides nothing. Its text stays out of the log.
            _log.warning(
                "bank_answer_unusable", bank=self.client.origin, problem=type(problem).__name__
            )
            return Unknown(message="the other gateway's answer cannot be used")

    async def _token(self, steps: Steps[str]) -> str:
        """Return an access token; without one the operation certainly never left."""

        async def perform(step: Step) -> Answer:
            assert isinstance(step, Send), "a token is asked for in one step"
            return await self._send(step, repeatable=True, waits_for_bank=False)

        if time.monotonic() < self._pauses_until_s:
            raise _SilentError(Unknown(message=_NO_TOKEN, sent=False))
        try:
            return await performed(steps, perform)
        except _SilentError as silent:
            raise _SilentError(replace(silent.unknown, sent=False)) from None
        except HundiError as problem:
            self._pauses_until_s = time.monotonic() + REFUSED_PAUSE_S
            name = type(problem).__name__
            _log.warning("bank_token_refused", bank=self.client.origin, problem=name)
            raise _SilentError(Unknown(problem.code[:CODE_MAX], _NO_TOKEN, sent=False)) from None

    async def _send(self, step: Send, *, repeatable: bool, waits_for_bank: bool) -> HttpReply:
        answer = await self.client.ask(
            HttpCall(
                method="POST",
                path=step.url.removeprefix(self._base_url),
                body=step.body,
                headers={"Content-Type": step.content_type},
                timeout_s=self._timeouts.authorise_s if waits_for_bank else self._timeouts.call_s,
                repeatable=repeatable,
            )
        )
        if isinstance(answer, Unknown):
            raise _SilentError(answer)
        return HttpReply(answer.status, answer.body)


def _unsigned(_method: str, _path: str, _body: bytes) -> Mapping[str, str]:
    """Return no header: the body has the proof."""
    return {}


def _as_it_is(answer: HttpAnswer) -> HttpAnswer:
    """Return an answer that is JSON; the steps read it."""
    return answer
