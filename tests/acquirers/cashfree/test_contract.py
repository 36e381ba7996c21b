"""The connector of Cashfree keeps every promise of the port, in each of its accounts."""

from collections.abc import AsyncIterator
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.checkout import HostsCheckout, MakesUpiLinks, SendsTriggers, UpiLink
from hundi.acquirers.port.disputes import PhaseName, TellsDisputes
from hundi.acquirers.port.payments import Charge, Refunds, SendsToBanks
from hundi.acquirers.port.settlement_reports import ReportsSettlements
from hundi.kernel.clock import business_day
from hundi.kernel.states import DisputePhase
from hundi.payments.certifications.rules import Readiness
from tests.acquirers.cashfree.account import Shop, account, new_reference, press
from tests.acquirers.cashfree.standin_disputes import raise_dispute
from tests.acquirers.cashfree.standin_money import settle
from tests.acquirers.cashfree.standin_subscriptions import busy_until
from tests.acquirers.cashfree.test_standin_splits import VENDOR
from tests.acquirers.certifying import certified
from tests.acquirers.playing import given_at

ACCOUNTS = {
    "plain": {},
    "cards": {"cards_certified": True},
    "holds": {"holds_cards": True},
    "instalments": {"instalments_from_rupees": 1_000},
    "mandates": {"mandates": True, "email_when_unknown": "shop@example.in"},
    "cards and holds": {"cards_certified": True, "holds_cards": True},
}


@pytest.fixture(params=sorted(ACCOUNTS))
async def shop(request: pytest.FixtureRequest) -> AsyncIterator[Shop]:
    async with account(**ACCOUNTS[request.param]) as opened:
        opened.bank.world.holds = bool(ACCOUNTS[request.param].get("holds_cards"))
        opened.bank.world.refund_status = "SUCCESS"
        yield opened


def of_mandates(shop: Shop) -> dict[str, Any]:
    """Return how the customers and banks of mandates are played."""

    async def pass_notice() -> None:
        world = shop.bank.world
        world.pass_time(timedelta(hours=25))
        ends = busy_until(world.now())
        if ends is not None:
            world.pass_time(ends - world.now())

    async def bank_debits(reference: str) -> None:
        for debit in shop.mandates.debits.values():
            if reference in debit.executions and debit.status == "PENDING":
                shop.mandates.take(debit.id)

    async def put(status: str, mandate: str) -> None:
        shop.mandates.put(mandate, status)

    return {
        "settled": bank_debits,
        "pass_notice": pass_notice,
        "pause_at_bank": partial(put, "CUSTOMER_PAUSED"),
        "resume_at_bank": partial(put, "ACTIVE"),
    }


@pytest.fixture
def given(shop: Shop) -> ConnectorCase:
    """Play the customers and banks of the stand-in."""

    async def pass_challenge(url: str) -> None:
        await press(url, "SUCCESS")

    async def leave(url: str) -> None:
        await press(url, "USER_DROPPED")

    async def pay_link(charge: Charge, _link: UpiLink) -> None:
        act = shop.mandates.approve if charge.mandate else shop.bank.world.pay
        act(charge.reference)

    async def pay_page(_charge: Charge, page: Redirect) -> None:
        await press(page.url, "SUCCESS")

    async def settled() -> date:
        return business_day(settle(shop.bank.world))

    async def disputed(reference: str) -> PhaseName:
        raised = raise_dispute(shop.bank.world, reference)
        return PhaseName(str(raised["dispute_id"]), DisputePhase.CHARGEBACK)

    def webhook(reference: str) -> tuple[dict[str, str], bytes]:
        data = (
            f'{{"data":{{"order":{{"order_id":"{reference}","order_amount":170.00}}}},'
            f'"type":"PAYMENT"}}'
        )
        told = shop.bank.world.signed(data.encode())
        return told.headers, told.body

    async def open_party() -> str:
        name = f"vendor_{len(shop.splits.vendors)}"
        shop.splits.create(VENDOR | {"vendor_id": name})
        shop.bank.world.pass_time(timedelta(minutes=2))
        return name

    return given_at(
        shop.bank.calls,
        open_party=open_party,
        new_reference=new_reference,
        pass_challenge=pass_challenge,
        fail_challenge=leave,
        pay_at_bank=pass_challenge,
        leave_bank=leave,
        pay_link=pay_link,
        pay_page=pay_page,
        webhook=webhook,
        raise_dispute=disputed,
        settle=settled,
        **of_mandates(shop),
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda each: each.__name__)
async def test_promise(shop: Shop, given: ConnectorCase, check: suite.Check) -> None:
    await check(shop.connector, given)


@pytest.mark.parametrize("check", suite.OF_PAYING, ids=lambda each: each.__name__)
async def test_promise_where_customers_bear_a_surcharge(
    shop: Shop, given: ConnectorCase, check: suite.Check
) -> None:
    shop.bank.world.surcharge = Decimal("20.00"), Decimal("3.60")
    await check(shop.connector, given)


async def test_every_account_has_these_capabilities(shop: Shop) -> None:
    every = (
        MakesUpiLinks,
        HostsCheckout,
        SendsToBanks,
        Refunds,
        SendsTriggers,
        ReportsSettlements,
        TellsDisputes,
    )
    for capability in every:
        assert isinstance(shop.connector, capability), capability


async def test_an_account_is_certified_at_the_stand_in(shop: Shop, given: ConnectorCase) -> None:
    found = await certified(shop.connector, given)
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()


async def test_a_certification_tells_a_surcharge_apart(shop: Shop, given: ConnectorCase) -> None:
    shop.bank.world.surcharge = Decimal("0.04"), Decimal("0.01")
    found = await certified(shop.connector, given, fee_paise=5)
    assert (found.failed(), found.readiness()["CustomerFees"]) == ({}, Readiness.READY)
