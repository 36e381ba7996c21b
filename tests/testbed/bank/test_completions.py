"""How holds end at the bank, and cards that are charged without their holder."""

import asyncio
from typing import Any

import pytest

from tests.testbed.bank.harness import AMOUNT_PAISE, CARD, Simbank, new_reference


async def held(bank: Simbank) -> str:
    """Return a reference whose amount the issuer holds."""
    reference = new_reference()
    answer = (await bank.authorise(reference, await bank.authenticated(reference), capture=False))[
        1
    ]
    assert answer["status"] == "authorised"
    return reference


async def capture(bank: Simbank, reference: str, paise: int = AMOUNT_PAISE) -> dict[str, Any]:
    asked = {"original": reference, "amount_paise": paise, "currency": "INR"}
    return (await bank.acquirer("/acquirer/captures", asked))[1]


async def void(bank: Simbank, reference: str) -> dict[str, Any]:
    return (await bank.acquirer("/acquirer/voids", {"original": reference}))[1]


async def endings(bank: Simbank, reference: str) -> list[tuple[str, int]]:
    return [(each["kind"], each["amount_paise"]) for each in await bank.entries(reference)]


@pytest.mark.parametrize("paise", [AMOUNT_PAISE, 100, 1])
async def test_a_capture_collects_once_and_is_what_can_be_given_back(
    bank: Simbank, paise: int
) -> None:
    reference = await held(bank)
    first = await capture(bank, reference, paise)
    assert (first["status"], first["amount_paise"]) == ("paid", paise)
    assert await capture(bank, reference, paise) == first
    assert await endings(bank, reference) == [("authorise", AMOUNT_PAISE), ("capture", paise)]
    inquired = await bank.inquire(reference)
    assert (inquired["status"], inquired["amount_paise"]) == ("paid", paise)
    back = {
        "reference": new_reference(),
        "original": reference,
        "amount_paise": paise + 1,
        "currency": "INR",
    }
    assert (await bank.acquirer("/acquirer/refund", back))[1]["code"] == "61"
    back |= {"reference": new_reference(), "amount_paise": paise}
    assert (await bank.acquirer("/acquirer/refund", back))[1]["status"] == "done"


async def test_a_void_gives_all_back_once(bank: Simbank) -> None:
    reference = await held(bank)
    first = await void(bank, reference)
    assert first["status"] == "voided"
    assert await void(bank, reference) == first
    assert await endings(bank, reference) == [("authorise", AMOUNT_PAISE), ("void", AMOUNT_PAISE)]
    assert (await bank.inquire(reference))["status"] == "voided"


async def test_a_hold_ends_one_way(bank: Simbank) -> None:
    captured, voided = await held(bank), await held(bank)
    await capture(bank, captured, 100)
    await void(bank, voided)
    for answer in (
        await void(bank, captured),
        await capture(bank, voided),
        await capture(bank, captured, 99),
    ):
        assert (answer["status"], answer["code"]) == ("declined", "12")


async def test_of_captures_and_voids_at_once_one_kind_wins(bank: Simbank) -> None:
    reference = await held(bank)
    answers = await asyncio.gather(
        *(capture(bank, reference) if turn % 2 else void(bank, reference) for turn in range(12))
    )
    assert len({each["status"] for each in answers} - {"declined"}) == 1
    assert len(await endings(bank, reference)) == 2


async def test_more_than_is_held_and_what_was_never_held_are_refused(bank: Simbank) -> None:
    assert (await capture(bank, await held(bank), AMOUNT_PAISE + 1))["code"] == "61"
    paid = new_reference()
    await bank.authorise(paid, await bank.authenticated(paid))
    assert (await capture(bank, paid))["code"] == "12"
    status, _ = await bank.acquirer("/acquirer/voids", {"original": new_reference()})
    assert status == 404


async def charge_moto(
    bank: Simbank, reference: str, number: str = CARD["number"], **more: Any
) -> dict[str, Any]:
    asked = {
        "reference": reference,
        "amount_paise": AMOUNT_PAISE,
        "currency": "INR",
        "card": CARD | {"number": number},
    }
    return (await bank.acquirer("/acquirer/cards/charge", asked | more))[1]


async def test_a_card_without_its_holder_is_charged_once(bank: Simbank) -> None:
    reference = new_reference()
    first = await charge_moto(bank, reference)
    assert (first["status"], first["card"]["last4"]) == ("paid", "1111")
    assert (await charge_moto(bank, reference))["rrn"] == first["rrn"]
    assert await endings(bank, reference) == [("debit", AMOUNT_PAISE)]
    (told,) = await bank.gateway.hears(reference)
    assert (told["status"], told["trans_status"], told["card"]["scheme"]) == ("paid", "", "Visa")
    assert (await bank.inquire(reference))["card"]["last4"] == "1111"


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("4000000000000002", "05"),
        ("4000000000009995", "51"),
        ("4000000000000069", "54"),
        ("4111111111111112", "14"),
    ],
)
async def test_a_moto_card_is_declined_like_any_other(
    bank: Simbank, number: str, code: str
) -> None:
    reference = new_reference()
    for _ in range(2):
        assert (await charge_moto(bank, reference, number))["code"] == code


async def test_an_expired_moto_card_is_declined(bank: Simbank) -> None:
    card = CARD | {"expiry_year": 2020}
    assert (await charge_moto(bank, new_reference(), card=card))["code"] == "54"


@pytest.mark.parametrize(
    ("vpa", "answer"),
    [
        ("asha.rao@hundi", {"status": "registered", "name": "Asha Rao (simulated)"}),
        ("ASHA@okaxis", {"status": "registered", "name": "Asha (simulated)"}),
        ("unregistered@hundi", {"status": "not_registered", "name": ""}),
    ],
)
async def test_the_network_says_who_has_an_address(
    bank: Simbank, vpa: str, answer: dict[str, str]
) -> None:
    assert (await bank.acquirer("/acquirer/upi/addresses", {"vpa": vpa}))[1] == answer


async def test_what_is_no_address_is_refused(bank: Simbank) -> None:
    assert (await bank.acquirer("/acquirer/upi/addresses", {"vpa": "nobody"}))[0] == 400
