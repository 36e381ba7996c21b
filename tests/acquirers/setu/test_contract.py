"""The connector of Setu keeps every promise of the port, at another hand's stand-in.

The stand-in was written before its author read the connector.
"""

from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.kinds import open_registry
from hundi.acquirers.port.answers import (
    AccountFault,
    BankAccount,
    NotRegistered,
    RegisteredName,
    Unknown,
)
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payouts import ChecksAccounts
from hundi.acquirers.setu.connector import SetuAccount, SetuConnector
from hundi.acquirers.setu.sandbox import SANDBOX_DATA
from hundi.kernel.money import Money
from tests.acquirers.certifying import certified
from tests.acquirers.paid_out import CHECK, CLOSED, DONE, GOOD, NOT_DONE, given_provider
from tests.acquirers.setu.standin import (
    ABSENT,
    CLIENT_ID,
    CLIENT_SECRET,
    LIMIT,
    NOT_VALID,
    PRODUCT,
    Setu,
    SetuEnd,
)
from tests.acquirers.stage import Trouble

BEGIN, STATUS = "POST /api/verify/ban/async", "GET /api/verify/ban/async/"
HOLDER, HOUR_S = "JOHN DOE", 3_600


@pytest.fixture
async def setu() -> AsyncIterator[Setu]:
    async with Setu.running() as standin:
        standin.bank[CLOSED.number] = SetuEnd("failed", "BAVM1", ABSENT)
        yield standin


def account_at(setu: Setu, secret: str = CLIENT_SECRET) -> SetuAccount:
    return SetuAccount(
        client_id=CLIENT_ID, client_secret=secret, product_id=PRODUCT, base_url=setu.url
    )


@pytest.fixture
async def connector(setu: Setu, memory: ShortMemory) -> AsyncIterator[SetuConnector]:
    cost = Money(300)
    made = SetuConnector("setu", account_at(setu), memory, check_cost=cost, now=lambda: setu.clock)
    yield made
    await made.close()


@pytest.fixture
def given(setu: Setu) -> ConnectorCase:
    async def check_settled(_reference: str) -> None:
        setu.complete()

    return given_provider(setu.calls, check_settled=check_settled)


async def check(
    connector: SetuConnector, account: BankAccount = GOOD
) -> RegisteredName | NotRegistered | Unknown:
    return await connector.check_account(CHECK, account, HOLDER)


@pytest.mark.parametrize("promise", suite.CHECKS, ids=lambda promise: promise.__name__)
async def test_every_promise_is_kept(
    promise: suite.Check, connector: SetuConnector, given: ConnectorCase
) -> None:
    await promise(connector, given)


async def test_an_account_is_certified_at_the_stand_in(
    connector: SetuConnector, given: ConnectorCase
) -> None:
    found = await certified(connector, given)
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()


async def test_a_name_comes_by_the_id_that_setu_gave(setu: Setu, connector: SetuConnector) -> None:
    assert isinstance(await check(connector), Unknown)
    setu.complete()
    for _ in range(2):
        assert await check(connector) == RegisteredName(HOLDER)
    assert len(setu.checks) == 1


@pytest.mark.parametrize(
    ("end", "answer"),
    [
        (("BAVM1", ABSENT), AccountFault.ABSENT),
        (("BAVM1", NOT_VALID), AccountFault.NOT_PAYABLE),
        (("BAVM3", "Account blocked/frozen"), AccountFault.FROZEN),
        (("BAVM5", "Account closed"), AccountFault.CLOSED),
        (("BAVM1", LIMIT), None),
        (("BAV91", "Transaction timeout"), None),
    ],
)
async def test_a_failed_check_may_say_what_is_wrong_with_the_account(
    setu: Setu, connector: SetuConnector, end: tuple[str, str], answer: AccountFault | None
) -> None:
    setu.default = SetuEnd("failed", *end)
    await check(connector)
    setu.complete()
    found = await check(connector)
    if answer is None:
        assert isinstance(found, Unknown)
    else:
        assert found == NotRegistered(answer, *end)


@pytest.mark.parametrize("trouble", [*DONE, *NOT_DONE])
async def test_a_check_whose_answer_was_lost_is_made_again_in_an_hour(
    setu: Setu, connector: SetuConnector, trouble: Trouble
) -> None:
    setu.trouble(BEGIN, trouble)
    assert isinstance(await check(connector), Unknown)
    setu.complete()
    assert isinstance(await check(connector), Unknown)
    setu.pass_time(HOUR_S)
    assert isinstance(await check(connector), Unknown)
    setu.complete()
    assert await check(connector) == RegisteredName(HOLDER)
    # Setu finds no check by a name of ours: where it was made, a second rupee is paid in.
    assert len(setu.checks) == (2 if trouble in DONE else 1)


@pytest.mark.parametrize("trouble", [*DONE, *NOT_DONE])
async def test_a_broken_answer_about_a_check_decides_nothing(
    setu: Setu, connector: SetuConnector, trouble: Trouble
) -> None:
    await check(connector, CLOSED)
    setu.complete()
    # A question is asked again, and once more where a kept connection breaks.
    setu.trouble(f"{STATUS}{setu.checks[0].id}", *(trouble,) * 4)
    assert isinstance(await check(connector, CLOSED), Unknown)
    setu.troubles.clear()
    assert isinstance(await check(connector, CLOSED), NotRegistered)
    assert len(setu.checks) == 1


async def test_wrong_credentials_decide_nothing(setu: Setu, memory: ShortMemory) -> None:
    account = account_at(setu, "another secret")
    other = SetuConnector("setu", account, memory, check_cost=Money(300), now=lambda: setu.clock)
    assert isinstance(await check(other, CLOSED), Unknown)
    assert setu.checks == []
    await other.close()


async def test_the_accounts_of_its_sandbox_end_as_its_page_says(memory: ShortMemory) -> None:
    good, bad = SANDBOX_DATA.good_account, SANDBOX_DATA.bad_account
    pending = SANDBOX_DATA.pending_account
    assert good is not None
    assert bad is not None
    assert pending is not None
    ends = {good: RegisteredName, bad: NotRegistered, pending: Unknown}
    async with Setu.running(sandbox=True) as setu:
        fields = {
            "kind": "setu",
            "environment": "sandbox",
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "product_instance_id": PRODUCT,
            "check_cost_paise": 300,
            "url": setu.url,
        }
        registry = open_registry({"x": fields}, str, memory)
        one = registry.first(ChecksAccounts)
        assert one is not None
        for number, (asked, end) in enumerate(ends.items()):
            name = f"10001-V21500000000000{number}"
            await one.check_account(name, asked.account, asked.holder)
            answer = await one.check_account(name, asked.account, asked.holder)
            assert isinstance(answer, end)
        await registry.close()
