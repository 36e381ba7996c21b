"""The client that connectors share: signed by the connector, and certain of what it never sent."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import REFUSES_US, AcquirerClient, Timeouts
from hundi.acquirers.port.answers import Unknown
from hundi.infra.http.client import HttpAnswer
from tests.infra.http.test_client import own_certificate
from tests.unanswered import unanswered


class CoopBank:
    """Answers every call with its number, and keeps the head of what it was asked."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.bodies: list[bytes] = []
        self.url = ""
        self.status = "200 OK"
        self.first: list[str] = []

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                self.heads.append(head)
                if "content-length: " in head.lower():
                    length = int(head.lower().split("content-length: ")[1].split("\r\n")[0])
                    self.bodies.append(await reader.readexactly(length))
                status = self.first.pop(0) if self.first else self.status
                writer.write(
                    f"HTTP/1.1 {status}\r\nContent-Length: 1\r\n\r\n{len(self.heads)}".encode()
                )
        writer.close()
        await writer.wait_closed()


@pytest.fixture
async def bank() -> AsyncIterator[CoopBank]:
    made = CoopBank()
    async with await asyncio.start_server(made.talk, "127.0.0.1", 0) as server:
        made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/"
        yield made


def number(answer: HttpAnswer) -> int:
    return int(answer.body)


def signed(method: str, path: str, body: bytes) -> Mapping[str, str]:
    return {"X-Signature": f"{method} {path} {body.decode()}"}


async def test_a_connector_signs_method_path_and_body(bank: CoopBank) -> None:
    client = AcquirerClient(bank.url, signed, number)
    assert await client.ask(client.post("/refunds", {"reference": "7-1"})) == 1
    assert await client.ask(client.look("/banks?after=3")) == 2
    await client.close()
    assert 'X-Signature: POST /v1/refunds {"reference":"7-1"}\r\n' in bank.heads[0]
    assert "X-Signature: GET /v1/banks?after=3 \r\n" in bank.heads[1]
    assert bank.heads[1].startswith("GET /v1/banks?after=3 HTTP/1.1\r\n")


async def test_a_connection_that_is_not_made_in_time_has_moved_nothing() -> None:
    with unanswered() as url, capture_logs() as lines:
        client = AcquirerClient(url, signed, number, Timeouts(connect_s=0.1))
        answer = await client.ask(client.post("/refunds", {}))
        await client.close()
    told = [
        (line["event"], line["bank"], line["path"], line["reason"], line["sent"]) for line in lines
    ]
    assert told == [("bank_unreachable", url, "/refunds", "timeout", False)] * 2
    assert answer == Unknown(message="the bank cannot be reached", sent=False)
    assert client.breaker.failures == 2


async def test_a_longer_answer_than_allowed_may_have_been_sent_for_money(bank: CoopBank) -> None:
    client = AcquirerClient(bank.url, signed, number, answer_bytes_max=0)
    answer = await client.ask(client.post("/refunds", {}))
    await client.close()
    assert answer == Unknown(message="no answer from the bank", sent=True)
    assert len(bank.heads) == 1


async def test_a_form_is_sent_as_one(bank: CoopBank) -> None:
    client = AcquirerClient(bank.url, lambda *_call: {}, number)
    assert await client.ask(client.form("/commands", {"var1": "7-1", "name": "Asha & Sons"})) == 1
    await client.close()
    assert "Content-Type: application/x-www-form-urlencoded\r\n" in bank.heads[0]
    assert bank.bodies == [b"var1=7-1&name=Asha+%26+Sons"]


async def test_only_statuses_that_a_connector_reads_are_read(bank: CoopBank) -> None:
    bank.status = "409 Conflict"
    strict = AcquirerClient(bank.url, signed, number)
    answer = await strict.ask(strict.post("/orders", {}))
    assert answer == Unknown(message="the bank's answer cannot be used (HTTP 409)")
    lenient = AcquirerClient(bank.url, signed, lambda answer: answer.status, readable=(200, 409))
    assert await lenient.ask(lenient.post("/orders", {})) == 409
    await strict.close()
    await lenient.close()
    assert len(bank.heads) == 2, "neither was asked again"


async def test_what_a_bank_turns_away_at_the_door_has_moved_nothing(bank: CoopBank) -> None:
    bank.status = "429 Too Many Requests"
    client = AcquirerClient(bank.url, signed, number, readable=(200, 429))
    answer = await client.ask(client.post("/orders", {}))
    await client.close()
    assert answer == Unknown(message="the bank takes no more calls now", sent=False)


async def test_what_is_turned_away_at_the_second_time_may_have_been_taken_at_the_first(
    bank: CoopBank,
) -> None:
    bank.first, bank.status = ["502 Bad Gateway"], "429 Too Many Requests"
    client = AcquirerClient(bank.url, signed, number)
    answer = await client.ask(client.question("/orders", {"key": "7-1"}))
    await client.close()
    assert answer == Unknown(message="the bank takes no more calls now", sent=True)
    assert len(bank.heads) == 2


def keyless(path: str, answer: HttpAnswer) -> bool:
    """What an acquirer says that documents its 401, but for one path."""
    return answer.status == 401 and path != "/open"


@pytest.mark.parametrize("asks", [False, True])
async def test_an_acquirer_that_does_not_believe_our_keys_worked_on_nothing(
    bank: CoopBank, *, asks: bool
) -> None:
    bank.status = "401 Unauthorized"
    client = AcquirerClient(bank.url, signed, number, refuses_credentials=keyless)
    call = client.question("/orders", {}) if asks else client.post("/orders", {})
    answer = await client.ask(call)
    # A refused inquiry leaves open what became of the call it asks about.
    assert answer == Unknown(message=REFUSES_US, sent=asks, credentials_refused=True)
    assert client.breaker.state(time.monotonic()) is BreakerState.OPEN
    again = await client.ask(call)
    assert again == Unknown(message="the acquirer does not accept our credentials", sent=False), (
        "it says why"
    )
    assert len(bank.heads) == 1
    await client.close()


async def test_a_refusal_where_no_key_is_looked_at_decides_nothing(bank: CoopBank) -> None:
    bank.status = "401 Unauthorized"
    client = AcquirerClient(bank.url, signed, number, refuses_credentials=keyless)
    answer = await client.ask(client.post("/open", {}))
    await client.close()
    assert isinstance(answer, Unknown)
    assert (answer.sent, answer.credentials_refused) == (True, False)
    assert client.breaker.state(time.monotonic()) is BreakerState.CLOSED


async def test_credentials_that_are_not_taken_any_more_are_in_the_log_and_decide_nothing(
    bank: CoopBank,
) -> None:
    bank.status = "401 Unauthorized"
    client = AcquirerClient(bank.url, signed, number)
    with capture_logs() as lines:
        answer = await client.ask(client.post("/refunds", {"reference": "7-1"}))
    await client.close()
    # It may have been worked on: the inquiries ask.
    assert answer == Unknown(
        message="the bank does not accept our credentials (HTTP 401)", sent=True
    )
    assert [each["bank"] for each in lines if each["event"] == "acquirer_refuses_credentials"] == [
        client.origin
    ]


async def test_a_certificate_that_does_not_fit_is_told_as_that(tmp_path: Path) -> None:
    heard: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(1))
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, ssl=own_certificate(tmp_path))
    client = AcquirerClient(
        f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", signed, number
    )
    answer = await client.ask(client.question("/orders", {"secret": "yes"}))
    await client.close()
    server.close()
    assert answer == Unknown(
        message="the bank's certificate is none that is trusted for its host", sent=False
    )
    assert b"".join(heard) == b""
