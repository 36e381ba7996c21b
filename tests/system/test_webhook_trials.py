"""`hundi delivery test`, at both doors: any event in any form, signed, tried once, no delivery."""

import html
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

import pytest
from standardwebhooks.webhooks import Webhook

from hundi.api.merchant import trials
from hundi.merchants.directory.clients.rules import CLIENTS
from hundi.sdk import Callbacks
from hundi.verbs import webhook_trials
from tests.system.conftest import NewMerchant
from tests.system.console import Console
from tests.system.endpoint import Answer, Endpoint, MerchantServer
from tests.system.running import RunningGateway
from tests.system.test_console_payments import session_of
from tests.system.test_console_requests import FINANCE

OPERATOR = "operator@demo.example"
COMMAND = ("delivery", "test")


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.131") as browser:
        yield browser


@pytest.fixture
def endpoint(server: MerchantServer) -> Iterator[Endpoint]:
    """A developer's server, at an address that no setting names."""
    endpoint = server.endpoint("trials")
    endpoint.heard.clear()
    yield endpoint
    endpoint.choose = lambda _: Answer()


def entries_of(gateway: RunningGateway, place: str) -> list[dict[str, Any]]:
    """Return the details of the trials in a merchant's trail."""
    rows = gateway.rows(
        "SELECT detail FROM trail_entries WHERE merchant_id = $1 AND act = 'delivery.test'"
        " ORDER BY entry_no",
        int(place),
    )
    return [json.loads(row["detail"]) for row in rows]


def test_an_event_is_sent_signed_and_leaves_the_trail_alone(
    gateway: RunningGateway, new_merchant: NewMerchant, endpoint: Endpoint
) -> None:
    merchant = new_merchant("Trial House")
    place = merchant.merchant_id
    endpoint.choose = lambda _: Answer(201, headers={"x-of": "shop", "set-cookie": "secret-7"})
    told = gateway.operate(*COMMAND, place, "--url", endpoint.url, "--event", "paid")
    (heard,) = endpoint.heard
    read = Callbacks(merchant.credentials).read_notification(heard.headers, heard.body)
    assert (read.event, read.transaction.order_id) == ("paid", "TEST-NOTIFICATION")
    assert (read.transaction.is_paid, read.webhook_id[:5]) == (True, "test_")
    assert (told["delivered"], told["status"], told["problem"]) == ("by 2xx", 201, "")
    assert told["answer"]["body"] == "thanks"
    assert told["answer"]["headers"]["x-of"] == "shop"
    assert "secret-7" not in json.dumps(told), "a server's cookie is its own"
    assert told["sent"]["body"] == heard.body.decode()
    assert merchant.credentials.webhook_keys[0] not in json.dumps(told)
    assert json.loads(told["sent"]["opened"])["event"] == "paid"
    assert gateway.operate("delivery", "list", place) == [], "no delivery was made"
    assert entries_of(gateway, place) == [{"event": "paid", "host": "127.0.0.1"}]


@pytest.mark.parametrize("client", CLIENTS)
def test_every_kind_of_client_gets_its_form(
    gateway: RunningGateway, new_merchant: NewMerchant, endpoint: Endpoint, client: str
) -> None:
    merchant = new_merchant("Kinds House")
    kept = gateway.operate("merchant", "show", merchant.merchant_id)["settings"]
    endpoint.choose = lambda _: Answer(302, headers={"location": "http://127.0.0.1:9/"})
    told = gateway.operate(
        *COMMAND, merchant.merchant_id, "--url", endpoint.url, "--client", client
    )
    (heard,) = endpoint.heard
    kind = CLIENTS[client].settings
    takes_redirects = bool(kind.get("redirect_delivers"))
    assert told["delivered"] == ("by a redirect" if takes_redirects else "no")
    assert told["problem"] == ("" if takes_redirects else "answered 302")
    if kind.get("notification_form") == "form":
        fields = dict(parse_qsl(heard.body.decode()))
        assert fields["TRANSACTIONID"] == "TEST-NOTIFICATION"
    else:
        is_sealed = "response" in json.loads(heard.body)
        assert is_sealed is (kind.get("notification_form", "json-encrypted") == "json-encrypted")
    assert heard.headers["webhook-signature"].startswith("v1,")
    assert gateway.operate("merchant", "show", merchant.merchant_id)["settings"] == kept


def test_the_standard_form_brings_an_event_of_the_plain_interface(
    gateway: RunningGateway, new_merchant: NewMerchant, endpoint: Endpoint
) -> None:
    merchant = new_merchant("Standard House", notification_form="standard")
    told = gateway.operate(
        *COMMAND, merchant.merchant_id, "--url", endpoint.url, "--event", "refund_done"
    )
    (heard,) = endpoint.heard
    event = Webhook(merchant.webhook_key).verify(heard.body, heard.headers)
    assert (event["id"], event["type"]) == (heard.headers["webhook-id"], "refund_done")
    assert event["data"]["order"]["order_id"] == trials.TEST_ORDER
    assert event["data"]["refund"]["amount_paise"] == trials.TEST_PAISE
    assert json.loads(told["sent"]["opened"]) == event


def test_the_page_of_the_console_shows_the_same(
    gateway: RunningGateway, operator: Console, new_merchant: NewMerchant, endpoint: Endpoint
) -> None:
    place = new_merchant("Page House").merchant_id
    page = f"{place}/verbs/delivery/test"
    assert "Test a webhook" in operator.get(page).text
    endpoint.choose = lambda _: Answer(500, body=b"no <b> such order")
    shown = operator.post(page, seen_at=page, url=endpoint.url, event="refund_done", client="form")
    text = html.unescape(shown.text)
    assert "answered 500" in text
    assert "no &lt;b&gt; such order" in shown.text
    assert "TRANSACTIONTYPE=340" in text
    assert entries_of(gateway, place) == [{"event": "refund_done", "host": "127.0.0.1"}]


def test_wrong_events_and_addresses_are_refused(
    gateway: RunningGateway, new_merchant: NewMerchant
) -> None:
    place = new_merchant("Wrong House").merchant_id
    for options, words in (
        ((), "no notification address"),
        (("--url", "ftp://shop.example.in"), "notification_url"),
        (("--url", "http://127.0.0.1:9/", "--event", "won"), "event"),
        (("--url", "http://127.0.0.1:9/", "--client", "kit-9"), "client"),
    ):
        ended = gateway.invoke(*COMMAND, place, *options)
        assert (ended.exit_code, words in ended.stderr) == (2, True), ended.stderr
    told = gateway.operate(*COMMAND, place, "--url", "http://169.254.169.254/latest")
    assert (told["delivered"], told["status"]) == ("no", None)
    assert told["problem"].startswith("address refused: ")


def test_ten_a_minute_are_sent_by_all_doors_together(
    gateway: RunningGateway, operator: Console, new_merchant: NewMerchant, endpoint: Endpoint
) -> None:
    place = new_merchant("Eager House").merchant_id
    page = f"{place}/verbs/delivery/test"
    for _ in range(webhook_trials.TRIALS_A_MINUTE - 1):
        operator.post(page, seen_at=page, url=endpoint.url, event="test", client="")
    gateway.operate(*COMMAND, place, "--url", endpoint.url)
    assert len(endpoint.heard) == webhook_trials.TRIALS_A_MINUTE
    ended = gateway.invoke(*COMMAND, place, "--url", endpoint.url)
    assert (ended.exit_code, "10 test notifications a minute" in ended.stderr) == (2, True)
    refused = operator.post(page, seen_at=page, url=endpoint.url, event="test", client="")
    assert "10 test notifications a minute" in refused.text
    assert len(endpoint.heard) == webhook_trials.TRIALS_A_MINUTE


def test_a_role_that_changes_no_settings_sends_none(
    gateway: RunningGateway, endpoint: Endpoint
) -> None:
    place = gateway.demo["merchants"][1]["merchant_id"]
    with session_of(gateway, FINANCE, "198.51.100.132") as person:
        answer = person.get(f"{place}/verbs/delivery/test")
        assert answer.status_code in {403, 404}
    assert endpoint.heard == []
