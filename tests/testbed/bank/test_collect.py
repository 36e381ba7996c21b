"""Collect requests: the payer's app answers by the same triggers, and the callback tells."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from tests.testbed.bank.harness import COLLECT_S, Simbank, new_reference


@pytest.mark.parametrize(
    ("payer_vpa", "status", "code"),
    [
        ("anybody@okaxis", "paid", "00"),
        ("success@hundi", "paid", "00"),
        ("decline@hundi", "declined", "ZA"),
        ("insufficient@hundi", "declined", "Z9"),
        ("expired@hundi", "declined", "U69"),
        ("deemed@hundi", "pending", "RB"),
    ],
)
async def test_outcomes_come_by_callback(
    bank: Simbank, payer_vpa: str, status: str, code: str
) -> None:
    reference, answers_at = new_reference(), datetime.now(UTC) + timedelta(seconds=COLLECT_S)
    answers_at -= timedelta(milliseconds=1)  # The books tell whole milliseconds.
    http_status, answer = await bank.collect(reference, payer_vpa)
    assert (http_status, answer["status"], answer["code"]) == (200, "pending", "")
    (event,) = await bank.gateway.hears(reference)
    assert (event["status"], event["code"], event["rrn"], event["payer_vpa"]) == (
        status,
        code,
        answer["rrn"],
        payer_vpa,
    )
    booked = [datetime.fromisoformat(each["at"]) for each in await bank.entries(reference)]
    assert booked
    assert all(at >= answers_at for at in booked), "nobody is debited before the app answers"


async def test_pending_collect_ends_paid(bank: Simbank) -> None:
    reference = new_reference()
    await bank.collect(reference, "pending@hundi")
    assert [event["status"] for event in await bank.gateway.hears(reference, 2)] == [
        "pending",
        "paid",
    ]
    assert [entry["state"] for entry in await bank.entries(reference)] == ["done"]


async def test_silent_collect(bank: Simbank) -> None:
    reference = new_reference()
    assert (await bank.collect(reference, "silent@hundi"))[1]["status"] == "pending"
    await bank.becomes(reference, "paid")
    assert bank.gateway.about(reference) == []


async def test_unregistered_is_declined_at_once_and_stays_so(bank: Simbank) -> None:
    reference = new_reference()
    for _ in range(2):
        _, answer = await bank.collect(reference, "unregistered@hundi")
        assert (answer["status"], answer["code"]) == ("declined", "ZH")


async def test_the_same_call_again_asks_nobody_twice(bank: Simbank) -> None:
    reference = new_reference()
    answers = await asyncio.gather(*(bank.collect(reference, "success@hundi") for _ in range(10)))
    assert len({answer["rrn"] for _, answer in answers}) == 1
    await bank.becomes(reference, "paid")
    assert len(await bank.entries(reference)) == 1
    assert (await bank.collect(reference, "success@hundi"))[1]["rrn"] == answers[0][1]["rrn"]


@pytest.mark.parametrize("changes", [{"amount_paise": 1}, {"payer_vpa": "other@hundi"}])
async def test_the_same_reference_with_other_content_conflicts(
    bank: Simbank, changes: dict[str, object]
) -> None:
    reference = new_reference()
    await bank.collect(reference, "success@hundi")
    assert (await bank.collect(reference, "success@hundi", **changes))[0] == 409


@pytest.mark.parametrize(
    "changes",
    [
        {"payee_vpa": "m8@simbank"},
        {"payer_vpa": "nobody"},
        {"amount_paise": 0},
        {"amount_paise": 1.5},
        {"amount_paise": "100"},
        {"currency": "USD"},
        {"reference": "7 1"},
        {"expires_in_s": 0},
    ],
)
async def test_malformed_requests(bank: Simbank, changes: dict[str, object]) -> None:
    status, answer = await bank.collect(new_reference(), "success@hundi", **changes)
    assert status == 400
    assert answer["error"]
