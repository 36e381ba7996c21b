"""Disputes at the bank: raised by a control, answered, decided by the answer's words."""

import asyncio
import base64
import hashlib
from typing import Any

import aiohttp
import pytest

from tests.testbed.bank.harness import AMOUNT_PAISE, Gateway, Process, Simbank, new_reference
from tests.testbed.bank.test_refunds import paid, refund


async def raised(bank: Simbank, reference: str, **more: object) -> tuple[int, dict[str, Any]]:
    asked = {"reference": reference, "amount_paise": AMOUNT_PAISE, "reason": "10.4", **more}
    async with bank.http.post(bank.url + "/control/dispute", json=asked) as response:
        return response.status, await response.json()


async def inquired(bank: Simbank, told: dict[str, Any]) -> dict[str, Any]:
    asked = {"dispute": told["dispute"], "phase": told["phase"]}
    return (await bank.acquirer("/acquirer/disputes/inquire", asked))[1]


async def answered(
    bank: Simbank, told: dict[str, Any], accepted: int = 0, note: str = "", key: str = ""
) -> tuple[int, dict[str, Any]]:
    asked = {"dispute": told["dispute"], "phase": told["phase"], "answer": key or new_reference()}
    return await bank.acquirer(
        "/acquirer/disputes/answer", asked | {"accepted_paise": accepted, "note": note}
    )


async def ended(bank: Simbank, told: dict[str, Any]) -> dict[str, Any]:
    while (now := await inquired(bank, told))["status"] in {"open", "under_review"}:
        await asyncio.sleep(0.05)
    return now


async def taken(bank: Simbank, reference: str) -> list[int]:
    return [
        each["amount_paise"]
        for each in await bank.entries(reference)
        if each["kind"] == "chargeback"
    ]


async def test_a_dispute_is_raised_told_and_found(bank: Simbank) -> None:
    reference = await paid(bank, "success@hundi")
    status, told = await raised(bank, reference)
    assert (status, told["status"], told["amount_paise"]) == (200, "open", AMOUNT_PAISE)
    assert (await raised(bank, reference))[0] == 409, "one phase after the other"
    heard = [each for each in await bank.gateway.hears(reference, 2) if each["kind"] == "dispute"]
    assert (heard[0]["dispute"], heard[0]["phase"], heard[0]["status"]) == (
        told["dispute"],
        "chargeback",
        "open",
    )
    assert await inquired(bank, told) == told
    listed = (await bank.acquirer("/acquirer/disputes/list", {"since": "2026-01-01T00:00:00Z"}))[1][
        "disputes"
    ]
    assert told["dispute"] in {each["dispute"] for each in listed}
    assert (await refund(bank, reference, paise=1))["code"] == "61", (
        "what is disputed does not go back as well"
    )
    assert await taken(bank, reference) == []
    assert (await raised(bank, new_reference()))[0] == 404


@pytest.mark.parametrize(
    ("note", "accepted", "standing", "takes"),
    [
        ("delivered and signed for", 0, "won", 0),
        ("we lose", 0, "lost", AMOUNT_PAISE),
        ("we lose half of it", 0, "lost", AMOUNT_PAISE // 2),
        ("one of two came back", 50_000, "lost", 50_000),
        ("", AMOUNT_PAISE, "lost", AMOUNT_PAISE),
    ],
)
async def test_the_words_of_an_answer_decide(
    bank: Simbank, note: str, accepted: int, standing: str, takes: int
) -> None:
    reference, key = await paid(bank, "success@hundi"), new_reference()
    told = (await raised(bank, reference))[1]
    first = (await answered(bank, told, accepted, note, key))[1]
    assert first["status"] == ("lost" if accepted == AMOUNT_PAISE else "under_review")
    assert (await answered(bank, told, accepted, note, key))[1]["answer"] == key, (
        "the same answer again is the same"
    )
    assert (await answered(bank, told, accepted, note))[0] == 409
    end = await ended(bank, told)
    assert (end["status"], end["taken_paise"]) == (standing, takes)
    assert await taken(bank, reference) == ([takes] if takes else [])
    assert bool(end["rrn"]) is bool(takes)
    assert (await refund(bank, reference, paise=AMOUNT_PAISE - takes or 1))["status"] == (
        "done" if takes < AMOUNT_PAISE else "declined"
    )


async def test_the_next_phase_has_the_same_number(bank: Simbank) -> None:
    reference = await paid(bank, "success@hundi")
    first = (await raised(bank, reference, phase="retrieval"))[1]
    await answered(bank, first, 0, "here are the papers")
    assert (await ended(bank, first))["status"] == "closed"
    second = (await raised(bank, reference))[1]
    await answered(bank, second, 0, "delivered")
    assert (await ended(bank, second))["status"] == "won"
    third = (await raised(bank, reference, phase="pre_arbitration"))[1]
    assert first["dispute"] == second["dispute"] == third["dispute"]
    assert (await raised(bank, reference, phase="nonsense"))[0] == 400


async def test_documents_are_kept_by_their_digest(bank: Simbank) -> None:
    reference = await paid(bank, "success@hundi")
    told = (await raised(bank, reference))[1]
    content = b"%PDF-1.7 " + b"x" * 200_000
    sent = {
        "dispute": told["dispute"],
        "phase": told["phase"],
        "evidence": "7-E1",
        "media_type": "application/pdf",
    }
    for _ in range(2):
        answer = await bank.acquirer(
            "/acquirer/disputes/evidence", sent | {"content": base64.b64encode(content).decode()}
        )
        assert answer[1]["status"] == "done"
    async with bank.http.get(
        bank.url + "/control/dispute", params={"reference": reference}
    ) as response:
        (shown,) = (await response.json())["disputes"]
    assert [
        (each["evidence"], each["digest"], each["size_bytes"]) for each in shown["evidence"]
    ] == [("7-E1", hashlib.sha256(content).hexdigest(), len(content))]


async def test_the_gateway_has_heard_an_end_when_its_clock_is_moved(
    own_process: Process, own_gateway: Gateway
) -> None:
    async with aiohttp.ClientSession() as http:
        bank = Simbank(own_process.url, http, own_gateway)
        reference = await paid(bank, "success@hundi")
        assert (await raised(bank, reference))[0] == 200
        await own_gateway.hears(reference, 2)
        own_gateway.thinks_s = 2.5
        await bank.move_clock(4 * 86_400)
        assert [each["status"] for each in own_gateway.about(reference)].count("lost") == 1
        assert own_gateway.under_way_when_moved == [0, 0]
