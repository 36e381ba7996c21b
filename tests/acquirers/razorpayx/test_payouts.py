"""Money leaves once by RazorpayX, whatever becomes of calls, answers and processes."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from hundi.acquirers.calls.client import Timeouts
from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    PayoutStage,
    ProviderFee,
    SentBack,
    Underway,
    Unknown,
)
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payouts import PayoutBalance
from hundi.acquirers.razorpayx.api import RazorpayxAccount
from hundi.acquirers.razorpayx.connector import GRACE_S, RazorpayxConnector
from hundi.acquirers.razorpayx.validations import RazorpayxChecks
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.paid_out import CLOSED, DAY_S, DONE, GOOD, NOT_DONE, PAISE, PAYOUT, order
from tests.acquirers.razorpayx.conftest import opened
from tests.acquirers.razorpayx.standin import ACCOUNT_NUMBER, RazorpayX, Webhook
from tests.acquirers.stage import Trouble


def lower(webhook: Webhook) -> dict[str, str]:
    return {name.lower(): value for name, value in webhook.headers.items()}


@pytest.fixture
async def elsewhere(x: RazorpayX, account: RazorpayxAccount) -> AsyncIterator[RazorpayxChecks]:
    """Another gateway without a memory, as after the loss of a database."""
    made = opened(x, account, ShortMemory())
    yield made
    await made.close()


@pytest.mark.parametrize("trouble", [*DONE, *NOT_DONE])
async def test_a_call_that_went_wrong_pays_once(
    trouble: Trouble, x: RazorpayX, connector: RazorpayxChecks
) -> None:
    x.trouble("/payouts", trouble)
    first = await connector.pay_out(order())
    assert isinstance(first, Unknown | Underway), first
    for _ in range(3):
        assert isinstance(await connector.pay_out(order()), Underway)
    assert len(x.books.payouts) == 1
    x.payouts.settle(PAYOUT)
    assert await connector.inquire_payout(PAYOUT) == Approved(
        Money(PAISE),
        "632500000001",
        code="payout_processed",
        provider_fee=ProviderFee(Money(5_90), Money(90)),
        message="Payout is processed and the money has been credited into the beneficiary's "
        "account.",
    )


@pytest.mark.parametrize("trouble", list(NOT_DONE))
async def test_an_inquiry_that_went_wrong_says_nothing(
    trouble: Trouble, x: RazorpayX, connector: RazorpayxChecks
) -> None:
    await connector.pay_out(order())
    payout = x.payouts.payout(PAYOUT)
    x.trouble(f"/payouts/{payout.id}", *[trouble] * 4)
    assert isinstance(await connector.inquire_payout(PAYOUT), Unknown)
    x.troubles.clear()
    assert isinstance(await connector.inquire_payout(PAYOUT), Underway)


async def test_only_a_call_that_never_left_lets_another_provider_pay(
    x: RazorpayX, connector: RazorpayxChecks
) -> None:
    x.trouble("/payouts", Trouble.TOO_MANY)
    first = await connector.pay_out(order())
    assert isinstance(first, Unknown)
    assert not first.sent
    x.trouble("/payouts", Trouble.FAILED_AFTER, Trouble.TOO_MANY)
    second = "10001-P215000000000002"
    for _ in range(2):
        answer = await connector.pay_out(order(second))
        assert isinstance(answer, Unknown)
        assert answer.sent


async def test_silence_is_no_answer(
    x: RazorpayX, account: RazorpayxAccount, memory: ShortMemory
) -> None:
    made = RazorpayxConnector("razorpayx", account, memory, Timeouts(call_s=0.2))
    try:
        x.trouble("/payouts", Trouble.SILENT)
        assert isinstance(await made.pay_out(order()), Unknown)
        assert isinstance(await made.pay_out(order()), Underway)
    finally:
        await made.close()
    assert len(x.books.payouts) == 1


async def test_a_process_that_dies_after_the_call_finds_its_payout(
    x: RazorpayX, connector: RazorpayxChecks, elsewhere: RazorpayxChecks
) -> None:
    await connector.pay_out(order())
    assert isinstance(await elsewhere.inquire_payout(PAYOUT), Underway)
    assert isinstance(await elsewhere.pay_out(order()), Underway)
    assert len(x.books.payouts) == 1


async def test_a_key_that_is_forgotten_after_a_week_pays_no_second_time(
    x: RazorpayX, connector: RazorpayxChecks
) -> None:
    await connector.pay_out(order())
    x.payouts.settle(PAYOUT)
    x.pass_time(8 * DAY_S)
    assert isinstance(await connector.pay_out(order()), Approved)
    assert len(x.books.payouts) == 1
    x.trouble("/payouts", Trouble.UNAVAILABLE, Trouble.UNAVAILABLE)
    assert isinstance(await connector.pay_out(order()), Unknown)
    assert len(x.books.payouts) == 1


@pytest.mark.parametrize("other", [{"paise": PAISE + 1}, {"account": CLOSED}, {"rail": "neft"}])
async def test_another_order_under_a_reference_is_for_people(
    other: dict[str, Any], x: RazorpayX, connector: RazorpayxChecks
) -> None:
    await connector.pay_out(order())
    answer = await connector.pay_out(order(**other))
    assert isinstance(answer, Unknown)
    assert answer.code == "other_order"
    assert len(x.books.payouts) == 1


async def test_an_address_that_is_not_listed_pays_nothing(
    x: RazorpayX, connector: RazorpayxChecks
) -> None:
    x.addresses = {"192.0.2.1"}
    answer = await connector.pay_out(order())
    assert isinstance(answer, Declined)
    assert (answer.code, answer.never_accepted) == ("address_not_listed", True)
    assert not x.books.payouts
    assert isinstance(await connector.inquire_payout(PAYOUT), Unknown)
    assert isinstance(await connector.payout_balance(), Unknown)


async def test_a_refusal_after_an_accepted_call_denies_nothing(
    x: RazorpayX, connector: RazorpayxChecks
) -> None:
    x.trouble("/payouts", Trouble.FAILED_AFTER)
    await connector.pay_out(order())
    x.addresses = {"192.0.2.1"}
    answer = await connector.pay_out(order())
    assert isinstance(answer, Unknown)
    assert answer.sent
    x.addresses = None
    assert isinstance(await connector.inquire_payout(PAYOUT), Underway)


async def test_a_refusal_is_certain_once_an_earlier_call_would_be_seen(
    x: RazorpayX, connector: RazorpayxChecks
) -> None:
    x.trouble("/payouts", Trouble.FAILED_BEFORE)
    await connector.pay_out(order(rail="rtgs"))
    assert isinstance(await connector.pay_out(order(rail="rtgs")), Unknown)
    x.pass_time(GRACE_S)
    assert isinstance(await connector.inquire_payout(PAYOUT), NothingThere)
    answer = await connector.pay_out(order(rail="rtgs"))
    assert isinstance(answer, Declined)
    assert answer.never_accepted


async def test_a_wrong_secret_declines_nothing(
    x: RazorpayX, account: RazorpayxAccount, memory: ShortMemory
) -> None:
    other = opened(x, replace(account, key_secret="another secret"), memory)
    try:
        answer = await other.pay_out(order())
        assert isinstance(answer, Unknown)
        assert answer.credentials_refused
    finally:
        await other.close()
    assert not x.books.payouts


async def test_every_state_is_told(x: RazorpayX, connector: RazorpayxChecks) -> None:
    async def stage() -> tuple[PayoutStage, str]:
        answer = await connector.inquire_payout(PAYOUT)
        assert isinstance(answer, Underway), answer
        return answer.stage, answer.utr

    x.books.approval = True
    first = await connector.pay_out(order())
    assert isinstance(first, Underway)
    assert first.stage is PayoutStage.APPROVAL
    x.payouts.approve(PAYOUT)
    assert await stage() == (PayoutStage.PROCESSING, "")
    x.payouts.queue(PAYOUT)
    assert await stage() == (PayoutStage.QUEUED, "")
    x.payouts.release(PAYOUT)
    x.payouts.tell_utr(PAYOUT)
    x.payouts.deem(PAYOUT)
    assert await stage() == (PayoutStage.DEEMED, "632500000001")
    x.payouts.settle(PAYOUT)
    assert isinstance(await connector.inquire_payout(PAYOUT), Approved)
    x.pass_time(3 * DAY_S)
    x.payouts.reverse(PAYOUT, "bank_account_frozen")
    back = await connector.inquire_payout(PAYOUT)
    assert isinstance(back, SentBack)
    assert (back.code, back.utr) == ("bank_account_frozen", "632500000001")


async def test_a_failed_payout_may_turn_reversed(x: RazorpayX, connector: RazorpayxChecks) -> None:
    await connector.pay_out(order())
    x.payouts.fail(PAYOUT, debited=True)
    answer = await connector.inquire_payout(PAYOUT)
    assert isinstance(answer, Declined)
    assert not answer.never_accepted
    x.payouts.reverse(PAYOUT)
    assert isinstance(await connector.inquire_payout(PAYOUT), SentBack)


async def test_people_reject_and_cancel(x: RazorpayX, connector: RazorpayxChecks) -> None:
    x.books.approval = True
    await connector.pay_out(order())
    x.payouts.reject(PAYOUT)
    assert isinstance(await connector.inquire_payout(PAYOUT), Declined)
    x.books.approval = False
    second = "10001-P215000000000002"
    await connector.pay_out(order(second))
    x.payouts.cancel(x.payouts.queue(second))
    assert await connector.inquire_payout(second) == Declined("cancelled")


async def test_a_short_balance_queues_until_there_is_money(
    x: RazorpayX, connector: RazorpayxChecks
) -> None:
    large = order(paise=2_00_000_000, rail="neft")
    answer = await connector.pay_out(large)
    assert isinstance(answer, Underway)
    assert (answer.stage, answer.code) == (PayoutStage.QUEUED, "low_balance")
    x.payouts.add_money(ACCOUNT_NUMBER, 2_00_000_000)
    x.payouts.settle(PAYOUT)
    assert isinstance(await connector.inquire_payout(PAYOUT), Approved)


@pytest.mark.parametrize(("short", "never"), [("refused", True), ("failed", False)])
async def test_a_short_balance_that_is_not_queued_comes_to_nothing(
    short: str, x: RazorpayX, account: RazorpayxAccount, memory: ShortMemory, *, never: bool
) -> None:
    x.books.short_balance = short
    made = opened(x, replace(account, queues=False), memory)
    try:
        answer = await made.pay_out(order(paise=2_00_000_000, rail="neft"))
    finally:
        await made.close()
    assert isinstance(answer, Declined)
    assert answer.never_accepted is never
    assert len(x.books.payouts) == (not never)


async def test_a_second_payout_of_a_reference_is_for_people(
    x: RazorpayX, connector: RazorpayxChecks, elsewhere: RazorpayxChecks
) -> None:
    await connector.pay_out(order())
    first = x.payouts.payout(PAYOUT)
    x.payouts.create(first.asked, first.fund_account, composite=False)
    answer = await elsewhere.inquire_payout(PAYOUT)
    assert isinstance(answer, Unknown)
    assert answer.code == "several_payouts"
    assert isinstance(await connector.inquire_payout(PAYOUT), Underway)
    x.payouts.fail(PAYOUT)
    assert isinstance(await elsewhere.inquire_payout(PAYOUT), Underway)


@pytest.mark.parametrize(
    "change",
    [
        {"amount": PAISE + 1},
        {"currency": "USD"},
        {"reference_id": "10001-P215000000000009"},
        {"id": 7},
        {"status": None},
    ],
)
async def test_an_answer_about_something_else_is_unknown(
    change: dict[str, Any], x: RazorpayX, connector: RazorpayxChecks
) -> None:
    x.change("/payouts", lambda said: said | change)
    assert isinstance(await connector.pay_out(order()), Unknown)


async def test_a_list_of_other_references_is_unknown(
    x: RazorpayX, connector: RazorpayxChecks, elsewhere: RazorpayxChecks
) -> None:
    await connector.pay_out(order())
    await connector.pay_out(order("10001-P215000000000002"))

    def everything(said: Any) -> Any:
        return {"items": [each.document() for each in x.books.payouts.values()]}

    x.change("/payouts", everything)
    assert isinstance(await elsewhere.inquire_payout(PAYOUT), Unknown)


async def test_the_balance_is_what_can_leave(x: RazorpayX, connector: RazorpayxChecks) -> None:
    before = await connector.payout_balance()
    assert isinstance(before, PayoutBalance)
    assert before.available == Money(1_00_000_000)
    await connector.pay_out(order())
    after = await connector.payout_balance()
    assert isinstance(after, PayoutBalance)
    assert after.available == Money(1_00_000_000 - PAISE - 590)


async def test_each_webhook_asks_about_its_payout(
    x: RazorpayX, connector: RazorpayxConnector
) -> None:
    await connector.pay_out(order())
    x.payouts.settle(PAYOUT)
    x.payouts.reverse(PAYOUT)
    x.downtime("HDFC")
    heard = []
    for webhook in x.events():
        trigger = connector.read_trigger(lower(webhook), webhook.body, now_s=0)
        assert trigger is not None
        assert trigger.event_id
        heard += trigger.references
    assert heard == [PAYOUT] * 3


async def test_only_our_secrets_sign(x: RazorpayX, connector: RazorpayxConnector) -> None:
    body = json.dumps({"event": "payout.processed", "payload": {}}).encode()
    good = x.signed("e", body)
    assert connector.read_trigger(lower(good), body, now_s=0) is not None
    before = x.signed("e", body, secret="the secret before")
    assert connector.read_trigger(lower(before), body, now_s=0) is not None
    for secret in ("", "another secret"):
        other = x.signed("e", body, secret=secret)
        assert connector.read_trigger(lower(other), body, now_s=0) is None
    assert connector.read_trigger(lower(good), body + b" ", now_s=0) is None
    assert connector.read_trigger({}, body, now_s=0) is None


async def test_nobody_signs_where_there_is_no_secret(
    x: RazorpayX, account: RazorpayxAccount, memory: ShortMemory
) -> None:
    made = opened(x, replace(account, webhook_secrets=()), memory)
    try:
        unsigned = x.signed("e", b'{"event": "e", "payload": {}}', secret="")
        assert made.read_trigger(lower(unsigned), unsigned.body, now_s=0) is None
    finally:
        await made.close()


def test_an_account_hides_its_secrets(account: RazorpayxAccount) -> None:
    assert account.key_secret not in repr(account)
    assert GOOD.number not in repr(order())
