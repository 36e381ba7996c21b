"""A merchant's days through the running gateway, its clock moved on by the bank.

Payment, settlement, shares, books.
"""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from hundi.kernel.clock import INDIA
from hundi.sdk import RefundItem
from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, scan
from tests.system.test_splits import NUMBER, ask, wished
from tests.system.test_subscription_year import advance, clock_of

DAY_S = 86_400
DAYS_MAX = 8
"""No working day of banks is further off."""


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway whose clock nobody else needs."""
    with RunningGateway(new_folder("settled")) as running:
        yield running


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant with a linked account, whose settlements are made whatever they come to."""
    for shop in open_shop(gateway, server, "settled", multiple_partial_refunds="on"):
        who = shop.merchant.merchant_id
        gateway.operate(
            "split", "link", who, "WEAVER", "The Weaver", "HDFC0000001", "--number", NUMBER
        )
        yield shop


@pytest.fixture(scope="module")
def sender(gateway: RunningGateway) -> Iterator[Sender]:
    """Sends what merchants' servers send."""
    with httpx.Client(trust_env=False, timeout=30) as http:
        yield Sender(gateway.base_url, http)


def settled(shop: Shop, count: int) -> list[dict[str, Any]]:
    """Move the clock on, day by day, until the worker has made so many settlements.

    Return them, the newest first.
    """
    who = shop.merchant.merchant_id
    for _ in range(DAYS_MAX):
        advance(shop.gateway, DAY_S)
        try:
            until(lambda: len(listed(shop, who)) >= count, "a settlement", within_s=3)
        except AssertionError:
            continue
        return listed(shop, who)
    raise AssertionError(f"no settlement {count} within {DAYS_MAX} days")


def listed(shop: Shop, who: str) -> list[dict[str, Any]]:
    return shop.gateway.operate("settlement", "list", "--merchant", who)


def test_payments_refunds_and_splits_become_settlements_day_by_day(
    gateway: RunningGateway, shop: Shop, sender: Sender, browser: Browser
) -> None:
    orders = [new_order_id() for _ in range(2)]
    for each in orders:
        scan(gateway, shop.open_page(browser, each, 100_000).upi_link)
    paid = [shop.becomes(each, 200, 100_000) for each in orders]
    assert ask(sender, shop, wished(paid[0], ("WEAVER", "80.00"))).code == "00"
    today = clock_of(gateway).astimezone(INDIA).date()
    gateway.operate(
        "settlement", "run", "--merchant", shop.merchant.merchant_id
    )  # collects; nothing is due
    ahead = shop.client.next_settlement()
    assert (ahead.items, ahead.net_paise, ahead.splits_paise, ahead.held) == (
        2,
        120_000,
        80_000,
        False,
    )
    assert shop.client.price_list().prices == ()
    (first,) = settled(shop, 1)
    assert first["day"] > str(today)
    assert first["day"] == str(ahead.day)
    assert shop.client.next_settlement().day is None
    assert (first["gross_paise"], first["splits_paise"], first["net_paise"]) == (
        200_000,
        80_000,
        120_000,
    )
    shown = gateway.operate("settlement", "show", first["settlement"])
    assert {row["orderid"] for row in shown["rows"]} == set(orders)
    assert (
        sum(row["net_paise"] for row in shown["rows"]) == shown["net_paise"] + shown["splits_paise"]
    )
    assert [(each["beneficiary"], each["amount_paise"]) for each in shown["shares"]] == [
        ("primary", 120_000),
        ("WEAVER", 80_000),
    ]
    (read,) = shop.client.settlements()
    assert (str(read.day), read.gross_paise, read.splits_paise, read.net_paise) == (
        first["day"], 200_000, 80_000, 120_000,
    )  # fmt: skip
    assert [
        (each.beneficiary, each.amount_paise, each.utr)
        for each in shop.client.settlement(read.settlement_id).shares
    ] == [
        ("primary", 120_000, ""),
        ("WEAVER", 80_000, ""),
    ]
    items = shop.client.settlement_items(read.settlement_id)
    assert ({each.order_id for each in items.items}, items.next) == (set(orders), "")
    assert sum(each.net_paise for each in items.items) == 200_000
    rest = shop.client.settlement_items(read.settlement_id, after=items.items[0].item_id)
    assert rest.items == items.items[1:]
    again = gateway.operate(
        "settlement", "run", "--date", first["day"], "--merchant", shop.merchant.merchant_id
    )
    assert [each["outcome"] for each in again] == ["already_settled"]

    late = ask(sender, shop, wished(paid[0], ("WEAVER", "70.00")))
    assert late.code != "00", "it is settled: its split stands"

    shop.client.refund([RefundItem(paid[1].transaction_id, 30_000)], request_id=orders[1])
    shop.hears_event(orders[1], "refund_done")
    second = settled(shop, 2)[0]
    assert (second["refunds_paise"], second["net_paise"], second["carried_paise"]) == (
        30_000,
        0,
        -30_000,
    )
    newest, oldest = shop.client.settlements()
    assert (newest.refunds_paise, newest.carried_paise, oldest) == (30_000, -30_000, read)
    assert shop.client.settlements(before=newest.settlement_id) == (oldest,)
    (back,) = shop.client.settlement_items(newest.settlement_id).items
    assert (back.kind, back.order_id, back.gross_paise) == ("refund_begun", orders[1], -30_000)
    gateway.audit()


def test_what_a_suspended_merchant_is_owed_waits_and_is_named(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    for shop in open_shop(gateway, server, "waits"):
        who, order_id = shop.merchant.merchant_id, new_order_id()
        scan(gateway, shop.open_page(browser, order_id, 5_000).upi_link)
        shop.becomes(order_id, 200, 5_000)
        gateway.operate(
            "settlement", "terms", "set", who, "--working-days", "0", "--cut-off", "00:01", "--hold"
        )
        waits = None
        for _ in range(DAYS_MAX):
            advance(gateway, DAY_S)
            (waits,) = gateway.operate("settlement", "run", "--merchant", who)
            if waits["waiting"]:
                break
        assert waits is not None
        assert (waits["outcome"], waits["waiting"]) == ("held", 1)
        gateway.operate("settlement", "terms", "set", who, "--no-hold")
        (done,) = gateway.operate("settlement", "run", "--merchant", who)
        assert done["outcome"] == "settled"
    gateway.audit()
