"""Payment initiation under bad input: a page that says why, the code, a reference and the way back.

Nothing is stored.
"""

import html
import re
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from tests.system.browser import Browser, Screen, read_screen
from tests.system.conftest import NewMerchant
from tests.system.envelopes import BUYER, PAGE, Body, Merchant, Payload, Sender, form, order
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, scan

pytestmark = pytest.mark.usefixtures("books_hold")
REFERENCE = re.compile(r"req_[0-9a-f]{20}")


def start(
    sender: Sender,
    merchant: Merchant,
    payload: Payload,
    *,
    token: str | None = None,
    **changes: str | None,
) -> httpx.Response:
    """Post a payment form and return the bare answer."""
    query = {"token": sender.token(merchant) if token is None else token}
    return sender.raw(PAGE, form(merchant.envelope(payload, **changes)), **query)


def assert_refused(answer: httpx.Response, code: str, shop: Shop | None) -> Screen:
    """A page in words, with code, reference and a way back; shop.

    None when no merchant was named.
    """
    assert answer.status_code == 200, answer.headers
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["referrer-policy"] == "no-referrer"
    screen = read_screen(answer)
    assert screen.heading == "This payment could not be started"
    assert screen.codes[0] == code
    assert REFERENCE.fullmatch(screen.codes[1])
    assert answer.headers["x-request-id"] == screen.codes[1]
    assert "No money has left your account." in screen.text
    if shop is None:
        assert not screen.links
        assert "browser's back button" in screen.text
    else:
        assert [address for address, _ in screen.links] == [
            f"{shop.endpoint.url.rpartition('/')[0]}/{_name(shop)}/unpaid"
        ]
    return screen


def kept(shop: Shop, screen: Screen) -> str:
    """Return what the merchant's developer reads under the reference on a page."""
    return shop.refusal_of(screen)


def assert_tells(shop: Shop, screen: Screen, name: str, received: str, allowed: str) -> None:
    """The log names the field, what came and what is allowed, in whatever sentence.

    The customer reads no such words.
    """
    told = kept(shop, screen)
    assert re.search(rf"\b{name}\b", told), told
    assert all(each in told for each in (received, allowed)), told
    assert allowed not in screen.text


def typed(value: object) -> str:
    """Return the start of a value as every page shows it.

    What does not print, or is no text, is shown in some other form.
    """
    return (
        value[:8].strip()
        if isinstance(value, str) and value.isascii() and value.isprintable()
        else ""
    )


def _name(shop: Shop) -> str:
    return shop.endpoint.url.rpartition("/")[2].partition("-")[0]


def payments_of(shop: Shop, order_id: str) -> int:
    query = "SELECT count(*) FROM payments WHERE merchant_id = $1 AND order_id = $2"
    return shop.gateway.value(query, shop.merchant.number, order_id)


AMOUNTS = [
    "0",
    "0.00",
    "-1",
    "1e3",
    "1,000.00",
    "10.005",
    " 10 ",
    "१०.००",
    "99999999999.99",
    "",
    "ten",
    "+5",
    "0x10",
    "1.",
    ".5",
]
AMOUNTS += [
    "1.2.3",
    "NaN",
    "Infinity",
    "10 ",
    "\u00a010",
    "١٠",
    "1\u0000",
    "1" * 500,
    "12345678901",
]


@pytest.mark.parametrize("amount", AMOUNTS)
def test_an_amount_that_is_no_plain_decimal_is_refused_by_name(
    sender: Sender, shop: Shop, amount: str
) -> None:
    order_id = new_order_id()
    screen = assert_refused(start(sender, shop.merchant, order(order_id, amount)), "110", shop)
    allowed = "at most 10 digits, then at most two places" if amount else "required"
    assert_tells(shop, screen, "amount", typed(amount), allowed)
    assert payments_of(shop, order_id) == 0


@pytest.mark.parametrize("amount", ["0.01", "1", "1.5", "0001.00", "9999999999.99", 1499, 10.5])
def test_an_amount_that_is_a_plain_decimal_is_taken_to_the_paisa(
    sender: Sender, shop: Shop, amount: Any
) -> None:
    order_id = new_order_id()
    assert start(sender, shop.merchant, order(order_id, amount)).status_code == 303
    assert shop.payment(order_id)["amount_paise"] == round(float(amount) * 100)


REQUIRED = ["orderid", "amount", "currency_code", "iso_currency", *BUYER]


@pytest.mark.parametrize("left", [..., "", None], ids=["null", "empty", "absent"])
@pytest.mark.parametrize("name", REQUIRED)
def test_a_missing_field_is_named(sender: Sender, shop: Shop, name: str, left: Any) -> None:
    screen = assert_refused(
        start(sender, shop.merchant, order("MISSING", **{name: left})), "110", shop
    )
    assert_tells(shop, screen, name, "", "this field is required")
    assert payments_of(shop, "MISSING") == 0


BAD_FIELDS: list[tuple[str, Any, str]] = [
    ("orderid", "o" * 65, "1 to 64 characters"),
    ("orderid", "a b", "1 to 64 characters"),
    ("orderid", "../../etc/passwd", "1 to 64 characters"),
    ("orderid", "<script>alert(1)</script>", "1 to 64 characters"),
    ("orderid", "ऑर्डर१", "1 to 64 characters"),
    ("orderid", "a\u0000", "1 to 64 characters"),
    ("orderid", "a\r\nSet-Cookie: x=1", "1 to 64 characters"),
    ("buyer_email", "no-at-sign", "an e-mail address"),
    ("buyer_email", "a@b", "an e-mail address"),
    ("buyer_email", "a" * 250 + "@b.in", "254"),
    ("buyer_email", "a@b.in\u0000", "an e-mail address"),
    ("buyer_email", "a@b.in,c@d.in@e.in", "an e-mail address"),
    ("buyer_phone", "1234567", "8 to 15 digits"),
    ("buyer_phone", "1" * 16, "8 to 15 digits"),
    ("buyer_phone", "९८७६५४३२१०", "8 to 15 digits"),
    ("buyer_phone", "98765x43210", "8 to 15 digits"),
    ("buyer_firstname", "n" * 101, "100 characters"),
    ("buyer_firstname", "Asha\u0007", "no control characters"),
    ("buyer_firstname", "Asha\nRao", "no control characters"),
    ("buyer_firstname", "   ", "1 to 100 characters"),
    ("buyer_lastname", "Rao\u202eoaR", "no control characters"),
    ("buyer_lastname", {"a": "b"}, "text or a number"),
    ("buyer_lastname", ["Rao"], "text or a number"),
    ("buyer_lastname", True, "text or a number"),
    ("buyer_address", "a" * 256, "255 characters"),
    ("buyer_pincode", "1" * 17, "16 characters"),
    ("buyer_city", "c" * 256, "255 characters"),
    ("customvar", "v" * 4097, "4096 characters"),
    ("customvar", "a\u0085b", "no control characters"),
    ("chmod", "gold", "channel codes joined by _"),
    ("chmod", "upi_", "channel codes joined by _"),
    ("vpa", "no address", "a UPI address"),
    ("txnsubtype", "99", "one of 1 2 3"),
    ("mer_dom", "\u0001", "no control characters"),
    ("iso_currency", "Rupees", "an ISO 4217 code"),
    ("iso_currency", "JPY", "an ISO 4217 code"),
    ("currency_code", "840", "356, the number of INR"),
    ("currency_code", "३५६", "356, the number of INR"),
    ("currency_code", "35", "356, the number of INR"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), BAD_FIELDS)
def test_a_field_out_of_bounds_is_named_with_what_came_and_what_is_allowed(
    gateway: RunningGateway, sender: Sender, shop: Shop, name: str, value: Any, allowed: str
) -> None:
    order_id = new_order_id()
    answer = start(sender, shop.merchant, order(order_id, **{name: value}))
    screen = assert_refused(answer, "110", shop)
    assert_tells(shop, screen, name, typed(value), allowed)
    assert payments_of(shop, order_id) == 0
    assert "<script>alert" not in answer.text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202e]", answer.text)
    assert len(screen.text) < 1500
    (told,) = gateway.operate("refusal", "list", shop.merchant.merchant_id, screen.codes[1])
    assert (told["code"], told["operation"]) == ("field_invalid", "payment")


@pytest.mark.parametrize(("code", "letters"), [("840", "USD"), ("USD", "usd"), ("978", "EUR")])
def test_a_currency_the_merchant_may_not_take_is_113(
    sender: Sender, shop: Shop, code: str, letters: str
) -> None:
    order_id = new_order_id()
    answer = start(sender, shop.merchant, order(order_id, currency_code=code, iso_currency=letters))
    assert_tells(
        shop, assert_refused(answer, "113", shop), "currency_code", letters.upper(), "allowed: INR"
    )
    assert payments_of(shop, order_id) == 0


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("chmod", "nb", "allowed: upi_pg"),
        ("txnsubtype", "3", "allowed: 2, 1"),
    ],
)
def test_a_channel_that_is_not_there_is_113(
    sender: Sender, shop: Shop, name: str, value: str, allowed: str
) -> None:
    screen = assert_refused(
        start(sender, shop.merchant, order(new_order_id(), **{name: value})), "113", shop
    )
    assert_tells(shop, screen, name, value, allowed)


@pytest.mark.parametrize("token", ["", "0" * 40, "आशा"])
def test_without_a_token_of_its_own_nobody_starts_a_payment(
    sender: Sender, shop: Shop, token: str
) -> None:
    assert_refused(start(sender, shop.merchant, order("TOKENLESS"), token=token), "104", shop)
    assert payments_of(shop, "TOKENLESS") == 0


@pytest.mark.parametrize("given", [None, "", "0" * 64])
def test_a_wrong_privatekey_is_108(sender: Sender, shop: Shop, given: str | None) -> None:
    assert_refused(start(sender, shop.merchant, order("KEYLESS"), privatekey=given), "108", shop)
    assert payments_of(shop, "KEYLESS") == 0


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"merchant_id": "77"}, "501"), ({"merchant_id": None}, "101"), ({"encdata": None}, "101")],
)
def test_an_envelope_without_its_merchant_or_message_is_refused(
    sender: Sender, shop: Shop, changes: Mapping[str, str | None], code: str
) -> None:
    named = None if "merchant_id" in changes else shop
    assert_refused(start(sender, shop.merchant, order("HOLLOW"), **changes), code, named)


@pytest.mark.parametrize("given", [None, "", "0" * 64, "1234567890"])
def test_initiation_needs_a_checksum_that_fits(
    sender: Sender, shop: Shop, given: str | None
) -> None:
    screen = assert_refused(
        start(sender, shop.merchant, order("UNSUMMED"), checksum=given), "103", shop
    )
    assert ("required on this operation" in kept(shop, screen)) == (not given)
    assert payments_of(shop, "UNSUMMED") == 0


@pytest.mark.parametrize(
    "payload", ["no JSON", '{"orderid":"TWICE","orderid":"TWICE"}', '["a"]', b"\xff", ""]
)
def test_damaged_encdata_is_102_without_a_reason(
    sender: Sender, shop: Shop, payload: str | bytes
) -> None:
    screen = assert_refused(start(sender, shop.merchant, payload), "102", shop)
    assert "encdata could not be read" in kept(shop, screen)
    assert "encdata" not in screen.text
    broken = shop.merchant.sealed(payload)[:-6]
    same = assert_refused(start(sender, shop.merchant, payload, encdata=broken), "102", shop)
    assert REFERENCE.sub("", same.text) == REFERENCE.sub("", screen.text)


NAMES = [
    ("😀", "🪔🎉"),
    ("आशा", "राव"),
    ("அனிதா", "குமார்"),
    ("O'Neill-“Joe” <b>", "& Söhne; DROP TABLE"),
    ("}{", "{{7*7}}%s"),
]


@pytest.mark.parametrize(("first", "last"), NAMES)
def test_names_in_any_script_come_back_as_they_were_sent(
    sender: Sender, shop: Shop, browser: Browser, first: str, last: str
) -> None:
    order_id = new_order_id()
    asked = order(
        order_id, buyer_firstname=first, buyer_lastname=last, customvar=f"{first}|{last}|%00}}"
    )
    screen = browser.get(sender.base_url + start(sender, shop.merchant, asked).headers["location"])
    scan(shop.gateway, screen.upi_link)
    told = shop.becomes(order_id, 200)
    assert (told.customer_name, told.custom_var) == (f"{first} {last}", f"{first}|{last}|%00}}")
    (heard,) = shop.endpoint.hears(shop.merchant, order_id)
    assert (heard.transaction.customer_name, heard.transaction.custom_var) == (
        told.customer_name,
        told.custom_var,
    )
    back = shop.come_back(browser.get(screen.url), order_id)
    assert (back.transaction.customer_name, back.transaction.custom_var) == (
        told.customer_name,
        told.custom_var,
    )
    buyer = shop.payment(order_id)["buyer"]
    assert first in html.unescape(buyer) or first in buyer.encode().decode(
        "unicode_escape", "ignore"
    )


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "image/png"])
def test_a_wrong_content_type_is_101(sender: Sender, shop: Shop, content_type: str) -> None:
    body = form(shop.merchant.envelope(order("TYPED")))
    answer = sender.raw(PAGE, Body(body.content, content_type), token=sender.token(shop.merchant))
    assert (
        "Something is wrong with what the shop sent us." in assert_refused(answer, "101", None).text
    )


def test_a_body_of_a_megabyte_is_413(sender: Sender, shop: Shop) -> None:
    assert_refused(
        start(sender, shop.merchant, order("LARGE", customvar="x" * 1_000_000)), "413", None
    )


def test_a_suspended_merchant_starts_nothing(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Halted")
    sender.token(merchant)
    gateway.operate("merchant", "suspend", merchant.merchant_id)
    assert_refused(start(sender, merchant, order("HALTED")), "131", None)
    assert (
        gateway.value("SELECT count(*) FROM payments WHERE merchant_id = $1", merchant.number) == 0
    )


def test_the_bare_address_explains_itself(gateway: RunningGateway, browser: Browser) -> None:
    for path in ("/pay/v4/", "/pay/v4", "/pay/v4/index.php", "/airpay/pay/v4/"):
        screen = browser.get(gateway.base_url + path)
        assert (screen.status, screen.heading) == (200, "Payments start in a shop")
