"""Golden transcripts of what passes by the browser and the merchant's server.

Starts, return legs and notifications.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from hundi.sdk import RefundItem
from hundi.wire import cipher
from tests.system.bank_redirects import NB, go, pay_there
from tests.system.browser import Browser, Screen, read_screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import PAGE, Sender, form, order, v4
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, pay_card, scan, settled
from tests.system.test_transcripts import GOLDEN, golden

pytestmark = pytest.mark.usefixtures("books_hold")
LEGS = GOLDEN / "legs"
DECLINED = "4000000000000002"


@dataclass
class Stage:
    """What the cases act on."""

    gateway: RunningGateway
    sender: Sender
    shop: Shop
    dear: Shop
    browser: Browser

    def start(self, message: dict[str, Any], **changes: str | None) -> dict[str, Any]:
        """Return what the browser gets for the form of an order.

        Where it is sent, or what the page says.
        """
        checked: dict[str, Any] = {"checksum": v4(message)} | changes
        outer = form(self.shop.merchant.envelope(message, **checked))
        answer = self.sender.raw(PAGE, outer, token=self.sender.token(self.shop.merchant))
        if answer.status_code == 303:
            return {
                "http_status": 303,
                "leads_to_a_session": answer.headers["location"].startswith("/pay/v4/s/"),
            }
        screen = read_screen(answer)
        return {"http_status": answer.status_code, "code": screen.codes[0]}

    def paid(self, payer_vpa: str = "success@hundi") -> tuple[str, Screen]:
        order_id = new_order_id()
        page = self.shop.open_page(self.browser, order_id, custom_var="cart 7")
        scan(self.gateway, page.upi_link, payer_vpa)
        self.shop.becomes(order_id, 200)
        return order_id, self.browser.get(page.url)

    def pending(self) -> tuple[str, Screen]:
        order_id = new_order_id()
        page = self.shop.open_page(self.browser, order_id)
        scan(self.gateway, page.upi_link, "pending@hundi")
        return order_id, until(
            lambda: (seen := self.browser.get(page.url)).at == "waiting" and seen,
            "the page to wait",
        )

    def by_card(
        self, number: str = "4111111111111111", *, hold: bool = False
    ) -> tuple[str, Screen]:
        order_id = new_order_id()
        page = self.shop.open_page(self.browser, order_id, authorise_only=hold)
        return order_id, settled(self.browser, pay_card(self.browser, page, number))

    def surcharged(self) -> tuple[str, Screen]:
        self.shop, order_id = self.dear, new_order_id()
        at_bank = go(self.browser, self.shop.open_page(self.browser, order_id), NB)
        return order_id, settled(self.browser, pay_there(self.browser, at_bank, NB))

    def ended(self, verb: str) -> tuple[str, Screen]:
        """Return an authorisation that was captured in part, or voided, and its page."""
        order_id, page = self.by_card(hold=True)
        transaction = self.shop.verify(order_id).transaction_id
        if verb == "capture":
            self.shop.client.capture(transaction, amount_paise=100_000)
        else:
            self.shop.client.void(transaction)
        return order_id, self.browser.get(page.url)

    def leg(self, end: tuple[str, Screen]) -> dict[str, Any]:
        """Return what a return leg carries, opened.

        Who may still pay goes back to the shop of their own will.
        """
        page = (
            end[1]
            if end[1].at == "result"
            else self.browser.post(end[1].url.partition("?")[0] + "/return", {})
        )
        (carried,) = [each for each in page.forms if "response" in each.fields]
        return {
            "flat": self._flat(carried.fields),
            "sealed": self._opened(carried.fields["response"]),
        }

    def heard(self, end: tuple[str, Screen], event: str) -> dict[str, Any]:
        """Return what the shop's server was told of an event, opened."""
        self.shop.hears_event(end[0], event)
        for each in self.shop.endpoint.heard:
            told = json.loads(each.body)
            opened = self._opened(told["response"])
            if (opened["data"]["orderid"], opened["event"]) == (end[0], event):
                return {"flat": self._flat(told), "sealed": opened}
        raise AssertionError(event)

    def refunded(self, payer_vpa: str) -> tuple[str, Screen]:
        order_id, page = self.paid(payer_vpa)
        transaction = self.shop.verify(order_id).transaction_id
        self.shop.client.refund([RefundItem(transaction, 10_000)], request_id=new_order_id("R"))
        return order_id, page

    def _opened(self, response: str) -> dict[str, Any]:
        return json.loads(cipher.open_(self.shop.merchant.key, response))

    def _flat(self, fields: dict[str, str]) -> dict[str, str]:
        return {name: value for name, value in fields.items() if name != "response"}


def _other(stage: Stage, change: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """Start an order, and then another one under its id."""
    asked = order(new_order_id())
    stage.start(asked)
    return stage.start(change(asked))


def _pending(stage: Stage) -> dict[str, Any]:
    with stage.gateway.undecided():
        return stage.leg(stage.pending())


def _paid_before(stage: Stage) -> dict[str, Any]:
    asked = order(new_order_id())
    outer = form(stage.shop.merchant.envelope(asked, checksum=v4(asked)))
    answer = stage.sender.raw(PAGE, outer, token=stage.sender.token(stage.shop.merchant))
    page = stage.browser.get(stage.gateway.base_url + answer.headers["location"])
    scan(stage.gateway, page.upi_link)
    stage.shop.becomes(asked["orderid"], 200)
    return stage.start(asked)


CASES: dict[str, Callable[[Stage], dict[str, Any]]] = {
    "start": lambda stage: stage.start(order(new_order_id())),
    "start-again": lambda stage: _other(stage, lambda asked: asked),
    "start-other-content": lambda stage: _other(stage, lambda asked: asked | {"amount": "1499.51"}),
    "start-paid": _paid_before,
    "start-wrong-checksum": lambda stage: stage.start(order(new_order_id()), checksum="0" * 64),
    "start-no-checksum": lambda stage: stage.start(order(new_order_id()), checksum=None),
    "start-bad-amount": lambda stage: stage.start(order(new_order_id(), "1e3")),
    "start-channel-not-enabled": lambda stage: stage.start(order(new_order_id()) | {"chmod": "va"}),
    "start-moto-not-enabled": lambda stage: stage.start(
        order(new_order_id()) | {"txnsubtype": "3"}
    ),
    "return-paid": lambda stage: stage.leg(stage.paid()),
    "return-pending": _pending,
    "return-failed": lambda stage: stage.leg(stage.by_card(DECLINED)),
    "return-card": lambda stage: stage.leg(stage.by_card()),
    "return-surcharged": lambda stage: stage.leg(stage.surcharged()),
    "return-authorised": lambda stage: stage.leg(stage.by_card(hold=True)),
    "return-captured": lambda stage: stage.leg(stage.ended("capture")),
    "return-voided": lambda stage: stage.leg(stage.ended("void")),
    "notified-paid": lambda stage: stage.heard(stage.paid(), "paid"),
    "notified-surcharged": lambda stage: stage.heard(stage.surcharged(), "paid"),
    "notified-authorised": lambda stage: stage.heard(stage.by_card(hold=True), "authorised"),
    "notified-captured": lambda stage: stage.heard(stage.ended("capture"), "captured"),
    "notified-voided": lambda stage: stage.heard(stage.ended("void"), "voided"),
    "notified-refund-done": lambda stage: stage.heard(
        stage.refunded("success@hundi"), "refund_done"
    ),
    "notified-refund-failed": lambda stage: stage.heard(
        stage.refunded("norefund@hundi"), "refund_failed"
    ),
}


@pytest.fixture(scope="module")
def dear(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that surcharges net banking."""
    for shop in open_shop(gateway, server, "dearer", channels="nb"):
        gateway.operate(
            "merchant", "surcharge", shop.merchant.merchant_id, "nb", "--flat-paise", "1000"
        )
        yield shop


@pytest.fixture
def stage(
    gateway: RunningGateway, sender: Sender, shop: Shop, dear: Shop, browser: Browser
) -> Stage:
    return Stage(gateway, sender, shop, dear, browser)


@pytest.mark.parametrize("case", CASES)
def test_what_passes_by_is_the_golden_one_field_by_field(case: str, stage: Stage) -> None:
    golden(LEGS / f"{case}.json", CASES[case](stage))


def test_every_golden_leg_belongs_to_a_case() -> None:
    assert {path.stem for path in LEGS.glob("*.json")} == set(CASES)
