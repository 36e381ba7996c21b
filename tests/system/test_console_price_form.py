"""A price plan by its form: rows without scripts, text and back, its cost, the asking."""

import html
import re
from collections.abc import Iterator

import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, pay_card
from tests.system.test_console_integration import OPERATOR
from tests.system.test_console_payments import session_of

OTHERWISE = {"has_otherwise": "1", "otherwise_basis_points": "0.40"}
BASE = {"turnover": "small", "aggregator": "1", **OTHERWISE, "otherwise_maximum_paise": "200"}


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.75") as browser:
        yield browser


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(gateway, server, "priced")


def names_in(page: str) -> list[str]:
    return re.findall(r'name="(r\d+_name)"', page)


def test_rules_come_and_go_and_faults_stand_at_their_fields(operator: Console, shop: Shop) -> None:
    path = f"{shop.merchant.merchant_id}/price-plan/form"
    typed = {**BASE, "r1_name": "banks", "r1_channels_nb": "1", "r1_fixed_paise": "15"}
    assert names_in(operator.get(path).text) == []
    assert names_in(operator.post(path, **typed, act="add").text) == ["r1_name", "r2_name"]
    assert names_in(operator.post(path, **typed, act="remove-1").text) == []
    wrong = operator.post(path, **{**typed, "r1_fixed_paise": "many"}, act="try")
    assert wrong.status_code == 409
    assert 'id="r1_fixed_paise-fault"' in wrong.text
    assert 'value="many"' in wrong.text, "what was typed is still there"
    over = operator.post(path, **{**typed, "otherwise_maximum_paise": ""}, act="try").text
    assert "at most" in html.unescape(over)
    assert 'id="otherwise_basis_points-fault"' in over


def test_a_plan_is_shown_as_text_priced_for_the_past_and_asked_for(
    gateway: RunningGateway, operator: Console, shop: Shop
) -> None:
    place = shop.merchant.merchant_id
    order_id = new_order_id("F")
    with Browser() as browser:
        pay_card(browser, shop.open_page(browser, order_id))
    shop.endpoint.hears(shop.merchant, order_id)
    gateway.operate("settlement", "run", "--merchant", place)
    typed = {**BASE, "r1_name": "credit", "r1_channels_pg": "1", "r1_networks_Visa": "1"}
    typed |= {"r1_not_card_types_debit": "1", "r1_basis_points": "2.00"}
    path = f"{place}/price-plan/form"
    text = html.unescape(operator.post(path, **typed, act="text").text)
    document = re.search(r"<textarea[^>]*>(.*?)</textarea>", text, re.DOTALL)
    assert document
    assert "basis_points = 200" in document[1]
    as_form = operator.post(path, document=document[1], act="form").text
    assert 'value="2.00"' in as_form
    page = html.unescape(operator.post(path, **typed, act="try").text)
    assert "The past 30 days by this plan" in page
    assert "₹1,499.50" in page, "the payment is counted"
    assert re.search(r"₹(29\.99|6\.00|35\.39)", page), "2 % of it, or 0.40 %, without or with GST"
    assert "+ basis_points = 200" in page
    proposed = re.search(r'name="document" value="([^"]*)"', page)
    act_id = re.search(r'name="act_id" value="(\d+)"', page)
    assert act_id
    assert proposed or 'name="document"' in page
    answer = operator.post(
        f"{place}/price-plan", document=document[1], act_id=act_id[1], reason="agreed"
    )
    assert "approvals/" in answer.headers["location"]
    assert until(lambda: operator.get(f"{place}/approvals").status_code == 200, "approvals")
