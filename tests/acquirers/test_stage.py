"""The stage that newer stand-ins share plays each trouble as it says."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from tests.acquirers.stage import Document, Stage, StandinError, Trouble, Webhook


class Counter(Stage):
    """A server that counts what was asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def routes(self, app: web.Application) -> None:
        app.router.add_post("/count", self._counted)

    def trouble_document(self, status: int) -> Document:
        return {"trouble": status}

    async def _counted(self, request: web.Request) -> web.Response:
        if (await request.json()).get("refuse"):
            raise StandinError(400, {"refused": True})
        self.count += 1
        return web.json_response({"count": self.count})


@pytest.fixture
async def counter() -> AsyncIterator[Counter]:
    async with Counter.running() as counter:
        yield counter


async def asked(counter: Counter, **body: Any) -> tuple[int, bytes]:
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"{counter.url}/count", json=body) as answer,
    ):
        return answer.status, await answer.read()


@pytest.mark.parametrize(
    ("trouble", "status", "said", "done"),
    [
        (Trouble.TOO_MANY, 429, b'{"trouble": 429}', 0),
        (Trouble.FAILED_BEFORE, 500, b'{"trouble": 500}', 0),
        (Trouble.UNAVAILABLE, 503, b'{"trouble": 503}', 0),
        (Trouble.HTML, 200, b"<title>Maintenance</title>", 0),
        (Trouble.FAILED_AFTER, 500, b'{"trouble": 500}', 1),
        (Trouble.CUT, 200, b'{"coun', 1),
        (Trouble.EMPTY, 200, b"{}", 1),
    ],
)
async def test_a_trouble_is_played_once(
    counter: Counter, trouble: Trouble, status: int, said: bytes, done: int
) -> None:
    counter.trouble("/count", trouble)
    assert await asked(counter) == (status, said)
    assert counter.count == done
    assert (await asked(counter))[0] == 200


@pytest.mark.parametrize(("trouble", "done"), [(Trouble.LOST_BEFORE, 0), (Trouble.LOST_AFTER, 1)])
async def test_a_connection_ends(counter: Counter, trouble: Trouble, done: int) -> None:
    counter.trouble("/count", trouble)
    with pytest.raises(aiohttp.ClientError):
        await asked(counter)
    assert counter.count == done


async def test_an_answer_waits_until_it_is_released(counter: Counter) -> None:
    counter.trouble("GET /count", Trouble.FAILED_BEFORE)
    counter.trouble("POST /count", Trouble.SILENT)
    waiting = asyncio.create_task(asked(counter))
    while not counter.count:
        await asyncio.sleep(0.01)
    assert not waiting.done()
    counter.released.set()
    assert (await waiting)[0] == 200


async def test_answers_are_changed_and_strangers_refused(counter: Counter) -> None:
    counter.change("/count", lambda said: said | {"count": 7})
    assert await asked(counter, a=1) == (200, b'{"count": 7}')
    assert await asked(counter, refuse=True) == (400, b'{"refused": true}')
    counter.addresses = {"10.0.0.1"}
    assert (await asked(counter))[0] == 403
    assert [each.asked for each in counter.called("/count")] == [{"a": 1}, {"refuse": True}, {}]


def test_a_webhook_is_altered_and_keeps_its_old_signature() -> None:
    sent = Webhook("paid", {"X-Signature": "s", "Content-Type": "application/json"}, b'{"a":1}')
    assert sent.reserialised().said == sent.said
    assert sent.reserialised().body != sent.body
    assert list(sent.unsigned().headers) == ["Content-Type"]
    assert sent.saying(a=2).said == {"a": 2}
    assert sent.saying(a=2).headers == sent.headers
