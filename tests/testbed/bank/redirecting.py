"""A customer at the pages of the simulated bank."""

from typing import Any

import aiohttp
import pytest

from tests.testbed.bank.harness import (
    AMOUNT_PAISE,
    Simbank,
)

BANK = {"method": "netbanking", "bank_code": "HDFC"}

COMPANY = {"method": "netbanking", "bank_code": "SBIN_C"}

WALLET = {"method": "wallet", "bank_code": "MOBK"}

LISTED_BANKS = pytest.mark.parametrize(
    "listed", [BANK, COMPANY, WALLET], ids=lambda listed: listed["bank_code"]
)


async def begin(
    bank: Simbank, reference: str, listed: dict[str, str] = BANK, /, **changes: Any
) -> tuple[int, Any]:
    """Ask for a redirect."""
    asked = {
        "reference": reference,
        "amount_paise": AMOUNT_PAISE,
        "currency": "INR",
        "return_url": bank.gateway.url + "/back?order=1",
        **listed,
    }
    return await bank.acquirer("/acquirer/visits", asked | changes)


async def redirect(
    bank: Simbank, reference: str, listed: dict[str, str] = BANK, /, **changes: Any
) -> str:
    """Open a redirect and return its address."""
    status, answer = await begin(bank, reference, listed, **changes)
    assert (status, answer["status"]) == (200, "challenge")
    return answer["challenge_url"]


async def press(bank: Simbank, url: str, act: str, **typed: str) -> aiohttp.ClientResponse:
    return await bank.submit(url, act=act, **typed)


async def come_to_pay(
    bank: Simbank, url: str, listed: dict[str, str], customer: str = "asha"
) -> dict[str, str]:
    """Do all but the last press, and return what the last form has to carry besides it."""
    if listed["method"] == "wallet":
        return {"customer": customer}
    assert (await press(bank, url, "log_in", customer=customer)).status == 303
    if listed["bank_code"].endswith("_C"):
        assert (await press(bank, url, "pay")).status == 303
    return {}


async def pay(
    bank: Simbank, url: str, listed: dict[str, str] = BANK, customer: str = "asha"
) -> str:
    """Pay as a customer, and return where the browser is sent."""
    response = await press(bank, url, "pay", **await come_to_pay(bank, url, listed, customer))
    assert response.status == 303
    return response.headers["Location"]


async def states(bank: Simbank, reference: str) -> list[tuple[str, str]]:
    return [(entry["kind"], entry["state"]) for entry in await bank.entries(reference)]
