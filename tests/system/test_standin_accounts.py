"""Money is taken at stand-ins of Razorpay and Cashfree, by accounts added to a running gateway."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.acquirers.cashfree.standin import CLIENT_ID, CLIENT_SECRET
from tests.acquirers.cashfree.standin_links import running_with_links
from tests.acquirers.razorpay.standin import KEY_ID, WEBHOOK_SECRET, Standin
from tests.acquirers.razorpay.standin import KEY_SECRET as OF_STANDIN
from tests.conftest import NewFolder
from tests.system.acquirer_accounts import acquirer, alongside, running_apart
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, settled
from tests.system.test_metrics import counted


@pytest.fixture(scope="module")
def apart(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of its own: what is added to it stays."""
    with running_apart(new_folder("standin-accounts"), "south", "west") as running:
        yield running


@dataclass(frozen=True)
class Razorpay:
    """The stand-in of Razorpay in a thread of its own."""

    bank: Standin
    loop: asyncio.AbstractEventLoop

    def pays(self, gateway: RunningGateway) -> None:
        """Let a customer pay the one link, and have the webhook about it sent."""
        (payment,) = self.bank.books.payments.values()
        self.bank.books.pay(payment.id)
        self._tell(gateway)

    def disputes(self, gateway: RunningGateway, paise: int) -> str:
        """Have the customer's bank dispute a part, announce it, and return its number."""
        (payment,) = self.bank.books.payments.values()
        dispute = self.bank.money.raise_dispute(payment.id, paise)
        self._tell(gateway)
        return str(dispute["id"])

    def _tell(self, gateway: RunningGateway) -> None:
        sending = self.bank.send(self.bank.events()[-1], f"{gateway.base_url}/callbacks/south")
        assert asyncio.run_coroutine_threadsafe(sending, self.loop).result(20) == 200


@pytest.fixture
def razorpay() -> Iterator[Razorpay]:
    """Razorpay, as its documents say that it behaves."""
    with alongside(Standin.running()) as (bank, loop):
        yield Razorpay(bank, loop)


def ask_razorpay(razorpay: Razorpay, shop: Shop, browser: Browser) -> str:
    """Open orders until Razorpay is asked for the link of one, and return that order's id."""

    def look() -> str:
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id)
        if not screen.offers("/upi/app"):  # a QR of the simulated bank is there at once
            browser.submit(screen.form("/qr"))
        return order_id if razorpay.bank.books.payments else ""

    return until(look, "the account to be used", every_s=0.5)


def test_money_is_taken_at_razorpay_by_an_account_that_was_added(
    apart: RunningGateway, server: MerchantServer, razorpay: Razorpay, browser: Browser
) -> None:
    for shop in open_shop(apart, server, "south"):
        fields = {
            "mode": "test",
            "key_id": KEY_ID,
            "key_secret": "of another account",
            "url": razorpay.bank.url,
        }
        merchant = ("--merchant", shop.merchant.merchant_id, "--paid-to", "operator")
        more = {
            "webhook_secret": WEBHOOK_SECRET,
            "email": "pay@shop.example",
            "phone": "9000090000",
        }
        acquirer(
            apart,
            "add",
            "south",
            "razorpay",
            *merchant,
            fields=fields | more | {"methods": ["upi_link"]},
        )
        assert apart.invoke("acquirer", "check", "south").exit_code == 1
        see_that_reports_cannot_be_fetched(apart)
        see_that_another_acquirer_takes_over(apart, shop, browser)
        acquirer(apart, "rotate", "south", fields={"key_secret": OF_STANDIN})
        assert apart.invoke("acquirer", "check", "south").exit_code == 0

        order_id = ask_razorpay(razorpay, shop, browser)
        razorpay.pays(apart)
        assert shop.becomes(order_id, 200).channel == "upi"
        (attempt,) = shop.attempts(order_id)
        assert (attempt["connector"], attempt["method"], attempt["state"]) == (
            "south",
            "upi_link",
            "paid",
        )

        number = razorpay.disputes(apart, 10_000)
        held = (
            "SELECT bank_case, phase::text, held_paise FROM dispute_stages WHERE merchant_id = $1"
        )
        stages = [tuple(row.values()) for row in apart.rows(held, shop.merchant.number)]
        assert stages == [(number, "chargeback", 10_000)]

        razorpay.bank.money.settle(at=int(time.time()) - 86_400)
        for new in (1, 0):
            ((day,),) = [apart.operate("reconcile", "fetch", "south")["days"]]
            assert (day["lines"], day["new"]) == (1, new)
        import_by_the_worker(apart, razorpay)
        items = [
            each
            for each in apart.operate("reconcile", "work")["items"]
            if each["connector"] == "south"
        ]
        assert sorted((each["class"], each["reference"]) for each in items) == [
            ("fee_differs", f"{shop.merchant.number}-{attempt['attempt_id']}"),
            ("missing_here", "pay_nobodys"),
        ]


def see_that_reports_cannot_be_fetched(gateway: RunningGateway) -> None:
    """Wait until the worker was refused, and see that nobody has to look for it."""

    def shown() -> dict[str, Any] | None:
        reports = gateway.operate("reconcile", "work")["reports"]
        return next((each for each in reports if each["connector"] == "south"), None)

    found = until(shown, "the worker to ask for reports", every_s=1)
    assert found
    assert found["error"].endswith("the acquirer does not accept our credentials")
    assert counted(gateway, "hundi_settlement_reports_overdue_seconds", acquirer="south") >= 0
    assert "settlement_report_not_fetched" in gateway.logged()


def see_that_another_acquirer_takes_over(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    """Open orders until one meets the account with the wrong secret; pay it elsewhere."""

    def look() -> str:
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id)
        if not screen.offers("/upi/app"):
            browser.submit(screen.form("/qr"))
        return (
            order_id if "south" in {each["connector"] for each in shop.attempts(order_id)} else ""
        )

    order_id = until(look, "the account to be asked", every_s=0.5)
    begun = [
        (each["connector"], each["state"], each["bank_code"]) for each in shop.attempts(order_id)
    ]
    assert begun == [("south", "expired", "unreachable"), ("sandbox", "offered", "")]
    refused = {"acquirer": "south", "call": "upi_link", "outcome": "credentials_refused"}
    assert counted(gateway, "hundi_acquirer_calls_total", **refused) == 1
    assert counted(gateway, "hundi_acquirer_reachable", acquirer="south") == 0
    shown = until(
        lambda: acquirer(gateway, "show", "south")["last_error"],
        "the refusal to be kept",
        every_s=1,
    )
    assert shown == "the acquirer does not accept our credentials"


def import_by_the_worker(gateway: RunningGateway, razorpay: Razorpay) -> None:
    """Have Razorpay settle a line more, and see that the worker imports it at its next try."""
    razorpay.bank.money.lines += [
        razorpay.bank.money.lines[0] | {"entity_id": "pay_nobodys", "order_receipt": None}
    ]
    gateway.rows("UPDATE report_fetches SET due_at = now() WHERE connector = 'south'")
    count = "SELECT count(*) FROM statement_lines WHERE connector = 'south'"
    until(lambda: gateway.value(count) == 2, "the worker to import what is new", every_s=1)
    until(lambda: gateway.operate("reconcile", "work")["reports"] == [], "the worker to be done")
    by = (
        "SELECT imported_by FROM statement_files WHERE connector = 'south' ORDER BY file_id DESC"
        " LIMIT 1"
    )
    assert gateway.value(by) == "worker"


def test_instalments_are_chosen_at_the_page_of_an_account_that_was_added(
    apart: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    with alongside(running_with_links()) as (bank, _):
        for shop in open_shop(apart, server, "west", channels="pg_emi"):
            fields = {
                "environment": "sandbox",
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
            }
            more = {
                "phone_when_unknown": "9000090000",
                "url": f"{bank.url}/pg",
                "link_origins": [bank.url],
            }
            offered = {"methods": ["emi_page"], "instalments_from_rupees": 1_000}
            merchant = ("--merchant", shop.merchant.merchant_id, "--paid-to", "operator")
            acquirer(apart, "add", "west", "cashfree", *merchant, fields=fields | more | offered)
            order_id, screen = until(
                lambda: opened_elsewhere(shop, browser), "the account to be used", every_s=0.5
            )
            assert not screen.form("/emi").fields, "neither a plan nor a card is chosen at ours"
            page = browser.submit(screen.form("/emi"))
            assert page.url.startswith(f"{bank.url}/links/")
            result = settled(browser, browser.post(page.url, {"outcome": "SUCCESS"}))
            assert "6 instalments" in result.text
            told = shop.becomes(order_id, 200)
            assert (told.channel, told.emi_months, told.emi_rate, told.emi_bank) == (
                "emi",
                6,
                "",
                "HDFC Bank",
            )
            (attempt,) = shop.attempts(order_id)
            assert (attempt["connector"], attempt["method"], attempt["state"]) == (
                "west",
                "emi_page",
                "paid",
            )
            below = shop.first_screen(browser, new_order_id(), amount_paise=99_999)
            assert not any(each.action.endswith("/emi") for each in below.forms)


def opened_elsewhere(shop: Shop, browser: Browser) -> tuple[str, Screen] | None:
    """Open an order, and return it once its instalments are chosen at the acquirer's page."""
    order_id = new_order_id()
    screen = shop.first_screen(browser, order_id)
    return (order_id, screen) if "You choose your bank and instalments" in screen.text else None
