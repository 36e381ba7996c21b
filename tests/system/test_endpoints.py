"""Further addresses of a merchant: each hears its events, signed with its key."""

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from standardwebhooks import Webhook

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import Answer, Endpoint, MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, pay_card
from tests.system.test_console_integration import OPERATOR
from tests.system.test_console_payments import session_of

PAGE = "integration/endpoints"


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.74") as browser:
        yield browser


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant of these tests alone: its addresses disturb no other."""
    yield from open_shop(gateway, server, "addresses")


def listed(gateway: RunningGateway, place: str) -> list[dict[str, Any]]:
    found: Any = gateway.operate("merchant", "endpoint", "list", place)
    return found


def added(console: Console, place: str, endpoint: Endpoint, name: str, *events: str) -> str:
    """Add an address by the console's form, and return its key."""
    ticks = {f"event_{event}": "1" for event in events}
    answer = console.post(f"{place}/{PAGE}", url=endpoint.url, name=name, form="standard", **ticks)
    assert answer.status_code == 200, answer.text
    match = re.search(r"<pre[^>]* data-copy[^>]*>(whsec_[^<]+)</pre>", answer.text)
    assert match
    key = html.unescape(match[1])
    assert 'download="webhook-key-' in answer.text
    assert key not in console.get(f"{place}/{PAGE}").text, "shown once"
    return key


def read(endpoint: Endpoint, key: str) -> list[tuple[str, dict[str, Any]]]:
    """Return type and data of what an address heard, each checked with its key."""
    events = []
    for heard in endpoint.heard:
        event: Any = Webhook(key).verify(heard.body, heard.headers)
        events.append((heard.webhook_id, event))
    return events


def test_each_address_hears_its_events_signed_with_its_key(
    gateway: RunningGateway, operator: Console, shop: Shop, server: MerchantServer
) -> None:
    place = shop.merchant.merchant_id
    books, store, silent = (server.endpoint(name) for name in ("books", "store", "silent"))
    silent.choose = lambda _: Answer(hang=True)
    for_books = added(operator, place, books, "Books", "paid", "refund_done", "attempt_failed")
    for_store = added(operator, place, store, "Store", "refund_done")
    added(operator, place, silent, "Silent", "paid")
    until(
        lambda: "attempt_failed" in shop_settings(gateway, place).get("endpoint_events", []),
        "the events of addresses to be known",
    )
    order_id = new_order_id("E")
    with Browser() as browser:
        pay_card(browser, shop.open_page(browser, order_id))
    shop.endpoint.hears(shop.merchant, order_id)
    until(lambda: books.heard, "the books to hear")
    ((webhook_id, event),) = read(books, for_books)
    assert (event["type"], event["id"]) == ("paid", webhook_id)
    assert event["data"]["order"]["order_id"] == order_id
    assert webhook_id.endswith("_1")
    assert webhook_id.count("_") == 4
    with pytest.raises(Exception, match=r"(?i)signature"):
        Webhook(for_store).verify(books.heard[0].body, books.heard[0].headers)
    assert not store.heard
    gateway.operate("merchant", "endpoint", "switch", place, "1", "disabled")
    page = operator.get(f"{place}/{PAGE}/1").text
    assert "Delivered" in page
    assert "Disabled" in operator.get(f"{place}/{PAGE}").text
    silent.let_go.set()
    gateway.rows(
        "UPDATE webhook_endpoints SET failing_since = now() - interval '16 minutes',"
        " probe_at = now() + interval '1 hour', problem = 'answered 500'"
        " WHERE merchant_id = $1 AND endpoint_no = 2",
        int(place),
    )
    home = operator.get(place).text
    assert "The address Store takes no notifications" in home
    assert f"/console/{place}/{PAGE}/2" in home


def shop_settings(gateway: RunningGateway, place: str) -> dict[str, Any]:
    return gateway.operate("merchant", "show", place)["settings"]


def test_a_test_takes_what_is_typed_and_the_addresss_own_key(
    operator: Console, new_merchant: Any, server: MerchantServer
) -> None:
    place = new_merchant("Typed Addresses").merchant_id
    endpoint = server.endpoint("typed-address")
    key = added(operator, place, endpoint, "First", "paid")
    other = server.endpoint("other-address")
    answer = operator.post(
        f"{place}/{PAGE}/1/test", url=other.url, name="First", form="json", event_paid="1"
    )
    assert "Answered 200" in answer.text
    assert not endpoint.heard, "the test went to what was typed"
    (heard,) = other.heard
    assert Webhook(key).verify(heard.body, heard.headers)
    assert json.loads(heard.body)["event"] == "test"
    assert endpoint.url in operator.get(f"{place}/{PAGE}/1").text, "nothing was saved"


def test_a_key_is_rotated_with_an_overlap_and_once(
    gateway: RunningGateway, operator: Console, new_merchant: Any, server: MerchantServer
) -> None:
    place = new_merchant("Turning Addresses").merchant_id
    endpoint = server.endpoint("turning")
    first = added(operator, place, endpoint, "Turning", "paid")
    mark = listed(gateway, place)[0]["mark"]
    answer = operator.post(f"{place}/{PAGE}/1/rotate", seen=mark)
    match = re.search(r"<pre[^>]* data-copy[^>]*>(whsec_[^<]+)</pre>", answer.text)
    assert match
    second = html.unescape(match[1])
    again = operator.post(f"{place}/{PAGE}/1/rotate", seen=mark)
    assert "key_replaced" in again.headers["location"]
    form = {"url": endpoint.url, "name": "Turning", "form": "standard", "event_paid": "1"}
    operator.post(f"{place}/{PAGE}/1/test", **form)
    (heard,) = endpoint.heard
    for key in (first, second):
        assert Webhook(key).verify(heard.body, heard.headers)
    operator.post(f"{place}/{PAGE}/1/end-key")
    operator.post(f"{place}/{PAGE}/1/test", **form)
    assert Webhook(second).verify(endpoint.heard[1].body, endpoint.heard[1].headers)
    with pytest.raises(Exception, match=r"(?i)signature"):
        Webhook(first).verify(endpoint.heard[1].body, endpoint.heard[1].headers)
    operator.post(f"{place}/{PAGE}/1/remove")
    assert listed(gateway, place) == []
    assert operator.get(f"{place}/{PAGE}/1").status_code == 404


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("url", {"url": "http://169.254.169.254/latest"}),
        ("url", {"url": "ftp://shop.example"}),
        ("name", {"name": " "}),
        ("form", {"form": "xml"}),
        ("events", {"event_paid": ""}),
    ],
)
def test_what_cannot_be_used_is_refused_at_its_field(
    gateway: RunningGateway,
    operator: Console,
    new_merchant: Any,
    field: str,
    typed: dict[str, str],
) -> None:
    place = new_merchant("Refused Addresses").merchant_id
    right = {"url": "http://127.0.0.1:9/x", "name": "A", "form": "json", "event_paid": "1"}
    answer = operator.post(f"{place}/{PAGE}", **{**right, **typed})
    assert answer.status_code == 409
    assert f'id="{field}-fault"' in answer.text
    assert listed(gateway, place) == []


def test_another_merchants_address_is_not_found(operator: Console, new_merchant: Any) -> None:
    place = new_merchant("Alone").merchant_id
    assert operator.get(f"{place}/{PAGE}/1").status_code == 404
    assert operator.post(f"{place}/{PAGE}/1/remove").status_code == 404
