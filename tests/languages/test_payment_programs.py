"""The programs of examples/payment: form, return, notification and seamless in each language."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

import httpx
import pytest

from tests.languages.conftest import LANGUAGES
from tests.languages.programs import run, variables_of
from tests.system.browser import Browser, read_screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer, ReceivedRequest
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, pay_card


@dataclass(frozen=True)
class PaidOrder:
    """An order that a card paid: what its merchant knows, and what the browser and we brought."""

    shop: Shop
    order_id: str
    posted: dict[str, str]
    notification: ReceivedRequest


@pytest.fixture(scope="module")
def paid(gateway: RunningGateway, server: MerchantServer) -> Iterator[PaidOrder]:
    """A shop whose own pages may begin payments, with one paid order."""
    for shop in open_shop(gateway, server, "programs", channels="upi_pg_nb"):
        gateway.operate("merchant", "seamless", shop.merchant.merchant_id, "on")
        order_id = new_order_id("PROGRAM")
        with Browser() as browser:
            result = pay_card(browser, shop.open_page(browser, order_id))
        shop.hears_event(order_id, "paid")
        yield PaidOrder(shop, order_id, result.forms[0].fields, shop.endpoint.heard[0])


def printed(language: str, paid: PaidOrder, **changed: str) -> str:
    """Return what the program of a language prints, for a new order and the paid one."""
    own, base_url = paid.shop.merchant.credentials, paid.shop.gateway.base_url
    given = {
        "MERCHANT_ID": own.merchant_id,
        "USERNAME": own.username,
        "PASSWORD": own.password,
        "API_SECRET": own.api_secret,
        "OAUTH_CLIENT_ID": own.oauth_client_id,
        "OAUTH_CLIENT_SECRET": own.oauth_client_secret,
        "WEBHOOK_KEY": own.webhook_keys[0],
        "BASE_URL": base_url,
        "PAYMENT_PAGE_URL": base_url,
        "ORDER_ID": paid.order_id,
        "NEW_ORDER_ID": new_order_id("NEW"),
        "POSTED": urlencode(paid.posted),
        **variables_of(paid.notification),
    }
    return run("payment", language, given | changed, paid.notification.body)


@pytest.mark.parametrize("language", ["python", *LANGUAGES])
def test_every_program_takes_a_payment(language: str, paid: PaidOrder) -> None:
    page, _, rest = printed(language, paid).partition("</html>")
    shown = httpx.Response(200, text=page, request=httpx.Request("GET", "https://shop.example"))
    (form,) = read_screen(shown).forms
    with Browser() as browser:
        opened = browser.post(form.action, form.fields)
    assert "₹1,499.50" in opened.text
    assert rest.split() == ["paid", "paid", paid.order_id, "149950", "redirect"]


def test_curl_does_the_same(paid: PaidOrder) -> None:
    address, back, news, step = printed("curl", paid).splitlines()
    with Browser() as browser:
        assert "₹1,499.50" in browser.get(address).text
    assert json.loads(back)["data"]["orderid"] == paid.order_id
    assert json.loads(news)["event"] == "paid"
    assert json.loads(step)["status"] == "success"


def test_no_program_believes_another_key(language: str, paid: PaidOrder) -> None:
    other = "whsec_" + "A" * 43 + "="
    lines = printed(language, paid, WEBHOOK_KEY=other).splitlines()
    assert lines[-3:] == ["not believed", "not believed", "redirect"]


def test_curl_believes_no_other_key_either(paid: PaidOrder) -> None:
    shown = printed("curl", paid, WEBHOOK_KEY="whsec_" + "A" * 43 + "=")
    assert shown.splitlines().count("not believed") == 2
