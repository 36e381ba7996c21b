"""The client that connectors share: signed by the connector, and certain of what it never sent."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping

import pytest
from structlog.testing import capture_logs

from hundi.acquirers.answers import Unknown
from hundi.acquirers.client import AcquirerClient, Timeouts
from tests.unanswered import unanswered


class CoopBank:
    """Answers every call with its number, and keeps the head of what it was asked."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.url = ""

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                self.heads.append(head)
                if "content-length: " in head.lower():
                    await reader.readexactly(int(head.lower().split("content-length: ")[1].split("\r\n")[0]))
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%d" % len(self.heads))
        writer.close()
        await writer.wait_closed()


@pytest.fixture
async def bank() -> AsyncIterator[CoopBank]:
    made = CoopBank()
    async with await asyncio.start_server(made.talk, "127.0.0.1", 0) as server:
        made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/"
        yield made


def signed(method: str, path: str, body: bytes) -> Mapping[str, str]:
    return {"X-Signature": f"{method} {path} {body.decode()}"}


async def test_a_connector_signs_method_path_and_body(bank: CoopBank) -> None:
    client = AcquirerClient(bank.url, signed, int)
    assert await client.ask(client.post("/refunds", {"reference": "7-1"})) == 1
    assert await client.ask(client.look("/banks?after=3")) == 2
    await client.close()
    assert 'X-Signature: POST /v1/refunds {"reference":"7-1"}\r\n' in bank.heads[0]
    assert "X-Signature: GET /v1/banks?after=3 \r\n" in bank.heads[1]
    assert bank.heads[1].startswith("GET /v1/banks?after=3 HTTP/1.1\r\n")


async def test_a_connection_that_is_not_made_in_time_has_moved_nothing() -> None:
    with unanswered() as url, capture_logs() as lines:
        client = AcquirerClient(url, signed, int, Timeouts(connect_s=0.1))
        answer = await client.ask(client.post("/refunds", {}))
        await client.close()
    told = [(line["event"], line["bank"], line["path"], line["reason"], line["sent"]) for line in lines]
    assert told == [("bank_unreachable", url, "/refunds", "timeout", False)] * 2
    assert answer == Unknown(message="the bank cannot be reached", sent=False)
    assert client.breaker.failures == 2


async def test_a_longer_answer_than_allowed_may_have_been_sent_for_money(bank: CoopBank) -> None:
    client = AcquirerClient(bank.url, signed, int, answer_bytes_max=0)
    answer = await client.ask(client.post("/refunds", {}))
    await client.close()
    assert answer == Unknown(message="no answer from the bank", sent=True)
    assert len(bank.heads) == 1
