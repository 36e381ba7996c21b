"""The shapes of replies and notifications, each of which keeps a real client alive."""

import json
from collections.abc import Iterator

import httpx
import pytest

from hundi.sdk import Client, Gateway, Order
from hundi.sdk.errors import ConfigurationError
from hundi.wire import cipher
from hundi.wire.merchant import securehash
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

pytestmark = pytest.mark.usefixtures("books_hold")


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
            assert text.replace("\\u007d", "}") == json.dumps(
                reply.envelope, separators=(",", ":"), ensure_ascii=False
            )
        if fmt == "both":
            assert {name: reply.outer[name] for name in fields} == reply.envelope
        assert all(
            isinstance(reply.envelope[name], str)
            for name in ("status_code", "response_code", "status")
        )
    assert replies[1].data["customvar"] == asked["customvar"]


def test_a_brace_inside_a_string_never_ends_the_object_for_simple_readers(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    asked = order(order_id, customvar="}}{", buyer_firstname="}")
    sender.raw(PAGE, form(shop.merchant.envelope(asked)), token=sender.token(shop.merchant))
    reply = sender.verify(shop.merchant, {"orderid": order_id})
    text = cipher.open_(shop.merchant.key, reply.outer["response"]).decode()
    # Only the braces of the two objects: envelope and data.
    assert text.count("}") == 2
    assert text.count("\\u007d") == 3
    assert reply.text.count("}") == 2


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
        assert heard.headers["content-type"].partition(";")[0] == {
            "form": "application/x-www-form-urlencoded"
        }.get(shape, "application/json")
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
            "MERCID TRANSACTIONID APTRANSACTIONID AMOUNT TRANSACTIONSTATUS"
            " TRANSACTIONPAYMENTSTATUS MESSAGE CUSTOMVAR CHMOD TXN_MODE"
            " CURRENCYCODE CUSTOMER CUSTOMERPHONE CUSTOMEREMAIL CUSTOMERVPA RRN IPNID RISK"
            " TRANSACTIONTIME TRANSACTIONTYPE BANKNAME"
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
    values = [
        data["orderid"],
        data["ap_transactionid"],
        data["amount"],
        "200",
        data["message"],
        data["merchant_id"],
    ]
    assert data["ap_SecureHash"] == securehash.secure_hash(
        *values, shop.merchant.username, data["customer_vpa"]
    )


def test_a_merchant_that_is_not_authenticated_is_answered_in_plain(
    sender: Sender, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Sealed", reply_format="encrypted")
    assert set(sender.verify(merchant, {"orderid": "x"}).outer) == {"merchant_id", "response"}
    assert "response" not in sender.verify(merchant, {"orderid": "x"}, privatekey="0").outer
    # Whoever has the right privatekey can open a sealed reply, and some clients read nothing else.
    assert set(sender.verify(merchant, {"orderid": "x"}, token="0").outer) == {
        "merchant_id",
        "response",
    }
    assert (
        "response" not in sender.verify(merchant, {"orderid": "x"}, token="0", privatekey="0").outer
    )
    # Whoever sealed with another key cannot open ours.
    foreign = cipher.seal(cipher.encryption_key("another", "pair"), b"{}")
    assert "response" not in sender.verify(merchant, {"orderid": "x"}, encdata=foreign).outer
    assert set(sender.ask_token(merchant, {}).outer) == {"merchant_id", "response"}
