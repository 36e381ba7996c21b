"""Golden transcripts of orders that are paid elsewhere.

By voucher, bank slip, RTGS and transfer to an account number.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.system import test_cash, test_rtgs_and_slips, test_transfers
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id
from tests.system.test_leg_transcripts import Stage
from tests.system.test_transcripts import GOLDEN, golden

pytestmark = pytest.mark.usefixtures("books_hold")
ELSEWHERE = GOLDEN / "elsewhere"
TWO_LAKH = 2_00_000_00
End = tuple[str, Screen]


def _cash(stage: Stage, *, paid: bool = True) -> End:
    order_id = new_order_id()
    screen = stage.shop.open_page(stage.browser, order_id)
    form = test_cash.counter_of(stage.browser, screen)
    if paid:
        test_cash.paid(test_cash.pay(stage.browser, form))
        stage.shop.becomes(order_id, 200)
    return order_id, stage.browser.get(screen.url)


def _slip(stage: Stage, amount: str = "1499.50") -> End:
    order_id = new_order_id()
    screen = stage.shop.open_page(stage.browser, order_id)
    form = test_rtgs_and_slips.slip_of(stage.browser, screen)
    test_rtgs_and_slips.taken(test_rtgs_and_slips.pay_in(stage.browser, form, amount=amount))
    return order_id, screen


def _rtgs(stage: Stage) -> End:
    order_id = new_order_id()
    screen = stage.shop.open_page(stage.browser, order_id, TWO_LAKH)
    form = test_rtgs_and_slips.account_of(stage.browser, screen)
    test_transfers.sent(test_transfers.send(stage.browser, form, mode="RTGS"))
    return order_id, screen


def _transfer(stage: Stage) -> End:
    order_id = new_order_id()
    screen = stage.shop.open_page(stage.browser, order_id)
    test_transfers.sent(
        test_transfers.send(stage.browser, test_transfers.account_of(stage.browser, screen))
    )
    return order_id, screen


def _too_small_for_rtgs(stage: Stage) -> dict[str, Any]:
    asked = {
        "orderid": new_order_id(),
        "amount": "199999.99",
        "currency_code": "356",
        "iso_currency": "INR",
    }
    buyer = {f"buyer_{name}": "Asha" for name in ("firstname", "lastname")}
    buyer |= {"buyer_email": "asha@example.in", "buyer_phone": "9876543210", "chmod": "rtgs"}
    return stage.start(asked | buyer)


def _listed(stage: Stage) -> dict[str, Any]:
    return stage.sender.ask("banks", stage.shop.merchant, {"chmod": "cash_rtgs_remit_va"}).envelope


CASES: dict[str, Callable[[Stage], dict[str, Any]]] = {
    "banks": _listed,
    "start-rtgs-too-small": _too_small_for_rtgs,
    "return-voucher-unpaid": lambda stage: stage.leg(_cash(stage, paid=False)),
    "return-cash": lambda stage: stage.leg(_cash(stage)),
    "notified-cash": lambda stage: stage.heard(_cash(stage), "paid"),
    "notified-slip": lambda stage: stage.heard(_slip(stage), "paid"),
    "notified-slip-of-another-amount": lambda stage: stage.heard(
        _slip(stage, "1.00"), "excess_payment"
    ),
    "notified-rtgs": lambda stage: stage.heard(_rtgs(stage), "paid"),
    "notified-transfer": lambda stage: stage.heard(_transfer(stage), "paid"),
}


@pytest.fixture(scope="module")
def depot(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant whose customers all pay elsewhere."""
    yield from open_shop(gateway, server, "depot", channels="cash_rtgs_remit_va")


@pytest.fixture
def stage(gateway: RunningGateway, sender: Sender, depot: Shop, browser: Browser) -> Stage:
    return Stage(gateway, sender, depot, depot, browser)


@pytest.mark.parametrize("case", CASES)
def test_what_is_told_is_the_golden_one_field_by_field(case: str, stage: Stage) -> None:
    golden(ELSEWHERE / f"{case}.json", CASES[case](stage))


def test_every_golden_transcript_belongs_to_a_case() -> None:
    assert {path.stem for path in ELSEWHERE.glob("*.json")} == set(CASES)
