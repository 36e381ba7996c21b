"""A year of subscriptions in fast-forward: clocks of gateway and bank are moved on together."""

import time
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from hundi.sdk import RefundItem
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import VISA, Shop, enter_card, new_order_id, pay_card, scan
from tests.system.test_enach import approve_at_bank
from tests.system.test_subscriptions import active, asked, open_plan, plan

DAY_S = 86_400


@pytest.fixture(scope="module")
def gateway(new_folder: Callable[[str], Path]) -> Iterator[RunningGateway]:
    """A gateway whose clock nobody else needs."""
    with RunningGateway(new_folder("year")) as running:
        yield running


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(gateway, server, "year", channels="upi_pg_enach")


@pytest.fixture(scope="module")
def sender(gateway: RunningGateway) -> Iterator[Sender]:
    with httpx.Client(trust_env=False, timeout=30) as http:
        yield Sender(gateway.base_url, http)


def advance(gateway: RunningGateway, seconds: float) -> dict[str, Any]:
    """Move a gateway's clock: never of the shared one, which other tests believe to be right."""
    assert gateway.data_dir.parent.name != "shared", "a clock is moved at a gateway of one's own"
    answer = gateway.bank.post("/control/clock", json={"advance_s": seconds}, timeout=300)
    assert answer.status_code == 200, answer.text
    return answer.json()


def clock_of(gateway: RunningGateway) -> datetime:
    return datetime.fromisoformat(gateway.bank.get("/control/clock").json()["now"])


def days_on(gateway: RunningGateway, days: int) -> date:
    """Return the day in India so many days after the moment that the gateway's clock shows."""
    return (clock_of(gateway) + timedelta(days=days, hours=5, minutes=30)).date()


def begin(
    sender: Sender, shop: Shop, payer: str = "success@hundi", **changes: Any
) -> dict[str, Any]:
    """Return a subscription that its customer has approved."""
    first = days_on(shop.gateway, 3)
    order_id = new_order_id("YEAR")
    qr = sender.ask(
        "generateorder",
        shop.merchant,
        plan(order_id, sb_nextrundate=f"{first:%m/%d/%Y}", **changes),
    )
    assert qr.code == "00", qr.message
    assert scan(shop.gateway, qr.data["qr_string"], payer)["status"] == "success"
    return active(sender, shop, order_id)


def states(sender: Sender, shop: Shop, told: dict[str, Any]) -> list[str]:
    """Return the states of a subscription's debits, oldest first."""
    shown = sender.ask(
        "subscription/status", shop.merchant, {"ap_transactionid": told["ap_transactionid"]}
    ).data
    return [each["state"] for each in reversed(shown["debits"])]


def test_a_year_of_debits_is_lived_in_minutes_and_the_books_hold(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    monthly = begin(sender, shop)
    patient = begin(sender, shop, "retrydebit@hundi", sb_recurringcount="3")
    broke = begin(sender, shop, "nodebit@hundi", sb_recurringcount="2", sb_retryattempts="1")
    began = time.monotonic()
    moved = advance(gateway, 366 * DAY_S)
    assert time.monotonic() - began < 300
    assert moved["worked"] > 12 * 4
    assert states(sender, shop, monthly) == ["done"] * 12
    assert states(sender, shop, patient) == ["done"] * 3
    assert states(sender, shop, broke) == ["failed"] * 2
    for told in (monthly, patient, broke):
        shown = sender.ask("subscription/status", shop.merchant, {"orderid": told["orderid"]}).data
        assert shown["state"] == "completed"
        shop.hears_event(told["orderid"], "mandate_completed")
    for number in range(1, 13):
        order_id = f"{monthly['ap_transactionid']}-{number}"
        assert shop.hears_event(order_id, "paid").transaction.amount_paise == 49_900
        assert shop.bank_debits(order_id) == [(49_900, "done")]
    for told, news in ((patient, ["paid"]), (broke, ["failed"])):
        # Between two tries the order can still be paid: what is said of it, is said once.
        heard = shop.endpoint.about(shop.merchant, f"{told['ap_transactionid']}-1")
        said = {each.webhook_id: each.event for each in heard}
        assert list(said.values()) == news, "a delivery may come again, under its one id"
    assert shop.verify(f"{broke['ap_transactionid']}-1", 49_900).status_code == 400
    debits = gateway.rows(
        (
            "SELECT period_no, created_at, noticed_at, planned_at FROM subscription_debits"
            " WHERE subscription_id = $1 ORDER BY period_no"
        ),
        int(monthly["ap_transactionid"]),
    )
    days = [row["planned_at"] + timedelta(hours=5, minutes=30) for row in debits]
    assert {(day.hour, day.minute) for day in days} == {(6, 0)}, debits
    assert len({(day.year, day.month) for day in days}) == 12
    early = (
        "SELECT count(*) FROM payments p JOIN subscription_debits d USING (merchant_id, payment_id)"
    )
    assert gateway.value(early + " WHERE p.created_at < d.noticed_at + interval '24 hours'") == 0
    until(
        lambda: (
            gateway.value("SELECT count(*) FROM deliveries WHERE state IN ('waiting', 'sending')")
            == 0
        ),
        "all told",
    )
    gateway.audit()


def test_a_charge_brings_one_debit_forward_and_is_never_made_before_what_was_approved(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    told = begin(sender, shop)
    early = asked(sender, shop, "charge", told)
    assert (early.code, f"on {told['sb_nextrundate']} or later" in early.message) == ("120", True)
    advance(gateway, 4 * DAY_S)
    assert states(sender, shop, told) == ["done"]
    assert asked(sender, shop, "charge", told).code == "00"
    advance(gateway, 3 * DAY_S)
    assert states(sender, shop, told) == ["done", "done"]
    assert asked(sender, shop, "charge", told).code == "120"
    advance(gateway, 40 * DAY_S)
    assert states(sender, shop, told) == ["done", "done"]


def begin_by_card(sender: Sender, shop: Shop, number: str, **changes: Any) -> dict[str, Any]:
    """Return a subscription that its customer has approved by card."""
    order_id = new_order_id("CARD")
    first = f"{days_on(shop.gateway, 3):%m/%d/%Y}"
    with Browser() as browser:
        page = open_plan(
            sender, shop, browser, order_id, chmod="pg", sb_nextrundate=first, **changes
        )
        assert "Approved and paid" in pay_card(browser, page, number).text
    return active(sender, shop, order_id)


def test_card_mandates_are_debited_without_their_customer(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    weekly = begin_by_card(sender, shop, VISA, sb_period="W", sb_recurringcount="4")
    patient = begin_by_card(sender, shop, "4000000000003220", sb_recurringcount="2")
    broke = begin_by_card(
        sender, shop, "4000000000000341", sb_recurringcount="1", sb_retryattempts="1"
    )
    advance(gateway, 100 * DAY_S)
    assert states(sender, shop, weekly) == ["done"] * 4
    assert states(sender, shop, patient) == ["done"] * 2
    assert states(sender, shop, broke) == ["failed"]
    paid = shop.verify(f"{weekly['ap_transactionid']}-4", 49_900)
    assert (paid.is_paid, paid.channel, paid.card_number[-4:]) == (True, "pg", "1111")
    assert shop.bank_debits(f"{weekly['ap_transactionid']}-4") == [(49_900, "done")]
    declined = shop.bank_debits(f"{broke['ap_transactionid']}-1")
    assert declined == [(49_900, "declined")] * 2
    assert shop.verify(f"{broke['ap_transactionid']}-1", 49_900).status_code == 400
    shop.client.refund([RefundItem(paid.transaction_id)], request_id=new_order_id("R"))
    shop.hears_event(f"{weekly['ap_transactionid']}-4", "refund_done")
    gateway.audit()


def begin_at_bank(sender: Sender, shop: Shop, customer: str, **changes: Any) -> str:
    """Return a subscription's order that its customer approved, to be registered later."""
    order_id = new_order_id("NACH")
    first = f"{days_on(shop.gateway, 5):%m/%d/%Y}"
    with Browser() as browser:
        page = open_plan(
            sender, shop, browser, order_id, chmod="enach", sb_nextrundate=first, **changes
        )
        approve_at_bank(browser, page, customer)
    return order_id


def test_bank_accounts_are_debited_in_batches_that_are_answered_on_the_next_day(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    late = begin_at_bank(sender, shop, "slow", sb_recurringcount="1")
    weekly, patient, broke, gone = (
        active(
            sender,
            shop,
            begin_at_bank(sender, shop, customer, sb_period="W", sb_recurringcount="2", **more),
        )
        for customer, more in (
            ("success", {}),
            ("retrydebit", {}),
            ("nodebit", {"sb_retryattempts": "1"}),
            ("closed", {"sb_retryattempts": "0"}),
        )
    )
    assert (
        sender.ask("subscription/status", shop.merchant, {"orderid": late}).data["state"]
        == "created"
    )
    advance(gateway, 3 * DAY_S)
    registered = active(sender, shop, late)
    until(
        lambda: advance(gateway, DAY_S / 4) and states(sender, shop, weekly) == ["sent"],
        "a debit under way",
    )
    assert shop.verify(f"{weekly['ap_transactionid']}-1", 49_900).status_code == 211
    advance(gateway, 40 * DAY_S)
    assert states(sender, shop, weekly) == ["done"] * 2
    assert states(sender, shop, patient) == ["done"] * 2
    assert states(sender, shop, broke) == ["failed"] * 2
    assert states(sender, shop, gone) == ["failed"] * 2
    assert states(sender, shop, registered) == ["done"]
    for told, code in ((broke, "NACH-04"), (gone, "NACH-01")):
        returned = shop.verify(f"{told['ap_transactionid']}-1", 49_900)
        assert (returned.status_code, returned.bank_code, returned.channel) == (400, code, "enach")
    assert shop.bank_debits(f"{patient['ap_transactionid']}-1") == [
        (49_900, "declined"),
        (49_900, "done"),
    ]
    took = (
        "SELECT extract(epoch FROM settled_at - created_at) / 3600 AS hours FROM attempts WHERE"
        " method = 'enach_debit'"
    )
    hours = [float(row["hours"]) for row in gateway.rows(took)]
    assert len(hours) == 2 + 4 + 4 + 2 + 1
    assert min(hours) > 20
    gateway.audit()


def test_a_debit_is_an_order_that_can_be_refunded(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    told = begin(sender, shop, sb_recurringcount="1")
    advance(gateway, 4 * DAY_S)
    order_id = f"{told['ap_transactionid']}-1"
    paid = shop.verify(order_id, 49_900)
    assert (paid.is_paid, paid.payment_status) == (True, "SUCCESS")
    shop.client.refund([RefundItem(paid.transaction_id)], request_id=new_order_id("R"))
    shop.hears_event(order_id, "refund_done")
    gateway.audit()


def test_a_subscription_cancelled_after_the_notice_is_not_debited(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    told = begin(sender, shop)
    until(
        lambda: advance(gateway, DAY_S / 2) and states(sender, shop, told) == ["announced"],
        "the notice",
    )
    sender.ask("subscription/cancel", shop.merchant, {"ap_transactionid": told["ap_transactionid"]})
    advance(gateway, 60 * DAY_S)
    assert states(sender, shop, told) == ["skipped"]
    assert shop.bank_debits(f"{told['ap_transactionid']}-1") == []
    gateway.audit()


def at_bank(gateway: RunningGateway, told: dict[str, Any], act: str) -> None:
    """Let a customer end, pause or resume a mandate at the bank."""
    text = "SELECT mandate_reference FROM subscriptions WHERE subscription_id = $1"
    mandate = gateway.value(text, int(told["ap_transactionid"]))
    assert gateway.bank.post(f"/mandates/{mandate}", data={"act": act}).status_code == 303


def test_a_mandate_that_its_customer_paused_at_the_bank_is_resumed_there(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    told = begin(sender, shop, sb_recurringcount="3")

    def stands(state: str) -> None:
        known = {"ap_transactionid": told["ap_transactionid"]}
        until(
            lambda: sender.ask("subscription/status", shop.merchant, known).data["state"] == state,
            f"a subscription that is {state}",
        )

    at_bank(gateway, told, "pause")
    stands("paused")
    shop.hears_event(told["orderid"], "mandate_paused")
    assert asked(sender, shop, "resume", told).code == "120"
    advance(gateway, 20 * DAY_S)
    assert states(sender, shop, told) == []
    at_bank(gateway, told, "resume")
    stands("active")
    advance(gateway, 20 * DAY_S)
    assert states(sender, shop, told) == ["done"]
    at_bank(gateway, told, "end")
    stands("cancelled")
    gateway.audit()


def test_a_mandate_whose_first_payment_was_declined_is_ended_at_the_bank(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    order_id = new_order_id("ALONE")
    qr = sender.ask(
        "generateorder",
        shop.merchant,
        plan(order_id, sb_nextrundate=f"{days_on(gateway, 9):%m/%d/%Y}"),
    )
    assert scan(gateway, qr.data["qr_string"], "alone@hundi")["status"] == "declined"
    mandate = parse_qs(urlsplit(qr.data["qr_string"]).query)["tr"][0]
    assert mandate in gateway.bank.get("/mandates").text
    advance(gateway, 4 * DAY_S)
    until(lambda: mandate not in gateway.bank.get("/mandates").text, "the end of the mandate")
    known = sender.ask("subscription/status", shop.merchant, {"orderid": order_id}).data
    assert known["state"] == "failed"
    gateway.audit()


def test_the_clock_never_goes_back(gateway: RunningGateway) -> None:
    for wrong in ({"advance_s": -1}, {"advance_s": "x"}, {}):
        assert gateway.bank.post("/control/clock", json=wrong).status_code == 400
    before = clock_of(gateway)
    advance(gateway, 10)
    assert clock_of(gateway) >= before + timedelta(seconds=10)


def test_a_refused_form_says_why_also_when_the_clock_was_moved(
    gateway: RunningGateway, shop: Shop
) -> None:
    advance(gateway, DAY_S)
    with Browser() as browser:
        # Processes hear of the new clock one after another: what was opened by the old one is over
        # by the new.
        page = until(
            lambda: _open_still(shop.open_page(browser, new_order_id())), "a page by the new clock"
        )
        refused = enter_card(browser, page, "4111111111111112")
    assert "typing error" in refused.text


def _open_still(screen: Screen) -> Screen | None:
    return screen if screen.offers("/card") else None


def test_only_the_bank_moves_the_gateways_clock(gateway: RunningGateway) -> None:
    answer = httpx.post(f"{gateway.base_url}/demo/clock", json={"ahead_s": 1e6}, trust_env=False)
    assert answer.status_code == 401
