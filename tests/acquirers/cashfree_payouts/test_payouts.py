"""Money leaves once by Cashfree Payouts, whatever becomes of calls, answers and processes."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from hundi.acquirers.calls.client import Timeouts
from hundi.acquirers.calls.rsa_keys import public_key
from hundi.acquirers.cashfree_payouts.account import CashfreePayoutsAccount
from hundi.acquirers.cashfree_payouts.connector import (
    GRACE_S,
    CashfreePayoutsChecks,
    CashfreePayoutsConnector,
)
from hundi.acquirers.cashfree_payouts.rules import DEEMED_FOR, cashfree_id
from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    PayoutStage,
    SentBack,
    Underway,
    Unknown,
)
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payouts import PayoutBalance
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from tests.acquirers.cashfree_payouts.conftest import KEYS, opened
from tests.acquirers.cashfree_payouts.standin import CashfreePayouts
from tests.acquirers.paid_out import CLOSED, DAY_S, DONE, NOT_DONE, PAISE, PAYOUT, order
from tests.acquirers.stage import Trouble

NAME = cashfree_id(PAYOUT)
SECOND = "10001-P215000000000002"


@pytest.fixture
async def elsewhere(
    cashfree: CashfreePayouts, account: CashfreePayoutsAccount
) -> AsyncIterator[CashfreePayoutsChecks]:
    """Another gateway without a memory, as after the loss of a database."""
    made = opened(cashfree, account, ShortMemory())
    yield made
    await made.close()


@pytest.mark.parametrize("trouble", list(DONE))
async def test_a_call_whose_answer_was_lost_pays_once(
    trouble: Trouble, cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.trouble("/transfers", trouble)
    assert isinstance(await connector.pay_out(order()), Unknown)
    for _ in range(3):
        assert isinstance(await connector.pay_out(order()), Underway)
    assert len(cashfree.books.transfers) == 1
    cashfree.transfers.process(NAME)
    cashfree.transfers.settle(NAME)
    answer = await connector.inquire_payout(PAYOUT)
    assert isinstance(answer, Approved)
    assert (answer.amount, answer.rrn) == (Money(PAISE), "TESTR20230122005431")


@pytest.mark.parametrize("trouble", list(NOT_DONE))
async def test_a_call_that_was_not_done_is_made_again_when_it_would_be_seen(
    trouble: Trouble, cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.trouble("/transfers", trouble)
    first = await connector.pay_out(order())
    assert isinstance(first, Unknown)
    assert first.sent is (trouble is not Trouble.TOO_MANY)
    again = await connector.pay_out(order())
    assert isinstance(again, Unknown)
    assert again.code == "not_seen"
    assert isinstance(await connector.inquire_payout(PAYOUT), NothingThere)
    cashfree.pass_time(GRACE_S)
    assert isinstance(await connector.pay_out(order()), Underway)
    assert len(cashfree.books.transfers) == 1


async def test_silence_is_no_answer(
    cashfree: CashfreePayouts, account: CashfreePayoutsAccount, memory: ShortMemory
) -> None:
    made = CashfreePayoutsConnector("c", account, memory, Timeouts(call_s=0.2))
    try:
        cashfree.trouble("/transfers", Trouble.SILENT)
        assert isinstance(await made.pay_out(order()), Unknown)
        assert isinstance(await made.pay_out(order()), Underway)
    finally:
        await made.close()
    assert len(cashfree.books.transfers) == 1


@pytest.mark.parametrize("trouble", list(NOT_DONE))
async def test_an_inquiry_that_went_wrong_says_nothing(
    trouble: Trouble, cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    await connector.pay_out(order())
    cashfree.trouble("/transfers", *[trouble] * 4)
    assert isinstance(await connector.inquire_payout(PAYOUT), Unknown)
    cashfree.trouble("/transfers", *[trouble] * 4)
    assert isinstance(await connector.pay_out(order()), Unknown)
    cashfree.troubles.clear()
    assert isinstance(await connector.inquire_payout(PAYOUT), Underway)


@pytest.mark.parametrize("repeated", ["conflict", "refused", "same"])
async def test_a_lost_memory_pays_no_second_time(
    repeated: str,
    cashfree: CashfreePayouts,
    connector: CashfreePayoutsChecks,
    elsewhere: CashfreePayoutsChecks,
) -> None:
    cashfree.books.repeated = repeated
    await connector.pay_out(order())
    assert isinstance(await elsewhere.pay_out(order()), Underway)
    assert len(cashfree.books.transfers) == 1
    await connector.pay_out(order(SECOND))
    cashfree.trouble("/transfers", *[Trouble.UNAVAILABLE] * 4)
    assert isinstance(await elsewhere.pay_out(order(SECOND)), Unknown)


@pytest.mark.parametrize("other", [{"paise": PAISE + 1}, {"account": CLOSED}])
@pytest.mark.parametrize("repeated", ["conflict", "refused", "same"])
async def test_another_order_under_a_reference_is_for_people(
    repeated: str,
    other: dict[str, Any],
    cashfree: CashfreePayouts,
    connector: CashfreePayoutsChecks,
    elsewhere: CashfreePayoutsChecks,
) -> None:
    cashfree.books.repeated = repeated
    await connector.pay_out(order())
    for each in (connector, elsewhere):
        answer = await each.pay_out(order(**other))
        assert isinstance(answer, Unknown)
        assert answer.sent
    assert len(cashfree.books.transfers) == 1


async def test_an_address_that_is_not_listed_pays_nothing(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.addresses = {"192.0.2.1"}
    answer = await connector.pay_out(order())
    assert isinstance(answer, Declined)
    assert (answer.code, answer.never_accepted) == ("ip_not_whitelisted", True)
    assert not cashfree.books.transfers
    assert isinstance(await connector.inquire_payout(PAYOUT), Unknown)
    assert isinstance(await connector.payout_balance(), Unknown)


async def test_a_signature_lets_calls_in_from_anywhere(
    cashfree: CashfreePayouts, account: CashfreePayoutsAccount, memory: ShortMemory
) -> None:
    cashfree.addresses = {"192.0.2.1"}
    keys = replace(KEYS, public_key=public_key(cashfree.public_key))
    made = opened(cashfree, replace(account, keys=keys, checks=keys), memory)
    try:
        assert isinstance(await made.pay_out(order()), Underway)
        cashfree.pass_time(DAY_S)
        assert isinstance(await made.inquire_payout(PAYOUT), Underway)
        answer = await made.check_account("10001-V215000000000001", CLOSED, "CHAI HOUSE")
        assert isinstance(answer, Unknown)
    finally:
        await made.close()
    assert len(cashfree.checks.made) == 1


async def test_a_refusal_after_an_accepted_call_denies_nothing(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.trouble("/transfers", Trouble.FAILED_AFTER)
    await connector.pay_out(order())
    cashfree.addresses = {"192.0.2.1"}
    answer = await connector.pay_out(order())
    assert isinstance(answer, Unknown)
    assert answer.sent


async def test_apis_that_are_switched_off_pay_nothing(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.enabled = False
    answer = await connector.pay_out(order())
    assert isinstance(answer, Declined)
    assert (answer.code, answer.never_accepted) == ("apis_not_enabled", True)


async def test_a_wrong_secret_declines_nothing(
    cashfree: CashfreePayouts, account: CashfreePayoutsAccount, memory: ShortMemory
) -> None:
    keys = replace(KEYS, secrets=("another secret",))
    made = opened(cashfree, replace(account, keys=keys), memory)
    try:
        assert isinstance(await made.pay_out(order()), Unknown)
        assert isinstance(await made.inquire_payout(PAYOUT), Unknown)
        assert isinstance(await made.payout_balance(), Unknown)
    finally:
        await made.close()
    assert not cashfree.books.transfers


async def test_every_state_is_told(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    async def stage() -> tuple[PayoutStage, str]:
        answer = await connector.inquire_payout(PAYOUT)
        assert isinstance(answer, Underway), answer
        return answer.stage, answer.utr

    cashfree.books.approval = True
    first = await connector.pay_out(order())
    assert isinstance(first, Underway)
    assert first.stage is PayoutStage.APPROVAL
    cashfree.transfers.approve(NAME)
    assert await stage() == (PayoutStage.PROCESSING, "")
    cashfree.transfers.process(NAME)
    assert await stage() == (PayoutStage.PROCESSING, "")
    cashfree.transfers.send_on(NAME)
    assert await stage() == (PayoutStage.DEEMED, "TESTR20230122005431")
    cashfree.transfers.settle(NAME)
    assert isinstance(await connector.inquire_payout(PAYOUT), Approved)
    cashfree.pass_time(2 * DAY_S)
    cashfree.transfers.reverse(NAME)
    back = await connector.inquire_payout(PAYOUT)
    assert isinstance(back, SentBack)
    assert (back.code, back.utr) == ("INVALID_ACCOUNT_FAIL", "TESTR20230122005431")


async def test_a_credit_that_nobody_confirms_counts_after_days(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    await connector.pay_out(order())
    cashfree.transfers.send_on(NAME)
    assert isinstance(await connector.inquire_payout(PAYOUT), Underway)
    cashfree.pass_time(DEEMED_FOR.total_seconds())
    assert isinstance(await connector.inquire_payout(PAYOUT), Approved)


async def test_people_reject_and_cashfree_does(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.books.approval = True
    await connector.pay_out(order())
    cashfree.transfers.reject_by_hand(NAME)
    assert isinstance(await connector.inquire_payout(PAYOUT), Declined)
    cashfree.books.approval = False
    await connector.pay_out(order(SECOND))
    cashfree.transfers.reject(cashfree_id(SECOND))
    answer = await connector.inquire_payout(SECOND)
    assert isinstance(answer, Declined)
    assert not answer.never_accepted


async def test_a_short_balance_queues_until_there_is_money(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.books.queues = True
    answer = await connector.pay_out(order(paise=2_00_000_000, rail="neft"))
    assert isinstance(answer, Underway)
    assert (answer.stage, answer.code) == (PayoutStage.QUEUED, "INSUFFICIENT_BALANCE")
    cashfree.transfers.add_money(2_00_000_000)
    cashfree.transfers.settle(NAME)
    assert isinstance(await connector.inquire_payout(PAYOUT), Approved)


async def test_a_short_balance_that_is_not_queued_is_a_rejected_transfer(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    answer = await connector.pay_out(order(paise=2_00_000_000, rail="neft"))
    assert isinstance(answer, Declined)
    assert (answer.code, answer.never_accepted) == ("INSUFFICIENT_BALANCE", False)


@pytest.mark.parametrize(
    "change",
    [
        {"transfer_amount": 1499.51},
        {"transfer_id": "10001_P215000000000009"},
        {"transfer_amount": None},
        {"status": None},
    ],
)
async def test_an_answer_about_something_else_is_unknown(
    change: dict[str, Any], cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.change("/transfers", lambda said: said | change)
    assert isinstance(await connector.pay_out(order()), Unknown)


async def test_the_balance_is_what_can_leave(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    before = await connector.payout_balance()
    assert isinstance(before, PayoutBalance)
    assert before.available == Money(1_00_000_000)
    await connector.pay_out(order())
    for _ in range(2):
        after = await connector.payout_balance()
        assert isinstance(after, PayoutBalance)
        assert after.available == Money(1_00_000_000 - PAISE - 118)
    assert len(cashfree.called("/authorize")) == 1
    cashfree.pass_time(400)
    assert isinstance(await connector.payout_balance(), PayoutBalance)
    assert len(cashfree.called("/authorize")) == 2


async def test_a_token_that_is_refused_is_fetched_anew(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    await connector.payout_balance()
    cashfree.tokens.clear()
    assert isinstance(await connector.payout_balance(), Unknown)
    assert isinstance(await connector.payout_balance(), PayoutBalance)


async def test_each_webhook_asks_about_its_payout(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    await connector.pay_out(order())
    cashfree.transfers.send_on(NAME)
    cashfree.transfers.settle(NAME)
    cashfree.transfers.reverse(NAME)
    cashfree.transfers.add_money(100)
    heard = []
    for webhook in cashfree.events():
        trigger = connector.read_trigger(webhook.headers, webhook.body, now_s=0)
        assert trigger is not None
        heard += trigger.references
    assert heard == [PAYOUT] * 3


async def test_only_our_active_secrets_sign(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    said = {"data": {"transfer_id": NAME}, "type": "TRANSFER_SUCCESS"}
    body = json.dumps(said).encode()
    for secret in KEYS.secrets:
        signed = cashfree.signed("e", body, secret)
        trigger = connector.read_trigger(signed.headers, body, now_s=0)
        assert trigger is not None
        assert trigger.references == (PAYOUT,)
        other = body.replace(b"000001", b"000002")
        assert connector.read_trigger(signed.headers, other, now_s=0) is None
        older = signed.headers | {"x-webhook-timestamp": "1746427759733"}
        assert connector.read_trigger(older, body, now_s=0) is None
    other_signed = cashfree.signed("e", body, "another secret")
    assert connector.read_trigger(other_signed.headers, body, now_s=0) is None
    assert connector.read_trigger({}, body, now_s=0) is None


@pytest.mark.parametrize(
    "data", [{}, {"transfer_id": "JUNOB2018"}, {"transfer_id": 7}, {"user_id": "10001_P1"}, []]
)
async def test_news_of_others_asks_nothing(
    data: Any, cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    signed = cashfree.signed("e", json.dumps({"data": data, "type": "t"}).encode())
    trigger = connector.read_trigger(signed.headers, signed.body, now_s=0)
    assert trigger is not None
    assert trigger.references == ()


def test_keys_hide_their_secrets(account: CashfreePayoutsAccount) -> None:
    assert KEYS.secrets[0] not in repr(account)
