"""Settings of an integration in the console: checked as by command, kept, told in the trail.

And a test notification.
"""

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from hundi.merchants.directory.clients.rules import CLIENTS
from hundi.sdk import Callbacks
from tests.system.conftest import NewMerchant
from tests.system.console import Console
from tests.system.endpoint import Answer
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.test_console_payments import session_of
from tests.system.test_console_requests import DEVELOPER, FINANCE

OPERATOR = "operator@demo.example"


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.71") as browser:
        yield browser


def settings(gateway: RunningGateway, place: str) -> dict[str, Any]:
    return gateway.operate("merchant", "show", place)["settings"]


def test_settings_are_kept_and_told(
    gateway: RunningGateway, operator: Console, new_merchant: Any
) -> None:
    place = new_merchant("Settings House").merchant_id
    form = {
        "notification_url": "http://127.0.0.1:9/ipn?key=CANARY-77",
        "success_url": "https://shop.example.in/thanks",
        "domains": "https://shop.example.in\r\nhttps://www.shop.example.in",
        "channels": "nb upi",
        "notification_types": "text",
        "left_out": "ap_securehash, customvar",
        "event_expired": "1",
        "redirect_delivers": "1",
    }
    answer = operator.post(f"{place}/integration", **form)
    assert answer.headers["location"].endswith("said=settings_kept"), answer.text
    kept = settings(gateway, place)
    assert kept["notification_url"] == form["notification_url"]
    assert kept["domains"] == ["https://shop.example.in", "https://www.shop.example.in"]
    assert (kept["channels"], kept["events"]) == (["nb", "upi"], ["expired"])
    assert (kept["notification_types"], kept["left_out"]) == (
        "text",
        ["ap_securehash", "customvar"],
    )
    assert kept["redirect_delivers"] is True
    page = until(
        lambda: (
            (text := operator.get(f"{place}/integration").text)
            and "shop.example.in/thanks" in text
            and text
        ),
        "the page to have them",
    )
    assert 'value="nb upi"' in page
    trail = operator.get(f"{place}/trail").text
    assert "127.0.0.1:9" in trail
    assert "CANARY-77" not in trail
    operator.post(f"{place}/integration", **form, client="woocommerce")
    assert settings(gateway, place)["notification_form"] == "form"


def test_a_kind_is_offered_by_what_its_code_shows(
    gateway: RunningGateway, operator: Console, new_merchant: NewMerchant
) -> None:
    place = new_merchant("Old Books").merchant_id
    shown = html.unescape(operator.get(f"{place}/integration").text)
    assert all(f"{name}: {kind.seen}" in shown for name, kind in CLIENTS.items())
    operator.post(f"{place}/integration", channels="upi pg", client="kit-3")
    assert settings(gateway, place)["kit_versions"] == ["3"]
    operator.post(f"{place}/integration", channels="upi pg", kit_3="1", client="kit-2")
    assert settings(gateway, place)["kit_versions"] == ["3", "2"]
    operator.post(f"{place}/integration", channels="upi pg", kit_2="1")
    assert settings(gateway, place)["kit_versions"] == ["2"]
    operator.post(f"{place}/integration", channels="upi pg", kit_2="1", client="standard")
    assert "kit_versions" not in settings(gateway, place), "none, as by default"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("notification_url", "http://169.254.169.254/latest", "notification_url"),
        ("notification_url", "ftp://shop.example", "notification_url"),
        ("success_url", "javascript:alert(1)", "success_url"),
        ("domains", "https://shop.example.in/path", "domain"),
        ("channels", "upi cheques", "channels"),
        ("left_out", "amount", "left_out"),
    ],
)
def test_what_cannot_be_used_is_refused_and_not_lost(
    gateway: RunningGateway, operator: Console, shop: Shop, name: str, value: str, told: str
) -> None:
    place = shop.merchant.merchant_id
    before = settings(gateway, place)
    answer = operator.post(f"{place}/integration", **{"channels": "upi pg", name: value})
    assert answer.status_code == 409
    fault = re.search(
        r'<p class="notice refused" role="alert">.*?<span>(.*?)</span></p>', answer.text
    )
    assert fault
    assert told in fault[1]
    assert html.escape(value).split("/")[0] in answer.text, "what was typed is still there"
    assert settings(gateway, place) == before


def test_a_test_notification_is_signed_marked_and_answered(operator: Console, shop: Shop) -> None:
    place = shop.merchant.merchant_id
    shop.endpoint.choose = lambda _: Answer(201, body=b"taken <b>")
    try:
        answer = operator.post(f"{place}/integration/test")
    finally:
        shop.endpoint.choose = lambda _: Answer()
    heard = next(each for each in shop.endpoint.heard if each.webhook_id.startswith("test_"))
    told = Callbacks(shop.merchant.credentials).read_notification(heard.headers, heard.body)
    assert (told.event, told.transaction.order_id) == ("test", "TEST-NOTIFICATION")
    assert told.transaction.is_failed
    page = html.unescape(answer.text)
    assert "Answered 201 in" in page
    assert "this counts as delivered" in page
    assert "taken &lt;b&gt;" in answer.text
    assert json.loads(heard.body)["response"] in page
    assert heard.headers["webhook-signature"] in page
    shop.endpoint.choose = lambda _: Answer(500)
    try:
        assert "this does not count" in operator.post(f"{place}/integration/test").text
    finally:
        shop.endpoint.choose = lambda _: Answer()


def test_no_address_no_test_and_no_answer_is_told(operator: Console, new_merchant: Any) -> None:
    place = new_merchant("Silent House").merchant_id
    assert "no notification address yet" in operator.post(f"{place}/integration/test").text
    operator.post(
        f"{place}/integration", channels="upi", notification_url="http://127.0.0.1:9/none"
    )
    answer = until(
        lambda: (
            (told := operator.post(f"{place}/integration/test").text)
            and "No answer came" in told
            and told
        ),
        "the new address to be known",
    )
    assert "(connect)" in answer


def test_only_who_may(gateway: RunningGateway, shop: Shop) -> None:
    place = gateway.demo["merchants"][0]["merchant_id"]
    with session_of(gateway, DEVELOPER, "198.51.100.72") as developer:
        assert developer.get(f"{place}/integration").status_code == 200
        assert developer.post(f"{shop.merchant.merchant_id}/integration/test").status_code == 404
    with session_of(gateway, FINANCE, "198.51.100.73") as finance:
        assert finance.get(f"{place}/integration").status_code == 403
        assert finance.post(f"{place}/integration", channels="upi").status_code == 403


def test_the_demos_first_merchant_keeps_its_addresses(gateway: RunningGateway) -> None:
    """The tests above change other merchants alone."""
    demo = Merchant.of(gateway.demo["merchants"][0])
    assert "demo-shop" in settings(gateway, demo.merchant_id)["notification_url"]
