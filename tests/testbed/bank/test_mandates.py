"""Mandates at the bank: approved by a link, debited after a notice and within limits."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest

from tests.testbed.bank.harness import Simbank, new_reference

MANDATE = {
    "pa": "m7@simbank",
    "pn": "Chai House",
    "am": "1000.00",
    "amrule": "MAX",
    "fam": "99.00",
    "cu": "INR",
    "txnType": "CREATE",
    "recur": "MONTHLY",
    "validitystart": "01012026",
    "validityend": "31122055",
}


def mandate_link(reference: str, **changes: str) -> str:
    """Return the link of a mandate, with parameters changed or (by "") left out."""
    fields = MANDATE | {"tr": reference} | changes
    return "upi://mandate?" + "&".join(
        f"{name}={quote(value, safe='@')}" for name, value in fields.items() if value
    )


async def approved(bank: Simbank) -> str:
    """Return the reference of a mandate that a customer has approved."""
    reference = new_reference()
    paid = await bank.http.post(
        f"{bank.url}/upi/pay", json={"uri": mandate_link(reference), "payer_vpa": "success@hundi"}
    )
    assert (await paid.json())["status"] == "success"
    return reference


async def notice(bank: Simbank, mandate: str, amount_paise: int = 49_900) -> dict[str, Any]:
    debit_at = (datetime.now(UTC) + timedelta(hours=25)).isoformat()
    asked = {
        "reference": new_reference(),
        "mandate": mandate,
        "period_no": 1,
        "amount_paise": amount_paise,
        "debit_at": debit_at,
    }
    status, told = await bank.acquirer("/acquirer/mandates/notices", asked)
    assert status == 200
    return told


async def debit(
    bank: Simbank, mandate: str, reference: str = "", amount_paise: int = 49_900
) -> dict[str, Any]:
    asked = {
        "reference": reference or new_reference(),
        "mandate": mandate,
        "period_no": 1,
        "amount_paise": amount_paise,
        "currency": "INR",
    }
    status, told = await bank.acquirer("/acquirer/mandates/debits", asked)
    assert status == 200
    return told


async def test_the_first_amount_is_paid_with_the_approval(bank: Simbank) -> None:
    reference = await approved(bank)
    _, found = await bank.acquirer("/acquirer/inquire", {"reference": reference})
    assert (found["status"], found["amount_paise"]) == ("paid", 9_900)


@pytest.mark.parametrize(
    "changes",
    [
        {"txnType": "REVOKE"},
        {"txnType": ""},
        {"recur": "HOURLY"},
        {"am": ""},
        {"fam": "0"},
        {"validitystart": "32012026"},
        {"validityend": "2055-12-31"},
        {"validityend": "31122025"},
    ],
)
async def test_a_link_that_is_no_mandate_is_refused(bank: Simbank, changes: dict[str, str]) -> None:
    uri = mandate_link(new_reference(), **changes)
    answer = await bank.http.post(
        f"{bank.url}/upi/pay", json={"uri": uri, "payer_vpa": "success@hundi"}
    )
    assert answer.status == 400


async def test_a_debit_without_a_notice_of_a_day_is_declined(bank: Simbank) -> None:
    mandate = await approved(bank)
    assert (await debit(bank, mandate))["code"] == "M4"
    began = datetime.now(UTC)
    told = await notice(bank, mandate)
    assert told["status"] == "done"
    first = datetime.fromisoformat(told["debit_from"]) - timedelta(hours=24)
    assert began <= first <= datetime.now(UTC)
    assert (await notice(bank, mandate))["debit_from"] == told["debit_from"], "the first one counts"
    early = await debit(bank, mandate)
    assert (early["status"], early["code"]) == ("declined", "M4")


async def test_no_debit_is_above_what_was_approved(bank: Simbank) -> None:
    mandate = await approved(bank)
    assert (await notice(bank, mandate, 1_000_01))["code"] == "M3"
    assert (await debit(bank, mandate, amount_paise=1_000_01))["code"] == "M3"


async def test_what_is_ended_or_was_never_approved_is_not_debited(bank: Simbank) -> None:
    mandate = await approved(bank)
    for _ in range(2):
        assert (await bank.acquirer("/acquirer/mandates/end", {"mandate": mandate}))[1][
            "status"
        ] == "done"
    assert (await notice(bank, mandate))["code"] == "M1"
    assert (await debit(bank, mandate))["code"] == "M1"
    assert (await debit(bank, new_reference()))["code"] == "M1"


async def test_the_same_reference_is_told_the_same(bank: Simbank) -> None:
    mandate, reference = await approved(bank), new_reference()
    first = await debit(bank, mandate, reference)
    assert await debit(bank, mandate, reference) == first
    asked = {
        "reference": reference,
        "mandate": mandate,
        "period_no": 1,
        "amount_paise": 1,
        "currency": "INR",
    }
    assert (await bank.acquirer("/acquirer/mandates/debits", asked))[0] == 409


async def test_a_customer_ends_a_mandate_and_the_gateway_is_told_once(bank: Simbank) -> None:
    mandate = await approved(bank)
    assert mandate in await (await bank.http.get(f"{bank.url}/mandates")).text()
    for _ in range(2):
        assert (await bank.submit(f"{bank.url}/mandates/{mandate}")).status == 303
    assert mandate not in await (await bank.http.get(f"{bank.url}/mandates")).text()
    assert (await notice(bank, mandate))["code"] == "M1"

    def told() -> list[dict[str, Any]]:
        return [each for each in tuple(bank.gateway.heard) if each.get("mandate") == mandate]

    deadline = time.monotonic() + 60
    while not told():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    (news,) = told()
    assert news["kind"] == "mandate_changed"
