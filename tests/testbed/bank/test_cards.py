"""Cards: challenge, one-time password, authorisation, and what is kept of a number."""

import asyncio
import re

import aiohttp
import pytest

from hundi_testbed.bank.settings import Timings
from tests.testbed.bank.harness import AMOUNT_PAISE, CARD, Gateway, Process, Simbank, new_reference


@pytest.mark.parametrize(
    ("number", "scheme", "eci"),
    [
        ("4111111111111111", "Visa", "05"),
        ("5267318187975449", "Mastercard", "02"),
        ("6082015309577308", "RuPay", "05"),
        ("378282246310005", "Amex", "05"),
        ("4000000000000077", "Visa", "05"),
    ],
)
async def test_challenge_then_paid(bank: Simbank, number: str, scheme: str, eci: str) -> None:
    reference = new_reference()
    _, challenge = await bank.authenticate(reference, number)
    assert challenge["status"] == "challenge"
    path = f"/acquirer/cards/authentications/{challenge['authentication_id']}"
    assert (await bank.acquirer(path))[1]["status"] == "pending"
    assert (await bank.inquire(reference))["status"] == "challenge"

    response = await bank.submit(challenge["challenge_url"], otp="123456", act="confirm")
    assert response.status == 303
    assert (
        response.headers["Location"]
        == f"{bank.gateway.url}/back?order=1&authentication_id={challenge['authentication_id']}"
    )
    told = (await bank.acquirer(path))[1]
    assert told == {"status": "done", "trans_status": "Y", "eci": eci, "challenge_cancel": ""}
    (event,) = await bank.gateway.hears(reference)
    assert (event["kind"], event["method"], event["status"], event["trans_status"]) == (
        "authentication",
        "card",
        "authenticated",
        "Y",
    )
    assert (await bank.inquire(reference))["status"] == "authenticated"

    _, paid = await bank.authorise(reference, challenge["authentication_id"])
    assert (paid["status"], paid["code"], paid["amount_paise"]) == ("paid", "00", AMOUNT_PAISE)
    assert len(paid["approval_code"]) == 6
    assert (paid["card"]["last4"], paid["card"]["scheme"], paid["card"]["country"]) == (
        number[-4:],
        scheme,
        "IN",
    )
    (entry,) = await bank.entries(reference)
    assert (entry["kind"], entry["method"], entry["rrn"], entry["state"]) == (
        "debit",
        "card",
        paid["rrn"],
        "done",
    )
    inquired = await bank.inquire(reference)
    assert (inquired["status"], inquired["rrn"], inquired["card"]) == (
        "paid",
        paid["rrn"],
        paid["card"],
    )
    told = (await bank.gateway.hears(reference, 2))[1]
    assert (told["kind"], told["card"], told["approval_code"]) == (
        "payment",
        paid["card"],
        paid["approval_code"],
    )


@pytest.mark.parametrize(
    ("number", "code"),
    [("4000000000000002", "05"), ("4000000000009995", "51"), ("4000000000000069", "54")],
)
async def test_declines_come_from_the_issuer_after_the_challenge(
    bank: Simbank, number: str, code: str
) -> None:
    reference = new_reference()
    authentication_id = await bank.authenticated(reference, number)
    for _ in range(2):
        _, answer = await bank.authorise(reference, authentication_id)
        assert (answer["status"], answer["code"]) == ("declined", code)
    assert [entry["state"] for entry in await bank.entries(reference)] == ["declined"]


async def test_authorise_at_once_and_again_debits_once(bank: Simbank) -> None:
    reference = new_reference()
    authentication_id = await bank.authenticated(reference)
    answers = await asyncio.gather(
        *(bank.authorise(reference, authentication_id) for _ in range(20))
    )
    assert {answer["status"] for _, answer in answers} == {"paid"}
    assert len({answer["rrn"] for _, answer in answers}) == 1
    assert len(await bank.entries(reference)) == 1


async def test_hold_without_capture(bank: Simbank) -> None:
    reference = new_reference()
    authentication_id = await bank.authenticated(reference)
    assert (await bank.authorise(reference, authentication_id, capture=False))[1][
        "status"
    ] == "authorised"
    assert [(entry["kind"], entry["state"]) for entry in await bank.entries(reference)] == [
        ("authorise", "done")
    ]
    assert (await bank.inquire(reference))["status"] == "authorised"


@pytest.mark.parametrize("capture", [True, False])
async def test_silent_issuer_records_and_never_replies(bank: Simbank, *, capture: bool) -> None:
    reference = new_reference()
    authentication_id = await bank.authenticated(reference, "4000000000000119")
    async with bank.undecided():
        asked = asyncio.create_task(bank.authorise(reference, authentication_id, capture=capture))
        await bank.becomes(reference, "pending")
        assert [entry["state"] for entry in await bank.entries(reference)] == ["pending"]
        assert not asked.done()
    approved = "paid" if capture else "authorised"
    await bank.becomes(reference, approved)
    assert [entry["state"] for entry in await bank.entries(reference)] == ["done"]
    assert (await bank.authorise(reference, authentication_id, capture=capture))[1][
        "status"
    ] == approved
    asked.cancel()
    assert [event["kind"] for event in bank.gateway.about(reference)] == ["authentication"]


@pytest.mark.parametrize(
    ("forms", "message"),
    [
        ([{"otp": "000000"}], "The one-time password was not right"),
        (
            [{"otp": "111111"}, {"otp": ""}, {"otp": "222222"}],
            "The one-time password was not right",
        ),
        ([{"act": "cancel"}], "Cancelled by the cardholder"),
    ],
)
async def test_failed_challenges_charge_nothing(
    bank: Simbank, forms: list[dict[str, str]], message: str
) -> None:
    reference = new_reference()
    _, challenge = await bank.authenticate(reference)
    *wrong, last = forms
    for form in wrong:
        assert (await bank.submit(challenge["challenge_url"], **form)).status == 422
    assert (await bank.submit(challenge["challenge_url"], **last)).status == 303
    answer = (
        await bank.acquirer(f"/acquirer/cards/authentications/{challenge['authentication_id']}")
    )[1]
    assert (answer["status"], answer["trans_status"]) == ("done", "N")
    (event,) = await bank.gateway.hears(reference)
    assert (event["kind"], event["status"], event["trans_status"], event["message"]) == (
        "authentication",
        "declined",
        "N",
        message,
    )
    assert (await bank.submit(challenge["challenge_url"], otp="123456")).status == 303, (
        "too late: the first word stands"
    )
    assert (await bank.authorise(reference, challenge["authentication_id"]))[1][
        "status"
    ] == "declined"
    assert await bank.entries(reference) == []


async def test_of_many_passwords_at_once_three_are_judged(bank: Simbank) -> None:
    """Twenty wrong ones and then the right one.

    The third wrong one ended it, whatever came at the same moment.
    """
    reference = new_reference()
    _, challenge = await bank.authenticate(reference)
    guesses = [bank.submit(challenge["challenge_url"], otp="111111") for _ in range(20)]
    statuses = sorted(response.status for response in await asyncio.gather(*guesses))
    assert statuses == [303] * 18 + [422] * 2
    assert (await bank.submit(challenge["challenge_url"], otp="123456")).status == 303
    answer = (
        await bank.acquirer(f"/acquirer/cards/authentications/{challenge['authentication_id']}")
    )[1]
    assert (answer["trans_status"], await bank.entries(reference)) == ("N", [])


@pytest.mark.parametrize("charset", ["utf-16", "idna", "nothing-known", "undefined"])
async def test_a_form_is_read_as_utf_8_whatever_it_says_of_itself(
    bank: Simbank, charset: str
) -> None:
    _, challenge = await bank.authenticate(new_reference())
    kind = {"content-type": f"application/x-www-form-urlencoded; charset={charset}"}
    async with bank.http.post(
        challenge["challenge_url"], data=b"otp=123456&x=%ff", headers=kind, allow_redirects=False
    ) as answer:
        assert answer.status == 303


async def test_authorise_needs_an_ended_challenge_of_the_same_reference_and_amount(
    bank: Simbank,
) -> None:
    reference, other = new_reference(), new_reference()
    _, challenge = await bank.authenticate(reference)
    assert (await bank.authorise(reference, challenge["authentication_id"]))[0] == 409
    assert (await bank.authorise(other, challenge["authentication_id"]))[0] == 404
    await bank.submit(challenge["challenge_url"], otp="123456")
    assert (await bank.authorise(reference, challenge["authentication_id"], amount_paise=1))[
        0
    ] == 409
    assert await bank.entries(reference) == []


async def test_the_same_authentication_again(bank: Simbank) -> None:
    reference = new_reference()
    answers = await asyncio.gather(*(bank.authenticate(reference) for _ in range(10)))
    assert len({answer["authentication_id"] for _, answer in answers}) == 1
    assert (await bank.authenticate(reference, amount_paise=1))[0] == 409
    assert (await bank.authenticate(reference, "5267318187975449"))[0] == 409
    assert (await bank.collect(reference, "success@hundi"))[0] == 409


@pytest.mark.parametrize(
    ("card", "code"),
    [
        ({"number": "4111111111111112"}, "14"),
        ({"number": "9999999999999995"}, "14"),
        ({"number": "41111111111111111"}, "14"),
        ({"expiry_year": 2020}, "54"),
    ],
)
async def test_impossible_cards_are_declined_before_a_challenge(
    bank: Simbank, card: dict[str, object], code: str
) -> None:
    reference = new_reference()
    for _ in range(2):
        _, answer = await bank.authenticate(reference, card=CARD | card)
        assert (answer["status"], answer["code"]) == ("declined", code)
    assert (await bank.inquire(reference))["status"] == "declined"
    assert (await bank.authenticate(reference))[0] == 409


@pytest.mark.parametrize(
    "return_url", ["https://evil.example/", "javascript:alert(1)", "//evil.example", "/back", ""]
)
async def test_browsers_are_sent_back_to_the_gateway_only(bank: Simbank, return_url: str) -> None:
    for url in (
        return_url,
        bank.gateway.url + "/back\r\nSet-Cookie: a=b",
        bank.gateway.url.replace("http://", "http://good@"),
    ):
        assert (await bank.authenticate(new_reference(), return_url=url))[0] == 400


async def test_the_page_is_strict_and_says_what_it_asks(bank: Simbank) -> None:
    _, challenge = await bank.authenticate(new_reference())
    async with bank.http.get(challenge["challenge_url"]) as response:
        page = await response.text()
        policy = response.headers["Content-Security-Policy"]
        assert response.headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in policy
    assert f"form-action 'self' {bank.gateway.url}" in policy
    assert "Simulated bank network: no real money" in page
    assert "₹1,499.50" in page
    assert CARD["number"] not in page
    assert not re.search(r"<script|style=|\son[a-z]+=", page)
    async with bank.http.get(bank.url + "/3ds/auth_nobody") as response:
        assert response.status == 404


async def test_a_broken_line_looks_broken(bank: Simbank) -> None:
    await bank.set_faults(lose_reply=1)
    with pytest.raises(aiohttp.ClientError):
        await bank.authenticate(new_reference())


async def test_a_challenge_nobody_answers_ends_by_itself(
    own_process: Process, own_gateway: Gateway
) -> None:
    reference = new_reference()
    async with aiohttp.ClientSession() as http:
        bank = Simbank(own_process.url, http, own_gateway)
        _, challenge = await bank.authenticate(reference)
        assert (await bank.inquire(reference))["status"] == "challenge"
        await bank.move_clock(Timings().challenge_s)
        (event,) = await own_gateway.hears(reference)
        assert (event["kind"], event["status"], event["trans_status"]) == (
            "authentication",
            "declined",
            "N",
        )
        async with http.get(challenge["challenge_url"]) as response:
            assert "not confirmed" in await response.text()
        assert (await bank.submit(challenge["challenge_url"], otp="123456")).status == 303
        assert (await bank.authorise(reference, challenge["authentication_id"]))[1][
            "status"
        ] == "declined"
