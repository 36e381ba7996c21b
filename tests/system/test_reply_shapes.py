"""The shapes of replies and notifications, each of which keeps a real client alive."""

import json
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest

from hundi.sdk import Client, Gateway, Order
from hundi.sdk.errors import ConfigurationError
from hundi.wire import checksum, cipher, securehash
from tests.system.browser import Browser
from tests.system.conftest import NewMerchant, open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import (
    PAGE,
    Sender,
    form,
    order,
)
from tests.system.running import RunningGateway
from tests.system.shop import ASHA, Shop, new_order_id, scan

# --- shapes of replies ---

RECORD = [
    "ap_transactionid",
    "orderid",
    "merchant_id",
    "amount",
    "transaction_status",
    "transaction_payment_status",
    "chmod",
    "currency_code",
    "message",
    "bank_response_msg",
    "customer_name",
    "customer_phone",
    "customer_email",
    "transaction_type",
    "risk",
    "token",
    "transaction_time",
    "card_scheme",
    "card_number",
    "card_type",
    "bank_name",
    "card_country",
    "rrn",
    "ap_SecureHash",
    "customvar",
    "surcharge_amount",
    "utr_no",
]


@pytest.fixture(scope="module", params=["both", "encrypted", "plain"])
def reader(
    request: pytest.FixtureRequest, gateway: RunningGateway, server: MerchantServer
) -> Iterator[tuple[str, Shop]]:
    """A shop of each reply format."""
    for shop in open_shop(gateway, server, f"{request.param}s", reply_format=request.param):
        yield request.param, shop


def test_replies_come_in_the_format_the_merchant_chose(
    sender: Sender, reader: tuple[str, Shop], browser: Browser
) -> None:
    fmt, shop = reader
    order_id = new_order_id()
    asked = order(order_id, customvar='a } in "quotes" \\} and आशा}')
    page = sender.raw(PAGE, form(shop.merchant.envelope(asked)), token=sender.token(shop.merchant))
    scan(shop.gateway, browser.get(sender.base_url + page.headers["location"]).upi_link)
    shop.endpoint.hears(shop.merchant, order_id)
    fields = ["status_code", "status", "response_code", "request_id", "message", "data"]
    outer_fields = {
        "both": ["merchant_id", "response", *fields],
        "encrypted": ["merchant_id", "response"],
        "plain": fields,
    }
    replies = [
        sender.ask_token(shop.merchant, shop.merchant.token_request),
        sender.verify(shop.merchant, {"orderid": order_id}),
        sender.verify(shop.merchant, {"orderid": "none"}),
    ]
    for reply in replies:
        assert list(reply.outer) == outer_fields[fmt]
        assert list(reply.envelope) == fields
        if fmt != "plain":
            assert reply.outer["merchant_id"] == shop.merchant.merchant_id
            text = cipher.open_(shop.merchant.key, reply.outer["response"]).decode()
            assert text.replace("\\u007d", "}") == json.dumps(reply.envelope, separators=(",", ":"), ensure_ascii=False)
        if fmt == "both":
            assert {name: reply.outer[name] for name in fields} == reply.envelope
        assert all(isinstance(reply.envelope[name], str) for name in ("status_code", "response_code", "status"))
    assert replies[1].data["customvar"] == asked["customvar"]


def test_a_brace_inside_a_string_never_ends_the_object_for_simple_readers(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    asked = order(order_id, customvar="}}{", buyer_firstname="}")
    sender.raw(PAGE, form(shop.merchant.envelope(asked)), token=sender.token(shop.merchant))
    reply = sender.verify(shop.merchant, {"orderid": order_id})
    text = cipher.open_(shop.merchant.key, reply.outer["response"]).decode()
    # Only the braces of the three objects: envelope, data, refunds.
    assert text.count("}") == 3
    assert text.count("\\u007d") == 3
    assert reply.text.count("}") == 3


def test_the_record_has_every_field_of_the_specification_in_its_type(
    sender: Sender, shop: Shop, paid: dict[str, str]
) -> None:
    reply = sender.verify(shop.merchant, {"orderid": paid["orderid"]})
    data = reply.data
    assert list(data)[: len(RECORD)] == RECORD
    assert set(data) - set(RECORD) == {"customer_vpa", "bank_response_code", "refunds", "attempts"}
    assert {name for name, value in data.items() if isinstance(value, int)} == {
        "transaction_status",
        "transaction_type",
        "attempts",
    }
    moment = datetime.strptime(data["transaction_time"], "%d-%m-%Y %H:%M:%S").replace(tzinfo=checksum.INDIA)
    assert abs((datetime.now(UTC) - moment).total_seconds()) < 600
    expected = {
        "orderid": paid["orderid"], "merchant_id": shop.merchant.merchant_id, "amount": "1499.50", "transaction_status": 200,
        "transaction_payment_status": "SUCCESS", "chmod": "upi", "currency_code": "356", "message": "Success",
        "bank_response_msg": "Approved", "customer_name": "Asha Rao", "customer_phone": "919876543210",
        "customer_email": "asha@example.in", "transaction_type": 320, "risk": "0", "token": "", "card_scheme": "", "card_number": "",
        "card_type": "", "bank_name": "", "card_country": "", "rrn": paid["rrn"], "customvar": "", "surcharge_amount": "0.00",
        "utr_no": "", "customer_vpa": "success@hundi", "bank_response_code": "00", "refunds": {"count": 0, "total": "0.00"}, "attempts": 1,
    }  # fmt: skip
    assert {name: data[name] for name in expected} == expected
    joined = f"{data['orderid']}:{data['ap_transactionid']}:1499.50:200:Success:{data['merchant_id']}:{shop.merchant.username}"
    assert data["ap_SecureHash"] == str(zlib.crc32(f"{joined}:success@hundi".encode()))
    assert reply.message == "Success"


def test_the_sdk_reads_both_and_encrypted_and_plain_only_when_told(
    reader: tuple[str, Shop], gateway: RunningGateway
) -> None:
    fmt, shop = reader
    asked = Order(order_id="x", amount_paise=1, buyer=ASHA)
    with Client(shop.merchant.credentials, Gateway(base_url=gateway.base_url)) as client:
        if fmt == "plain":
            with pytest.raises(ConfigurationError, match="reply_format"):
                client.payment_form(asked)
        else:
            assert client.payment_form(asked).action_url.startswith(gateway.base_url)
    told = Gateway(base_url=gateway.base_url, allow_plain_replies=True)
    with Client(shop.merchant.credentials, told) as client:
        assert client.payment_form(asked).action_url.startswith(gateway.base_url)


# --- notification forms ---


@pytest.mark.parametrize("shape", ["json-encrypted", "json", "form"])
def test_notifications_come_in_the_form_the_merchant_chose(
    gateway: RunningGateway, server: MerchantServer, browser: Browser, shape: str
) -> None:
    for shop in open_shop(gateway, server, f"hears-{shape}", notification_form=shape):
        order_id = new_order_id()
        scan(gateway, shop.open_page(browser, order_id, custom_var="50% & more} 😀").upi_link)
        (told,) = shop.endpoint.hears(shop.merchant, order_id)
        (heard,) = shop.endpoint.heard
        assert heard.headers["content-type"].partition(";")[0] == {"form": "application/x-www-form-urlencoded"}.get(
            shape, "application/json"
        )
        assert heard.headers["webhook-id"] == told.webhook_id
        assert heard.headers["webhook-signature"].startswith("v1,")
        assert told.transaction.is_paid
        assert told.transaction.custom_var == "50% & more} 😀"
        assert told.transaction == shop.verify(order_id) or shape == "form"
        _check_shape(shape, heard.body, shop)


def _check_shape(shape: str, body: bytes, shop: Shop) -> None:
    if shape == "form":
        fields = dict(httpx.QueryParams(body.decode()))
        names = (
            "MERCID TRANSACTIONID APTRANSACTIONID AMOUNT TRANSACTIONSTATUS TRANSACTIONPAYMENTSTATUS MESSAGE CUSTOMVAR CHMOD TXN_MODE"
            " CURRENCYCODE CUSTOMER CUSTOMERPHONE CUSTOMEREMAIL CUSTOMERVPA RRN IPNID RISK TRANSACTIONTIME TRANSACTIONTYPE BANKNAME"
            " CARDISSUER CARD_NUMBER CARDTYPE SURCHARGE TOKEN CARDCOUNTRY REASON ap_SecureHash"
        )
        assert list(fields) == names.split()
        assert (fields["MERCID"], fields["TRANSACTIONSTATUS"], fields["TXN_MODE"]) == (
            shop.merchant.merchant_id,
            "200",
            "LIVE",
        )
        return
    outer = json.loads(body)
    if shape == "json-encrypted":
        assert list(outer) == ["merchant_id", "response"]
        outer = json.loads(cipher.open_(shop.merchant.key, outer["response"]))
    assert isinstance(outer["data"]["transaction_status"], int)
    assert outer["event"] == "paid"
    data = outer["data"]
    values = [data["orderid"], data["ap_transactionid"], data["amount"], "200", data["message"], data["merchant_id"]]
    assert data["ap_SecureHash"] == securehash.secure_hash(*values, shop.merchant.username, data["customer_vpa"])


def test_a_merchant_that_is_not_authenticated_is_answered_in_plain(sender: Sender, new_merchant: NewMerchant) -> None:
    merchant = new_merchant("Sealed", reply_format="encrypted")
    assert set(sender.verify(merchant, {"orderid": "x"}).outer) == {"merchant_id", "response"}
    assert "response" not in sender.verify(merchant, {"orderid": "x"}, privatekey="0").outer
    assert "response" not in sender.verify(merchant, {"orderid": "x"}, token="0").outer
    assert set(sender.ask_token(merchant, {}).outer) == {"merchant_id", "response"}
