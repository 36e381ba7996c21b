"""The shop as its customers and its gateway meet it.

The real application, the gateway played by the wire.
"""

import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from litestar import Litestar
from litestar.testing import AsyncTestClient

from hundi.kernel.records import replace
from hundi.sdk import AsyncClient, Gateway
from hundi.wire.merchant.record import TransactionRecord
from hundi_testbed.shop.app import ShopConfig, router
from tests.sdk.gateway_double import CREDENTIALS, PAID, GatewayDouble, changed
from tests.sdk.told import browser_return, notification

BASE = "http://127.0.0.1:9"


@dataclass
class Street:
    """A shop, its gateway, and a customer's browser that follows no redirect by itself."""

    browser: AsyncTestClient[Litestar]
    gateway: GatewayDouble

    async def order(self, **changes: str) -> str:
        """Place an order as the checkout form does; return its id."""
        answer = await self.browser.post(
            "/demo-shop/orders", data=CHECKOUT | changes, follow_redirects=False
        )
        assert answer.status_code == 303, answer.text
        found = re.fullmatch(r"/demo-shop/orders/(AH-[0-9A-Z]{12})/pay", answer.headers["location"])
        assert found
        return found[1]

    async def bring_back(self, form: dict[str, str]) -> httpx.Response:
        return await self.browser.post("/demo-shop/return", data=form, follow_redirects=False)

    async def notify(
        self, record: TransactionRecord, form: str = "json-encrypted", **how: object
    ) -> httpx.Response:
        headers, body = notification(record, form, **how)
        return await self.browser.post("/demo-shop/notifications", headers=headers, content=body)

    async def page(self, order_id: str) -> str:
        answer = await self.browser.get(f"/demo-shop/orders/{order_id}")
        assert answer.status_code == 200
        return answer.text


CHECKOUT = {
    "product": "chappal",
    "amount": "",
    "first_name": "आशा",
    "last_name": "Rao",
    "email": "asha@example.in",
    "phone": "9876543210",
}


@pytest.fixture
async def street(tmp_path: Path) -> AsyncIterator[Street]:
    gateway = GatewayDouble()
    config = ShopConfig(BASE, BASE, f"{BASE}/demo-shop/", CREDENTIALS, tmp_path)
    patience = Gateway(base_url=BASE, pauses_s=(), shop_origin=BASE)
    async with (
        AsyncClient(
            CREDENTIALS, patience, transport=httpx.MockTransport(gateway.answer_later)
        ) as line,
        AsyncTestClient(Litestar([router(config, line)])) as browser,
    ):
        yield Street(browser, gateway)


def paid(order_id: str, **values: object) -> TransactionRecord:
    return changed(PAID, orderid=order_id, **values)


def kinds(page: str) -> list[str]:
    return re.findall(r'<li class="(\w+)">', page)


async def test_the_shelf_and_its_parts_are_served(street: Street) -> None:
    for address in ("/demo-shop/", "/demo-shop"):
        answer = await street.browser.get(address)
        assert "₹1,499.50" in answer.text
    linked = re.findall(r'(?:src|href)="(/demo-shop/[^"]*)"', answer.text)
    assert len(linked) > 8
    for address in set(linked):
        assert (await street.browser.get(address.replace("&amp;", "&"))).status_code == 200, address


async def test_no_page_needs_an_inline_script_or_style(street: Street) -> None:
    order_id = await street.order()
    for path in ("", "checkout?product=chai", f"orders/{order_id}/pay", f"orders/{order_id}"):
        answer = await street.browser.get(f"/demo-shop/{path}")
        policy = answer.headers["content-security-policy"]
        assert "'unsafe-inline'" not in policy
        assert f"form-action 'self' {BASE}" in policy
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", answer.text)
        assert answer.headers["cache-control"] == "no-store"


async def test_an_order_leads_to_a_form_the_gateway_can_open(street: Street) -> None:
    order_id = await street.order()
    answer = await street.browser.get(f"/demo-shop/orders/{order_id}/pay")
    assert "Continue to pay ₹1,499.50" in answer.text
    action = re.search(r'action="([^"]+)"', answer.text)
    assert action
    assert action[1] == f"{BASE}/pay/v4/?token={street.gateway.tokens[0]}"
    inputs = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', answer.text))
    sent = street.gateway.open(inputs)
    assert (sent["orderid"], sent["amount"], sent["buyer_firstname"]) == (
        order_id,
        "1499.50",
        "आशा",
    )


async def test_return_verify_and_notification_make_the_whole_timeline(street: Street) -> None:
    order_id = await street.order()
    await street.browser.get(f"/demo-shop/orders/{order_id}/pay")
    street.gateway.record = paid(order_id)
    answer = await street.bring_back(browser_return(paid(order_id)))
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        f"/demo-shop/orders/{order_id}",
    )
    page = await street.page(order_id)
    assert '<strong role="status">Paid</strong>' in page
    assert kinds(page) == ["placed", "sent", "return", "verify", "open"]
    assert "632512345678" in page
    assert (await street.notify(paid(order_id))).status_code == 200
    page = await street.page(order_id)
    assert kinds(page) == ["placed", "sent", "return", "verify", "notification"]
    assert 'http-equiv="refresh"' not in page


async def test_everything_twice_changes_nothing(street: Street) -> None:
    order_id = await street.order()
    street.gateway.record = paid(order_id)
    form = browser_return(paid(order_id))
    for _ in range(2):
        await street.bring_back(form)
        await street.notify(paid(order_id))
        await street.browser.post(f"/demo-shop/orders/{order_id}/check")
    assert kinds(await street.page(order_id)) == ["placed", "return", "verify", "notification"]


async def test_a_return_alone_releases_nothing(street: Street) -> None:
    order_id = await street.order()
    street.gateway.queue = [httpx.ConnectError("refused")]
    await street.bring_back(browser_return(paid(order_id)))
    page = await street.page(order_id)
    assert "Not paid yet" in page
    assert kinds(page) == ["placed", "return", "refused", "open"]
    street.gateway.record = paid(order_id)
    await street.browser.post(f"/demo-shop/orders/{order_id}/check")
    assert ">Paid<" in await street.page(order_id)


@pytest.mark.parametrize("form", ["json-encrypted", "json", "form"])
async def test_a_notification_alone_is_enough(street: Street, form: str) -> None:
    order_id = await street.order()
    assert (await street.notify(paid(order_id), form)).status_code == 200
    assert ">Paid<" in await street.page(order_id)


async def test_a_cheaper_payment_pays_no_order(street: Street) -> None:
    order_id = await street.order()
    cheap = paid(order_id, amount="1.00")
    street.gateway.record = cheap
    await street.bring_back(browser_return(cheap))
    assert (await street.notify(cheap)).status_code == 400
    page = await street.page(order_id)
    assert "Not paid yet" in page
    assert kinds(page) == ["placed", "refused", "refused", "open"]
    assert "amount: expected &#39;1499.50&#39;, received &#39;1.00&#39;" in page


async def test_a_forged_return_is_noted_and_the_gateway_decides(street: Street) -> None:
    order_id = await street.order()
    street.gateway.record = paid(
        order_id, transaction_status=400, transaction_payment_status="FAIL"
    )
    await street.bring_back(browser_return(paid(order_id)) | {"webhook_signature": "v1,AAAA"})
    page = await street.page(order_id)
    assert "Payment not completed" in page
    assert "No money reached us" in page
    assert f"/orders/{order_id}/pay" in page


async def test_a_stale_return_still_shows_the_truth(street: Street) -> None:
    order_id = await street.order()
    street.gateway.record = paid(order_id)
    await street.bring_back(browser_return(paid(order_id), at=time.time() - 3_600))
    assert ">Paid<" in await street.page(order_id)


@pytest.mark.parametrize("form", [{}, {"response": "nonsense"}, browser_return(PAID)])
async def test_a_return_about_nothing_gets_a_page_with_a_reason(
    street: Street, form: dict[str, str]
) -> None:
    answer = await street.bring_back(form)
    assert answer.status_code in {400, 404}
    assert "Back to the shop" in answer.text


async def test_notifications_that_prove_nothing_are_refused(street: Street) -> None:
    order_id = await street.order()
    other_key = replace(CREDENTIALS, webhook_keys=("whsec_" + "A" * 32,)).webhook_keys[0]
    assert (await street.notify(paid(order_id), key=other_key)).status_code == 400
    assert (await street.notify(paid(order_id), at=time.time() - 600)).status_code == 400
    assert (await street.notify(paid("AH-UNKNOWN"))).status_code == 404
    assert (
        await street.browser.post("/demo-shop/notifications", content=b"hello")
    ).status_code == 400
    assert kinds(await street.page(order_id)) == ["placed", "open"]


async def test_pending_asks_for_patience_and_offers_no_second_payment(street: Street) -> None:
    order_id = await street.order()
    waiting = paid(order_id, transaction_status=211, transaction_payment_status="INPROCESS", rrn="")
    street.gateway.record = waiting
    await street.bring_back(browser_return(waiting))
    page = await street.page(order_id)
    assert "do not pay again" in page
    assert 'http-equiv="refresh"' in page
    answer = await street.browser.get(f"/demo-shop/orders/{order_id}/pay", follow_redirects=False)
    assert answer.status_code == 303


async def test_an_unreachable_gateway_says_that_nothing_was_taken(street: Street) -> None:
    order_id = await street.order()
    street.gateway.queue = [httpx.ConnectError("refused")]
    answer = await street.browser.get(f"/demo-shop/orders/{order_id}/pay")
    assert answer.status_code == 502
    assert "nothing was taken" in answer.text
    assert f'href="/demo-shop/orders/{order_id}/pay"' in answer.text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"email": "nobody"}, "E-mail: please give"),
        ({"phone": "12"}, "Phone: please give"),
        ({"first_name": " "}, "First name: please give"),
        ({"product": "", "amount": "0"}, "Amount: please give"),
        ({"product": "elephant"}, "please give"),
    ],
)
async def test_what_cannot_be_ordered_is_said_in_words(
    street: Street, changes: dict[str, str], words: str
) -> None:
    answer = await street.browser.post("/demo-shop/orders", data=CHECKOUT | changes)
    assert answer.status_code == 400
    assert words in answer.text


async def test_a_bad_amount_brings_the_shelf_back_with_what_was_typed(street: Street) -> None:
    answer = await street.browser.get("/demo-shop/checkout", params={"amount": '"><b>'})
    assert answer.status_code == 400
    assert 'value="&#34;&gt;&lt;b&gt;"' in answer.text


async def test_unknown_orders_are_not_found(street: Street) -> None:
    for path in ("orders/AH-NO", "orders/AH-NO/pay"):
        assert (await street.browser.get(f"/demo-shop/{path}")).status_code == 404
    assert (await street.browser.post("/demo-shop/orders/AH-NO/check")).status_code == 404


async def test_a_customer_who_turns_back_lands_in_the_shop(street: Street) -> None:
    answer = await street.browser.get("/demo-shop/return")
    assert "Good things" in answer.text


def test_the_addresses_for_the_merchants_settings() -> None:
    config = ShopConfig(BASE, BASE, f"{BASE}/demo-shop/", CREDENTIALS, Path())
    assert config.success_url == config.failure_url == f"{BASE}/demo-shop/return"
    assert config.notification_url == f"{BASE}/demo-shop/notifications"
