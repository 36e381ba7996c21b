"""Shops with kits of versions 3 and 2 buy, verify and refund, and bad input is refused."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

import pytest

from tests.system.browser import Browser, Screen
from tests.system.endpoint import MerchantServer
from tests.system.old_kit import ON_BOTH_LEGS, START, OldKit, days_that_are_over
from tests.system.old_kit_shop import KitShop, from_address, opened
from tests.system.running import RunningGateway, until
from tests.system.shop import SESSION, Shop, new_order_id, pay_card, scan

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module", params=["3", "2"])
def either(
    request: pytest.FixtureRequest, gateway: RunningGateway, server: MerchantServer
) -> Iterator[KitShop]:
    """A shop with each kit."""
    yield from opened(gateway, server, request.param)


@pytest.fixture(scope="module")
def third(gateway: RunningGateway, server: MerchantServer) -> Iterator[KitShop]:
    """A shop with a kit of version 3."""
    yield from opened(gateway, server, "3")


def test_a_customer_pays_and_comes_back_with_every_field(either: KitShop, browser: Browser) -> None:
    order_id = new_order_id("K")
    screen = either.start(browser, either.kit.form(order_id))
    assert screen.path.startswith(SESSION)
    ending = pay_card(browser, screen)
    (form,) = ending.forms
    assert set(ON_BOTH_LEGS) <= set(form.fields)
    assert either.kit.is_from_gateway(form.fields)
    assert (form.fields["TRANSACTIONID"], form.fields["TRANSACTIONSTATUS"]) == (order_id, "200")
    assert (form.fields["CUSTOMVAR"], form.fields["AMOUNT"]) == ("a b", "1499.50")
    heard = until(lambda: either.shop.endpoint.heard, "the notification")
    told = dict(parse_qsl(heard[-1].body.decode(), keep_blank_values=True))
    assert set(ON_BOTH_LEGS) <= set(told)
    assert either.kit.is_from_gateway(told)
    assert told["TRANSACTIONID"] == order_id
    assert either.shop.payment(order_id)["state"] == "paid"


def test_verify_answers_with_a_transaction_in_xml_and_json(third: KitShop) -> None:
    order_id = new_order_id("K")
    told = third.paid(order_id)
    assert set(ON_BOTH_LEGS) <= set(told)
    assert third.kit.is_from_gateway(told)
    in_json = third.kit.verify(third.http, order_id, accept="application/json")
    assert {**in_json, "IPNID": ""} == {**told, "IPNID": ""}
    nothing = third.kit.verify(third.http, "NOBODY")
    assert nothing["TRANSACTIONSTATUS"] == "503"
    over = third.kit.verify(third.http, order_id, days_that_are_over()[0])
    assert (over["status"], over["response_code"]) == ("400", "103")
    assert "TRANSACTIONSTATUS" not in over


def test_a_refund_goes_back_once_and_numbers_count_to_the_paisa(third: KitShop) -> None:
    transaction = third.paid(new_order_id("K"))["APTRANSACTIONID"]

    def asked(amount: str, name: str = "processor_id", number: str = "") -> Any:
        return third.kit.refund(
            third.http, f'[{{"amount":{amount},"{name}":{number or transaction}}}]'
        )

    for amount, words in (("10.555", "at most two places"), ("1e1", "at most two places")):
        (item,) = asked(amount)["data"]["transactions"]
        assert (item["success"], words in item["message"]) == ("false", True)
    first = asked("10.50")
    (item,) = first["data"]["transactions"]
    assert (first["status_code"], item["success"], item["amount"]) == ("200", "true", "10.50")
    assert {"merchant_id", "response"} <= set(first), "sealed beside the plain, as in version 4"
    ((again,),) = [asked("10.50")["data"]["transactions"]]
    assert (again["success"], "already initiated" in again["message"]) == ("false", True)
    (array,) = asked('"5.00"', "airpayid", f'"{transaction}"')
    assert (array["success"], array["transactions"][0]["success"]) == (False, False)
    (other,) = [third.paid(new_order_id("K"))["APTRANSACTIONID"]]
    (array,) = asked('"5.00"', "airpayid", f'"{other}"')
    assert (array["success"], array["transactions"][0]["success"]) == (True, True)
    assert int(array["transactions"][0]["refundairpayid"]) > 0


@pytest.mark.parametrize("separators", [None, (",", ":")])
def test_the_checksum_of_a_refund_covers_the_array_as_it_was_written(
    third: KitShop, separators: tuple[str, str] | None
) -> None:
    transaction = third.paid(new_order_id("K"))["APTRANSACTIONID"]
    item = [{"processor_id": transaction, "amount": "1.00", "note": "a/b"}]
    text = json.dumps(item, separators=separators)
    assert third.kit.refund(third.http, text)["data"]["transactions"][0]["success"] == "true"
    over = third.kit.refund(third.http, text, days_that_are_over()[1])
    assert (over["response_code"], over["data"]) == ("103", [])


def test_a_refund_from_a_browsers_network_is_refused_however_right_it_is(third: KitShop) -> None:
    transaction = third.paid(new_order_id("K"))["APTRANSACTIONID"]
    text = f'[{{"amount":"1.00","processor_id":"{transaction}"}}]'
    body, headers = third.kit.refund_body(text), {"content-type": "application/json"}
    with from_address("127.0.0.66") as stranger:
        replayed = third.kit.ask(stranger, "/api/refundtxn.php", body, **headers).json()
        assert third.kit.verify(stranger, "ANY")["response_code"] == "106"
    assert (replayed["response_code"], replayed["data"]) == ("106", [])
    log = "SELECT detail FROM refused_requests WHERE merchant_id = $1 AND operation = 'kit-refund'"
    rows = third.shop.gateway.rows(log, third.shop.merchant.number)
    assert any("do not hold 127.0.0.66" in row["detail"] for row in rows)
    own = third.kit.ask(third.http, "/api/refundtxn.php", body, **headers).json()
    assert own["data"]["transactions"][0]["success"] == "true", "nothing was refunded before"


def test_a_qr_and_an_address_are_sealed_with_the_api_secret(third: KitShop) -> None:
    order_id = new_order_id("K")
    fields = {
        "mercid": int(third.shop.merchant.merchant_id),
        "orderid": order_id,
        "amount": "25.00",
        "buyerPhone": "9876543210",
        "buyerEmail": "asha@example.in",
        "mer_dom": "aHR0cHM6Ly9zaG9wLmV4YW1wbGU=",
        "call_type": "upiqr",
    }
    made = third.kit.sealed(third.http, "/api/generateOrder", fields)
    assert (made["status"], made["MID"]) == (200, third.shop.merchant.merchant_id)
    assert scan(third.shop.gateway, made["QRCODE_STRING"])["code"] == "00"
    told = until(lambda: third.booked(order_id), "the QR to be paid")
    assert (told["APTRANSACTIONID"], told["AMOUNT"]) == (made["RID"], "25.00")
    assert third.kit.is_from_gateway(told)
    as_number = {**fields, "orderid": new_order_id("K"), "amount": 25.5}
    assert third.kit.sealed(third.http, "/api/generateOrder", as_number)["status"] == 200
    known = third.kit.sealed(third.http, "/api/vpa_validate.php", {"vpa": "success@hundi"})
    assert (known["vpa"], known["valid"]) == ("success@hundi", "true")
    wrong = third.kit.sealed(third.http, "/api/vpa_validate.php", {"vpa": "nobody"})
    assert (wrong["status"], wrong["response_code"]) == (400, "110")
    stranger = OldKit(third.shop.merchant, third.kit.base_url)
    with from_address("127.0.0.66") as http:
        refused = stranger.sealed(http, "/api/generateOrder", fields)
    assert refused["response_code"] == "106"


def test_a_double_post_opens_one_payment_and_a_paid_order_is_not_begun_again(
    either: KitShop,
) -> None:
    order_id = new_order_id("K")
    form = either.kit.form(order_id)

    def post() -> Screen:
        with Browser() as browser:
            return either.start(browser, form)

    with ThreadPoolExecutor(4) as together:
        screens = list(together.map(lambda _: post(), range(4)))
    assert all(screen.path.startswith(SESSION) for screen in screens)
    assert either.shop.payment(order_id)["amount_paise"] == 149_950
    with Browser() as browser:
        pay_card(browser, screens[0])
        until(lambda: either.booked(order_id), "the order to be paid")
        refused = either.start(browser, form)
    assert refused.heading == "This payment could not be started"
    assert either.why(refused)[0] == "order_already_paid"
    changed = either.kit.form(new_order_id("K"), "2.00") | {"amount": "1.00"}
    with Browser() as browser:
        assert either.why(either.start(browser, changed))[0] == "checksum_wrong"


def test_the_days_of_india_and_utc_are_taken_and_no_other(
    either: KitShop, browser: Browser
) -> None:
    now = datetime.now(UTC)
    for day in {now.date(), (now + timedelta(hours=5, minutes=30)).date()}:
        form = either.kit.form(new_order_id("K"), day=day.isoformat())
        assert either.start(browser, form).path.startswith(SESSION)
    for over in days_that_are_over():
        screen = either.start(browser, either.kit.form(new_order_id("K"), day=over))
        code, words = either.why(screen)
        assert (code, f"the checksum of {over}" in words) == ("checksum_wrong", True)
        assert "days of India and of UTC" in words
        assert "checksum" not in screen.text


def test_an_order_id_has_25_characters_at_most(either: KitShop, browser: Browser) -> None:
    order_id = new_order_id("K").ljust(25, "x")
    assert either.start(browser, either.kit.form(order_id)).path.startswith(SESSION)
    for length in (26, 40):
        code, words = either.why(either.start(browser, either.kit.form("K" * length)))
        assert (code, "1 to 25 characters" in words) == ("field_invalid", True)


@pytest.mark.parametrize(
    ("more", "query", "named"),
    [
        ({}, "?token=" + "a" * 40, "token"),
        ({"token": "saved-card"}, "", "token"),
        ({"encData": "abc"}, "", "encdata"),
        ({"ReturnURL": "https://evil.example/paid"}, "", "ReturnURL"),
        ({"return_url": "//evil.example"}, "", "ReturnURL"),
        ({"amount": "1e3"}, "", "amount"),
        ({"amount": "0.00"}, "", "amount"),
        ({"amount": "1.001"}, "", "amount"),
    ],
)
def test_a_wrong_field_is_refused_with_its_reason_in_the_log(
    third: KitShop, browser: Browser, more: dict[str, str], query: str, named: str
) -> None:
    amount = more.get("amount", "1.00")
    form = third.kit.form(new_order_id("K"), amount) | more
    screen = third.start(browser, form, query)
    assert screen.heading == "This payment could not be started"
    code, words = third.why(screen)
    assert (code, named in words) == ("field_invalid", True)
    assert "evil.example" not in screen.html


def test_a_registered_return_address_is_no_obstacle(third: KitShop, browser: Browser) -> None:
    registered = third.shop.endpoint.url.rpartition("/")[0] + "/kit-3/paid"
    form = third.kit.form(new_order_id("K"), ReturnURL=registered)
    (back,) = pay_card(browser, third.start(browser, form)).forms
    assert back.action == registered


def test_the_kind_that_joins_the_customers_name_and_a_subscription_begin(
    third: KitShop, browser: Browser
) -> None:
    joins = OldKit(third.shop.merchant, third.kit.base_url, joins_uid=True)
    named = joins.form(new_order_id("K"), UID="asha-7")
    assert third.start(browser, named).path.startswith(SESSION)
    run = (datetime.now(UTC) + timedelta(days=40)).strftime("%m/%d/%Y")
    plan = {
        "sb_nextrundate": run,
        "sb_period": "Month",
        "sb_frequency": "1",
        "sb_amount": "99.00",
        "sb_isrecurring": "1",
        "sb_recurringcount": "12",
        "sb_retryattempts": "1",
        "txnsubtype": "12",
    }
    order_id = new_order_id("K")
    screen = third.start(browser, third.kit.form(order_id, "99.00", **plan))
    assert screen.path.startswith(SESSION)
    assert third.shop.payment(order_id)["kind"] == "subscription"


def test_a_version_that_was_not_chosen_is_named_in_the_log(
    third: KitShop, browser: Browser, gateway: RunningGateway
) -> None:
    second = OldKit(third.shop.merchant, third.kit.base_url, "2")
    code, words = third.why(third.start(browser, second.form(new_order_id("K"))))
    assert code == "checksum_wrong"
    command = f"hundi merchant kits {third.shop.merchant.merchant_id} --version 3 --version 2"
    assert command in words
    assert third.why(third.start(browser, second.form("K") | {"privatekey": "0" * 64}))[0] == (
        "privatekey_wrong"
    )


def test_without_the_setting_nothing_is_served_and_the_log_says_which(
    shop: Shop, browser: Browser, gateway: RunningGateway
) -> None:
    kit, order_id = OldKit(shop.merchant, gateway.base_url), new_order_id("K")
    screen = browser.post(gateway.base_url + START, kit.form(order_id))
    assert (screen.status, screen.heading) == (
        410,
        "The shop uses an old address of the payment page",
    )
    with from_address("127.0.0.1") as http:
        for path in ("/order/verify.php", "/api/refundtxn.php", "/api/generateOrder"):
            body = json.dumps({"merchant_id": shop.merchant.merchant_id}).encode()
            answer = kit.ask(http, path, body, **{"content-type": "application/json"})
            assert (answer.status_code, answer.json()["response_code"]) == (404, "101")
    log = "SELECT explained FROM refused_requests WHERE merchant_id = $1 AND operation LIKE 'kit-%'"
    rows = gateway.rows(log, shop.merchant.number)
    command = f"hundi merchant kits {shop.merchant.merchant_id} --version 3"
    assert all(command in str(row["explained"]) for row in rows)
    assert len(rows) == 4


def test_one_merchant_sees_and_refunds_nothing_of_another(
    third: KitShop, gateway: RunningGateway, server: MerchantServer
) -> None:
    order_id = new_order_id("K")
    transaction = third.paid(order_id)["APTRANSACTIONID"]
    for rival in opened(gateway, server, "3"):
        assert rival.kit.verify(rival.http, order_id)["TRANSACTIONSTATUS"] == "503"
        text = f'[{{"amount":"1.00","processor_id":"{transaction}"}}]'
        (item,) = rival.kit.refund(rival.http, text)["data"]["transactions"]
        assert item["success"] == "false"
        assert item["response_code"] == "503"


def test_a_further_key_does_what_its_scopes_say(third: KitShop, gateway: RunningGateway) -> None:
    merchant = third.shop.merchant
    made = gateway.operate("merchant", "key", "add", merchant.merchant_id, "reader", "read")
    reader = OldKit(replace(merchant, secret=made["secret"]), gateway.base_url)
    order_id = new_order_id("K")
    transaction = third.paid(order_id)["APTRANSACTIONID"]
    until(
        lambda: reader.verify(third.http, order_id).get("APTRANSACTIONID") == transaction,
        "processes to learn of the key",
    )
    refused = reader.refund(third.http, f'[{{"amount":"1.00","processor_id":"{transaction}"}}]')
    assert (refused["response_code"], refused["data"]) == ("108", [])
    made_qr = reader.sealed(third.http, "/api/vpa_validate.php", {"vpa": "success@hundi"})
    assert made_qr["response_code"] == "108"


def test_a_suspended_merchant_is_refused_in_each_form(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    for shop in opened(gateway, server, "3"):
        gateway.operate("merchant", "suspend", shop.shop.merchant.merchant_id)
        told = shop.kit.verify(shop.http, "ANY")
        assert (told["status"], told["response_code"]) == ("400", "131")
        screen = shop.start(browser, shop.kit.form(new_order_id("K")))
        assert shop.why(screen)[0] == "merchant_suspended"


@pytest.mark.parametrize("path", ["/order/verify.php", "/api/refundtxn.php", "/api/generateOrder"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"\xff\xfe",
        b'{"merchant_id": [1]}',
        b"mercid=%00&checksum=%ff",
        b'{"mercid": "ID", "encData": "x", "checksum": "y"}',
        b'{"merchant_id": "ID", "private_key": {"a": 1}, "transactions": "x"}',
        b'{"merchant_id": "ID", "private_key": "KEY", "checksum": "y", "transactions": [[1]]}',
        b'{"merchant_id": "ID", "private_key": "KEY", "merchant_txn_id": {"a": [1]}}',
        b'{"mercid": "ID", "privatekey": "KEY", "encData": "", "checksum": 7}',
    ],
)
def test_whatever_is_sent_is_refused_and_no_fault(third: KitShop, path: str, body: bytes) -> None:
    body = body.replace(b"ID", third.shop.merchant.merchant_id.encode())
    body = body.replace(b"KEY", third.kit.private_key.encode())
    for accept in ("application/json", "*/*"):
        answer = third.kit.ask(third.http, path, body, accept=accept)
        assert answer.status_code in {200, 404}
        assert not re.search(r"\b999\b", answer.text), "a fault of ours"
        assert "TRANSACTION>" not in answer.text or "<TRANSACTIONSTATUS>503<" in answer.text
