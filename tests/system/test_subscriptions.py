"""Subscriptions through the running gateway.

Approved by form and by QR, looked after by merchant, customer, operator.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from hundi.sdk import QrOrder, SubscriptionTerms, errors
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Reply, Sender, order
from tests.system.running import RunningGateway, until
from tests.system.shop import SESSION, Shop, new_order_id, pay_in_app, scan, settled

pytestmark = pytest.mark.usefixtures("books_hold")
AMOUNT_PAISE = 9_900


def in_days(days: int) -> date:
    return (datetime.now(UTC) + timedelta(hours=5, minutes=30)).date() + timedelta(days=days)


def plan(order_id: str, **changes: Any) -> dict[str, Any]:
    """Return a payment form's fields that begin a monthly subscription."""
    asked = {
        "txnsubtype": "12",
        "sb_period": "M",
        "sb_frequency": "1",
        "sb_amount": "499.00",
        "sb_maxamount": "1000.00",
        "sb_nextrundate": f"{in_days(10):%m/%d/%Y}",
        "sb_recurringcount": "12",
        "sb_retryattempts": "2",
        "sb_isrecurring": "1",
    }
    return order(order_id, "99.00", **(asked | changes))


@pytest.fixture
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


def open_plan(
    sender: Sender, shop: Shop, browser: Browser, order_id: str, **changes: Any
) -> Screen:
    fields = shop.merchant.envelope(plan(order_id, **changes))
    return browser.post(f"{sender.base_url}/pay/v4/?token={sender.token(shop.merchant)}", fields)


def approved(sender: Sender, shop: Shop, **changes: Any) -> dict[str, Any]:
    """Return a subscription that its customer has approved by a QR, once it is active."""
    order_id = new_order_id("PLAN")
    qr = sender.ask("generateorder", shop.merchant, plan(order_id, **changes))
    assert qr.code == "00", qr.message
    assert scan(shop.gateway, qr.data["qr_string"])["status"] == "success"
    shop.becomes(order_id, 200, AMOUNT_PAISE)
    return active(sender, shop, order_id)


def active(sender: Sender, shop: Shop, order_id: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        told = sender.ask("subscription/status", shop.merchant, {"orderid": order_id}).data
        return told if told["state"] == "active" else None

    return until(look, f"{order_id} to be active")


def asked(sender: Sender, shop: Shop, verb: str, told: dict[str, Any], **more: str) -> Reply:
    return sender.ask(
        f"subscription/{verb}",
        shop.merchant,
        {"ap_transactionid": told["ap_transactionid"], **more},
    )


def test_a_merchant_may_write_the_day_first(
    gateway: RunningGateway, server: MerchantServer, sender: Sender, browser: Browser
) -> None:
    starts = in_days(40).replace(day=11)
    for shop in open_shop(gateway, server, "day-first"):
        gateway.operate("merchant", "dates", shop.merchant.merchant_id, "day-first")
        told = approved(sender, shop, sb_nextrundate=f"{starts:%d/%m/%Y}")
        assert told["sb_nextrundate"] == starts.isoformat()
        refused = sender.ask(
            "generateorder", shop.merchant, plan(new_order_id("PLAN"), sb_nextrundate="12/31/2026")
        )
        assert refused.code == "110"
        assert "written DD/MM/YYYY" in refused.message
        page = open_plan(
            sender, shop, browser, new_order_id("PLAN"), sb_nextrundate=f"{starts:%d/%m/%Y}"
        )
        assert page.at == "choose"


def test_a_customer_approves_a_mandate_at_the_page(
    gateway: RunningGateway, sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id("PLAN")
    screen = open_plan(sender, shop, browser, order_id)
    assert screen.path.startswith(SESSION), screen.text
    assert "₹499.00 every month" in screen.text
    assert "Never more than ₹1,000.00 at a time" in screen.text
    assert screen.upi_link.startswith("upi://mandate?")
    assert "fam=99.00" in screen.upi_link
    pay_in_app(browser, screen)
    ended = settled(browser, browser.get(screen.url))
    assert "Approved and paid" in ended.text
    told = shop.verify(order_id, AMOUNT_PAISE)
    assert (told.status_code, told.payment_status, told.transaction_type) == (
        200,
        "Mandate Approved",
        320,
    )
    back = shop.come_back(ended, order_id, AMOUNT_PAISE)
    assert back.transaction.payment_status == "Mandate Approved"
    news = shop.hears_event(order_id, "mandate_approved").transaction
    assert (news.status_code, news.payment_status) == (200, "Mandate Approved")
    found = active(sender, shop, order_id)
    assert found["sb_nextrundate"] == in_days(10).isoformat()
    assert (found["chmod"], found["customer_vpa"]) == ("upi", "success@hundi")
    assert (found["sb_amount"], found["sb_maxamount"], found["sb_period"]) == (
        "499.00",
        "1000.00",
        "M",
    )


def test_a_mandate_that_is_declined_is_none(sender: Sender, shop: Shop) -> None:
    order_id = new_order_id("PLAN")
    qr = sender.ask("generateorder", shop.merchant, plan(order_id))
    assert scan(shop.gateway, qr.data["qr_string"], "decline@hundi")["status"] == "declined"
    told = sender.ask("subscription/status", shop.merchant, {"orderid": order_id}).data
    assert (told["state"], told["debits"]) == ("created", [])


@pytest.mark.parametrize(
    ("changes", "field", "allowed"),
    [
        ({"sb_nextrundate": f"{in_days(-1):%m/%d/%Y}"}, "sb_nextrundate", "not past"),
        ({"sb_nextrundate": "31/12/2026"}, "sb_nextrundate", "MM/DD/YYYY"),
        ({"sb_amount": "1000.01"}, "sb_amount", "at most sb_maxamount"),
        ({"sb_maxamount": "15000.01"}, "sb_maxamount", "₹15,000.00"),
        ({"sb_period": "Q"}, "sb_period", "D W M Y A"),
        ({"sb_frequency": "0"}, "sb_frequency", "from 1 to 366"),
        ({"sb_recurringcount": "0"}, "sb_recurringcount", "999"),
        ({"sb_recurringcount": "900", "sb_period": "Y"}, "sb_recurringcount", "30 years"),
        ({"sb_isrecurring": "0"}, "sb_isrecurring", "1"),
        ({"sb_amount": None}, "sb_amount", "required"),
        ({"chmod": "nb"}, "chmod", "upi"),
    ],
)
def test_bad_terms_are_refused_by_the_name_of_their_field(
    sender: Sender, shop: Shop, browser: Browser, changes: dict[str, Any], field: str, allowed: str
) -> None:
    by_qr = sender.ask("generateorder", shop.merchant, plan(new_order_id(), **changes))
    assert (by_qr.code in {"110", "113"}, by_qr.data) == (True, [])
    assert field in by_qr.message
    screen = open_plan(sender, shop, browser, new_order_id(), **changes)
    assert screen.status == 200
    told = shop.refusal_of(screen)
    assert field in told
    assert allowed in told


def test_merchants_pause_resume_change_and_cancel(sender: Sender, shop: Shop) -> None:
    told = approved(sender, shop)
    assert asked(sender, shop, "pause", told).data["state"] == "paused"
    again = asked(sender, shop, "pause", told)
    assert (again.code, again.data) == ("120", [])
    assert asked(sender, shop, "resume", told).data["state"] == "active"
    changed = asked(sender, shop, "change", told, sb_amount="599.00", sb_recurringcount="6").data
    assert (changed["sb_amount"], changed["sb_recurringcount"]) == ("599.00", 6)
    above = asked(sender, shop, "change", told, sb_amount="1000.01")
    assert above.code == "110"
    assert "sb_amount" in above.message
    listed = sender.ask("subscription/list", shop.merchant, {"state": "active"}).data[
        "subscriptions"
    ]
    assert told["ap_transactionid"] in [each["ap_transactionid"] for each in listed]
    assert asked(sender, shop, "cancel", told).data["state"] == "cancelled"
    assert asked(sender, shop, "cancel", told).data["state"] == "cancelled"
    assert asked(sender, shop, "charge", told).code == "120"
    for event in ("mandate_paused", "mandate_resumed", "mandate_changed", "mandate_cancelled"):
        news = shop.hears_event(told["orderid"], event).transaction
        assert (news.status_code, news.is_paid) == (211, False), (
            "news of a mandate is no second success"
        )


def test_a_charge_is_announced_at_once_and_made_a_day_later(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    told = approved(
        sender, shop, sb_period="A", sb_nextrundate=None, sb_frequency=None, sb_recurringcount=None
    )
    assert told["sb_nextrundate"] == ""
    assert asked(sender, shop, "charge", told, sb_amount="1000.01").code == "110"
    (debit,) = asked(sender, shop, "charge", told, sb_amount="250.00").data["debits"]
    assert (debit["period"], debit["amount"], debit["state"]) == (1, "250.00", "announced")
    assert datetime.fromisoformat(debit["debit_at"]) > datetime.now(UTC) + timedelta(hours=24)
    assert asked(sender, shop, "charge", told).code == "120"
    shop.hears_event(told["orderid"], "debit_announced")
    (noticed,) = asked(sender, shop, "status", told).data["debits"]
    assert datetime.fromisoformat(noticed["debit_at"]) > datetime.now(UTC) + timedelta(hours=24)


def test_nobody_reads_another_merchants_subscription(
    sender: Sender, shop: Shop, rival: Shop
) -> None:
    told = approved(sender, shop)
    for verb in ("status", "charge", "change", "pause", "resume", "cancel"):
        reply = asked(
            sender, rival, verb, told, **({"sb_amount": "1.00"} if verb == "change" else {})
        )
        assert (reply.code, reply.data) == ("503", [])
    order_id = new_order_id()
    sender.ask("generateorder", shop.merchant, {"orderid": order_id, "amount": "5.00"})
    assert sender.ask("subscription/status", shop.merchant, {"orderid": order_id}).code == "503"


def test_a_customer_stops_it_on_a_page_of_their_own(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    told = approved(sender, shop)
    page = browser.get(told["manage_url"])
    assert "Approved debits" in page.text
    assert told["orderid"] in page.text
    paused = browser.submit(page.form("/pause"))
    assert "Debits are paused" in paused.text
    cancelled = browser.submit(paused.form("/cancel"))
    assert "nothing more is debited" in cancelled.text
    assert cancelled.forms == []
    assert asked(sender, shop, "status", told).data["state"] == "cancelled"
    shop.hears_event(told["orderid"], "mandate_cancelled")


def test_a_mandates_page_keeps_the_language_that_is_chosen(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    address = approved(sender, shop)["manage_url"]
    assert '<button class="link" name="lang" value="hi"' in browser.get(address).html
    hindi = browser.get(f"{address}?lang=hi")
    assert hindi.url == f"{address}.hi"
    assert '<html lang="hi">' in hindi.html
    paused = browser.submit(hindi.form("/pause"))
    assert paused.url == f"{address}.hi"
    assert '<html lang="hi">' in paused.html
    assert browser.get(f"{address}.hi?lang=en").url == f"{address}.en"


def test_only_the_signed_address_opens_the_page(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    address = approved(sender, shop)["manage_url"]
    for wrong in (
        address[:-1] + ("A" if address[-1] != "A" else "B"),
        address.rsplit(".", 1)[0],
        address + "x",
    ):
        assert browser.get(wrong).status == 404
    session = open_plan(sender, shop, browser, new_order_id()).url
    assert (
        browser.get(address.partition("/m/")[0] + "/m/" + session.rsplit("/", 1)[1]).status == 404
    )


def test_an_operator_lists_shows_and_stops_subscriptions(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    told = approved(sender, shop)
    merchant, named = shop.merchant.merchant_id, told["ap_transactionid"]
    listed = gateway.operate("subscription", "list", merchant)
    assert named in [each["subscription_id"] for each in listed]
    shown = gateway.operate("subscription", "show", merchant, named)
    assert (shown["state"], shown["debits"]) == ("active", [])
    assert shown["next_debit_at"].startswith(in_days(10).isoformat())
    assert gateway.operate("subscription", "pause", merchant, named)["state"] == "paused"
    assert gateway.operate("subscription", "resume", merchant, named)["state"] == "active"
    assert gateway.operate("subscription", "cancel", merchant, named)["state"] == "cancelled"
    until(lambda: mandate_over(gateway, named), "the mandate to be ended at the bank")


def mandate_over(gateway: RunningGateway, subscription_id: str) -> bool:
    return gateway.value(
        "SELECT due_at IS NULL FROM subscriptions WHERE subscription_id = $1", int(subscription_id)
    )


def test_the_sdk_begins_one_and_looks_after_it(gateway: RunningGateway, shop: Shop) -> None:
    order_id = new_order_id("PLAN")
    terms = SubscriptionTerms(
        period="M",
        amount_paise=49_900,
        max_paise=100_000,
        first_debit=in_days(10),
        debits=12,
        retries=2,
    )
    qr = shop.client.generate_qr(
        QrOrder(order_id=order_id, amount_paise=AMOUNT_PAISE, subscription=terms)
    )
    assert scan(gateway, qr.text)["status"] == "success"
    client = shop.client
    told = until(
        lambda: (found := client.subscription(order_id=order_id)).is_active and found,
        f"{order_id} to begin",
    )
    assert (told.transaction_id, told.amount_paise, told.max_paise) == (
        qr.transaction_id,
        49_900,
        100_000,
    )
    assert (told.next_debit_on, told.debits_max) == (in_days(10), 12)
    assert (told.channel, told.payer_vpa) == ("upi", "success@hundi")
    assert client.pause_subscription(told.transaction_id).state == "paused"
    with pytest.raises(errors.StateRefusedError):
        client.pause_subscription(told.transaction_id)
    assert client.resume_subscription(told.transaction_id).is_active
    assert (
        client.change_subscription(told.transaction_id, amount_paise=59_900).amount_paise == 59_900
    )
    with pytest.raises(errors.RefusedError, match="sb_amount"):
        client.change_subscription(told.transaction_id, amount_paise=100_001)
    with pytest.raises(errors.StateRefusedError, match=f"on {in_days(10)} or later"):
        client.charge_subscription(told.transaction_id, amount_paise=25_000)
    assert told.transaction_id in [
        each.transaction_id for each in client.subscriptions(state="active")
    ]
    assert client.cancel_subscription(told.transaction_id).state == "cancelled"
