"""Redirects at the bank end once, also when their time is over or the bank dies."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import asyncpg
import pytest

from hundi_testbed.bank.settings import Timings
from tests.databases import END_CLIENTS
from tests.testbed.bank.harness import (
    Gateway,
    Process,
    Simbank,
    new_reference,
)
from tests.testbed.bank.redirecting import (
    BANK,
    COMPANY,
    WALLET,
    come_to_pay,
    press,
    redirect,
    states,
)


@asynccontextmanager
async def at(process: Process, gateway: Gateway) -> AsyncIterator[Simbank]:
    async with aiohttp.ClientSession() as http:
        yield Simbank(process.url, http, gateway)


async def test_a_redirect_ends_with_its_time(own_process: Process, own_gateway: Gateway) -> None:
    async with at(own_process, own_gateway) as bank:
        references = [new_reference() for _ in range(3)]
        urls = [
            await redirect(bank, *each)
            for each in zip(references, (BANK, COMPANY, WALLET), strict=True)
        ]
        await come_to_pay(bank, urls[1], COMPANY)
        assert {(await bank.inquire(each))["status"] for each in references} == {"challenge"}
        await bank.move_clock(Timings().challenge_s)
        for reference, url in zip(references, urls, strict=True):
            (told,) = await own_gateway.hears(reference)
            assert (told["status"], told["code"]) == ("declined", "17")
            assert (
                (await press(bank, url, "pay", customer="asha"))
                .headers["Location"]
                .startswith(own_gateway.url)
            )
            assert (await bank.inquire(reference))["status"] == "declined"
            assert await bank.entries(reference) == []


@pytest.mark.parametrize("listed", [BANK, WALLET], ids=lambda listed: listed["bank_code"])
async def test_of_pressed_buttons_at_once_one_decides(
    bank: Simbank, listed: dict[str, str]
) -> None:
    for _ in range(8):
        reference = new_reference()
        url = await redirect(bank, reference, listed)
        typed = await come_to_pay(bank, url, listed)
        pressed = ("pay", "cancel", "pay", "cancel", "pay", "cancel")
        answers = await asyncio.gather(*(press(bank, url, each, **typed) for each in pressed))
        assert {answer.status for answer in answers} == {303}
        (told,) = await bank.gateway.hears(reference)
        assert (await bank.inquire(reference))["status"] == told["status"]
        assert await states(bank, reference) == (
            [("debit", "done")] if told["status"] == "paid" else []
        )
        await asyncio.sleep(0.05)
        assert len(bank.gateway.about(reference)) == 1


async def killed_between(
    process: Process, bank: Simbank, reference: str, url: str, typed: dict[str, str]
) -> None:
    """Kill the bank after its decision and before it closed the redirect, and restart it."""
    books = await asyncpg.connect(process.environment["HUNDI_SIMBANK_DATABASE_URL"])
    async with books.transaction():
        # While we hold the redirect's row, the bank can decide about the payment and cannot close
        # the redirect.
        await books.execute("SELECT FROM redirects WHERE reference = $1 FOR UPDATE", reference)
        pressing = asyncio.create_task(press(bank, url, "pay", **typed))
        while (await bank.inquire(reference))["status"] == "challenge":
            await asyncio.sleep(0.02)
        process.end(signal.SIGKILL)
        await books.execute(END_CLIENTS)
    assert (
        await books.fetchval("SELECT step FROM redirects WHERE reference = $1", reference)
        != "ended"
    )
    await books.close()
    with pytest.raises(aiohttp.ClientError):
        await pressing
    await asyncio.to_thread(process.start)


@pytest.mark.parametrize("act", ["pay", "cancel"])
@pytest.mark.parametrize("listed", [COMPANY, WALLET], ids=lambda listed: listed["bank_code"])
async def test_a_decision_stands_when_the_bank_dies_before_it_closes_the_redirect(
    own_process: Process, own_gateway: Gateway, listed: dict[str, str], act: str
) -> None:
    reference = new_reference()
    async with at(own_process, own_gateway) as bank:
        url = await redirect(bank, reference, listed)
        await killed_between(
            own_process, bank, reference, url, await come_to_pay(bank, url, listed)
        )
    async with at(own_process, own_gateway) as bank:
        back = await press(bank, url, act, customer="decline")
        assert (back.status, back.headers["Location"].startswith(own_gateway.url)) == (303, True)
        (told, *more) = await own_gateway.hears(reference)
        assert {each["event_id"] for each in more} <= {told["event_id"]}
        assert (told["status"], (await bank.inquire(reference))["status"]) == ("paid", "paid")
        assert await states(bank, reference) == [("debit", "done")]


async def test_time_that_runs_out_closes_what_a_crash_left_open_and_keeps_its_decision(
    own_process: Process, own_gateway: Gateway
) -> None:
    reference = new_reference()
    async with at(own_process, own_gateway) as bank:
        url = await redirect(bank, reference, WALLET)
        await killed_between(own_process, bank, reference, url, {"customer": "silent"})
    async with at(own_process, own_gateway) as bank:
        await bank.move_clock(Timings().challenge_s)
        await bank.becomes(reference, "paid")
        assert await states(bank, reference) == [("debit", "done")]
        async with bank.http.get(url) as page:
            assert "This page is done" in await page.text()
    assert own_gateway.about(reference) == [], "it was silent, and stays so"
