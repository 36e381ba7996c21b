"""Shops with old handlers hear later news of a paid order, which stays paid."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from hundi.kernel.events import WRITTEN_WHEN_WANTED, Kind
from hundi.merchants.directory.clients.rules import CLIENTS
from hundi.sdk import RefundItem
from tests.manners import (
    PAID_WORDS,
    Book,
    Handler,
    as_text,
    cut_out,
    in_capitals,
    opened,
    plain,
    sealed,
    top_alone,
)
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, pay_card, scan
from tests.system.test_subscriptions import active, asked, plan

pytestmark = pytest.mark.usefixtures("books_hold")
REFUNDS_COME_BACK = "closedrefund@hundi"
MANNERS: Mapping[str, tuple[str, Handler]] = {
    "nothing chosen, sealed": ("", sealed),
    "nothing chosen, top alone": ("", top_alone),
    "nothing chosen, cut out": ("", cut_out),
    "no-alias": ("no-alias", sealed),
    "hash-without-payer": ("hash-without-payer", sealed),
    "hash-of-payment-status": ("hash-of-payment-status", cut_out),
    "text": ("text", as_text),
    "plain-json": ("plain-json", plain),
    "form": ("form", in_capitals),
    "woocommerce": ("woocommerce", in_capitals),
    "kit-3": ("kit-3", in_capitals),
}


@contextmanager
def opened_shop(
    gateway: RunningGateway, server: MerchantServer, name: str, options: Mapping[str, str]
) -> Iterator[Shop]:
    """Open a shop that chose no events of its own."""
    yield from open_shop(gateway, server, name, events=(), multiple_partial_refunds="on", **options)


THE_NINE = {
    "SUCCESS",
    "FAIL",
    "INPROCESS",
    "INCOMPLETE",
    "RISK",
    "VOIDED",
    "AUTHORIZE",
    "CAPTURE",
    "Mandate Approved",
}


@dataclass(frozen=True)
class Told:
    """A shop, what it booked, and its order with every later event of a test."""

    shop: Shop
    book: Book
    order_id: str


@pytest.fixture(scope="module", params=MANNERS)
def told(
    request: pytest.FixtureRequest, gateway: RunningGateway, server: MerchantServer, sender: Sender
) -> Iterator[Told]:
    client, handler = MANNERS[request.param]
    name = f"old-{request.param}".replace(",", "").replace(" ", "-")
    with opened_shop(gateway, server, name, {"client": client} if client else {}) as shop:
        order_id = with_later_news(shop)
        plan_id = new_order_id("PLAN")
        scan(gateway, sender.ask("generateorder", shop.merchant, plan(plan_id)).data["qr_string"])
        begun = active(sender, shop, plan_id)
        for verb in ("pause", "resume", "cancel"):
            assert asked(sender, shop, verb, begun).code == "00", verb
        until(lambda: all_ended(shop), "every delivery to end")
        book: Book = {}
        for each in shop.endpoint.heard:
            handler(shop.merchant.key, each.body, book)
        yield Told(shop, book, order_id)


def with_later_news(shop: Shop) -> str:
    """Return an order that was overpaid, disputed, and refunded in two parts that failed."""
    order_id = new_order_id("OLD")
    with Browser() as browser:
        pay_twice(shop, order_id, browser)
    transaction = str(shop.payment(order_id)["payment_id"])
    for number in (1, 2):
        (refund,) = shop.client.refund(
            [RefundItem(transaction, 500)], request_id=f"{order_id}-{number}"
        )
        assert refund.accepted, refund
    for kind in ("refund_done", "refund_reversed"):
        until(
            lambda kind=kind: kinds(shop).count(kind) == 2,
            f"{kind} of both refunds to be announced",
        )
    (paid,) = [each for each in shop.attempts(order_id) if each["state"] == "paid"]
    asked_for = {"reference": f"{paid['merchant_id']}-{paid['attempt_id']}", "amount_paise": 10_000}
    assert (
        shop.gateway.bank.post("/control/dispute", json={**asked_for, "reason": "10.4"}).status_code
        == 200
    )
    until(lambda: "dispute_opened" in kinds(shop), "the dispute to be announced")
    return order_id


def pay_twice(shop: Shop, order_id: str, browser: Browser) -> None:
    """Pay an order whose first try, which was declined, the bank approves afterwards."""
    page = shop.open_page(browser, order_id)
    shop.gateway.inject_faults(late_success_s=86_400)
    try:
        assert scan(shop.gateway, page.upi_link, "decline@hundi")["code"] == "ZA"
        # By the books: the SDK refuses the formulas of some old clients.
        until(lambda: shop.payment(order_id)["bank_code"] == "ZA", "the decline to be heard")
        again = browser.submit(browser.get(page.url).form("/qr"))
        scan(shop.gateway, again.upi_link, REFUNDS_COME_BACK)
        until(lambda: "paid" in kinds(shop), "the payment to be announced")
        shop.gateway.make_late_successes_due()
        until(lambda: "excess_refunded" in kinds(shop), "the excess to be given back")
    finally:
        shop.gateway.inject_faults()


def kinds(shop: Shop) -> list[str]:
    """Return the kinds of a shop's deliveries."""
    found = shop.gateway.rows(
        "SELECT kind FROM deliveries WHERE merchant_id = $1", shop.merchant.number
    )
    return [each["kind"] for each in found]


def all_ended(shop: Shop) -> bool:
    left = (
        "SELECT count(*) FROM deliveries WHERE merchant_id = $1 AND state IN ('waiting', 'sending')"
    )
    return shop.gateway.value(left, shop.merchant.number) == 0


def test_a_paid_order_stays_paid_after_later_news(told: Told) -> None:
    news = {
        *("excess_payment", "excess_refunded", "refund_done", "refund_reversed", "dispute_opened"),
        *("mandate_paused", "mandate_resumed", "mandate_cancelled"),
    }
    assert news <= {*kinds(told.shop)}
    assert told.book[told.order_id] == "paid"
    assert {*told.book.values()} == {"paid"}, "the order of the subscription, too"


def test_what_it_does_not_hear_of_can_be_seen(told: Told) -> None:
    query = "SELECT kind, state FROM deliveries WHERE merchant_id = $1"
    rows = told.shop.gateway.rows(query, told.shop.merchant.number)
    assert {each["state"] for each in rows if each["kind"] == "refund_done"} == {"unwanted"}
    assert {each["state"] for each in rows if each["kind"] == "paid"} == {"delivered"}


def test_news_that_was_asked_for_keeps_to_the_nine_words(
    gateway: RunningGateway, server: MerchantServer
) -> None:
    with opened_shop(gateway, server, "hears-all", {}) as shop:
        gateway.operate("merchant", "events", shop.merchant.merchant_id, "--tell", "all")
        order_id = with_later_news(shop)
        until(lambda: all_ended(shop), "every delivery to end")
        heard = [opened(shop.merchant.key, each.body) for each in shop.endpoint.heard]
        as_paid = [each for each in heard if each["transaction_payment_status"] in PAID_WORDS]
        assert [each["event"] for each in as_paid] == ["paid"], "none is a second success"
        assert {each["transaction_payment_status"] for each in heard} <= THE_NINE
        words = {each["detailed_status"] for each in heard}
        assert {"SUCCESS", "EXCESS", "REFUNDED", "REFUND REVERSED", "DISPUTE OPEN"} <= words
        verified = shop.verify(order_id)
        assert (verified.payment_status, verified.detailed_status) == ("SUCCESS", "SUCCESS"), (
            "a part went back"
        )


def test_a_merchant_chooses_its_events_one_by_one(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    with opened_shop(gateway, server, "chooses", {}) as shop:
        number = shop.merchant.merchant_id
        before = {
            each["event"]: each["told"] for each in gateway.operate("merchant", "events", number)
        }
        assert set(before) == set(Kind)
        assert not before["refund_done"]
        assert before["paid"]
        gateway.operate("merchant", "events", number, "--tell", "refund_done", "--withhold", "paid")
        order_id = new_order_id("CH")
        pay_card(browser, shop.open_page(browser, order_id))
        shop.becomes(order_id, 200, AMOUNT_PAISE)
        shop.client.refund(
            [RefundItem(shop.verify(order_id).transaction_id)], request_id=new_order_id("R")
        )
        shop.hears_event(order_id, "refund_done")
        assert [each.event for each in shop.endpoint.about(shop.merchant, order_id)] == [
            "refund_done"
        ]
        reset = gateway.operate("merchant", "events", number, "--reset")
        assert {each["event"]: each["told"] for each in reset} == before
        refused = gateway.invoke("merchant", "events", number, "--tell", "refund")
        assert (refused.exit_code, "refund_done" in refused.stderr) == (2, True)


def test_an_unpaid_session_is_told_to_clients_that_know_402() -> None:
    heard = {
        name for name, kind in CLIENTS.items() if Kind.EXPIRED in kind.settings.get("events", ())
    }
    assert heard == {"form", "woocommerce", "kit-3", "kit-2"}
    assert Kind.EXPIRED in WRITTEN_WHEN_WANTED
