"""Deliveries in the console.

Listed, told with tries and answers, sent again one by one or all of a span.
"""

import csv
import io
import re
from collections.abc import Iterator

import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import Answer, MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.test_console_once import no_entries
from tests.system.test_console_payments import OPERATOR, pay, session_of

STATE = "SELECT state FROM deliveries WHERE payment_id = $1 ORDER BY event_no DESC LIMIT 1"


@pytest.fixture(scope="module")
def operator(gateway: RunningGateway) -> Iterator[Console]:
    with session_of(gateway, OPERATOR, "198.51.100.44") as browser:
        yield browser


@pytest.fixture
def mute(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant without an address for notifications."""
    yield from open_shop(gateway, server, "mute", notification_url="")


def paid(gateway: RunningGateway, shop: Shop, browser: Browser, state: str) -> tuple[int, str]:
    """Pay, and wait until the notification is in a state.

    Return the payment's number and the delivery's path.
    """
    _, number, _ = pay(gateway, shop, browser)
    until(lambda: gateway.value(STATE, number) == state, f"the delivery to be {state}")
    event = gateway.value("SELECT max(event_no) FROM deliveries WHERE payment_id = $1", number)
    return number, f"deliveries/{number}/{event}"


def test_a_delivery_is_listed_and_told_with_the_answer(
    gateway: RunningGateway, shop: Shop, browser: Browser, operator: Console
) -> None:
    place = shop.merchant.merchant_id
    shop.endpoint.choose = lambda _: Answer(200, body=b"thanks & <b>bye</b>")
    try:
        number, path = paid(gateway, shop, browser, "delivered")
    finally:
        shop.endpoint.choose = lambda _: Answer()
    assert path in operator.get(f"{place}/deliveries").text
    for fits in ({"state": "delivered"}, {"kind": "paid"}):
        assert path in operator.get(f"{place}/deliveries", **fits).text, fits
    event = path.rpartition("/")[2]
    for other in (
        {"state": "waiting"},
        {"kind": "voided"},
        {"until": "2020-01-01"},
        {"before": f"{number}-{event}"},
    ):
        assert path not in operator.get(f"{place}/deliveries", **other).text, other
    page = operator.get(f"{place}/{path}").text
    for words in (
        "thanks &amp; &lt;b&gt;bye",
        "try 1: 200",
        "Your server took it",
        f"ipn_{place}_{number}",
        "1499",
    ):
        assert words in page, words
    for secret in ("9876543210", "asha@example.in"):
        assert secret not in page, secret
    assert path in operator.get(f"{place}/payments/{number}").text, "the story leads here"
    rows = list(
        csv.DictReader(
            io.StringIO(operator.get(f"{place}/deliveries/export", state="delivered").text)
        )
    )
    mine = next(row for row in rows if row["ap_transactionid"] == str(number))
    assert (mine["kind"], mine["last_status"], mine["tries"]) == ("paid", "200", "1")


def test_one_is_sent_again_under_its_id(
    gateway: RunningGateway, shop: Shop, browser: Browser, operator: Console
) -> None:
    place = shop.merchant.merchant_id
    number, path = paid(gateway, shop, browser, "delivered")
    assert (
        operator.post(f"{place}/{path}/resend").headers["location"]
        == f"/console/{place}/{path}?said=resent"
    )
    sent = "SELECT count(*) FROM delivery_attempts WHERE payment_id = $1"
    until(lambda: gateway.value(sent, number) == 2, "the second try")
    heard = {
        each.headers["webhook-id"]
        for each in shop.endpoint.heard
        if str(number) in each.headers["webhook-id"]
    }
    assert len(heard) == 1
    assert "try 2: 200" in operator.get(f"{place}/{path}").text
    acts = gateway.rows("SELECT act FROM trail_entries WHERE about = $1", str(number))
    assert [row["act"] for row in acts] == ["delivery.resend"]


def test_nothing_is_sent_again_whose_entry_cannot_be_written(
    gateway: RunningGateway, shop: Shop, browser: Browser, operator: Console
) -> None:
    place = shop.merchant.merchant_id
    number, path = paid(gateway, shop, browser, "delivered")
    webhook_id = f"ipn_{place}_{number}_{path.rpartition('/')[2]}"
    with no_entries(gateway, f"NEW.about = '{number}'"):
        assert operator.post(f"{place}/{path}/resend").status_code == 500
        assert (
            operator.post(f"{place}/payments/{number}/resend", webhook_id=webhook_id).status_code
            == 500
        )
        assert gateway.value(STATE, number) == "delivered"
    assert (
        operator.post(f"{place}/payments/{number}/resend", webhook_id=webhook_id).status_code == 303
    )


def test_all_that_were_given_up_are_sent_again_as_many_as_was_said(
    gateway: RunningGateway, server: MerchantServer, mute: Shop, browser: Browser, operator: Console
) -> None:
    place = mute.merchant.merchant_id
    first, _ = paid(gateway, mute, browser, "no_endpoint")
    page = operator.get(f"{place}/deliveries").text
    assert "1 of these days was given up" in page
    asked = operator.get(f"{place}/deliveries/replay").text
    assert "Send 1 again" in asked
    form = dict(
        re.findall(r'type="hidden" name="(since|until|kind|number)" value="([^"]*)"', asked)
    )
    second, _ = paid(gateway, mute, browser, "no_endpoint")
    gateway.operate("merchant", "set", place, "--notification-url", mute.endpoint.url)
    stale = operator.post(f"{place}/deliveries/replay", **form)
    assert stale.status_code == 409
    assert "you were asked about 1, and 2 fit now" in stale.text
    assert {gateway.value(STATE, each) for each in (first, second)} == {"no_endpoint"}
    form = dict(
        re.findall(r'type="hidden" name="(since|until|kind|number)" value="([^"]*)"', stale.text)
    )
    for wrong in (
        {"since": ""},
        {"number": "0"},
        {"kind": "voided"},
        {"until": "2020-01-01", "since": "2020-01-01"},
    ):
        assert operator.post(f"{place}/deliveries/replay", **(form | wrong)).status_code == 409, (
            wrong
        )
    sent = operator.post(f"{place}/deliveries/replay", **form)
    assert sent.headers["location"] == f"/console/{place}/deliveries?said=replayed"
    until(
        lambda: {gateway.value(STATE, each) for each in (first, second)} == {"delivered"},
        "both to be taken",
    )
    entries = gateway.rows(
        "SELECT detail FROM trail_entries WHERE merchant_id = $1 AND act = 'delivery.replay'",
        int(place),
    )
    assert ['"number":2' in row["detail"] or '"number": 2' in row["detail"] for row in entries] == [
        True
    ]
    assert "Nothing that happened" in operator.get(f"{place}/deliveries/replay").text


def test_who_may_not_and_whose_it_is_not(
    gateway: RunningGateway, shop: Shop, browser: Browser, operator: Console
) -> None:
    number, path = paid(gateway, shop, browser, "delivered")
    elsewhere = gateway.demo["merchants"][0]["merchant_id"]
    assert operator.get(f"{elsewhere}/{path}").status_code == 404
    assert operator.post(f"{elsewhere}/{path}/resend").status_code == 404
    assert operator.get(f"{shop.merchant.merchant_id}/deliveries/{number}/999").status_code == 404
    for odd in (
        {"before": "x-y"},
        {"before": f"1-{'9' * 15}"},
        {"state": "nonsense"},
        {"kind": "x"},
    ):
        assert operator.get(f"{elsewhere}/deliveries", **odd).status_code == 200, odd
    with session_of(gateway, "support@demo.example", "198.51.100.45") as support:
        for seen in ("deliveries", path, "deliveries/replay", "deliveries/export"):
            assert support.get(f"{elsewhere}/{seen}").status_code == 403, seen
        assert (
            support.post(
                f"{elsewhere}/deliveries/replay", number="0", since="2020-01-01"
            ).status_code
            == 403
        )
