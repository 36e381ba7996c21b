"""Transfers to account numbers of orders at the simulated bank: each moves money once, and tells of its account."""

import asyncio

import pytest

from simbank.transfers import rules
from tests.simbank.harness import Simbank, new_reference

SENT = {"ifsc": rules.IFSC, "amount": "1499.50", "mode": "NEFT", "remitter": "50100012345678", "utr": ""}


def account_of(reference: str) -> str:
    merchant, _, attempt = reference.partition("-")
    return f"SIMVA{merchant}{attempt.zfill(15)}"


def a_reference() -> str:
    """Return a reference as the gateway makes them, which an account number can be read back into."""
    number = int(new_reference().encode().hex(), 16) % 10**12
    return f"10001-{number + 1}"


async def send(bank: Simbank, reference: str, **changes: str) -> tuple[int, str]:
    data = SENT | {"account": account_of(reference)} | changes
    async with bank.http.post(bank.url + "/transfers", data=data) as response:
        return response.status, await response.text()


async def listed(bank: Simbank, reference: str) -> list[dict[str, object]]:
    status, answer = await bank.acquirer("/acquirer/transfers", {"reference": reference})
    assert status == 200
    return answer["transfers"]


@pytest.mark.parametrize(("mode", "length"), [("NEFT", 16), ("RTGS", 22), ("IMPS", 12)])
async def test_a_transfer_is_listed_booked_and_told(bank: Simbank, mode: str, length: int) -> None:
    reference = a_reference()
    status, page = await send(bank, reference, mode=mode, amount="200000.00")
    (transfer,) = await listed(bank, reference)
    utr = str(transfer["utr"])
    assert (status, utr in page, len(utr)) == (200, True, length)
    assert (transfer["amount_paise"], transfer["currency"], transfer["mode"]) == (200_000_00, "INR", mode)
    (event,) = await bank.gateway.hears(reference)
    assert (event["kind"], event["rrn"], event["amount_paise"]) == ("transfer", utr, 200_000_00)
    (entry,) = await bank.entries(utr)
    assert (entry["kind"], entry["method"], entry["state"]) == ("debit", "transfer", "done")


async def test_the_same_utr_moves_money_once_also_at_once(bank: Simbank) -> None:
    reference, utr = a_reference(), f"HDFCN{new_reference().upper()[-11:]}".replace("-", "0").replace("_", "0")
    answers = await asyncio.gather(*(send(bank, reference, utr=utr) for _ in range(6)))
    assert {status for status, _ in answers} == {200}
    assert [each["utr"] for each in await listed(bank, reference)] == [utr]
    assert len(await bank.entries(utr)) == 1
    status, page = await send(bank, reference, utr=utr, amount="1.00")
    assert (status, "No money has moved" in page) == (409, True)
    assert len(await bank.entries(utr)) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"account": "SIMVA10001"},
        {"ifsc": "HDFC0000001"},
        {"amount": "0"},
        {"amount": "1.005"},
        {"mode": "CHEQUE"},
        {"mode": "RTGS"},
        {"remitter": rules.BLOCKED_REMITTER},
        {"remitter": "me"},
        {"utr": "short"},
    ],
)
async def test_what_is_wrong_moves_nothing(bank: Simbank, changes: dict[str, str]) -> None:
    reference = a_reference()
    assert (await send(bank, reference, **changes))[0] == 422
    assert await listed(bank, reference) == []
