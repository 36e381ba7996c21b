"""The simulated bank of a history: its own process with a slow clock, on the bank's database."""

import asyncio
import os
import socket
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date, timedelta
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import msgspec

from hundi.infra.errors import OperatorError
from hundi.infra.http.client import ClientSettings, HttpAnswer, NoAnswerError, OutboundClient, Reach
from hundi.infra.processes import LISTENING, PYTHON, end_with_parent

_READY_S_MAX = 120.0
_POLL_S = 0.05
_CALL_S_MAX = 20.0
_ANSWER_BYTES_MAX = 4 * 1024 * 1024


class BankClient:
    """Client of the simulated bank's customer and staff endpoints. url: its address."""

    def __init__(self, url: str, http: OutboundClient) -> None:
        """Use this address and client."""
        self.url = url
        self._http = http

    async def jump(self, ahead: timedelta) -> None:
        """Set its clock."""
        await self._json("PUT", "/control/clock", {"ahead_s": ahead.total_seconds()})

    async def scan(self, link: str, payer: str) -> None:
        """Pay a QR, or approve a mandate, with an app."""
        await self._json("POST", "/upi/pay", {"uri": link, "payer_vpa": payer})

    async def enter_otp(self, page: str, otp: str) -> None:
        """Answer a card's challenge and go back to the gateway, as a browser does."""
        await self._submit(page, {"otp": otp})

    async def act_at(self, page: str, *, pays: bool, customer: str) -> None:
        """Pay at the page of a bank or wallet, or leave it, and go back to the gateway."""
        if not pays:
            await self._submit(page, {"act": "cancel"})
            return
        for _ in range(_STEPS_MAX):
            if not await self._submit(
                page, {"act": "log_in", "customer": customer, "password": "demo"}
            ):
                return
            if not await self._submit(page, {"act": "pay", "customer": customer}):
                return

    async def _submit(self, page: str, form: Mapping[str, str]) -> bool:
        """Send a form; return whether the customer is still at the bank."""
        headers = {"content-type": "application/x-www-form-urlencoded"}
        answer = await self._http.send(
            "POST", page, urlencode(form).encode(), headers, timeout_s=_CALL_S_MAX
        )
        way = answer.headers.get("location", "")
        if not way or way.startswith("/"):
            return True
        await self._http.send("GET", way, b"", {}, timeout_s=_CALL_S_MAX)
        return False

    async def dispute(self, reference: str, reason: str) -> None:
        """Make the bank of a payment's customer dispute it."""
        await self._json("POST", "/control/dispute", {"reference": reference, "reason": reason})

    async def err(self, day: date, reference: str, mistake: str) -> None:
        """Make the statement of a day wrong about a payment."""
        mistake_request = {"date": day.isoformat(), "reference": reference, "mistake": mistake}
        await self._json("PUT", "/control/statement", mistake_request)

    async def statement(self, path: str, day: date) -> bytes:
        """Return the statement of a past day."""
        query = urlencode({"date": day.isoformat(), "format": "camt053"})
        answer = await self._http.send(
            "GET", f"{self.url}{path}?{query}", b"", {}, timeout_s=_CALL_S_MAX
        )
        return _good(path, answer)

    async def _json(self, method: str, path: str, body: Mapping[str, Any]) -> None:
        headers = {"content-type": "application/json"}
        sent = msgspec.json.encode(body)
        _good(
            path,
            await self._http.send(method, self.url + path, sent, headers, timeout_s=_CALL_S_MAX),
        )


def _good(path: str, answer: HttpAnswer) -> bytes:
    if answer.status != HTTPStatus.OK:
        message = (
            f"the simulated bank answered {answer.status} at {path}: {answer.body[:200].decode()}"
        )
        raise OperatorError(message)
    return answer.body


_STEPS_MAX = 2
"""The most pages of a customer's visit to a bank: one to log in, one to pay."""


_OF_PRESENT = ("HUNDI_SIMBANK_WAITS_FOR", "HUNDI_SIMBANK_MAIL_SOCKET")
"""Variables of the demo's own bank: that of the past waits for nothing, and has no mailbox."""


@asynccontextmanager
async def open_bank(
    gateway_url: str, listening: socket.socket, behind: timedelta
) -> AsyncIterator[BankClient]:
    """Start the bank's process on a socket, and end it with the block. Raises OperatorError.

    gateway_url: receives its callbacks. behind: how far its clock is behind real time.
    """
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    variables = {name: value for name, value in os.environ.items() if name not in _OF_PRESENT} | {
        "HUNDI_SIMBANK_GATEWAY_URL": gateway_url,
        "HUNDI_SIMBANK_PUBLIC_URL": url,
        "HUNDI_SIMBANK_RETURN_ORIGINS": gateway_url,
        "HUNDI_SIMBANK_APART_SECONDS": str(-behind.total_seconds()),
        LISTENING: str(listening.fileno()),
    }
    process = subprocess.Popen(  # noqa: ASYNC220, S603 (our own arguments; a start that takes no time)
        [*PYTHON, "simbank"],
        env=variables,
        stdin=subprocess.DEVNULL,
        pass_fds=[listening.fileno()],
        preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 (takes no lock)
    )
    try:
        settings = ClientSettings(
            reach=Reach.ANY, answer_bytes_max=_ANSWER_BYTES_MAX, cut_answers=False
        )
        async with OutboundClient(settings) as http:
            async with asyncio.timeout(_READY_S_MAX):
                while not await _answers(http, url):  # noqa: ASYNC110 (another process)
                    await asyncio.sleep(_POLL_S)
            yield BankClient(url, http)
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)


async def _answers(http: OutboundClient, url: str) -> bool:
    try:
        answer = await http.send("GET", url + "/health/ready", b"", {}, timeout_s=_CALL_S_MAX)
    except NoAnswerError:
        return False
    return answer.status == HTTPStatus.OK
