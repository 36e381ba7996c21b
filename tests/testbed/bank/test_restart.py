"""What survives kill -9: callbacks not yet delivered, outcomes still due, the fault settings.

And what never leaks.
"""

import asyncio
import signal
from typing import IO

import aiohttp
import asyncpg

from tests.databases import END_CLIENTS
from tests.testbed.bank.harness import CARD, Gateway, Process, Simbank, new_reference, upi_link


async def test_callbacks_outcomes_and_fault_settings_survive(
    own_process: Process, own_gateway: Gateway
) -> None:
    paid, pending, challenged = new_reference(), new_reference(), new_reference()
    own_gateway.status = 503
    async with aiohttp.ClientSession() as http:
        bank = Simbank(own_process.url, http, own_gateway)
        rrn = (await bank.pay(upi_link(paid)))[1]["rrn"]
        await bank.pay(upi_link(pending), "pending@hundi")
        authentication_id = await bank.authenticated(challenged, "4000000000009995")
        await bank.set_faults(seed=5)
        refused = await own_gateway.hears(paid, 3)
    own_process.end(signal.SIGKILL)

    own_gateway.status = 200
    await asyncio.to_thread(own_process.start)
    async with aiohttp.ClientSession() as http:
        bank = Simbank(own_process.url, http, own_gateway)
        *_, heard = await own_gateway.hears(paid, len(refused) + 1)
        assert (heard["answered"], heard["rrn"], heard["event_id"]) == (
            200,
            rrn,
            refused[0]["event_id"],
        )
        await bank.becomes(pending, "paid")
        assert (await bank.authorise(challenged, authentication_id))[1]["code"] == "51", (
            "the issuer still knows the card"
        )
        assert (await bank.pay(upi_link(new_reference())))[1]["rrn"] > rrn
        async with http.get(bank.url + "/control/dial") as response:
            assert (await response.json())["seed"] == 5
        before = len(own_gateway.about(paid))
        await asyncio.sleep(0.5)
        assert len(own_gateway.about(paid)) == before, "delivered once is delivered"


async def test_a_database_that_hangs_up_costs_answers_but_no_money(
    own_process: Process, own_gateway: Gateway
) -> None:
    references = [new_reference() for _ in range(60)]
    async with aiohttp.ClientSession() as http:
        bank = Simbank(own_process.url, http, own_gateway)
        connection = await asyncpg.connect(own_process.environment["HUNDI_SIMBANK_DATABASE_URL"])

        async def pays(reference: str) -> None:
            while (await bank.pay(upi_link(reference)))[0] != 200:
                await asyncio.sleep(0.05)

        for start in range(0, len(references), 20):
            paying = [
                asyncio.create_task(pays(reference)) for reference in references[start : start + 20]
            ]
            await connection.execute(END_CLIENTS)
            await asyncio.gather(*paying)
        await connection.close()
        for reference in references:
            assert [entry["state"] for entry in await bank.entries(reference)] == ["done"]
            await own_gateway.hears(reference)


async def test_card_numbers_are_in_no_log_and_no_table(
    logged_process: tuple[Process, IO[bytes]], own_gateway: Gateway
) -> None:
    process, log = logged_process
    async with aiohttp.ClientSession() as http:
        bank = Simbank(process.url, http, own_gateway)
        reference = new_reference()
        await bank.authorise(reference, await bank.authenticated(reference))
        await bank.authenticate(new_reference(), card=CARD | {"cvv": "x"})
        await bank.authenticate(new_reference(), card=CARD | {"number": CARD["number"] + "x"})
    connection = await asyncpg.connect(process.environment["HUNDI_SIMBANK_DATABASE_URL"])
    tables = [
        row[0]
        for row in await connection.fetch(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        )
    ]
    for table in tables:
        rows = await connection.fetch(f'SELECT t::text AS line FROM "{table}" t')
        assert not any(CARD["number"] in row["line"] for row in rows), table
    await connection.close()
    process.end(signal.SIGTERM)
    log.seek(0)
    written = log.read()
    assert b"Started server" in written
    assert CARD["number"].encode() not in written
