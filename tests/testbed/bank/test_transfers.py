"""Transfers to account numbers of orders at the simulated bank.

Each moves money once, and tells of its account.
"""

import asyncio

import pytest

from hundi_testbed.bank.transfers import rules
from tests.testbed.bank.harness import Simbank, new_reference

SENT = {
    "ifsc": rules.IFSC,
    "amount": "1499.50",
    "mode": "NEFT",
    "remitter": "50100012345678",
    "utr": "",
}


def account_of(reference: str) -> str:
    merchant, _, attempt = reference.partition("-")
    return f"SIMVA{merchant}{attempt.zfill(15)}"


def a_reference() -> str:
    """Return a reference of the gateway's form, which an account number leads back to."""
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
    assert (transfer["amount_paise"], transfer["currency"], transfer["mode"]) == (
        200_000_00,
        "INR",
        mode,
    )
    (event,) = await bank.gateway.hears(reference)
    assert (event["kind"], event["rrn"], event["amount_paise"]) == ("transfer", utr, 200_000_00)
    (entry,) = await bank.entries(utr)
    assert (entry["kind"], entry["method"], entry["state"]) == ("debit", "transfer", "done")


async def test_the_same_utr_moves_money_once_also_at_once(bank: Simbank) -> None:
    reference, utr = (
        a_reference(),
        f"HDFCN{new_reference().upper()[-11:]}".replace("-", "0").replace("_", "0"),
    )
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


def account_of_kind(kind: str, reference: str) -> str:
    return account_of(reference).replace("SIMVA", f"SIMV{kind}")


@pytest.mark.parametrize("mode", ["NEFT", "IMPS"])
async def test_an_account_for_rtgs_turns_everything_else_back(bank: Simbank, mode: str) -> None:
    reference = a_reference()
    account = account_of_kind("R", reference)
    status, page = await send(bank, reference, account=account, mode=mode, amount="200000.00")
    assert (status, "Transfer turned back" in page, "takes RTGS only" in page) == (200, True, True)
    assert await listed(bank, reference) == []
    (entry,) = await bank.entries(page.partition("UTR ")[2].partition(".")[0])
    assert entry["state"] == "declined"
    status, page = await send(bank, reference, account=account, mode="RTGS", amount="200000.00")
    assert (status, "Transfer sent" in page) == (200, True)
    assert [each["mode"] for each in await listed(bank, reference)] == ["RTGS"]
    assert len(await bank.gateway.hears(reference)) == 1


SLIP = {"ifsc": rules.IFSC, "amount": "1499.50", "mode": "CHEQUE", "remitter": "401233"}


async def pay_in(bank: Simbank, reference: str, **changes: str) -> tuple[int, str]:
    data = SLIP | {"account": account_of_kind("C", reference)} | changes
    async with bank.http.post(bank.url + "/branch", data=data) as response:
        return response.status, await response.text()


@pytest.mark.parametrize("mode", rules.BRANCH_MODES)
async def test_a_slip_is_credited_and_told_after_clearing(bank: Simbank, mode: str) -> None:
    reference = a_reference()
    status, page = await pay_in(bank, reference, mode=mode)
    assert (status, "Slip taken" in page) == (200, True)
    assert await listed(bank, reference) == []
    (event,) = await bank.gateway.hears(reference)
    (transfer,) = await listed(bank, reference)
    assert (event["kind"], event["rrn"]) == ("transfer", transfer["utr"])
    assert (transfer["amount_paise"], transfer["mode"]) == (149_950, mode)


async def test_a_cheque_that_comes_back_is_never_credited(bank: Simbank) -> None:
    reference = a_reference()
    status, page = await pay_in(bank, reference, remitter=rules.RETURNED_CHEQUE)
    assert (status, "came back unpaid" in page) == (200, True)
    (entry,) = await bank.entries(page.partition("Number ")[2].partition(".")[0])
    assert (entry["state"], await listed(bank, reference)) == ("declined", [])


async def test_a_slip_pays_into_its_own_kind_of_account_only(bank: Simbank) -> None:
    reference = a_reference()
    status, page = await pay_in(bank, reference, account=account_of(reference))
    assert (status, "This account takes no slips." in page) == (422, True)
    status, page = await send(bank, reference, account=account_of_kind("C", reference))
    assert (status, "takes slips at branches only" in page) == (200, True)
    assert (await pay_in(bank, reference, mode="IMPS"))[0] == 422
    assert await listed(bank, reference) == []
