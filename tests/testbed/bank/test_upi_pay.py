"""A customer's app pays: every trigger, one debit a reference."""

import asyncio
import json

import pytest

from hundi_testbed.bank import rules
from tests.testbed.bank.harness import AMOUNT_PAISE, Simbank, new_reference, signature, upi_link


async def test_success_is_booked_told_and_found(bank: Simbank) -> None:
    reference = new_reference()
    status, answer = await bank.pay(upi_link(reference))
    assert (status, answer["status"], answer["code"]) == (200, "success", "00")
    assert len(answer["rrn"]) == 12
    assert answer["rrn"].isdigit()

    (event,) = await bank.gateway.hears(reference)
    assert event | {"at": "", "event_id": ""} == {
        "event_id": "",
        "reference": reference,
        "method": "upi",
        "kind": "payment",
        "status": "paid",
        "code": "00",
        "message": "Approved",
        "rrn": answer["rrn"],
        "amount_paise": AMOUNT_PAISE,
        "currency": "INR",
        "payer_vpa": "success@hundi",
        "trans_status": "",
        "at": "",
        "approval_code": "",
        "card": None,
        "challenge_cancel": "",
        "payer_account": rules.account_of("success@hundi")[0],
        "payer_ifsc": "HDFC0000001",
        "rate_micros": 1_000_000,
        "path": "/callbacks/sandbox",
        "answered": 204,
    }

    (entry,) = await bank.entries(reference)
    assert (
        entry["kind"],
        entry["method"],
        entry["rrn"],
        entry["amount_paise"],
        entry["state"],
    ) == (
        "debit",
        "upi",
        answer["rrn"],
        AMOUNT_PAISE,
        "done",
    )

    inquired = await bank.inquire(reference)
    assert (
        inquired["status"],
        inquired["rrn"],
        inquired["amount_paise"],
        inquired["payer_vpa"],
    ) == (
        "paid",
        answer["rrn"],
        AMOUNT_PAISE,
        "success@hundi",
    )


async def test_callbacks_are_signed(bank: Simbank) -> None:
    reference = new_reference()
    await bank.pay(upi_link(reference))
    await bank.gateway.hears(reference)
    header, body = next(
        pair for pair in bank.gateway.signed if json.loads(pair[1]).get("reference") == reference
    )
    at_s = int(header.removeprefix("t=").partition(",")[0])
    assert header == signature(body, at_s=at_s)


@pytest.mark.parametrize(
    ("payer_vpa", "code"),
    [
        ("decline@hundi", "ZA"),
        ("insufficient@hundi", "Z9"),
        ("expired@hundi", "U69"),
        ("DECLINE@Hundi", "ZA"),
    ],
)
async def test_declines(bank: Simbank, payer_vpa: str, code: str) -> None:
    reference = new_reference()
    _, answer = await bank.pay(upi_link(reference), payer_vpa)
    assert (answer["status"], answer["code"]) == ("declined", code)
    (event,) = await bank.gateway.hears(reference)
    assert (event["status"], event["code"]) == ("declined", code)
    assert [entry["state"] for entry in await bank.entries(reference)] == ["declined"]
    assert (await bank.inquire(reference))["code"] == code


async def test_unregistered_touches_no_account(bank: Simbank) -> None:
    reference = new_reference()
    _, answer = await bank.pay(upi_link(reference), "unregistered@hundi")
    assert (answer["status"], answer["code"]) == ("declined", "ZH")
    assert await bank.entries(reference) == []
    assert (await bank.inquire(reference))["status"] == "declined"


async def test_pending_succeeds_later_and_says_so(bank: Simbank) -> None:
    reference = new_reference()
    async with bank.undecided():
        _, answer = await bank.pay(upi_link(reference), "pending@hundi")
        assert (answer["status"], answer["code"]) == ("pending", "01")
        (first,) = await bank.entries(reference)
        assert first["state"] == "pending"
        await bank.gateway.hears(reference)

    events = await bank.gateway.hears(reference, 2)
    assert [(event["status"], event["code"]) for event in events] == [
        ("pending", "01"),
        ("paid", "00"),
    ]
    assert {event["rrn"] for event in events} == {answer["rrn"]}
    (last,) = await bank.entries(reference)
    assert last["state"] == "done"
    assert last["id"] > first["id"], "a reader who follows the books must see the change"


async def test_silent_never_speaks_but_knows(bank: Simbank) -> None:
    reference = new_reference()
    async with bank.undecided():
        _, answer = await bank.pay(upi_link(reference), "silent@hundi")
        assert answer | {"message": ""} == {
            "status": "silent",
            "code": "",
            "rrn": "",
            "message": "",
        }
        assert (await bank.inquire(reference))["status"] == "pending"
    paid = await bank.becomes(reference, "paid")
    assert paid["amount_paise"] == AMOUNT_PAISE
    await asyncio.sleep(0.3)
    assert bank.gateway.about(reference) == []


async def test_deemed_is_confirmed_by_inquiry_only(bank: Simbank) -> None:
    reference = new_reference()
    async with bank.undecided():
        _, answer = await bank.pay(upi_link(reference), "deemed@hundi")
        assert (answer["status"], answer["code"]) == ("pending", "RB")
        assert (await bank.inquire(reference))["code"] == "RB"
        await bank.gateway.hears(reference)
    await bank.becomes(reference, "paid")
    assert [event["code"] for event in bank.gateway.about(reference)] == ["RB"]


@pytest.mark.parametrize("payer_vpa", ["success@hundi", "pending@hundi", "silent@hundi"])
async def test_twenty_at_once_debit_once(bank: Simbank, payer_vpa: str) -> None:
    reference = new_reference()
    link = upi_link(reference)
    answers = await asyncio.gather(*(bank.pay(link, payer_vpa) for _ in range(20)))
    assert [answer["code"] for _, answer in answers].count("U01") == 19
    await bank.becomes(reference, "paid")
    assert [entry["state"] for entry in await bank.entries(reference)] == ["done"]


async def test_a_declined_reference_may_be_tried_again(bank: Simbank) -> None:
    reference = new_reference()
    await bank.pay(upi_link(reference), "insufficient@hundi")
    assert (await bank.pay(upi_link(reference)))[1]["status"] == "success"
    assert (await bank.pay(upi_link(reference)))[1]["code"] == "U01"
    assert sorted(entry["state"] for entry in await bank.entries(reference)) == ["declined", "done"]
    events = await bank.gateway.hears(reference, 2)
    assert {event["status"] for event in events} == {"declined", "paid"}


async def test_an_expired_code_is_refused_by_the_app_unless_it_was_scanned_in_time(
    bank: Simbank,
) -> None:
    reference = new_reference()
    link = upi_link(reference, QRexpire="2020-01-01T00:00:00+05:30")
    status, answer = await bank.pay(link)
    assert (status, answer["status"], answer["code"]) == (200, "declined", "U69")
    assert (await bank.inquire(reference))["status"] == "not_found"
    assert (await bank.pay(link, ignore_expiry=True))[1]["status"] == "success"


@pytest.mark.parametrize(
    ("uri", "payer_vpa"),
    [
        (upi_link("8-123456789012345"), "success@hundi"),
        (upi_link(new_reference(), pa="shop@okaxis"), "success@hundi"),
        (upi_link(new_reference(), am=""), "success@hundi"),
        (upi_link(new_reference()), "success"),
        (upi_link(new_reference()), "a@b@c"),
        ("https://example.com/", "success@hundi"),
    ],
    ids=[
        "foreign reference",
        "foreign payee",
        "no amount",
        "no handle",
        "two handles",
        "no upi link",
    ],
)
async def test_what_an_app_would_not_send_is_refused(
    bank: Simbank, uri: str, payer_vpa: str
) -> None:
    status, answer = await bank.pay(uri, payer_vpa)
    assert (status, answer["status"], answer["rrn"]) == (400, "declined", "")
    assert answer["error"]


async def test_bodies_that_are_not_json_or_too_big(bank: Simbank) -> None:
    for body, expected in ((b"{", 400), (b"[]", 400), (b'{"uri": 1}', 400), (b"x" * 100_000, 413)):
        async with bank.http.post(bank.url + "/upi/pay", data=body) as response:
            assert response.status == expected
