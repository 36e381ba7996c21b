"""Mandates of bank accounts.

Registered later or not, debited in a batch, answered on the next day.
"""

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from hundi_testbed.bank.mandates import clearing
from hundi_testbed.bank.settings import Timings
from tests.testbed.bank.harness import AMOUNT_PAISE, MANDATE, Simbank, new_reference
from tests.testbed.bank.redirecting import BANK, begin, press, redirect
from tests.testbed.bank.test_mandates import debit

AT_BANK = {"method": "enach", "bank_code": "ICIC"}
IST = timezone(timedelta(hours=5, minutes=30))


async def asked(bank: Simbank, customer: str = "success", **terms: Any) -> str:
    """Return the reference of a mandate that its customer approved and their bank did not."""
    reference = new_reference()
    url = await redirect(bank, reference, AT_BANK, mandate=MANDATE | terms)
    await press(bank, url, "log_in", customer=customer, proof="Debit card")
    assert "Debit card" in await (await bank.http.get(url)).text()
    assert (await press(bank, url, "pay")).status == 303
    told = await bank.gateway.hears(reference)
    assert (told[0]["status"], told[0]["code"]) == ("pending", "01")
    return reference


async def test_a_bank_registers_a_mandate_later_and_gives_it_a_number(bank: Simbank) -> None:
    _, told = await bank.gateway.hears(await asked(bank), 2)
    assert (told["status"], told["amount_paise"]) == ("paid", AMOUNT_PAISE)
    assert len(told["approval_code"]) == 20
    assert told["approval_code"].startswith("ICIC7")


@pytest.mark.parametrize(
    ("customer", "terms", "code"),
    [("reject", {}, "AP08"), ("success", {"max_paise": AMOUNT_PAISE - 1}, "AP10")],
)
async def test_a_bank_does_not_register_every_mandate(
    bank: Simbank, customer: str, terms: dict[str, Any], code: str
) -> None:
    reference = await asked(bank, customer, **terms)
    _, told = await bank.gateway.hears(reference, 2)
    assert (told["status"], told["code"]) == ("declined", code)
    assert (await debit(bank, reference, amount_paise=1))["code"] == "M1"


async def test_what_waits_for_the_bank_is_not_debited(bank: Simbank) -> None:
    assert (await debit(bank, await asked(bank, "slow"), amount_paise=1))["code"] == "M1"


async def test_it_can_be_said_when_banks_register_mandates(bank: Simbank) -> None:
    await bank.make_registrations_due()
    standing = await asked(bank)
    await bank.becomes(standing, "paid")
    presented = new_reference()
    assert (await debit(bank, standing, presented))["status"] == "pending"
    waiting = [await asked(bank, "slow") for _ in range(2)]
    assert await bank.make_registrations_due() == 2
    for reference in waiting:
        assert (await bank.gateway.hears(reference, 2))[1]["status"] == "paid"
    assert await bank.make_registrations_due() == 0
    assert (await bank.inquire(presented))["status"] == "pending", "a debit waits for its batch"


async def test_a_debit_waits_for_the_next_batch_and_needs_no_notice(bank: Simbank) -> None:
    mandate = await asked(bank)
    await bank.becomes(mandate, "paid")
    reference = new_reference()
    told = await debit(bank, mandate, reference)
    assert (told["status"], told["code"]) == ("pending", "01")
    assert await debit(bank, mandate, reference) == told
    again = {
        "reference": new_reference(),
        "mandate": mandate,
        "period_no": 1,
        "amount_paise": 1,
        "currency": "INR",
    }
    assert (await bank.acquirer("/acquirer/mandates/debits", again))[0] == 409


@pytest.mark.parametrize(
    ("at", "answered"),
    [
        (datetime(2026, 11, 22, 6, 0, tzinfo=IST), datetime(2026, 11, 23, 10, 0, tzinfo=IST)),
        (datetime(2026, 11, 22, 10, 0, tzinfo=IST), datetime(2026, 11, 24, 10, 0, tzinfo=IST)),
        (datetime(2026, 12, 31, 23, 59, tzinfo=IST), datetime(2027, 1, 2, 10, 0, tzinfo=IST)),
    ],
)
def test_a_batch_is_presented_once_a_day_and_answered_on_the_next(
    at: datetime, answered: datetime
) -> None:
    waits_s = clearing.presented(at).judged_after_s
    assert waits_s is not None
    assert at + timedelta(seconds=waits_s) == answered


def test_a_slow_bank_takes_two_days() -> None:
    assert clearing.asked("Slow", Timings()).judged_after_s == 2 * 86_400
    assert clearing.asked("asha", Timings()).judged_after_s == 20


async def test_a_mandate_is_approved_at_pages_of_its_own(bank: Simbank) -> None:
    assert (await begin(bank, new_reference(), BANK, mandate=MANDATE))[0] == 400
    assert (await begin(bank, new_reference(), BANK, method="enach"))[0] == 400
    backwards = MANDATE | {"valid_until": "2025-01-01"}
    assert (await begin(bank, new_reference(), BANK, method="enach", mandate=backwards))[0] == 400
