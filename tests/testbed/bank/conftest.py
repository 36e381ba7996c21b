"""Fixtures: one gateway and one bank for most tests, and a bank of one's own to kill."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from typing import IO

import aiohttp
import pytest

from tests.testbed.bank.harness import Gateway, Process, Simbank, running_bank


@pytest.fixture(scope="session")
def gateway() -> Iterator[Gateway]:
    """One gateway for all tests; references keep them apart."""
    listener = Gateway()
    yield listener
    listener.close()


@pytest.fixture(scope="session")
def bank_process(postgres_url: str, gateway: Gateway) -> Iterator[Process]:
    """One bank for all tests that do not kill it."""
    with running_bank(postgres_url, gateway) as process:
        yield process


@pytest.fixture
async def bank(bank_process: Process, gateway: Gateway) -> AsyncIterator[Simbank]:
    """The running bank, without injected faults."""
    async with aiohttp.ClientSession() as http:
        simbank = Simbank(bank_process.url, http, gateway)
        await simbank.set_faults()
        yield simbank
        await simbank.set_faults()


@pytest.fixture
def own_gateway() -> Iterator[Gateway]:
    """A gateway of this test alone, to be made to refuse."""
    listener = Gateway()
    yield listener
    listener.close()


@pytest.fixture
def own_process(postgres_url: str, own_gateway: Gateway) -> Iterator[Process]:
    """A bank of this test alone, to be killed, or to have its clock moved on."""
    with running_bank(postgres_url, own_gateway) as process:
        yield process


@pytest.fixture
def logged_process(postgres_url: str, own_gateway: Gateway) -> Iterator[tuple[Process, IO[bytes]]]:
    """A bank of this test alone, and the file that holds all it writes."""
    with (
        tempfile.TemporaryFile() as log,
        running_bank(postgres_url, own_gateway, log.fileno()) as process,
    ):
        yield process, log
