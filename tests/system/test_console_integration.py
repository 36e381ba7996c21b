"""Settings of an integration in the console: checked as by command, kept, told in the trail.

And a test notification.
"""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hundi.instruments.methods import CHANNELS
from hundi.merchants.directory.clients.rules import CLIENTS
from hundi.sdk import Callbacks
from tests.system.conftest import NewMerchant
from tests.system.console import Console
from tests.system.endpoint import Answer, MerchantServer
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


NOTIFIED, METHODS = "integration/notifications", "integration/methods"


def test_settings_are_kept_and_told(
    gateway: RunningGateway, operator: Console, new_merchant: Any
) -> None:
    place = new_merchant("Settings House").merchant_id
    form = {
        "notification_url": "http://127.0.0.1:9/ipn?key=CANARY-77",
        "notification_types": "text",
        "left_out": "ap_securehash, customvar",
        "event_expired": "1",
        "redirect_delivers": "1",
    }
    returns = {
        "success_url": "https://shop.example.in/thanks",
        "domains": "https://shop.example.in\r\nhttps://www.shop.example.in",
    }
    operator.post(f"{place}/{METHODS}", on_nb="1", on_upi="1", place_nb="1", place_upi="2")
    for path, fields in (("integration", returns), (NOTIFIED, form)):
        answer = operator.post(f"{place}/{path}", **fields)
        assert answer.headers["location"].endswith(f"{path}?said=settings_kept"), answer.text
    kept = settings(gateway, place)
    assert kept["notification_url"] == form["notification_url"]
    assert kept["success_url"] == returns["success_url"], "the other page's form left it alone"
    assert kept["domains"] == ["https://shop.example.in", "https://www.shop.example.in"]
    assert (kept["channels"], kept["events"]) == (["nb", "upi"], ["expired"])
    assert (kept["notification_types"], kept["left_out"]) == (
        "text",
        ["ap_securehash", "customvar"],
    )
    assert kept["redirect_delivers"] is True
    until(
        lambda: "shop.example.in/thanks" in operator.get(f"{place}/integration").text,
        "the page to have them",
    )
    trail = operator.get(f"{place}/trail").text
    assert "127.0.0.1:9" in trail
    assert "CANARY-77" not in trail
    operator.post(f"{place}/{NOTIFIED}", **form, client="woocommerce")
    assert settings(gateway, place)["notification_form"] == "form"


def test_a_kind_is_offered_by_what_its_code_shows(
    gateway: RunningGateway, operator: Console, new_merchant: NewMerchant
) -> None:
    place = new_merchant("Old Books").merchant_id
    shown = html.unescape(operator.get(f"{place}/{NOTIFIED}").text)
    assert all(f"{kind.seen} ({name})" in shown for name, kind in CLIENTS.items())
    operator.post(f"{place}/{NOTIFIED}", client="kit-3")
    assert settings(gateway, place)["kit_versions"] == ["3"]
    operator.post(f"{place}/{NOTIFIED}", kit_3="1", client="kit-2")
    assert settings(gateway, place)["kit_versions"] == ["3", "2"]
    operator.post(f"{place}/{NOTIFIED}", kit_2="1")
    assert settings(gateway, place)["kit_versions"] == ["2"]
    operator.post(f"{place}/{NOTIFIED}", kit_2="1", client="standard")
    assert "kit_versions" not in settings(gateway, place), "none, as by default"


@pytest.mark.parametrize(
    ("page", "name", "value"),
    [
        (NOTIFIED, "notification_url", "http://169.254.169.254/latest"),
        (NOTIFIED, "notification_url", "ftp://shop.example"),
        ("integration", "success_url", "javascript:alert(1)"),
        ("integration", "domains", "https://shop.example.in/path"),
        (NOTIFIED, "left_out", "amount"),
    ],
)
def test_what_cannot_be_used_is_refused_at_its_field_and_not_lost(
    gateway: RunningGateway, operator: Console, shop: Shop, page: str, name: str, value: str
) -> None:
    place = shop.merchant.merchant_id
    before = settings(gateway, place)
    answer = operator.post(f"{place}/{page}", **{name: value})
    assert answer.status_code == 409
    assert re.search(f'id="{name}-fault" class="error" role="alert">[^<]+<', answer.text)
    assert html.escape(value).split("/")[0] in answer.text, "what was typed is still there"
    assert settings(gateway, place) == before


def rows_of(page: str) -> dict[str, str]:
    """Return the row of each method of the page, by its code."""
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", page, re.DOTALL)
    codes = {re.search(r'name="on_(\w+)"', row): row for row in rows}
    return {match[1]: html.unescape(row) for match, row in codes.items() if match}


def test_methods_are_switches_with_what_each_costs_and_needs(
    gateway: RunningGateway, operator: Console, new_merchant: NewMerchant, tmp_path: Path
) -> None:
    place = new_merchant("Switch House").merchant_id
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[otherwise]\nbasis_points = 210\n[[rules]]\nname = "debit"\nchannels = ["pg"]\n'
        'card_types = ["debit"]\nnot_networks = ["RuPay"]\nbasis_points = 40\n'
        "maximum_paise = 20000\n"
        '[[rules]]\nname = "banks"\nchannels = ["nb"]\nfixed_paise = 1500\n'
    )
    assert "no price plan" in operator.get(f"{place}/{METHODS}").text
    gateway.operate("fee", "plan", "set", str(plan), "--merchant", place)
    rows = rows_of(operator.get(f"{place}/{METHODS}").text)
    assert set(rows) == set(CHANNELS)
    assert "Free" in rows["upi"]
    assert "₹15.00" in rows["nb"]
    assert "Free to 2.10 %" in rows["pg"], "RuPay debit cards are free by law"
    assert "up to ₹1,00,000.00" in rows["upi"]
    assert "from ₹2,00,000.00" in rows["rtgs"]
    assert "checked" in rows["upi"]
    assert "checked" not in rows["nb"]
    assert all("Ready" in rows[code] for code in ("upi", "pg", "nb"))
    for wrong in ({}, {"on_upi": "1", "place_upi": "0"}, {"on_upi": "1", "place_upi": "first"}):
        assert operator.post(f"{place}/{METHODS}", **wrong).status_code == 409
    operator.post(f"{place}/{METHODS}", on_pg="1", on_upi="1", place_pg="1", place_upi="2")
    assert settings(gateway, place)["channels"] == ["pg", "upi"]


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


def test_a_test_takes_what_is_typed_and_saves_nothing(
    gateway: RunningGateway, operator: Console, new_merchant: NewMerchant, server: MerchantServer
) -> None:
    place = new_merchant("Typing House").merchant_id
    endpoint = server.endpoint("typed")
    typed = endpoint.url
    before = settings(gateway, place)
    answer = operator.post(
        f"{place}/integration/test",
        notification_url=typed,
        notification_form="json",
        event_paid="1",
    )
    assert answer.status_code == 200
    (heard,) = endpoint.heard
    assert json.loads(heard.body)["event"] == "test", "plain JSON, as it was chosen in the form"
    assert "It is not saved yet" in answer.text
    assert f'value="{typed}"' in answer.text
    assert 'name="event_paid" value="1" checked' in answer.text
    assert settings(gateway, place) == before
    refused = operator.post(
        f"{place}/integration/test", notification_url="http://169.254.169.254/latest"
    )
    assert "The address was refused" in refused.text


def test_no_address_no_test_and_no_answer_is_told(operator: Console, new_merchant: Any) -> None:
    place = new_merchant("Silent House").merchant_id
    empty = operator.post(f"{place}/integration/test", notification_url="")
    assert "Type the address" in empty.text
    typed = {"notification_url": "http://127.0.0.1:9/none"}
    answer = operator.post(f"{place}/integration/test", **typed).text
    assert "No answer came" in answer
    assert "(connect)" in answer


def test_only_who_may(gateway: RunningGateway, shop: Shop) -> None:
    place = gateway.demo["merchants"][0]["merchant_id"]
    with session_of(gateway, DEVELOPER, "198.51.100.72") as developer:
        assert developer.get(f"{place}/integration").status_code == 200
        assert developer.post(f"{shop.merchant.merchant_id}/integration/test").status_code == 404
    with session_of(gateway, FINANCE, "198.51.100.73") as finance:
        assert finance.get(f"{place}/integration").status_code == 403
        assert finance.post(f"{place}/{METHODS}", on_upi="1").status_code == 403


def test_the_demos_first_merchant_keeps_its_addresses(gateway: RunningGateway) -> None:
    """The tests above change other merchants alone."""
    demo = Merchant.of(gateway.demo["merchants"][0])
    assert "demo-shop" in settings(gateway, demo.merchant_id)["notification_url"]
