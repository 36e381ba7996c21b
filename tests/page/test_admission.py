"""Admission: networks that ask too often wait, servers with known keys do not, pages queue."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TypeVar

import httpx
from structlog.testing import capture_logs

from hundi.acquirers.port.answers import BankCallback, Unknown
from hundi.acquirers.registry import Member
from hundi.api.admission import BEHIND_PROXY, DELAY_S, PLACE_BYTES, PROVEN_SENDER_FACTOR, Admission
from hundi.api.endpoint import EndpointPolicy, RequestContext, serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.interfaces import PAGE_BODY_BYTES_MAX
from hundi.infra.http.turns import Turns
from hundi.kernel.clock import MINUTE_S
from hundi.kernel.refusals import Refusal, Refused
from hundi.page.pay import RETURNS_A_MINUTE
from tests.acquirer import ScriptedAcquirer
from tests.page.conftest import REQUESTS_A_MINUTE, Till
from tests.page.test_checkout import CARD
from tests.patience import PATIENCE_S

HTML = {"accept": "text/html"}
Answers = TypeVar("Answers")


async def _asked_too_often(till: Till, path: str) -> None:
    """Use up what one network may ask in a minute; a minute may turn meanwhile, once."""
    answers = await asyncio.gather(
        *(till.browser.get(path) for _ in range(2 * REQUESTS_A_MINUTE + 1))
    )
    statuses = {answer.status_code for answer in answers}
    assert 429 in statuses
    assert statuses <= {200, 429}


async def test_a_network_that_asks_too_often_is_told_when_to_come_back(till: Till) -> None:
    session = await till.order()

    async def refused() -> tuple[httpx.Response, float, httpx.Response]:
        await _asked_too_often(till, session)
        began = time.perf_counter()
        page = await till.browser.get(session, headers=HTML | {"accept-language": "hi"})
        waited_s = time.perf_counter() - began
        return (
            page,
            waited_s,
            await till.browser.post("/gateway/pay/v4/api/verify/", data={"merchant_id": "1"}),
        )

    with capture_logs() as lines:
        page, waited_s, reply = await _within_one_minute(refused)
    networks = [line["network"] for line in lines if line["event"] == "network_limited"]
    # A line a minute: what was asked again, because a minute turned, has at most one more.
    assert networks in (["127.0.0.1"], ["127.0.0.1"] * 2)
    assert page.status_code == 429
    assert waited_s >= DELAY_S
    seconds = int(page.headers["retry-after"])
    assert 1 <= seconds <= 60
    assert f"{seconds} सेकंड" in page.text
    assert (reply.status_code, reply.json()["response_code"]) == (200, "429")
    assert f"{REQUESTS_A_MINUTE} calls a minute" in reply.json()["message"]
    assert int(reply.headers["retry-after"]) >= 1


async def _within_one_minute(ask: Callable[[], Awaitable[Answers]]) -> Answers:
    """Ask until no minute turned meanwhile, in which the count began anew."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            minute = time.time() // MINUTE_S
            answers = await ask()
            if time.time() // MINUTE_S == minute:
                return answers


async def test_a_server_that_showed_its_keys_may_ask_as_often_as_it_has_to(till: Till) -> None:
    till.gateway.admission.learn(str(till.merchant.merchant_id), "127.0.0.1", proven=True)
    session = await till.order()
    answers = await asyncio.gather(
        *(till.browser.get(session) for _ in range(2 * REQUESTS_A_MINUTE + 1))
    )
    assert {answer.status_code for answer in answers} == {200}


async def test_all_behind_a_proxy_that_nobody_named_are_counted_together_and_may_ask_more(
    till: Till,
) -> None:
    session, forwarded = await till.order(), {"x-forwarded-for": "203.0.113.7"}

    async def ask(times: int) -> set[int]:
        answers = (till.browser.get(f"{session}x", headers=forwarded) for _ in range(times))
        return {answer.status_code for answer in await asyncio.gather(*answers)}

    assert await ask(2 * REQUESTS_A_MINUTE + 1) == {404}
    assert 429 in await ask(2 * BEHIND_PROXY * REQUESTS_A_MINUTE)


async def test_a_form_that_is_sent_slowly_holds_no_turn(till: Till) -> None:
    session = await till.order()

    async def half_sent() -> AsyncIterator[bytes]:
        yield b"vpa=a"
        await asyncio.Event().wait()

    slow = [
        asyncio.create_task(till.browser.post(f"{session}/vpa", content=half_sent()))
        for _ in range(8)
    ]
    await asyncio.sleep(0.1)
    async with asyncio.timeout(60):
        assert (await till.browser.get(session)).status_code == 200
    for each in slow:
        each.cancel()


async def test_a_form_that_is_too_long_is_refused_before_its_turn(till: Till) -> None:
    session = await till.order()
    for headers in ({}, {"transfer-encoding": "chunked"}):
        answer = await till.browser.post(
            f"{session}/vpa", content=b"x" * (PAGE_BODY_BYTES_MAX + 1), headers=headers
        )
        assert answer.status_code == 413


async def test_who_names_many_merchants_without_their_keys_delays_none_of_them(till: Till) -> None:
    """A network that failed for one merchant takes one turn with all it claims.

    A merchant's own page goes on.
    """
    admission, session = till.gateway.admission, await till.order()

    named = {"merchant_id": str(till.merchant.merchant_id), "encdata": "x", "privatekey": "0" * 64}
    guessed = await till.browser.post("/gateway/pay/v4/api/verify/?token=none", data=named)
    assert guessed.json()["response_code"] == "104"
    # Two claims of a network that proved nothing: as of one sender, so that the second waits for
    # the first.
    done = asyncio.Event()

    async def claim() -> None:
        async with admission.turn("2", "127.0.0.1"):
            done.set()

    async with admission.turn("1", "127.0.0.1"):
        waiting = asyncio.create_task(claim())
        await asyncio.sleep(0.05)
        assert not done.is_set()
        assert (await till.browser.get(session)).status_code == 200
    await waiting
    assert done.is_set()


class _TalkativeBank(ScriptedAcquirer):
    """An acquirer whose callbacks are signed with one word, about payments that are not ours."""

    def read_callback(
        self, headers: dict[str, str], body: bytes, *, now_s: int
    ) -> BankCallback | None:
        assert now_s
        return (
            BankCallback("evt", "1-100000000000001", Unknown())
            if headers.get("signed") == body.decode()
            else None
        )

    def claimed_reference(self, body: bytes) -> str:
        return "" if body else "none"


async def test_a_bank_may_tell_more_once_its_signature_held(till: Till) -> None:
    till.gateway.connectors.take([Member(_TalkativeBank())])
    session = await till.order()

    async def told_often(signed: str, times: int = 1) -> set[int]:
        calls = (
            till.browser.post("/callbacks/sandbox", content=b"word", headers={"signed": signed})
            for _ in range(2 * times * REQUESTS_A_MINUTE + 1)
        )
        return {answer.status_code for answer in await asyncio.gather(*calls)}

    assert await told_often("guessed") == {401, 429}
    till.gateway.admission.learn("/callbacks/sandbox", "127.0.0.1", proven=True, is_server=False)
    assert await told_often("word") == {204}
    # Anybody may have heard the word: it opens no other door.
    pages = await asyncio.gather(
        *(till.browser.get(session) for _ in range(2 * REQUESTS_A_MINUTE + 1))
    )
    assert 429 in {page.status_code for page in pages}
    assert 429 in await told_often("word", PROVEN_SENDER_FACTOR)


async def test_a_network_is_a_bank_only_after_its_signature_held(till: Till) -> None:
    till.gateway.connectors.take([Member(_TalkativeBank())])
    told = await till.browser.post(
        "/callbacks/sandbox", content=b"word", headers={"signed": "word"}
    )
    assert told.status_code == 204
    await _asked_too_often(till, await till.order())
    again = await till.browser.post(
        "/callbacks/sandbox", content=b"word", headers={"signed": "word"}
    )
    assert again.status_code == 204


async def test_returns_that_prove_nothing_are_counted(till: Till) -> None:
    form = {"response": "x"}
    asked = (
        till.browser.post("/pay/v4/from/sandbox", data=form)
        for _ in range(2 * REQUESTS_A_MINUTE + 1)
    )
    assert {answer.status_code for answer in await asyncio.gather(*asked)} == {404, 429}


class _UndecidedBank(ScriptedAcquirer):
    """An acquirer whose challenges never end."""

    async def authentication(self, authentication_id: str) -> Unknown:
        self.calls.append(("authentication", authentication_id))
        return Unknown()


async def test_who_comes_back_again_and_again_makes_nobody_ask_the_network(till: Till) -> None:
    bank = _UndecidedBank()
    till.gateway.connectors.take([Member(bank)])
    path = await till.order()
    await till.browser.post(f"{path}/card", data=CARD)
    (attempt,) = (await till.view(path)).live
    for _ in range(RETURNS_A_MINUTE):
        assert (await till.browser.get(f"{path}/3ds/{attempt.attempt_id}")).status_code == 303
    assert bank.count("authentication") == RETURNS_A_MINUTE
    for _ in range(2 * RETURNS_A_MINUTE):
        assert (await till.browser.get(f"{path}/3ds/{attempt.attempt_id}")).status_code == 303
    assert bank.count("authentication") <= 2 * RETURNS_A_MINUTE, "a minute may turn meanwhile, once"


class _Looking:
    """Lets everybody in, and looks each time whether another request may begin."""

    def __init__(self, door: Admission) -> None:
        self._door = door
        self.seen: list[bool] = []

    async def look(self) -> None:
        try:
            async with self._door.turn("another", "203.0.113.9"):
                self.seen.append(True)
        except Refused:
            self.seen.append(False)

    async def authenticate(self, context: RequestContext[str]) -> None:
        context.claimed, context.authenticated = "anybody", True

    async def open(self, _: RequestContext[str]) -> None:
        await self.look()

    def sender_id(self, sender: str) -> str:
        return sender

    async def record(self, context: RequestContext[str], refusal: Refusal | None) -> None:
        pass


async def test_a_long_request_has_more_places_only_until_it_is_read(till: Till) -> None:
    """Five others and its two places are all seven; while it is acted on, one of them is free."""
    door = Admission(Turns(7, wait_s_max=0.01), 0)
    looking = _Looking(door)

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"x" * PLACE_BYTES, "more_body": False}

    async def act(_: RequestContext[str]) -> bytes:
        await looking.look()
        return b"done"

    def replied(_: RequestContext[str], answer: bytes) -> Reply:
        return Reply(answer)

    def refused(_: RequestContext[str], refusal: Refusal, __: Exception) -> bytes:
        return refusal.code.name.encode()

    head = {"path": "/", "method": "POST", "headers": [], "client": ("203.0.113.7", 1)}
    async with AsyncExitStack() as others:
        for number in range(5):
            await others.enter_async_context(door.turn(f"other {number}", "203.0.113.8"))
        policy = EndpointPolicy("long", looking, refused, replied)
        reply = await serve(
            replace(till.gateway, admission=door), Inbound(head, receive), policy, act
        )
    assert (reply.body, looking.seen) == (b"done", [False, True])
