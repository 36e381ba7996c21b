"""Money that comes to accounts and vouchers after their end.

Clocks of gateway and bank are moved on together.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.system import test_cash, test_transfers
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway
from tests.system.shop import AMOUNT_PAISE, PAID_POSTING, Shop, new_order_id
from tests.system.test_subscription_year import DAY_S, advance

pytestmark = pytest.mark.usefixtures("books_hold")
HOUR_S = 3_600


@pytest.fixture(scope="module")
def gateway(new_folder: Callable[[str], Path]) -> Iterator[RunningGateway]:
    """A gateway whose clock nobody else needs; the late counter tells of its cash an hour later."""
    with RunningGateway(new_folder("late"), HUNDI_SIMBANK_DEEMED_SECONDS=str(HOUR_S)) as running:
        yield running


@pytest.fixture(scope="module")
def keeper(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that keeps late payments."""
    yield from open_shop(gateway, server, "late", channels="va_cash", late_success="keep")


@pytest.fixture(scope="module")
def refunder(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that gives late payments back."""
    yield from open_shop(gateway, server, "later", channels="va_cash", late_success="refund")


def waits(shop: Shop, order_id: str) -> dict[str, Any]:
    """Return the account or voucher of an order, which waits for its money."""
    (attempt,) = shop.attempts(order_id)
    assert (attempt["state"], shop.verify(order_id).status_code) == ("offered", 211)
    return attempt


def end(shop: Shop, order_id: str, *, before_s: float = 0.0) -> None:
    """Move the clocks to the end of an order's account or voucher, or seconds before it."""
    clock = shop.gateway.bank.get("/control/clock").json()["now"]
    left = waits(shop, order_id)["expires_at"] - datetime.fromisoformat(clock).astimezone(UTC)
    advance(shop.gateway, left.total_seconds() - before_s)


def test_an_unpaid_voucher_ends_the_order_and_is_refused_at_the_counter(
    keeper: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    form = test_cash.counter_of(browser, keeper.open_page(browser, order_id))
    end(keeper, order_id, before_s=60)
    assert keeper.verify(order_id).status_code == 211
    advance(keeper.gateway, 120)
    assert keeper.becomes(order_id, 402).channel == ""
    refused = test_cash.pay(browser, form)
    assert (refused.status, "This voucher has expired. Take no cash." in refused.text) == (
        422,
        True,
    )
    assert keeper.postings(order_id) == []


def test_cash_just_before_the_end_that_is_told_after_it_is_a_late_success(
    keeper: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    form = test_cash.counter_of(browser, keeper.open_page(browser, order_id))
    end(keeper, order_id, before_s=60)
    receipt = test_cash.paid(test_cash.pay(browser, form, counter="hill"))
    advance(keeper.gateway, 120)
    keeper.becomes(order_id, 402)
    advance(keeper.gateway, HOUR_S)
    told = keeper.becomes(order_id, 200)
    assert (told.rrn, told.channel) == (receipt, "cash")
    assert keeper.hears_event(order_id, "late_success").transaction == told
    assert keeper.postings(order_id) == PAID_POSTING
    assert test_cash.booked(keeper, receipt) == [("debit", AMOUNT_PAISE, "done")]


def test_a_transfer_to_an_ended_account_is_a_late_success(keeper: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    form = test_transfers.account_of(browser, keeper.open_page(browser, order_id))
    end(keeper, order_id)
    keeper.becomes(order_id, 402)
    utr = test_transfers.sent(test_transfers.send(browser, form))
    told = keeper.becomes(order_id, 200)
    assert (told.rrn, told.channel) == (utr, "va")
    assert keeper.hears_event(order_id, "late_success").transaction == told
    assert keeper.postings(order_id) == PAID_POSTING
    second = test_transfers.sent(test_transfers.send(browser, form))
    keeper.hears_event(order_id, "excess_refunded")
    assert ("refund", AMOUNT_PAISE, "done") in test_transfers.booked(keeper, second)


def test_a_late_transfer_of_another_amount_goes_back(keeper: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    form = test_transfers.account_of(browser, keeper.open_page(browser, order_id))
    end(keeper, order_id)
    keeper.becomes(order_id, 402)
    wrong = test_transfers.sent(test_transfers.send(browser, form, amount="1.00"))
    keeper.hears_event(order_id, "excess_refunded")
    assert test_transfers.booked(keeper, wrong) == [("debit", 100, "done"), ("refund", 100, "done")]
    assert keeper.verify(order_id).status_code == 402


@pytest.mark.parametrize("by", ["account", "voucher"])
def test_a_merchant_that_keeps_no_late_money_gives_it_back(
    refunder: Shop, browser: Browser, by: str
) -> None:
    order_id = new_order_id()
    screen = refunder.open_page(browser, order_id)
    if by == "account":
        form = test_transfers.account_of(browser, screen)
        end(refunder, order_id)
        number = test_transfers.sent(test_transfers.send(browser, form))
    else:
        form = test_cash.counter_of(browser, screen)
        end(refunder, order_id, before_s=60)
        number = test_cash.paid(test_cash.pay(browser, form, counter="hill"))
        advance(refunder.gateway, 120)
        refunder.becomes(order_id, 402)
        advance(refunder.gateway, HOUR_S)
    refunder.hears_event(order_id, "late_success")
    refunder.hears_event(order_id, "refund_done")
    assert test_transfers.booked(refunder, number) == [
        ("debit", AMOUNT_PAISE, "done"),
        ("refund", AMOUNT_PAISE, "done"),
    ]


def test_a_late_transfer_whose_news_is_lost_is_found_within_three_days(
    keeper: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    form = test_transfers.account_of(browser, keeper.open_page(browser, order_id))
    end(keeper, order_id)
    keeper.becomes(order_id, 402)
    keeper.gateway.inject_faults(lose_request=1.0)
    try:
        utr = test_transfers.sent(test_transfers.send(browser, form))
        keeper.gateway.rows("SELECT pg_sleep(1)")
    finally:
        keeper.gateway.inject_faults()
    assert keeper.verify(order_id).status_code == 402
    advance(keeper.gateway, DAY_S)
    assert keeper.becomes(order_id, 200).rrn == utr
