"""A check of an account costs once, although RazorpayX has no key for it."""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.calls.check_tries import BEGUN_MAX, TRIES_MAX
from hundi.acquirers.port.answers import (
    AccountFault,
    BankAccount,
    NotRegistered,
    RegisteredName,
    Unknown,
)
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.razorpayx.api import RazorpayxAccount
from hundi.acquirers.razorpayx.validations import RazorpayxChecks
from tests.acquirers.paid_out import CHECK, CLOSED, DONE, GOOD, NOT_DONE
from tests.acquirers.razorpayx.conftest import LITE, opened
from tests.acquirers.razorpayx.standin import RazorpayX
from tests.acquirers.razorpayx.standin_checks import PRICE, Held
from tests.acquirers.stage import Trouble

HOLDER = "CHAI HOUSE"
PATH = "/fund_accounts/validations"
HOUR_S = 3_600


def complete(x: RazorpayX, name: str = CHECK) -> None:
    x.checks.complete(x.checks.of_reference(name)[-1]["id"])


def spent(x: RazorpayX) -> int:
    return 100_000 - x.books.accounts[LITE].balance


async def check(
    connector: RazorpayxChecks, account: BankAccount = GOOD
) -> RegisteredName | NotRegistered | Unknown:
    return await connector.check_account(CHECK, account, HOLDER)


async def test_a_name_comes_with_its_score(x: RazorpayX, connector: RazorpayxChecks) -> None:
    x.checks.bank[GOOD.number] = Held("CHAI HOUSE PVT LTD", score=72)
    first = await check(connector)
    assert isinstance(first, Unknown)
    assert first.code == "validation_request_created"
    complete(x)
    for _ in range(2):
        assert await check(connector) == RegisteredName("CHAI HOUSE PVT LTD", 72)
    assert spent(x) == PRICE
    asked = x.called(PATH)[0].asked
    assert (asked["validation_type"], asked["source_account_number"]) == ("optimized", LITE)


async def test_a_closed_account_has_no_name(x: RazorpayX, connector: RazorpayxChecks) -> None:
    await check(connector, CLOSED)
    complete(x)
    assert await check(connector, CLOSED) == NotRegistered(
        AccountFault.OTHER, "validation_completed", "It is closed."
    )


@pytest.mark.parametrize("trouble", list(DONE))
async def test_a_check_whose_answer_was_lost_is_found_in_the_list(
    trouble: Trouble, x: RazorpayX, connector: RazorpayxChecks
) -> None:
    x.trouble(PATH, trouble)
    assert isinstance(await check(connector), Unknown)
    complete(x)
    for _ in range(2):
        assert await check(connector) == RegisteredName(HOLDER, 100)
    assert spent(x) == PRICE


@pytest.mark.parametrize("trouble", list(NOT_DONE))
async def test_a_check_that_never_began_is_called_for_again_in_time(
    trouble: Trouble, x: RazorpayX, connector: RazorpayxChecks
) -> None:
    x.trouble(PATH, trouble)
    assert isinstance(await check(connector), Unknown)
    assert isinstance(await check(connector), Unknown)
    assert spent(x) == 0
    x.pass_time(HOUR_S)
    assert isinstance(await check(connector), Unknown)
    assert spent(x) == PRICE
    complete(x, f"{CHECK}-1")
    assert await check(connector) == RegisteredName(HOLDER, 100)


@pytest.fixture
async def another(
    x: RazorpayX, account: RazorpayxAccount, memory: ShortMemory
) -> AsyncIterator[RazorpayxChecks]:
    made = opened(x, account, memory)
    yield made
    await made.close()


async def test_two_processes_call_once(
    x: RazorpayX, connector: RazorpayxChecks, another: RazorpayxChecks
) -> None:
    x.trouble(PATH, Trouble.FAILED_AFTER)
    for each in (connector, another, connector, another):
        assert isinstance(await check(each), Unknown)
    assert spent(x) == PRICE


async def test_a_technical_fault_is_tried_again_after_half_an_hour(
    x: RazorpayX, connector: RazorpayxChecks
) -> None:
    await check(connector)
    x.checks.fail(x.checks.of_reference(CHECK)[-1]["id"])
    answer = await check(connector)
    assert isinstance(answer, Unknown)
    assert answer.code == "gateway_technical_error"
    assert len(x.checks.validations) == 1
    x.pass_time(HOUR_S / 2)
    await check(connector)
    assert len(x.checks.validations) == 2
    complete(x, f"{CHECK}-1")
    assert await check(connector) == RegisteredName(HOLDER, 100)


async def test_a_refused_check_waits_longer_each_time(
    x: RazorpayX, connector: RazorpayxChecks
) -> None:
    x.addresses = {"192.0.2.1"}
    for _ in range(3):
        answer = await check(connector)
        assert isinstance(answer, Unknown)
        assert answer.code == "address_not_listed"
    assert len(x.called(PATH)) == 1
    x.pass_time(60)
    await check(connector)
    x.pass_time(60)
    await check(connector)
    assert len(x.called(PATH)) == 2
    x.addresses = None
    x.pass_time(60)
    await check(connector)
    complete(x, f"{CHECK}-2")
    assert await check(connector) == RegisteredName(HOLDER, 100)


async def test_a_bank_without_a_name_decides_nothing(
    x: RazorpayX, connector: RazorpayxChecks
) -> None:
    x.checks.bank[GOOD.number] = Held(None)
    await check(connector)
    complete(x)
    answer = await check(connector)
    assert isinstance(answer, Unknown)
    assert answer.code == "no_name"


async def test_another_account_under_a_reference_is_not_ours(
    x: RazorpayX, connector: RazorpayxChecks
) -> None:
    await check(connector)
    complete(x)
    answer = await check(connector, CLOSED)
    assert isinstance(answer, Unknown)
    assert answer.code == "other_account"


async def test_tries_end(x: RazorpayX, connector: RazorpayxChecks) -> None:
    x.addresses = {"192.0.2.1"}
    for _ in range(TRIES_MAX + 1):
        await check(connector)
        x.pass_time(HOUR_S)
    answer = await check(connector)
    assert isinstance(answer, Unknown)
    assert answer.code == "too_many_checks"
    assert len(x.called(PATH)) == TRIES_MAX


async def test_a_check_is_paid_for_only_so_often(x: RazorpayX, connector: RazorpayxChecks) -> None:
    for _ in range(2 * BEGUN_MAX):
        await check(connector)
        for name, made in x.checks.validations.items():
            if made["status"] == "created":
                x.checks.fail(name)
        x.pass_time(HOUR_S)
    answer = await check(connector)
    assert isinstance(answer, Unknown)
    assert answer.code == "too_many_checks"
    assert spent(x) == BEGUN_MAX * PRICE


async def test_its_webhook_asks_about_our_reference(
    x: RazorpayX, connector: RazorpayxChecks
) -> None:
    await check(connector)
    complete(x)
    webhook = x.events()[-1]
    headers = {name.lower(): value for name, value in webhook.headers.items()}
    trigger = connector.read_trigger(headers, webhook.body, now_s=0)
    assert trigger is not None
    assert trigger.references == (CHECK,)


async def test_many_checks_are_looked_through(x: RazorpayX, connector: RazorpayxChecks) -> None:
    x.books.accounts[LITE].balance = 100_000_000
    x.trouble(PATH, Trouble.FAILED_AFTER)
    await check(connector)
    others = [f"10001-V2150000000{number:05d}" for number in range(10_001, 10_121)]
    for other in others:
        await connector.check_account(other, GOOD, HOLDER)
    complete(x)
    assert await check(connector) == RegisteredName(HOLDER, 100)
