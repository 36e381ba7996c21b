"""Redirects to the pages of banks and wallets.

Every outcome, approval by a second person, expiry, crashes.
"""

import asyncio
from typing import Any

import pytest

from hundi_testbed.bank.redirects.rules import TRIGGERS, WALLET_BALANCE_PAISE
from tests.testbed.bank.harness import (
    AMOUNT_PAISE,
    MANDATE,
    Simbank,
    new_reference,
    signature,
)
from tests.testbed.bank.redirecting import (
    BANK,
    COMPANY,
    LISTED_BANKS,
    WALLET,
    begin,
    come_to_pay,
    pay,
    press,
    redirect,
    states,
)


async def test_every_bank_and_wallet_is_listed(bank: Simbank) -> None:
    status, answer = await bank.acquirer("/acquirer/banks")
    assert (status, answer["status"]) == (200, "done")
    keys = [(each["method"], each["code"]) for each in answer["banks"]]
    assert len(set(keys)) == len(keys)
    assert {("netbanking", "HDFC"), ("netbanking", "HDFC_C"), ("wallet", "MOBK")} <= set(keys)
    assert {method for method, _ in keys} == {"netbanking", "wallet", "pay_later", "enach"}
    assert all(each["name"] for each in answer["banks"])
    for method, code in keys:
        asked = {"mandate": MANDATE} if method == "enach" else {}
        await redirect(bank, new_reference(), {"method": method, "bank_code": code}, **asked)


async def test_every_plan_of_instalments_is_listed_and_taken_by_a_card(bank: Simbank) -> None:
    status, answer = await bank.acquirer("/acquirer/instalments")
    assert (status, answer["status"]) == (200, "done")
    keys = {(each["bank_code"], each["months"]) for each in answer["plans"]}
    assert len(keys) == len(answer["plans"])
    assert {months for _, months in keys} == {3, 6, 9, 12, 18}
    for plan in answer["plans"]:
        emi, least = (
            {"bank_code": plan["bank_code"], "months": plan["months"]},
            plan["minimum_paise"],
        )
        taken = (await bank.authenticate(new_reference(), amount_paise=least, emi=emi))[1]
        below = (await bank.authenticate(new_reference(), amount_paise=least - 1, emi=emi))[1]
        assert (taken["status"], below["status"], below["code"]) == ("challenge", "declined", "57")


@pytest.mark.parametrize("path", ["/acquirer/banks", "/acquirer/instalments", "/acquirer/visits"])
async def test_nothing_is_said_without_the_right_signature(bank: Simbank, path: str) -> None:
    reference = new_reference()
    asked = BANK | {
        "reference": reference,
        "amount_paise": 1,
        "currency": "INR",
        "return_url": bank.gateway.url,
    }
    body = asked if path.endswith("visits") else None
    for header in (
        "",
        "t=1,v1=00",
        signature(path.encode() + b"?"),
        signature(b"", key="another key of another bank"),
    ):
        assert (await bank.acquirer(path, body, header))[0] == 401
    assert (await bank.inquire(reference))["status"] == "not_found"


@LISTED_BANKS
async def test_a_customer_pays_once_and_is_sent_back(bank: Simbank, listed: dict[str, str]) -> None:
    reference = new_reference()
    url = await redirect(bank, reference, listed)
    assert (await bank.inquire(reference))["status"] == "challenge"
    back = await pay(bank, url, listed)
    assert back == f"{bank.gateway.url}/back?order=1&visit_id={url.rpartition('/')[2]}"
    (told,) = await bank.gateway.hears(reference)
    found = await bank.inquire(reference)
    assert (told["kind"], told["method"], told["status"]) == ("payment", listed["method"], "paid")
    assert (found["status"], found["amount_paise"], found["rrn"]) == (
        "paid",
        AMOUNT_PAISE,
        told["rrn"],
    )
    for act in ("pay", "cancel", "log_in"):
        assert (await press(bank, url, act, customer="decline")).headers["Location"] == back
    (entry,) = await bank.entries(reference)
    assert (entry["kind"], entry["state"]) == ("debit", "done")
    assert (entry["method"], entry["rrn"]) == (listed["method"], told["rrn"])
    async with bank.http.get(url) as page:
        assert (page.status, "This page is done" in await page.text()) == (200, True)


DECLINES = {"decline": "ZA", "insufficient": "Z9", "expired": "U69", "unregistered": "ZH"}
REFUNDS = {
    "norefund": ("declined", "57"),
    "laterefund": ("pending", "RP"),
    "closedrefund": ("done", "00"),
}
"""closedrefund: comes back later (test_refunds.py)."""
WAITS = {"pending": ("01", ["pending", "paid"]), "deemed": ("RB", ["pending"]), "silent": ("", [])}


def test_every_trigger_of_the_page_is_tested_here() -> None:
    assert {trigger.given for trigger in TRIGGERS} == {"success", *DECLINES, *WAITS, *REFUNDS}


@LISTED_BANKS
@pytest.mark.parametrize(("customer", "code"), DECLINES.items())
async def test_a_customer_who_is_declined(
    bank: Simbank, listed: dict[str, str], customer: str, code: str
) -> None:
    reference = new_reference()
    await pay(bank, await redirect(bank, reference, listed), listed, f" {customer.title()} ")
    (told,) = await bank.gateway.hears(reference)
    found = await bank.inquire(reference)
    assert (told["status"], told["code"], found["status"], found["code"]) == (
        "declined",
        code,
        "declined",
        code,
    )
    # Nobody's account was asked for a customer whom the bank does not know.
    assert await states(bank, reference) == ([] if code == "ZH" else [("debit", "declined")])


@pytest.mark.parametrize("listed", [BANK, WALLET], ids=lambda listed: listed["bank_code"])
@pytest.mark.parametrize(
    ("customer", "code", "told"), [(name, *waits) for name, waits in WAITS.items()]
)
async def test_a_bank_that_does_not_say_at_once(
    bank: Simbank, listed: dict[str, str], customer: str, code: str, told: list[str]
) -> None:
    reference = new_reference()
    async with bank.undecided():
        back = await pay(bank, await redirect(bank, reference, listed), listed, customer)
        assert back.startswith(bank.gateway.url), (
            "the browser comes back, whatever the bank keeps to itself"
        )
        found = await bank.inquire(reference)
        assert (found["status"], found["code"]) == ("pending", code)
        assert await states(bank, reference) == [("debit", "pending")]
    await bank.becomes(reference, "paid")
    assert await states(bank, reference) == [("debit", "done")]
    await bank.gateway.hears(reference, len(told))
    await asyncio.sleep(0.3)
    assert [each["status"] for each in bank.gateway.about(reference)] == told


async def test_a_declined_redirect_may_succeed_late_and_a_cancelled_one_never_does(
    bank: Simbank,
) -> None:
    await bank.set_faults(late_success_s=3_600)
    declined, cancelled = new_reference(), new_reference()
    await press(bank, await redirect(bank, cancelled), "cancel")
    await pay(bank, await redirect(bank, declined), customer="insufficient")
    await bank.gateway.hears(declined)
    await bank.make_late_successes_due()
    assert [each["status"] for each in await bank.gateway.hears(declined, 2)] == [
        "declined",
        "paid",
    ]
    assert await states(bank, declined) == [("debit", "done")]
    assert (await bank.inquire(cancelled))["status"] == "declined"


async def test_a_wallet_pays_no_more_than_it_holds(bank: Simbank) -> None:
    for above, said in ((0, ("paid", "00")), (1, ("declined", "Z9"))):
        reference = new_reference()
        url = await redirect(bank, reference, WALLET, amount_paise=WALLET_BALANCE_PAISE + above)
        await pay(bank, url, WALLET)
        found = await bank.inquire(reference)
        assert (found["status"], found["code"]) == said


async def test_a_companys_payment_waits_for_its_second_person(bank: Simbank) -> None:
    reference = new_reference()
    url = await redirect(bank, reference, COMPANY)
    await press(bank, url, "log_in", customer="maker")
    assert (await press(bank, url, "pay")).headers[
        "Location"
    ] == f"/visits/{url.rpartition('/')[2]}"
    assert (await bank.inquire(reference))["status"] == "challenge"
    async with bank.http.get(url) as page:
        text = await page.text()
        assert "A second person of your company has to approve" in text
        assert "maker" in text
    assert bank.gateway.about(reference) == []
    assert (await press(bank, url, "pay")).headers["Location"].startswith(bank.gateway.url)
    assert (await bank.inquire(reference))["status"] == "paid"


async def test_a_second_person_may_refuse(bank: Simbank) -> None:
    reference = new_reference()
    url = await redirect(bank, reference, COMPANY)
    await come_to_pay(bank, url, COMPANY)
    assert (await press(bank, url, "cancel")).headers["Location"].startswith(bank.gateway.url)
    assert (await bank.inquire(reference))["code"] == "17"
    assert await bank.entries(reference) == []


async def test_nobody_pays_unnamed_or_before_signing_in(bank: Simbank) -> None:
    references = [new_reference(), new_reference()]
    login, wallet = [
        await redirect(bank, *each) for each in zip(references, (BANK, WALLET), strict=True)
    ]
    for customer in ("", "   ", "x" * 51):
        assert (await press(bank, login, "log_in", customer=customer)).status == 422
        assert (await press(bank, wallet, "pay", customer=customer)).status == 422
    assert (await press(bank, login, "pay", customer="asha")).status == 303
    for reference in references:
        assert (await bank.inquire(reference))["status"] == "challenge"
        assert await bank.entries(reference) == []


async def test_the_same_redirect_again_is_the_same_redirect(bank: Simbank) -> None:
    reference = new_reference()
    answers = await asyncio.gather(*(begin(bank, reference) for _ in range(12)))
    (url,) = {answer["challenge_url"] for _, answer in answers}
    await pay(bank, url)
    assert (await redirect(bank, reference)) == url, (
        "also when it is over: nothing is paid a second time"
    )
    assert await states(bank, reference) == [("debit", "done")]


@pytest.mark.parametrize(
    "changes",
    [
        {"bank_code": "SBIN"},
        {"amount_paise": AMOUNT_PAISE + 1},
        {"method": "wallet", "bank_code": "MOBK"},
        {"return_url": "/elsewhere"},
    ],
    ids=lambda changes: next(iter(changes)),
)
async def test_a_reference_belongs_to_one_bank_amount_and_way_back(
    bank: Simbank, changes: dict[str, Any]
) -> None:
    reference = new_reference()
    url = await redirect(bank, reference)
    if "return_url" in changes:
        changes = {"return_url": bank.gateway.url + changes["return_url"]}
    for _ in range(2):
        assert (await begin(bank, reference, **changes))[0] == 409
        await pay(bank, url)
    assert (await bank.collect(reference, "success@hundi"))[0] == 409
    assert (await bank.authenticate(reference))[0] == 409
    found = await bank.inquire(reference)
    assert (found["status"], found["method"], found["amount_paise"]) == (
        "paid",
        "netbanking",
        AMOUNT_PAISE,
    )


@pytest.mark.parametrize(
    "listed",
    [BANK | {"bank_code": "XXXX"}, BANK | {"method": "wallet"}, WALLET | {"method": "netbanking"}],
)
async def test_a_bank_that_is_not_there_takes_nothing(
    bank: Simbank, listed: dict[str, str]
) -> None:
    reference = new_reference()
    status, answer = await begin(bank, reference, listed)
    assert (status, answer["status"], answer["code"]) == (200, "declined", "91")
    assert (await bank.inquire(reference))["status"] == "not_found"


@pytest.mark.parametrize(
    "changes",
    [
        {"return_url": "https://evil.example/back"},
        {"return_url": "//evil.example"},
        {"return_url": "javascript:alert(1)"},
        {"return_url": ""},
        {"amount_paise": 0},
        {"amount_paise": -1},
        {"currency": "USD"},
        {"method": "card"},
        {"reference": "a b"},
        {"bank_code": "H" * 9},
    ],
    ids=str,
)
async def test_what_makes_no_sense_opens_nothing(bank: Simbank, changes: dict[str, Any]) -> None:
    reference = new_reference()
    assert (await begin(bank, reference, **changes))[0] == 400
    assert (await bank.inquire(reference))["status"] == "not_found"


async def test_the_way_back_never_leaves_the_gateway(bank: Simbank) -> None:
    there = bank.gateway.url
    for url in (
        there + "@evil.example/",
        there + ".evil.example/",
        there + "/\r\nX: y",
        there + "/ä",
    ):
        assert (await begin(bank, new_reference(), return_url=url))[0] == 400, url
    url = await redirect(bank, new_reference(), return_url=there + "/back#part")
    assert await pay(bank, url) == f"{there}/back?visit_id={url.rpartition('/')[2]}"


@LISTED_BANKS
async def test_a_customer_who_cancels_was_asked_for_nothing(
    bank: Simbank, listed: dict[str, str]
) -> None:
    reference = new_reference()
    url = await redirect(bank, reference, listed)
    assert (await press(bank, url, "cancel")).headers["Location"].startswith(bank.gateway.url)
    (told,) = await bank.gateway.hears(reference)
    assert (told["status"], told["code"], told["rrn"]) == ("declined", "17", "")
    await press(bank, url, "pay", customer="asha")
    assert (await bank.inquire(reference))["status"] == "declined"
    assert await bank.entries(reference) == []


async def test_a_page_that_belongs_to_nobody(bank: Simbank) -> None:
    url = bank.url + "/visits/visit_nobody"
    async with bank.http.get(url) as page:
        assert page.status == 404
    assert (await press(bank, url, "pay", customer="asha")).status == 404
