"""What existing clients need.

Every address and content type on every operation, every alias, every shape of reply.
"""

import json
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from hundi.wire.merchant import checksum
from tests.system.browser import Browser
from tests.system.checksums import checksums, mobile
from tests.system.envelopes import (
    API,
    BUYER,
    ENCODINGS,
    PAGE,
    TOKEN,
    VERIFY,
    Body,
    Merchant,
    Sender,
    crc32,
    form,
    order,
    read_reply,
    v4,
)
from tests.system.shop import SESSION, Shop, new_order_id, scan

pytestmark = pytest.mark.usefixtures("books_hold")
PREFIXES = ("/gateway", "/airpay")
TOKEN_NAMES = ("oauth2/", "oauth2", "oauth2/token.php", "oauth2/index.php")
VERIFY_NAMES = ("verify/", "verify", "orderconfirmation/", "orderconfirmation")
PAGE_PATHS = (
    "/pay/v4/",
    "/pay/v4",
    "/pay/v4/index.php",
    "/airpay/pay/v4/",
    "/airpay/pay/v4",
    "/airpay/pay/v4/index.php",
)
Encode = Callable[[Mapping[str, str]], Body]
by_encoding = pytest.mark.parametrize("encode", ENCODINGS, ids=lambda each: each.__name__)


@pytest.fixture(scope="module")
def paid(shop: Shop) -> dict[str, str]:
    """A paid order and its three references."""
    order_id = new_order_id("P")
    with Browser() as browser:
        scan(shop.gateway, shop.open_page(browser, order_id).upi_link)
    told = shop.becomes(order_id, 200)
    return {"orderid": order_id, "ap_transactionid": told.transaction_id, "rrn": told.rrn}


@by_encoding
@pytest.mark.parametrize("name", TOKEN_NAMES)
@pytest.mark.parametrize("prefix", PREFIXES)
def test_token_issuance_has_every_address_in_every_content_type(
    sender: Sender, shop: Shop, prefix: str, name: str, encode: Encode
) -> None:
    body = encode(shop.merchant.envelope(shop.merchant.token_request, privatekey=None))
    reply = sender.post(prefix + API + name, body, shop.merchant)
    assert (reply.status, reply.code, reply.message) == (200, "00", "Success")


@by_encoding
@pytest.mark.parametrize("name", VERIFY_NAMES)
@pytest.mark.parametrize("prefix", PREFIXES)
def test_verify_has_every_address_in_every_content_type(
    sender: Sender, shop: Shop, paid: dict[str, str], prefix: str, name: str, encode: Encode
) -> None:
    body = encode(shop.merchant.envelope({"orderid": paid["orderid"]}))
    reply = sender.post(prefix + API + name, body, shop.merchant, token=sender.token(shop.merchant))
    assert (reply.status, reply.code, reply.data["ap_transactionid"]) == (
        200,
        "00",
        paid["ap_transactionid"],
    )


@by_encoding
@pytest.mark.parametrize("path", PAGE_PATHS)
def test_the_page_has_every_address_in_every_content_type(
    sender: Sender, shop: Shop, path: str, encode: Encode
) -> None:
    order_id = new_order_id()
    # Long enough that its base64 holds a "+", which one of the encodings damages.
    body = encode(shop.merchant.envelope(order(order_id, customvar="+/" * 200)))
    answer = sender.raw(path, body, token=sender.token(shop.merchant))
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(SESSION)
    assert "token" not in answer.headers["location"]
    assert shop.payment(order_id)["amount_paise"] == 149_950


def test_no_address_answers_with_a_redirect(sender: Sender, shop: Shop) -> None:
    body = form(shop.merchant.envelope({}))
    for prefix in PREFIXES:
        for name in (*TOKEN_NAMES, *VERIFY_NAMES):
            assert sender.raw(prefix + API + name, body).status_code == 200


@pytest.mark.parametrize(
    "renamed",
    [
        {"merchant_id": "mercid"},
        {"merchant_id": "mid"},
        {"encdata": "data"},
        {"encdata": "encData"},
    ],
)
def test_outer_fields_have_the_names_of_older_clients(
    sender: Sender, shop: Shop, paid: dict[str, str], renamed: dict[str, str]
) -> None:
    outer = {
        renamed.get(name, name): value
        for name, value in shop.merchant.envelope({"rrn": paid["rrn"]}).items()
    }
    reply = sender.post(
        "/gateway" + API + VERIFY, form(outer), shop.merchant, token=sender.token(shop.merchant)
    )
    assert reply.data["orderid"] == paid["orderid"]


def test_further_outer_fields_and_a_missing_user_agent_do_no_harm(
    sender: Sender, shop: Shop
) -> None:
    outer = shop.merchant.envelope(
        shop.merchant.token_request, privatekey=None, apyVer="", chmod="", mer_dom="", other="x"
    )
    request = httpx.Request(
        "POST", sender.base_url + "/gateway" + API + TOKEN, content=form(outer).content
    )
    request.headers["CONTENT-TYPE"] = "application/x-www-form-urlencoded"
    assert "user-agent" not in request.headers
    assert read_reply(sender.http.send(request), shop.merchant).code == "00"


@pytest.mark.parametrize(
    "left_out", [("orderid",), ("ap_transactionid",), ("rrn",), ("orderid", "rrn"), ()]
)
def test_verify_finds_by_any_reference_and_any_combination(
    sender: Sender, shop: Shop, paid: dict[str, str], left_out: tuple[str, ...]
) -> None:
    asked: dict[str, Any] = {name: value for name, value in paid.items() if name not in left_out}
    for spelled in (
        asked,
        asked | {"merchant_id": shop.merchant.merchant_id},
        asked | {"merchant_id": shop.merchant.number},
    ):
        assert (
            sender.verify(shop.merchant, spelled).data["ap_transactionid"]
            == paid["ap_transactionid"]
        )
    if "ap_transactionid" in asked:
        number = asked | {"ap_transactionid": int(paid["ap_transactionid"])}
        assert sender.verify(shop.merchant, number).data["orderid"] == paid["orderid"]


CAMEL = {
    "buyer_email": "buyerEmail",
    "buyer_phone": "buyerPhone",
    "buyer_firstname": "buyerFirstName",
    "buyer_lastname": "buyerLastName",
    "currency_code": "currency",
    "iso_currency": "isocurrency",
    "customvar": "custom_var",
    "buyer_address": "buyerAddress",
    "buyer_city": "buyerCity",
    "buyer_state": "buyerState",
    "buyer_country": "buyerCountry",
    "buyer_pincode": "buyerPinCode",
}


def test_the_camel_case_of_older_kits_is_understood(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    more = {
        "buyer_address": "7 MG Road",
        "buyer_city": "Pune",
        "buyer_state": "MH",
        "buyer_country": "India",
        "buyer_pincode": "411001",
    }
    asked = {
        CAMEL.get(name, name): value
        for name, value in order(order_id, customvar="mine", **more).items()
    }
    answer = sender.raw(
        PAGE, form(shop.merchant.envelope(asked)), token=sender.token(shop.merchant)
    )
    assert answer.status_code == 303
    row = shop.payment(order_id)
    wanted = {name.removeprefix("buyer_"): value for name, value in (BUYER | more).items()}
    assert (json.loads(row["buyer"]), row["custom_var"]) == (wanted, "mine")


@pytest.mark.parametrize(
    "changes",
    [
        {"iso_currency": "inr"},
        {"currency_code": "INR", "iso_currency": "Inr"},
        {"currency_code": 356, "amount": 1499.5},
        {
            "wallet": "0",
            "kittype": "inline",
            "UID": "u1",
            "txnsubtype": "2",
            "vpa": "asha@upi",
            "unheard_of": {"a": [1, None]},
        },
        {"buyer_address": ..., "customvar": ..., "chmod": ...},
        {"buyer_phone": "+91 (98765) 432-10"},
        {"chmod": "upi_pg"},
    ],
)
def test_what_kits_send_beside_the_specification_is_taken(
    sender: Sender, shop: Shop, changes: dict[str, Any]
) -> None:
    order_id = new_order_id()
    envelope = shop.merchant.envelope(order(order_id, **changes))
    assert sender.raw(PAGE, form(envelope), token=sender.token(shop.merchant)).status_code == 303
    assert shop.payment(order_id)["currency"] == "INR"


def test_the_plaintext_is_read_as_json_however_it_is_spaced_and_escaped(
    sender: Sender, shop: Shop
) -> None:
    order_id = new_order_id()
    asked = order(order_id, buyer_firstname="आशा/", zzz="last")
    text = json.dumps(asked, indent=3, ensure_ascii=True).replace("/", "\\/") + "\n"
    envelope = shop.merchant.envelope(text, checksum=v4(asked))
    assert sender.raw(PAGE, form(envelope), token=sender.token(shop.merchant)).status_code == 303
    assert json.loads(shop.payment(order_id)["buyer"])["firstname"] == "आशा/"


def test_an_iv_may_repeat_and_be_any_printable_text(sender: Sender, shop: Shop) -> None:
    for iv in ("0000000000000000", "0000000000000000", "~!@#$%^&*()_+-= ", "A+B/C=D E+F/G=H "):
        encdata = shop.merchant.sealed({"orderid": "none"}, iv)
        assert sender.verify(shop.merchant, {}, encdata=encdata, checksum=None).code == "503"


# --- checksums ---


@pytest.mark.parametrize("form_name", checksums(Merchant(*"1abcdef"), {"a": "b"}))
def test_each_form_of_checksum_starts_a_payment(sender: Sender, shop: Shop, form_name: str) -> None:
    asked = order(new_order_id(), buyer_city="पुणे")
    envelope = shop.merchant.envelope(asked, checksum=checksums(shop.merchant, asked)[form_name])
    assert sender.raw(PAGE, form(envelope), token=sender.token(shop.merchant)).status_code == 303


@pytest.mark.parametrize("null", ["", "None", "null"])
def test_a_null_may_have_been_concatenated_in_three_ways(
    sender: Sender, shop: Shop, null: str
) -> None:
    asked = order(new_order_id(), customvar=...)
    texts = {name: null if value is None else value for name, value in asked.items()}
    for value in (v4(texts), crc32(texts)):
        envelope = shop.merchant.envelope(asked, checksum=value)
        assert (
            sender.raw(PAGE, form(envelope), token=sender.token(shop.merchant)).status_code == 303
        )


def test_the_mobile_form_counts_on_the_page_alone(sender: Sender, shop: Shop) -> None:
    asked = {"orderid": "x"}
    day = datetime.now(checksum.INDIA).date().isoformat()
    assert (
        sender.verify(shop.merchant, asked, checksum=mobile(shop.merchant, asked, day)).code
        == "103"
    )
    assert sender.verify(shop.merchant, asked, checksum=crc32(asked)).code == "503"


# --- the record ---

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


def test_the_record_has_every_field_of_the_specification_in_its_type(
    sender: Sender, shop: Shop, paid: dict[str, str]
) -> None:
    reply = sender.verify(shop.merchant, {"orderid": paid["orderid"]})
    data = reply.data
    assert list(data)[: len(RECORD)] == RECORD
    assert set(data) - set(RECORD) == {
        "customer_vpa",
        "bank_response_code",
        "detailed_status",
        "captured_amount",
        "paid_at",
        "attempts",
        "emi_bank",
        "emi_months",
        "emi_rate",
        "refunds_count",
        "refunds_total",
        "refund_id",
        "refund_request_id",
        "refund_status",
        "refund_rrn",
        "iso_currency",
        "inr_amount",
        "inr_rate",
    }
    assert not any(isinstance(value, dict | list) for value in data.values())
    assert {name for name, value in data.items() if isinstance(value, int)} == {
        "transaction_status",
        "transaction_type",
        "attempts",
        "emi_months",
        "refunds_count",
    }
    moment = datetime.strptime(data["transaction_time"], "%d-%m-%Y %H:%M:%S").replace(
        tzinfo=checksum.INDIA
    )
    assert abs((datetime.now(UTC) - moment).total_seconds()) < 600
    expected = {
        "orderid": paid["orderid"], "merchant_id": shop.merchant.merchant_id, "amount": "1499.50",
        "transaction_status": 200, "transaction_payment_status": "SUCCESS", "chmod": "upi",
        "currency_code": "356", "message": "Success", "bank_response_msg": "Approved",
        "customer_name": "Asha Rao", "customer_phone": "919876543210",
        "customer_email": "asha@example.in", "transaction_type": 320, "risk": "0", "token": "",
        "card_scheme": "", "card_number": "", "card_type": "", "bank_name": "", "card_country": "",
        "rrn": paid["rrn"], "customvar": "", "surcharge_amount": "0.00", "utr_no": "",
        "customer_vpa": "success@hundi", "bank_response_code": "00", "detailed_status": "SUCCESS",
        "refunds_count": 0, "refunds_total": "0.00", "attempts": 1,
    }  # fmt: skip
    assert {name: data[name] for name in expected} == expected
    paid_as = f"{data['orderid']}:{data['ap_transactionid']}:1499.50:200:Success"
    joined = f"{paid_as}:{data['merchant_id']}:{shop.merchant.username}"
    assert data["ap_SecureHash"] == str(zlib.crc32(f"{joined}:success@hundi".encode()))
    assert reply.message == "Success"
