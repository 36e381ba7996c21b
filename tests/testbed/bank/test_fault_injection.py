"""Fault injection: the same seed gives the same faults, on calls, callbacks and outcomes."""

import asyncio
import time

import aiohttp
import msgspec
import pytest

from hundi_testbed.bank.fault_injection import (
    CallFaults,
    FaultInjector,
    FaultSettings,
    call_faults,
    callback_faults,
)
from tests.testbed.bank.harness import Simbank, new_reference, upi_link

TURNS = range(1, 2_001)


def test_the_same_seed_gives_the_same_faults() -> None:
    settings = FaultSettings(
        seed=7,
        delay_ms=(10, 50),
        lose_request=0.3,
        lose_reply=0.3,
        duplicate_callback=0.3,
        reorder_callbacks=0.3,
    )
    first, second = FaultInjector(settings), FaultInjector(settings)
    calls = [first.next_call() for _ in TURNS]
    callbacks = [first.next_callback() for _ in TURNS]
    # However the two streams interleave.
    assert [(second.next_callback(), second.next_call()) for _ in TURNS] == list(
        zip(callbacks, calls, strict=True)
    )
    assert calls != [call_faults(msgspec.structs.replace(settings, seed=8), turn) for turn in TURNS]


def test_chances_are_what_they_say() -> None:
    settings = FaultSettings(seed=1, delay_ms=(10, 50), lose_request=0.25, duplicate_callback=0.5)
    calls = [call_faults(settings, turn) for turn in TURNS]
    assert 0.2 < sum(call.lose_request for call in calls) / len(calls) < 0.3
    assert not any(call.lose_reply for call in calls)
    assert all(0.01 <= call.delay_s <= 0.05 for call in calls)
    assert (
        0.45 < sum(callback_faults(settings, turn).copies - 1 for turn in TURNS) / len(TURNS) < 0.55
    )


def test_without_settings_no_faults() -> None:
    assert FaultInjector(FaultSettings(seed=3)).next_call() == CallFaults()
    assert call_faults(FaultSettings(), 1) == CallFaults()


@pytest.mark.parametrize(
    "setting",
    [
        b'{"lose_reply": 2}',
        b'{"delay_ms": [5, 1]}',
        b'{"delay_ms": 5}',
        b'{"typo": 1}',
        b'{"seed": "x"}',
        b'{"late_success_s": -1}',
        b"[]",
    ],
)
async def test_fault_settings_that_make_no_sense(bank: Simbank, setting: bytes) -> None:
    async with bank.http.put(bank.url + "/control/dial", data=setting) as response:
        assert response.status == 400


async def test_set_read_and_reset(bank: Simbank) -> None:
    setting = {
        "seed": 3,
        "delay_ms": [1, 2],
        "lose_request": 0.0,
        "lose_reply": 0.0,
        "duplicate_callback": 1.0,
        "reorder_callbacks": 0.0,
        "late_success_s": 5,
        "odd_answers": 0.5,
        "odd_answer": "html",
    }
    await bank.set_faults(**setting)
    async with bank.http.get(bank.url + "/control/dial") as response:
        assert await response.json() == setting
    async with bank.http.delete(bank.url + "/control/dial") as response:
        assert (await response.json())["duplicate_callback"] == 0
    async with bank.http.get(bank.url + "/control/dial") as response:
        assert (await response.json())["late_success_s"] == 0


async def test_a_lost_request_changes_nothing_and_a_lost_reply_changes_all(bank: Simbank) -> None:
    for key, found in (("lose_request", "not_found"), ("lose_reply", "paid")):
        reference = new_reference()
        await bank.set_faults(**{key: 1})
        with pytest.raises(aiohttp.ClientError):
            await bank.collect(reference, "success@hundi")
        await bank.set_faults()
        await bank.becomes(reference, found)


async def test_which_calls_are_lost_depends_on_the_seed_alone(bank: Simbank) -> None:
    async def lost() -> list[bool]:
        await bank.set_faults(seed=11, lose_request=0.5)
        results: list[bool] = []
        for _ in range(12):
            try:
                await bank.inquire(new_reference())
                results.append(False)
            except aiohttp.ClientError:
                results.append(True)
        return results

    first = await lost()
    assert first == await lost()
    assert True in first
    assert False in first


async def test_delays(bank: Simbank) -> None:
    await bank.set_faults(delay_ms=[200, 250])
    started = time.monotonic()
    await bank.inquire(new_reference())
    assert time.monotonic() - started >= 0.2


async def test_doubled_callbacks_are_the_same_event(bank: Simbank) -> None:
    await bank.set_faults(duplicate_callback=1)
    reference = new_reference()
    await bank.pay(upi_link(reference))
    events = await bank.gateway.hears(reference, 2)
    assert len({event["event_id"] for event in events}) == 1


async def test_reordered_callbacks_overtake(bank: Simbank) -> None:
    held, overtaking = new_reference(), new_reference()
    await bank.set_faults(reorder_callbacks=1)
    await bank.pay(upi_link(held))
    await bank.set_faults()
    await bank.pay(upi_link(overtaking))
    await asyncio.gather(bank.gateway.hears(held), bank.gateway.hears(overtaking))
    order = [
        event["reference"]
        for event in bank.gateway.heard
        if event["reference"] in {held, overtaking}
    ]
    assert order == [overtaking, held]


@pytest.mark.parametrize(
    ("payer_vpa", "first"), [("insufficient@hundi", "declined"), ("pending@hundi", "pending")]
)
async def test_late_success(bank: Simbank, payer_vpa: str, first: str) -> None:
    await bank.set_faults(late_success_s=3_600)
    reference = new_reference()
    _, answer = await bank.pay(upi_link(reference), payer_vpa)
    assert answer["status"] == first
    await bank.gateway.hears(reference)
    await bank.make_late_successes_due()
    events = await bank.gateway.hears(reference, 2)
    assert [event["status"] for event in events] == [first, "paid"]
    assert [entry["state"] for entry in await bank.entries(reference)] == ["done"]


async def test_late_success_of_a_card_and_never_of_nobody(bank: Simbank) -> None:
    await bank.set_faults(late_success_s=3_600)
    card, nobody = new_reference(), new_reference()
    await bank.pay(upi_link(nobody), "unregistered@hundi")
    authentication_id = await bank.authenticated(card, "4000000000009995")
    assert (await bank.authorise(card, authentication_id))[1]["code"] == "51"
    await bank.make_late_successes_due()
    await bank.becomes(card, "paid")
    assert (await bank.authorise(card, authentication_id))[1]["status"] == "paid"
    assert (await bank.inquire(nobody))["status"] == "declined"
