"""A part of a payment is settled by Razorpay Route, through a running gateway."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from hundi.sdk import RefundItem, Split
from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET, WEBHOOK_SECRET
from tests.acquirers.razorpay.standin_splits import RouteStandin
from tests.conftest import NewFolder
from tests.system.acquirer_accounts import acquirer, alongside, running_apart
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id

PAISE, SHARE = 149_950, 74_975


@pytest.fixture(scope="module")
def apart(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of its own: what is added to it stays."""
    with running_apart(new_folder("direct-shares"), "south") as running:
        yield running


@dataclass(frozen=True)
class RazorpayRoute:
    """The stand-in of Razorpay Route in a thread of its own."""

    bank: RouteStandin
    loop: asyncio.AbstractEventLoop

    def tell(self, gateway: RunningGateway) -> None:
        """Send the newest webhook."""
        sending = self.bank.send(self.bank.events()[-1], f"{gateway.base_url}/callbacks/south")
        assert asyncio.run_coroutine_threadsafe(sending, self.loop).result(20) == 200


@pytest.fixture
def razorpay() -> Iterator[RazorpayRoute]:
    """Razorpay with Route, as its documents say that it behaves."""
    with alongside(RouteStandin.running()) as (bank, loop):
        yield RazorpayRoute(bank, loop)


def paid(razorpay: RazorpayRoute, apart: RunningGateway, shop: Shop, browser: Browser) -> str:
    """Pay an order at Razorpay, and return its id."""

    def look() -> str:
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id, PAISE)
        if not screen.offers("/upi/app"):
            browser.submit(screen.form("/qr"))
        return order_id if razorpay.bank.books.payments else ""

    order_id = until(look, "the account to be used", every_s=0.5)
    (payment,) = razorpay.bank.books.payments.values()
    razorpay.bank.books.pay(payment.id)
    razorpay.tell(apart)
    return order_id


def test_razorpay_settles_a_part_and_takes_it_back_after_a_refund(
    apart: RunningGateway, server: MerchantServer, razorpay: RazorpayRoute, browser: Browser
) -> None:
    linked = razorpay.bank.opened_account()
    (product,) = razorpay.bank.linked.products
    for shop in open_shop(apart, server, "south"):
        number = shop.merchant.merchant_id
        fields = {
            "mode": "test",
            "key_id": KEY_ID,
            "key_secret": KEY_SECRET,
            "url": razorpay.bank.url,
            "webhook_secret": WEBHOOK_SECRET,
            "email": "pay@shop.example",
            "phone": "9000090000",
            "methods": ["upi_link"],
        }
        own = ("--merchant", number, "--paid-to", "operator")
        acquirer(apart, "add", "south", "razorpay", *own, fields=fields)
        account = ("The weaver", "HDFC0000001", "--number", "50100123456789")
        apart.operate("split", "link", number, "WEAVER", *account)
        apart.operate("split", "party", "set", number, "WEAVER", "south", f"{linked}.{product}")
        (shown,) = apart.operate("split", "accounts", number)
        assert shown["settled_by"] == ["south"]

        order_id = paid(razorpay, apart, shop, browser)
        transaction = shop.becomes(order_id, 200, PAISE)
        split = Split(
            transaction_id=transaction.transaction_id,
            rrn=transaction.rrn,
            request_id="1",
            primary=5000,
            shares={"WEAVER": 5000},
        )
        assert shop.client.split(split).shares_paise == {"WEAVER": SHARE}

        def state(name: str, wanted: object) -> bool:
            rows = apart.operate("split", "show", number, transaction.transaction_id)
            return rows[1][name] == wanted

        until(lambda: state("state", "done"), "the share to be made", every_s=0.5)
        (transfer,) = razorpay.bank.route.transfers.values()
        assert (transfer.recipient, transfer.amount) == (linked, SHARE)

        item = RefundItem(transaction.transaction_id, PAISE)
        shop.client.refund([item], request_id=new_order_id("R"))
        until(lambda: len(razorpay.bank.route.reversals) == 1, "the reversal", every_s=0.5)
        assert razorpay.bank.route.balance_of(linked) == 0
        until(lambda: state("reversed_paise", SHARE), "the reversal to be booked", every_s=0.5)
        assert state("owed_paise", 0)
