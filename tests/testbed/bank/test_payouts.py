"""What the bank does with money that the gateway pays out, by calls and by files."""

import asyncio
from typing import Any

import pytest
from lxml import etree

from tests.testbed.bank.harness import AMOUNT_PAISE, Simbank, new_reference

GOOD = "50100012349999"


async def pay_out(
    bank: Simbank, reference: str = "", account: str = GOOD, **changes: Any
) -> dict[str, Any]:
    asked = {
        "reference": reference or new_reference(),
        "amount_paise": AMOUNT_PAISE,
        "currency": "INR",
        "rail": "imps",
    }
    asked |= {"account": account, "ifsc": "HDFC0000001", "holder": "Chai House"} | changes
    return (await bank.acquirer("/acquirer/payouts", asked))[1]


async def inquire(bank: Simbank, reference: str) -> dict[str, Any]:
    return (await bank.acquirer("/acquirer/payouts/inquire", {"reference": reference}))[1]


async def becomes(bank: Simbank, reference: str, status: str) -> dict[str, Any]:
    for _ in range(200):
        told = await inquire(bank, reference)
        if told["status"] == status:
            return told
        await asyncio.sleep(0.05)
    pytest.fail(f"still {told}")


async def test_a_payout_happens_once(bank: Simbank) -> None:
    reference = new_reference()
    first = await pay_out(bank, reference)
    assert (first["status"], first["amount_paise"], len(first["rrn"])) == ("done", AMOUNT_PAISE, 12)
    assert await pay_out(bank, reference) == first
    (entry,) = await bank.entries(reference)
    assert (entry["kind"], entry["state"], entry["rrn"]) == ("payout", "done", first["rrn"])
    status, _ = await bank.acquirer(
        "/acquirer/payouts",
        {
            "reference": reference,
            "amount_paise": 1,
            "currency": "INR",
            "rail": "imps",
            "account": GOOD,
        }
        | {"ifsc": "HDFC0000001", "holder": "Chai House"},
    )
    assert status == 409


@pytest.mark.parametrize(
    ("rail", "paise", "prefix", "digits"),
    [("neft", 100, "SIMBN", 16), ("rtgs", 2_00_000_00, "SIMBR5", 22)],
)
async def test_the_batches_give_utrs_of_their_own(
    bank: Simbank, rail: str, paise: int, prefix: str, digits: int
) -> None:
    reference = new_reference()
    assert (await pay_out(bank, reference, rail=rail, amount_paise=paise))["status"] == "pending"
    utr = (await becomes(bank, reference, "done"))["rrn"]
    assert utr.startswith(prefix)
    assert len(utr) == digits


@pytest.mark.parametrize(
    ("rail", "paise", "code"), [("imps", 5_00_000_01, "AM02"), ("rtgs", 1_99_999_99, "AM06")]
)
async def test_a_rail_keeps_its_limits(bank: Simbank, rail: str, paise: int, code: str) -> None:
    assert (await pay_out(bank, rail=rail, amount_paise=paise))["code"] == code


@pytest.mark.parametrize(
    ("account", "first", "last"),
    [
        ("50100010002", "declined", "declined"),
        ("50100010003", "done", "returned"),
        ("50100010005", "pending", "returned"),
    ],
)
async def test_the_number_chooses_the_outcome(
    bank: Simbank, account: str, first: str, last: str
) -> None:
    reference = new_reference()
    assert (await pay_out(bank, reference, account))["status"] == first
    await becomes(bank, reference, last)
    states = [each["state"] for each in await bank.entries(reference)]
    assert states == ([] if last == "declined" else ["reversed"])


async def test_a_check_names_the_holder(bank: Simbank) -> None:
    async def check(account: str) -> dict[str, Any]:
        asked = {
            "reference": new_reference(),
            "account": account,
            "ifsc": "HDFC0000001",
            "holder": "Chai House",
        }
        return (await bank.acquirer("/acquirer/accounts/check", asked))[1]

    assert (await check(GOOD))["name"] == "CHAI HOUSE"
    assert (await check("50100010001"))["name"] == "SOMEBODY ELSE"
    assert (await check("50100010002"))["status"] == "not_registered"


def csv_file(batch: str, *references: str, total: str = "") -> str:
    rows = [f"D,{each},IMPS,1499.50,HDFC0000001,{GOOD},Chai House,T1" for each in references]
    return "\n".join([f"H,{batch},{len(rows)},{total or f'{len(rows) * 1499.50:.2f}'}", *rows])


async def upload(bank: Simbank, text: str) -> int:
    async with bank.http.post(f"{bank.url}/payouts/files", data=text.encode()) as reply:
        return reply.status


async def test_a_file_pays_once_and_is_reported(bank: Simbank) -> None:
    references = [new_reference() for _ in range(3)]
    batch = f"B{references[0]}"
    for _ in range(2):
        assert await upload(bank, csv_file(batch, *references)) == 200
    assert [len(await bank.entries(each)) for each in references] == [1, 1, 1]
    async with bank.http.get(f"{bank.url}/payouts/report?batch={batch}") as reply:
        head, *rows = (await reply.text()).splitlines()
    assert head == f"H,{batch},3,4498.50"
    assert {row.split(",")[1] for row in rows} == set(references)
    async with bank.http.get(f"{bank.url}/payouts/report?batch={batch}&format=pain002") as reply:
        told = etree.fromstring(await reply.read())
    assert [each.text for each in told.iterfind(".//{*}TxSts")] == ["ACCC"] * 3


@pytest.mark.parametrize(
    "text",
    [
        csv_file("B1", "7-300000000000001", total="1499.51"),
        "H,B1,2,1499.50\nD,7-300000000000001,IMPS,1499.50,HDFC0000001,50100012349999,Chai House,T1",
        csv_file("B1", "7-300000000000001", "7-300000000000001"),
        '<!DOCTYPE d [<!ENTITY e "x">]><Document>&e;</Document>',
        "",
    ],
)
async def test_a_file_that_is_wrong_pays_nothing(bank: Simbank, text: str) -> None:
    assert await upload(bank, text) == 422
    assert await bank.entries("7-300000000000001") == []


async def test_the_page_shows_no_account_number(bank: Simbank) -> None:
    await pay_out(bank)
    async with bank.http.get(f"{bank.url}/payouts") as reply:
        page = await reply.text()
    assert "…9999" in page
    assert GOOD not in page


@pytest.mark.parametrize(
    ("ends_with", "first", "last"),
    [
        ("0007", "approval", "done"),
        ("0008", "queued", "done"),
        ("0009", "deemed", "done"),
        ("0010", "declined", "done"),
        ("0011", "declined", "returned"),
        ("0012", "declined", "declined"),
    ],
)
async def test_an_account_plays_what_providers_do(
    bank: Simbank, ends_with: str, first: str, last: str
) -> None:
    reference = new_reference()
    assert (await pay_out(bank, reference, f"5010001234{ends_with}"))["status"] == first
    await becomes(bank, reference, last)
    kept = [each["state"] for each in await bank.entries(reference)]
    assert kept == (["done"] if last == "done" else [])


async def test_what_the_purse_does_not_hold_is_not_taken(bank: Simbank) -> None:
    url = f"{bank.url}/control/purse"
    async with bank.http.put(url, json={"available_paise": AMOUNT_PAISE}) as reply:
        assert reply.status == 200
    first, second = new_reference(), new_reference()
    assert (await pay_out(bank, first))["status"] == "done"
    assert (await pay_out(bank, first))["status"] == "done", "a repeat takes nothing"
    assert (await pay_out(bank, second))["status"] == "not_taken"
    assert (await inquire(bank, second))["status"] == "not_found"
    async with bank.http.put(url, json={"available_paise": None}) as reply:
        assert reply.status == 200
    assert (await pay_out(bank, second))["status"] == "done"
