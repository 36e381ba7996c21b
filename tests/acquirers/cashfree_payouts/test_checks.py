"""A check of an account costs once at Cashfree, by our reference."""

import pytest

from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS
from hundi.acquirers.cashfree_payouts.account import CashfreePayoutsAccount
from hundi.acquirers.cashfree_payouts.api import CashfreePayoutsApi
from hundi.acquirers.cashfree_payouts.connector import CashfreePayoutsChecks
from hundi.acquirers.cashfree_payouts.rules import cashfree_id, check_request
from hundi.acquirers.port.answers import (
    AccountFault,
    BankAccount,
    NotRegistered,
    RegisteredName,
    Unknown,
)
from tests.acquirers.cashfree_payouts.standin import CashfreePayouts
from tests.acquirers.cashfree_payouts.standin_checks import PRICE, Held
from tests.acquirers.paid_out import CHECK, CLOSED, DONE, GOOD, NOT_DONE
from tests.acquirers.stage import Trouble

HOLDER = "CHAI HOUSE"
PATH = "/bank-account/async"
NAME = cashfree_id(CHECK)
HOUR_S = 3_600


async def check(
    connector: CashfreePayoutsChecks, account: BankAccount = GOOD
) -> RegisteredName | NotRegistered | Unknown:
    return await connector.check_account(CHECK, account, HOLDER)


def spent(cashfree: CashfreePayouts) -> int:
    return 100_000_000 - cashfree.books.paise


async def test_a_name_comes_with_its_score(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.checks.bank[GOOD.number] = Held("CHAI HOUSE PVT LTD", score=72.6)
    assert isinstance(await check(connector), Unknown)
    cashfree.checks.complete(NAME)
    for _ in range(2):
        assert await check(connector) == RegisteredName("CHAI HOUSE PVT LTD", 73)
    assert spent(cashfree) == PRICE


async def test_a_closed_account_has_no_name(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    await check(connector, CLOSED)
    cashfree.checks.complete(NAME)
    answer = await check(connector, CLOSED)
    assert answer == NotRegistered(AccountFault.ABSENT, "INVALID_ACCOUNT_FAIL")


@pytest.mark.parametrize("trouble", list(DONE))
async def test_a_check_whose_answer_was_lost_is_found(
    trouble: Trouble, cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.trouble(PATH, trouble)
    assert isinstance(await check(connector), Unknown)
    cashfree.checks.complete(NAME)
    for _ in range(2):
        assert await check(connector) == RegisteredName(HOLDER, 100)
    assert spent(cashfree) == PRICE


@pytest.mark.parametrize("trouble", list(NOT_DONE))
async def test_a_check_that_never_began_is_called_for_again_in_time(
    trouble: Trouble, cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.trouble(PATH, trouble)
    assert isinstance(await check(connector), Unknown)
    assert isinstance(await check(connector), Unknown)
    assert spent(cashfree) == 0
    cashfree.pass_time(HOUR_S)
    assert isinstance(await check(connector), Unknown)
    assert spent(cashfree) == PRICE
    cashfree.checks.complete(f"{NAME}_1")
    assert await check(connector) == RegisteredName(HOLDER, 100)


async def test_a_lost_memory_drops_no_second_rupee(
    cashfree: CashfreePayouts, account: CashfreePayoutsAccount, connector: CashfreePayoutsChecks
) -> None:
    unknown_to_us = CashfreePayoutsApi(account, DEFAULT_TIMEOUTS, lambda: cashfree.clock)
    await unknown_to_us.begin_check(check_request(CHECK, GOOD, HOLDER))
    await unknown_to_us.close()
    answer = await check(connector)
    assert isinstance(answer, Unknown)
    assert answer.code == "user_id_already_exists"
    cashfree.checks.complete(NAME)
    assert isinstance(await check(connector), RegisteredName)
    assert spent(cashfree) == PRICE


async def test_a_technical_fault_is_tried_again_after_half_an_hour(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    await check(connector)
    cashfree.checks.fail(NAME)
    answer = await check(connector)
    assert isinstance(answer, Unknown)
    assert answer.code == "NPCI_UNAVAILABLE"
    assert len(cashfree.checks.made) == 1
    cashfree.pass_time(HOUR_S / 2)
    await check(connector)
    assert len(cashfree.checks.made) == 2
    cashfree.checks.complete(f"{NAME}_1")
    assert await check(connector) == RegisteredName(HOLDER, 100)


async def test_a_short_balance_checks_nothing(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.books.paise = 0
    answer = await check(connector)
    assert isinstance(answer, Unknown)
    assert answer.code == "insufficient_balance"
    cashfree.books.paise = 100_000
    cashfree.pass_time(60)
    await check(connector)
    assert cashfree.books.paise == 100_000 - PRICE


async def test_a_refusal_may_say_what_is_wrong_with_the_account(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    cashfree.books.paise = 0
    cashfree.change(
        PATH, lambda said: said | {"code": "fraud_account", "message": "Fraud activity detected"}
    )
    assert await check(connector) == NotRegistered(
        AccountFault.FROZEN, "fraud_account", "Fraud activity detected"
    )


async def test_its_webhook_asks_about_our_reference(
    cashfree: CashfreePayouts, connector: CashfreePayoutsChecks
) -> None:
    await check(connector)
    cashfree.checks.fail(NAME)
    cashfree.pass_time(HOUR_S)
    await check(connector)
    cashfree.checks.complete(f"{NAME}_1")
    for webhook in cashfree.events():
        trigger = connector.read_trigger(webhook.headers, webhook.body, now_s=0)
        assert trigger is not None
        assert trigger.references == (CHECK,)
        unsigned = {"x-webhook-timestamp": webhook.headers["x-webhook-timestamp"]}
        # A signature in the body proves nothing: whether it has a secret is not published.
        assert connector.read_trigger(unsigned, webhook.body, now_s=0) is None
