"""What the bank says about money that is to go back: who paid decides it."""

import asyncio
from typing import Any

import pytest

from tests.testbed.bank.harness import AMOUNT_PAISE, Gateway, Simbank, new_reference, upi_link
from tests.testbed.bank.redirecting import LISTED_BANKS, pay, redirect
from tests.testbed.bank.test_redirects import REFUNDS


async def refund(
    bank: Simbank, original: str, reference: str = "", paise: int = AMOUNT_PAISE
) -> dict[str, Any]:
    asked = {
        "reference": reference or new_reference(),
        "original": original,
        "amount_paise": paise,
        "currency": "INR",
    }
    return (await bank.acquirer("/acquirer/refund", asked))[1]


async def given_back(bank: Simbank, original: str) -> list[str]:
    return [each["state"] for each in await bank.entries(original) if each["kind"] == "refund"]


async def paid(bank: Simbank, payer_vpa: str) -> str:
    reference = new_reference()
    await bank.pay(upi_link(reference), payer_vpa)
    assert (await bank.inquire(reference))["status"] == "paid"
    return reference


@pytest.mark.parametrize("payer_vpa", ["norefund@hundi", "NoRefund@Hundi"])
async def test_an_account_that_takes_nothing_back(bank: Simbank, payer_vpa: str) -> None:
    original, reference = await paid(bank, payer_vpa), new_reference()
    first = await refund(bank, original, reference)
    assert (first["status"], first["code"]) == ("declined", "57")
    assert await refund(bank, original, reference) == first
    assert await given_back(bank, original) == ["declined"]


async def test_a_refund_of_which_the_bank_tells_late(bank: Simbank) -> None:
    original, reference = await paid(bank, "laterefund@hundi"), new_reference()
    first = await refund(bank, original, reference)
    assert first["status"] == "pending"
    assert await refund(bank, original, reference) == first, (
        "asked again it says the same and gives back nothing twice"
    )
    assert (await refund(bank, original, paise=1))["code"] == "61", (
        "what is promised cannot be promised again"
    )
    answers = []
    while not answers or answers[-1]["status"] == "pending":
        await asyncio.sleep(0.05)
        answers.append(
            (await bank.acquirer("/acquirer/refund/inquire", {"reference": reference}))[1]
        )
    assert (answers[-1]["status"], answers[-1]["amount_paise"]) == ("done", AMOUNT_PAISE)
    assert await given_back(bank, original) == ["done", "declined"]


@LISTED_BANKS
@pytest.mark.parametrize(("customer", "said"), REFUNDS.items())
async def test_a_customer_whose_refund_ends_otherwise(
    bank: Simbank, listed: dict[str, str], customer: str, said: tuple[str, str]
) -> None:
    reference = new_reference()
    await pay(bank, await redirect(bank, reference, listed), listed, customer)
    assert (await bank.inquire(reference))["status"] == "paid"
    asked = {
        "reference": new_reference(),
        "original": reference,
        "amount_paise": 1,
        "currency": "INR",
    }
    answer = (await bank.acquirer("/acquirer/refund", asked))[1]
    assert (answer["status"], answer["code"]) == said


async def test_what_is_typed_may_hold_any_character(bank: Simbank) -> None:
    reference = new_reference()
    await pay(bank, await redirect(bank, reference), customer="suc\0cess \u202e\u0939")
    assert (await bank.inquire(reference))["status"] == "paid"


async def test_a_refund_that_comes_back(bank: Simbank, gateway: Gateway) -> None:
    original, reference = await paid(bank, "closedrefund@hundi"), new_reference()
    assert (await refund(bank, original, reference))["status"] == "done"
    assert (await refund(bank, original, paise=1))["code"] == "61"
    while "reversed" not in await given_back(bank, original):
        await asyncio.sleep(0.05)
    answer = (await bank.acquirer("/acquirer/refund/inquire", {"reference": reference}))[1]
    assert (answer["status"], answer["code"]) == ("declined", "M3")
    (heard,) = await gateway.hears(reference)
    assert (heard["status"], heard["kind"]) == ("declined", "refund")
    assert (await refund(bank, original))["status"] == "done", (
        "what came back may be given back again"
    )


async def test_at_an_aggregator_a_refund_has_an_id_and_is_told_of_twice(
    bank: Simbank, gateway: Gateway
) -> None:
    original, reference = await paid(bank, "success@hundi"), new_reference()
    asked = {
        "receipt": reference,
        "order": original,
        "amount_paise": AMOUNT_PAISE,
        "currency": "INR",
    }
    made = (await bank.acquirer("/aggregator/refunds", asked))[1]
    assert (made["status"], made["receipt"], made["id"][:5]) == ("created", reference, "rfnd_")
    assert (await bank.acquirer("/aggregator/refunds", asked))[1]["id"] == made["id"]
    heard = await gateway.hears(reference, 2)
    assert {(each["kind"], each["refund_id"]) for each in heard} == {
        ("refund.created", made["id"]), ("refund.processed", made["id"])
    }  # fmt: skip
    said = (await bank.acquirer(f"/aggregator/refunds/{made['id']}"))[1]
    assert (said["status"], said["amount_paise"]) == ("processed", AMOUNT_PAISE)
    assert (await bank.acquirer(f"/aggregator/orders/{original}/refunds"))[1]["items"] == [said]
    assert (await bank.acquirer("/aggregator/refunds/rfnd_0"))[0] == 404
    assert await given_back(bank, original) == ["done"]
