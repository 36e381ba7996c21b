"""Vouchers at the simulated network's counters.

Each is paid once, exactly, in time, and told of later or never.
"""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from hundi_testbed.bank.cash import rules
from hundi_testbed.bank.settings import Timings
from tests.testbed.bank.harness import Simbank, new_reference

IN_TIME = timedelta(days=2)
CASH = {"amount": "1499.50", "mobile": "9876543210", "counter": "asha"}


async def issued(bank: Simbank, reference: str, **changes: object) -> tuple[int, dict[str, object]]:
    ends = datetime.now(UTC) + IN_TIME
    asked = {
        "reference": reference,
        "amount_paise": 149_950,
        "currency": "INR",
        "expires_at": ends.isoformat(),
    }
    return await bank.acquirer("/acquirer/cash/vouchers", asked | changes)


async def voucher(bank: Simbank, reference: str, **changes: object) -> str:
    status, answer = await issued(bank, reference, **changes)
    assert (status, answer["status"]) == (200, "done")
    return str(answer["voucher"])


async def pay(bank: Simbank, number: str, **changes: str) -> tuple[int, str]:
    async with bank.http.post(
        bank.url + "/counter", data=CASH | {"number": number} | changes
    ) as response:
        return response.status, await response.text()


async def listed(bank: Simbank, reference: str) -> list[dict[str, object]]:
    status, answer = await bank.acquirer("/acquirer/transfers", {"reference": reference})
    assert status == 200
    return answer["transfers"]


async def test_cash_is_booked_at_once_and_told_when_the_batch_comes_in(bank: Simbank) -> None:
    reference = new_reference()
    number = await voucher(bank, reference)
    status, page = await pay(bank, number)
    assert (status, f"Receipt CR{number}" in page) == (200, True)
    assert await listed(bank, reference) == []
    (entry,) = await bank.entries(f"CR{number}")
    assert (entry["kind"], entry["method"], entry["state"], entry["amount_paise"]) == (
        "debit",
        "cash",
        "pending",
        149_950,
    )
    (event,) = await bank.gateway.hears(reference)
    assert (event["kind"], event["rrn"], event["status"]) == ("transfer", f"CR{number}", "paid")
    assert await listed(bank, reference) == [
        {"utr": f"CR{number}", "amount_paise": 149_950, "currency": "INR", "mode": "CASH"}
    ]
    (entry,) = await bank.entries(f"CR{number}")
    assert entry["state"] == "done"


async def test_a_voucher_is_paid_once_also_at_two_counters_at_once(bank: Simbank) -> None:
    reference = new_reference()
    number = await voucher(bank, reference)
    answers = await asyncio.gather(*(pay(bank, number, mobile=f"987654321{n}") for n in range(6)))
    assert sorted(status for status, _ in answers) == [200] + [409] * 5
    status, page = await pay(bank, number)
    assert (status, "paid already. Take no cash." in page) == (409, True)
    assert len(await bank.entries(f"CR{number}")) == 1


async def test_the_same_reference_has_the_same_voucher_and_another_amount_is_refused(
    bank: Simbank,
) -> None:
    reference, ends = new_reference(), (datetime.now(UTC) + IN_TIME).isoformat()
    numbers = await asyncio.gather(*(voucher(bank, reference, expires_at=ends) for _ in range(4)))
    assert len(set(numbers)) == 1
    assert (await issued(bank, reference, expires_at=ends, amount_paise=1))[0] == 409
    assert await voucher(bank, new_reference(), expires_at=ends) not in numbers


async def test_a_counter_takes_no_cash_for_an_expired_voucher(bank: Simbank) -> None:
    reference = new_reference()
    number = await voucher(bank, reference, expires_at=datetime.now(UTC).isoformat())
    status, page = await pay(bank, number)
    assert (status, "This voucher has expired." in page) == (422, True)
    assert await bank.entries(f"CR{number}") == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"amount": "1499.49"}, "exactly ₹1,499.50"),
        ({"amount": "1499.51"}, "exactly ₹1,499.50"),
        ({"amount": "much"}, "exactly ₹1,499.50"),
        ({"mobile": "12345"}, "mobile number, 10 digits"),
        ({"counter": "nobody"}, "Choose a counter"),
    ],
)
async def test_what_a_counter_refuses_moves_nothing(
    bank: Simbank, changes: dict[str, str], words: str
) -> None:
    reference = new_reference()
    number = await voucher(bank, reference)
    status, page = await pay(bank, number, **changes)
    assert (status, words in page) == (422, True)
    assert await bank.entries(f"CR{number}") == []


async def test_a_mistyped_number_is_told_from_one_that_nobody_issued(bank: Simbank) -> None:
    number = await voucher(bank, new_reference())
    mistyped = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert "This is no voucher number" in (await pay(bank, mistyped))[1]
    assert "There is no such voucher" in (await pay(bank, rules.number_of("000000000000")))[1]


async def test_more_than_the_ceiling_gets_no_voucher(bank: Simbank) -> None:
    assert await voucher(bank, new_reference(), amount_paise=rules.CEILING_PAISE)
    status, answer = await issued(bank, new_reference(), amount_paise=rules.CEILING_PAISE + 1)
    assert (status, answer["status"], answer["code"]) == (200, "declined", "61")


async def test_a_withdrawn_voucher_takes_no_cash_and_a_paid_one_cannot_be_withdrawn(
    bank: Simbank,
) -> None:
    kept, given_up = new_reference(), new_reference()
    number, other = await voucher(bank, kept), await voucher(bank, given_up)
    for _ in range(2):
        _, answer = await bank.acquirer("/acquirer/cash/vouchers/end", {"reference": given_up})
        assert answer["status"] == "done"
    status, page = await pay(bank, other)
    assert (status, "was withdrawn. Take no cash." in page) == (409, True)
    assert await listed(bank, given_up) == await bank.entries(f"CR{other}") == []
    await pay(bank, number)
    _, answer = await bank.acquirer("/acquirer/cash/vouchers/end", {"reference": kept})
    assert (answer["status"], answer["code"]) == ("declined", "12")


async def test_of_cash_and_a_withdrawal_at_once_one_happens(bank: Simbank) -> None:
    for _ in range(5):
        reference = new_reference()
        number = await voucher(bank, reference)
        ended = bank.acquirer("/acquirer/cash/vouchers/end", {"reference": reference})
        (status, _), (_, answer) = await asyncio.gather(pay(bank, number), ended)
        assert (status == 200) != (answer["status"] == "done")
        assert len(await bank.entries(f"CR{number}")) == (status == 200)


@pytest.mark.parametrize(
    ("mobile", "state"), [(CASH["mobile"], "done"), (rules.NO_REFUND_MOBILE, "declined")]
)
async def test_a_refund_goes_to_the_account_behind_the_mobile_number(
    bank: Simbank, mobile: str, state: str
) -> None:
    reference = new_reference()
    number = await voucher(bank, reference)
    await pay(bank, number, mobile=mobile)
    await bank.gateway.hears(reference)
    asked = {
        "reference": new_reference(),
        "original": f"CR{number}",
        "amount_paise": 149_950,
        "currency": "INR",
    }
    _, answer = await bank.acquirer("/acquirer/refund", asked)
    assert answer["status"] == state


@pytest.mark.parametrize(
    ("counter", "told"), [("asha", (20, False)), ("hill", (60, False)), ("post", (20, True))]
)
def test_counters_tell_at_their_own_time(counter: str, told: tuple[float, bool]) -> None:
    outcome = rules.taken(counter, Timings())
    assert (outcome.settles_after_s, outcome.quiet) == told
