"""A shop's terminal shows the gateway's answer to a sale, and takes a final "no" as such."""

import asyncio
import json
import re
import signal
import time
from typing import IO

import aiohttp
import pytest

from tests.testbed.bank.harness import Gateway, Process, Simbank

SALE = {"merchant_id": "10001", "terminal_id": "T1", "amount": "149.50", "txn_type": "SALE"}


async def sell(bank: Simbank, **changes: str) -> tuple[int, str]:
    async with bank.http.post(bank.url + "/terminal", data=SALE | changes) as response:
        return response.status, await response.text()


async def sold(bank: Simbank) -> str:
    status, page = await sell(bank)
    match = re.search(r'href="(/terminal/sales/pos_[0-9a-f]{16})"', page)
    assert (status, match is not None) == (200, True)
    return match[1] if match else ""


async def shows(bank: Simbank, path: str, words: str) -> str:
    """Look at a page until it says something."""
    ends = time.monotonic() + 60
    while True:
        async with bank.http.get(bank.url + path) as response:
            page = await response.text()
        if words in page:
            return page
        assert time.monotonic() < ends, page
        await asyncio.sleep(0.02)


async def test_what_the_gateway_answers_is_shown(
    own_process: Process, own_gateway: Gateway
) -> None:
    async with aiohttp.ClientSession() as http:
        bank = Simbank(own_process.url, http, own_gateway)
        await shows(bank, await sold(bank), "The gateway took it")
        own_gateway.status = 409
        path = await sold(bank)
        page = await shows(bank, path, "does not know this terminal yet")
        assert "hundi pos register 10001 T1 Counter" in page
        assert "It is told again on" in page
        own_gateway.status = 204
        await shows(bank, path, "The gateway took it")
        own_gateway.status = 500
        assert "What came back: HTTP 500." in await shows(bank, await sold(bank), "Not taken yet")


async def test_what_can_never_be_kept_is_told_once(
    own_process: Process, own_gateway: Gateway
) -> None:
    async with aiohttp.ClientSession() as http:
        bank = Simbank(own_process.url, http, own_gateway)
        own_gateway.status = 422
        path = await sold(bank)
        page = await shows(bank, path, "The gateway did not take it")
        assert "It is told no more." in page
        await asyncio.sleep(0.5)
        event_id = path.rpartition("/")[2]
        assert sum(each["event_id"] == event_id for each in own_gateway.heard) == 1


async def test_every_log_line_is_json_and_a_lasting_no_is_one_line(
    logged_process: tuple[Process, IO[bytes]], own_gateway: Gateway
) -> None:
    process, log = logged_process
    own_gateway.status = 409
    async with aiohttp.ClientSession() as http:
        bank = Simbank(process.url, http, own_gateway)
        path = await sold(bank)
        await shows(bank, path, "3×")
    process.end(signal.SIGTERM)
    log.seek(0)
    lines = [json.loads(line) for line in log.read().splitlines()]
    about = [each for each in lines if path.rpartition("/")[2] in each["event"]]
    assert [(each["level"], each["module"]) for each in about] == [("warning", "simbank.callbacks")]


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("merchant_id", "", "merchant&#39;s number has 1 to 12 digits"),
        ("merchant_id", "0", "merchant&#39;s number has 1 to 12 digits"),
        ("merchant_id", "my shop", "merchant&#39;s number has 1 to 12 digits"),
        ("terminal_id", "T 1", "1 to 16 letters and digits"),
        ("amount", "1e9", "in rupees, as in 149.50"),
        ("amount", "0.00", "more than nothing"),
        ("amount", "१", "in rupees, as in 149.50"),
        ("edited", "-1", "leave it empty if nothing was changed"),
        ("table_no", "4\x01", "at most 20 printable characters"),
        ("table_no", "x" * 21, "at most 20 printable characters"),
        ("mobile", "12", "ten digits"),
        ("txn_type", "GIFT", "Choose SALE, VOID or REFUND."),
    ],
)
async def test_what_cannot_be_sold_is_named(
    bank: Simbank, field: str, typed: str, words: str
) -> None:
    status, page = await sell(bank, **{field: typed})
    assert (status, page.count('class="problem"')) == (422, 1)
    assert words in page


async def test_a_number_that_no_sale_has_is_said_so(bank: Simbank) -> None:
    async with bank.http.get(bank.url + "/terminal/sales/pos_nothing") as response:
        assert response.status == 404
        page = await response.text()
    assert "No such sale" in page
    assert 'href="/terminal">Open the terminal</a>' in page
