"""Risk rules by their form: a merchant's own, more than a page draws whole, approved by another."""

import html
import re
from collections.abc import Iterator

import pytest

from hundi.console.form_rows import OPEN_MAX
from hundi.payments.risk.document import RULES_MAX
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.operating import pay
from tests.system.running import RunningGateway
from tests.system.shop import Shop
from tests.system.test_console_integration import OPERATOR
from tests.system.test_console_payments import session_of
from tests.system.test_verbs import approve

PATH = "all/risk/form"


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.77") as browser:
        yield browser


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(gateway, server, "guarded")


def rules_of(count: int) -> str:
    return "".join(
        f'[[rules]]\nname = "large-{number}"\naction = "block"\n'
        f'when = [{{ field = "amount_paise", above = {10**9 + number} }}]\n'
        for number in range(1, count + 1)
    )


def fields_of(page: str) -> dict[str, str]:
    """Return what the browser would send of the form of rules on a page."""
    form = page.partition('<form class="stack wide"')[2]
    inputs = re.findall(r'<input [^>]*name="(\w+)"[^>]*value="([^"]*)"', form)
    areas = re.findall(r'<textarea [^>]*name="(\w+)"[^>]*>(.*?)</textarea>', form, re.DOTALL)
    chosen = re.findall(
        r'<select [^>]*name="(\w+)"[^>]*>.*?<option value="([^"]*)" selected>', form, re.DOTALL
    )
    return {name: html.unescape(value) for name, value in (*inputs, *areas, *chosen)}


def sent(operator: Console, page: str, **more: str) -> str:
    """Send the form of a page again, with other values, and return the next page."""
    fields = {k: v for k, v in fields_of(page).items() if k != "form_token"} | more
    answer = operator.post(PATH, seen_at="you", **fields)
    assert answer.status_code == 200, answer.text[:3_000]
    return answer.text


def test_a_merchants_own_rules_are_tried_compared_and_approved(
    gateway: RunningGateway, operator: Console, shop: Shop
) -> None:
    place = shop.merchant.merchant_id
    with Browser() as browser:
        pay(gateway, shop, browser, 149950)
    assert f"risk/form?merchant={place}" in operator.get(f"all/merchants/{place}").text
    page = operator.get(PATH, merchant=place).text
    assert "Own risk rules of " in page
    page = sent(operator, page, act="add r")
    typed = {"r1_name": "every-order", "r1_action": "block", "r1w1_what": "field amount_paise"}
    typed |= {"r1w1_op": "above", "r1w1_value": "10"}
    page = sent(operator, page, **typed, act="try")
    assert re.search(r"1 try: 0 would be held, 1 blocked", page), "only this merchant's"
    assert "1 that were paid would be blocked" in page
    assert html.unescape(page).count('<ins>+ name = "every-order"</ins>') == 1
    act_id = re.search(r'name="act_id" value="(\d+)"', page)
    proposed = re.search(r'name="file" value="([^"]*)"', page)
    assert act_id
    assert proposed
    asking = {"file": html.unescape(proposed[1]), "merchant": place, "act_id": act_id[1]}
    path = "all/verbs/risk/publish"
    asked = operator.post(path, seen_at=path, **asking, reason="a test")
    assert "Done." in approve(gateway, asked, "198.51.100.78").text
    kept = gateway.operate("risk", "show", "--merchant", place)
    assert "every-order" in str(kept)
    assert 'value="every-order"' in operator.get(PATH, merchant=place).text
    assert 'value="every-order"' not in operator.get(PATH).text, "everybody's are others"


def test_nobody_else_is_named(operator: Console) -> None:
    for merchant in ("999999999999999", "asha"):
        assert operator.get(PATH, merchant=merchant).status_code == 409


def test_as_many_rules_as_a_document_may_have_are_changed_by_the_form(
    gateway: RunningGateway, operator: Console, shop: Shop
) -> None:
    place = shop.merchant.merchant_id
    document = rules_of(RULES_MAX)
    page = operator.post(PATH, merchant=place, document=document, act="form").text
    assert page.count("Change rule ") == RULES_MAX, "more than are drawn whole"
    page = sent(operator, page, act="open r150")
    assert page.count("Change rule ") == RULES_MAX - 1
    assert 'id="r150_name"' in page
    faulty = {k: v for k, v in fields_of(page).items() if k != "form_token"}
    wrong = operator.post(PATH, **{**faulty, "r7_name": "No!", "act": "try"})
    assert wrong.status_code == 409
    assert 'id="r7_name-fault"' in wrong.text, "a folded rule with a fault is opened"
    page = sent(operator, page, r150_name="the-middle", act="try")
    assert "+ name = " in html.unescape(page)
    proposed = re.search(r'name="file" value="([^"]*)"', page)
    assert proposed
    asking = {"file": html.unescape(proposed[1]), "merchant": place, "act_id": "88123"}
    path = "all/verbs/risk/publish"
    asked = operator.post(path, seen_at=path, **asking, reason="many")
    assert "Done." in approve(gateway, asked, "198.51.100.79").text
    kept = str(gateway.operate("risk", "show", "--merchant", place))
    assert "the-middle" in kept
    assert f"large-{RULES_MAX}" in kept


def test_a_document_longer_than_a_form_is_refused_not_cut(operator: Console) -> None:
    answer = operator.post(PATH, document=rules_of(200) + "#" * 100_000, act="try")
    assert answer.status_code == 409
    assert "100000 at most" in answer.text
    assert OPEN_MAX < RULES_MAX
