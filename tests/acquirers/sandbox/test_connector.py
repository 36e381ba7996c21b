"""The sandbox connector against servers that answer, refuse, hang up, stay silent or lie."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from hundi.acquirers.calls.breaker import FAILURES_MAX
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, Timeouts
from hundi.acquirers.port.answers import Approved, Authentication, Declined, Redirect, Unknown
from hundi.acquirers.port.payments import BankEntry, Charge
from hundi.acquirers.sandbox.connector import SandboxConnector
from hundi.acquirers.simulator import sign, signature_holds
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from tests.loop_clock import LoopClock
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.asyncio
KEY = b"shared"
CHARGE = Charge("7-215000000000001", Money(149_950))
CARD = CardNumber("4111111111111111", 12, 2030, "123", "Asha")
PAID = {"status": "paid", "rrn": "632512345678", "amount_paise": 149_950, "currency": "INR"}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def bank(
    handler: Handler, timeouts: Timeouts = DEFAULT_TIMEOUTS, **lists: float
) -> AsyncIterator[SandboxConnector]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    connector = SandboxConnector(f"http://127.0.0.1:{port}/", KEY, timeouts, **lists)
    try:
        yield connector
    finally:
        await connector.close()
        await runner.cleanup()


async def unreachable() -> SandboxConnector:
    server = await asyncio.start_server(lambda _r, w: w.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return SandboxConnector(f"http://127.0.0.1:{port}", KEY)


class Answering:
    """Answers from a list and remembers what it was asked."""

    def __init__(self, *answers):
        """Queue the answers; None hangs up."""
        self.answers = list(answers)
        self.asked = []

    async def answer(self, request):
        body = await request.read()
        signed = body if request.method == "POST" else request.path_qs.encode()
        header = request.headers["Acquirer-Signature"]
        at = int(header[2 : header.index(",")])
        assert signature_holds(KEY, header, signed, at)
        self.asked.append((request.method, request.path, json.loads(body) if body else None))
        answer = self.answers.pop(0)
        if answer is None:
            request.transport.abort()
            return web.Response()
        status, payload = answer if isinstance(answer, tuple) else (200, answer)
        if isinstance(payload, dict) and body:
            payload = {"reference": json.loads(body).get("reference", ""), **payload}
        return web.json_response(payload, status=status)


async def test_collect_says_who_pays_whom_and_is_never_decided_at_once():
    handler = Answering({"status": "pending", "code": "01"})
    async with bank(handler.answer) as connector:
        answer = await connector.collect(
            CHARGE, payer_vpa="a@hundi", payee_name="Shop", note="o-1", expires_in_s=300
        )
    assert answer == Unknown("01")
    assert handler.asked == [
        (
            "POST",
            "/acquirer/upi/collect",
            {
                "reference": "7-215000000000001",
                "amount_paise": 149_950,
                "currency": "INR",
                "payer_vpa": "a@hundi",
                "payee_vpa": "m7@simbank",
                "payee_name": "Shop",
                "note": "o-1",
                "expires_in_s": 300,
            },
        )
    ]


async def test_a_collect_request_answered_paid_still_waits_for_the_callback():
    async with bank(Answering(PAID).answer) as connector:
        answer = await connector.collect(
            CHARGE, payer_vpa="a@hundi", payee_name="", note="", expires_in_s=300
        )
    assert isinstance(answer, Unknown)


async def test_a_card_goes_to_the_challenge_and_comes_back():
    handler = Answering(
        {"status": "done", "trans_status": "Y", "eci": "05"},
        {**PAID, "card": {"last4": "1111", "scheme": "Visa", "type": "credit"}},
    )
    async with bank(handler.answer) as connector:
        origin = connector.browser_origins[0]
        handler.answers.insert(
            0,
            {"status": "challenge", "authentication_id": "a1", "challenge_url": f"{origin}/3ds/a1"},
        )
        visit = await connector.authenticate(CHARGE, CARD, return_url="https://pay.example.in/back")
        ended = await connector.authentication("a1")
        paid = await connector.authorise(CHARGE, authentication_id="a1", capture=True)
    assert visit == Redirect(f"{origin}/3ds/a1", "a1")
    assert ended == Authentication("Y", "05")
    assert isinstance(paid, Approved)
    assert paid.card is not None
    assert paid.card.last4 == "1111"


async def test_a_declined_card_is_an_answer():
    async with bank(Answering({"status": "declined", "code": "51"}).answer) as connector:
        assert await connector.authorise(CHARGE, authentication_id="a", capture=True) == Declined(
            "51"
        )


async def test_a_charge_that_was_cut_off_is_unknown_and_not_sent_again():
    handler = Answering(None, PAID)
    async with bank(handler.answer) as connector:
        answer = await connector.authorise(CHARGE, authentication_id="a", capture=True)
    assert answer == Unknown(message="no answer from the bank", sent=True)
    assert len(handler.asked) == 1


async def test_a_question_that_was_cut_off_is_asked_again():
    handler = Answering(None, PAID)
    async with bank(handler.answer) as connector:
        answer = await connector.inquire(CHARGE.reference)
    assert isinstance(answer, Approved)
    assert len(handler.asked) == 2


async def test_a_bank_that_was_never_reached_has_certainly_moved_nothing():
    connector = await unreachable()
    try:
        answer = await connector.authorise(CHARGE, authentication_id="a", capture=True)
    finally:
        await connector.close()
    assert answer == Unknown(message="the bank cannot be reached", sent=False)


@pytest.mark.parametrize(
    "answer", [(409, {"error": "amount"}), (401, {}), (302, {}), (500, {}), (200, ["paid"])]
)
async def test_an_answer_that_cannot_be_used_decides_nothing(answer):
    async with bank(Answering(answer).answer) as connector:
        result = await connector.authorise(CHARGE, authentication_id="a", capture=True)
    assert isinstance(result, Unknown)
    assert result.sent


BANKS = {"status": "ok", "banks": [{"method": "netbanking", "code": "HDFC", "name": "HDFC Bank"}]}
LISTED = (BankEntry("netbanking", "HDFC", "HDFC Bank"),)


async def test_a_list_is_asked_for_once_and_kept():
    handler = Answering(BANKS)
    async with bank(handler.answer) as connector:
        assert [await connector.banks() for _ in range(3)] == [LISTED] * 3
    assert len(handler.asked) == 1


async def test_while_the_bank_is_silent_its_last_list_stands_and_it_is_not_asked_at_every_turn():
    handler = Answering(BANKS, (404, {}), BANKS)
    async with bank(handler.answer, lists_kept_s=0.0, lists_asked_every_s=3_600.0) as connector:
        assert [await connector.banks() for _ in range(4)] == [LISTED] * 4
    assert len(handler.asked) == 2


async def test_without_a_list_a_silent_bank_is_asked_again_only_after_a_while():
    handler = Answering((404, {}))
    async with bank(handler.answer, lists_asked_every_s=3_600.0) as connector:
        assert all([isinstance(await connector.banks(), Unknown) for _ in range(5)])
    assert len(handler.asked) == 1
    handler = Answering((404, {}), (404, {}), BANKS)
    async with bank(handler.answer, lists_asked_every_s=0.0) as connector:
        assert all([isinstance(await connector.banks(), Unknown) for _ in range(2)])
        assert await connector.banks() == LISTED
    assert len(handler.asked) == 3


async def test_an_endless_answer_is_cut():
    async def endless(request):
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b" " * 65536)
        except ConnectionError:
            return response

    async with bank(endless) as connector:
        assert isinstance(
            await connector.authorise(CHARGE, authentication_id="a", capture=True), Unknown
        )


async def test_the_breaker_opens_on_failures_answers_without_the_network_and_closes_on_an_answer():
    handler = Answering(*[(503, {})] * FAILURES_MAX, PAID, PAID)
    async with bank(handler.answer) as connector:
        for _ in range(FAILURES_MAX):
            await connector.authorise(CHARGE, authentication_id="a", capture=True)
        assert not connector.reachable()
        refused = await connector.authorise(CHARGE, authentication_id="a", capture=True)
        assert refused == Unknown(message="the bank cannot be reached", sent=False)
        assert len(handler.asked) == FAILURES_MAX
        connector.breaker.open_until_s = 0.0
        assert isinstance(
            await connector.authorise(CHARGE, authentication_id="a", capture=True), Approved
        )
        assert connector.reachable()


async def test_an_issuers_silence_is_not_held_against_the_acquirer():
    asked, over, clock = asyncio.Event(), asyncio.Event(), LoopClock()

    async def silent(_request):
        asked.set()
        await over.wait()
        return web.json_response(PAID)

    async with bank(silent, Timeouts(authorise_s=3_600)) as connector:
        asking = asyncio.create_task(
            connector.authorise(CHARGE, authentication_id="a", capture=True)
        )
        await asked.wait()
        clock.move_on(3_600)
        async with asyncio.timeout(PATIENCE_S):
            answer = await asking
        over.set()
        assert answer == Unknown(message="no answer from the bank", sent=True)
        assert connector.breaker.failures == 0


async def test_a_callback_needs_the_shared_key():
    connector = SandboxConnector("http://127.0.0.1:9", KEY)
    body = json.dumps({"event_id": "e1", "reference": CHARGE.reference, **PAID}).encode()
    signed = {"simbank-signature": sign(KEY, 1_790_000_000, body)}
    word = connector.read_callback(signed, body, now_s=1_790_000_001)
    assert word is not None
    assert word.reference == CHARGE.reference
    assert isinstance(word.answer, Approved)
    assert connector.read_callback(signed, body + b" ", now_s=1_790_000_001) is None
    assert connector.read_callback(signed, body, now_s=1_790_009_999) is None
    assert connector.claimed_reference(body) == CHARGE.reference


async def test_a_card_is_never_readable():
    assert "4111" not in repr(CARD)
