"""Generate UPI QR and validate UPI address through the running gateway, field by field."""

import base64
import re
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import zxingcpp
from png import Reader

from tests.system.browser import Browser
from tests.system.conftest import NewMerchant
from tests.system.envelopes import BUYER, Merchant, Reply, Sender, order
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, PAID_POSTING, Shop, new_order_id, scan

pytestmark = pytest.mark.usefixtures("books_hold")
AMOUNT = "1499.50"


def seen(picture: str) -> str:
    """Return what a reader sees in a picture as the reply has it."""
    width, height, rows, _ = Reader(bytes=base64.b64decode(picture, validate=True)).asRGB8()
    grey = bytes(value for row in rows for value in bytes(row)[::3])
    (found,) = zxingcpp.read_barcodes(
        memoryview(grey).cast("B", (height, width)), formats=zxingcpp.BarcodeFormat.QRCode
    )
    return found.text


def generate(sender: Sender, merchant: Merchant, order_id: str, **more: Any) -> Reply:
    return sender.ask("generateorder", merchant, {"orderid": order_id, "amount": AMOUNT, **more})


def qr(reply: Reply) -> dict[str, Any]:
    assert (reply.code, reply.envelope["status"], reply.envelope["status_code"]) == (
        "00",
        "success",
        "200",
    )
    return reply.data


@pytest.mark.parametrize(
    "more", [{}, {**BUYER, "currency_code": "356", "customvar": "till 4", "call_type": "upiqr"}]
)
def test_an_order_is_paid_by_scanning_its_qr(
    gateway: RunningGateway, sender: Sender, shop: Shop, more: dict[str, str]
) -> None:
    order_id = new_order_id()
    data = qr(generate(sender, shop.merchant, order_id, **more))
    assert list(data) == [
        "qr_string",
        "qr_image",
        "ap_transactionid",
        "orderid",
        "merchant_id",
        "qrcode_string",
        "status",
        "expires_at",
    ]
    assert (data["orderid"], data["status"], data["qrcode_string"]) == (
        order_id,
        "200",
        data["qr_string"],
    )
    assert seen(data["qr_image"]) == data["qr_string"]
    link = parse_qs(urlsplit(data["qr_string"]).query)
    (attempt,) = shop.attempts(order_id)
    assert (link["am"], link["cu"], link["mode"], link["tn"]) == (
        [AMOUNT],
        ["INR"],
        ["22"],
        [order_id],
    )
    assert link["tr"] == [f"{shop.merchant.merchant_id}-{attempt['attempt_id']}"]
    assert link["QRexpire"] == [data["expires_at"]]
    life = datetime.fromisoformat(data["expires_at"]) - datetime.now(UTC)
    assert timedelta(seconds=460) < life <= timedelta(seconds=480)
    waiting = shop.verify(order_id)
    assert (waiting.status_code, waiting.payment_status) == (211, "INCOMPLETE")
    scan(gateway, data["qr_string"])
    told = shop.becomes(order_id, 200)
    assert (told.transaction_id, told.channel, told.custom_var) == (
        data["ap_transactionid"],
        "upi",
        more.get("customvar", ""),
    )
    assert shop.postings(order_id) == PAID_POSTING
    spent = generate(sender, shop.merchant, order_id, **more)
    assert (spent.code, spent.envelope["status"], spent.data) == ("112", "fail", [])
    again = scan(gateway, data["qr_string"])
    assert again["status"] == "declined", "one payment spends a QR"


def test_the_same_order_gives_the_same_qr_and_another_one_after_a_failure(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    order_id = new_order_id()
    first = qr(generate(sender, shop.merchant, order_id))
    assert qr(generate(sender, shop.merchant, order_id)) == first
    scan(gateway, first["qr_string"], "insufficient@hundi")
    shop.declined(order_id, "Z9")
    second = qr(generate(sender, shop.merchant, order_id))
    assert second["ap_transactionid"] == first["ap_transactionid"]
    assert second["qr_string"] != first["qr_string"]
    scan(gateway, second["qr_string"])
    shop.becomes(order_id, 200)
    assert [each["state"] for each in shop.attempts(order_id)] == ["failed", "paid"]


def test_another_amount_under_the_same_order_is_refused(sender: Sender, shop: Shop) -> None:
    order_id = new_order_id()
    qr(generate(sender, shop.merchant, order_id))
    assert generate(sender, shop.merchant, order_id, amount="1499.51").code == "111"


def test_a_late_payment_to_an_expired_qr_is_accepted_and_posted(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    order_id = new_order_id()
    data = qr(generate(sender, shop.merchant, order_id))
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    gateway.rows(
        "UPDATE attempts SET expires_at = $2, inquire_at = $2 FROM payments p WHERE"
        " attempts.merchant_id = p.merchant_id"
        " AND attempts.payment_id = p.payment_id AND p.order_id = $1",
        order_id,
        long_ago,
    )
    gateway.rows("UPDATE payments SET expires_at = $2 WHERE order_id = $1", order_id, long_ago)
    shop.becomes(order_id, 402)
    scan(gateway, data["qr_string"], ignore_expiry=True)
    assert shop.becomes(order_id, 200).payment_status == "SUCCESS"
    assert (
        shop.hears_event(order_id, "late_success").transaction.transaction_id
        == data["ap_transactionid"]
    )
    assert shop.postings(order_id) == PAID_POSTING


BAD_ORDERS = {
    "orderid": ["", None, "a b", "x" * 65, "नमस्ते"],
    "amount": ["", None, "0", "0.00", "-1", "1.001", "1e3", "1,000.00", "10000000000.00", "ten"],
    "currency_code": ["840", "XXX"],
    "buyer_email": ["nobody", "a@b@c"],
    "buyer_phone": ["12", "x" * 9],
    "txnsubtype": ["1", "3", "7"],
    "chmod": ["pg", "nb_ppc"],
}


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in BAD_ORDERS.items() for value in values]
)
def test_a_bad_field_is_named_with_what_came_and_what_is_allowed(
    sender: Sender, shop: Shop, field: str, value: str | None
) -> None:
    asked = {"orderid": new_order_id(), "amount": AMOUNT} | {field: value}
    reply = sender.ask(
        "generateorder",
        shop.merchant,
        {name: each for name, each in asked.items() if each is not None},
    )
    assert reply.code in {"110", "113"}
    assert (reply.envelope["status"], reply.data) == ("fail", [])
    assert field in reply.envelope["message"] or "currency" in reply.envelope["message"]


def test_the_privatekey_may_be_left_out_and_a_wrong_one_may_not(sender: Sender, shop: Shop) -> None:
    payload = {"orderid": new_order_id(), "amount": AMOUNT}
    assert sender.ask("generateorder", shop.merchant, payload, privatekey=None).code == "00"
    assert sender.ask("generateorder", shop.merchant, payload, privatekey="0" * 64).code == "108"
    assert (
        sender.ask("validatevpa", shop.merchant, {"vpa": "asha@hundi"}, privatekey=None).code
        == "108"
    )


def test_a_merchant_without_upi_gets_no_qr_and_no_address_check(
    sender: Sender, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant(channels="pg")
    assert generate(sender, merchant, new_order_id()).code == "113"
    assert sender.ask("validatevpa", merchant, {"vpa": "asha@hundi"}).code == "113"


def test_an_answer_kept_for_others_is_not_for_a_merchant_without_upi(
    sender: Sender, shop: Shop, new_merchant: NewMerchant
) -> None:
    asked = {"vpa": "asha.known@hundi"}
    assert sender.ask("validatevpa", shop.merchant, asked).code == "00"
    assert sender.ask("validatevpa", new_merchant(channels="pg"), asked).code == "113"


def check(sender: Sender, merchant: Merchant, vpa: str, name: str = "vpa") -> Reply:
    return sender.ask("validatevpa", merchant, {name: vpa})


@pytest.mark.parametrize("name", ["vpa", "customer_vpa"])
@pytest.mark.parametrize(
    ("vpa", "person"),
    [
        ("asha.rao@hundi", "Asha Rao (simulated)"),
        ("Asha_Rao-1@OKAXIS", "Asha Rao 1 (simulated)"),
        (" asha@pz ", "Asha (simulated)"),
        ("9876543210@airtelpaymentsbank", "9876543210 (simulated)"),
        ("a1@s2b", "A1 (simulated)"),
        ("x" * 190 + "@" + "a" * 64, None),
    ],
)
def test_a_registered_address_is_named(
    sender: Sender, shop: Shop, name: str, vpa: str, person: str | None
) -> None:
    reply = check(sender, shop.merchant, vpa, name)
    assert reply.code == "00"
    assert list(reply.data) == ["vpa", "valid", "vpa_name", "status", "message"]
    assert (reply.data["valid"], reply.data["status"], reply.data["vpa"]) == (
        "true",
        "200",
        vpa.strip().lower(),
    )
    if person:
        assert reply.data["vpa_name"] == person


def test_a_well_formed_address_that_nobody_has_is_a_successful_answer(
    sender: Sender, shop: Shop
) -> None:
    reply = check(sender, shop.merchant, "unregistered@hundi")
    assert (reply.code, reply.envelope["status"]) == ("00", "success")
    assert (reply.data["valid"], reply.data["status"], reply.data["vpa_name"]) == (
        "false",
        "400",
        "",
    )


@pytest.mark.parametrize(
    "vpa",
    ["", "asha", "@hundi", "asha@", "a@hundi", "asha@@hundi", "as ha@hundi", "asha#1@hundi",
        "asha@hu-ndi", "asha@1bank",
     "asha@h", ".asha@hundi", "आशा@hundi", "asha@hundi\n@x", "x" * 256 + "@hundi"],
)  # fmt: skip
def test_a_malformed_address_is_an_error_that_names_the_field(
    sender: Sender, shop: Shop, vpa: str
) -> None:
    reply = check(sender, shop.merchant, vpa)
    assert (reply.code, reply.envelope["status"], reply.data) == ("110", "fail", [])
    assert "vpa" in reply.envelope["message"]


def test_an_unreachable_network_is_no_answer_about_the_address(
    gateway: RunningGateway, sender: Sender, shop: Shop
) -> None:
    gateway.inject_faults(lose_request=1.0)
    try:
        reply = check(sender, shop.merchant, "never.asked.before@hundi")
    finally:
        gateway.inject_faults()
    assert (reply.code, reply.data) == ("999", [])
    assert "try again later" in reply.envelope["message"]
    until(
        lambda: check(sender, shop.merchant, "never.asked.before@hundi").code == "00",
        "the breaker to close",
    )


def test_so_many_checks_are_no_way_to_look_names_up(
    sender: Sender, new_merchant: NewMerchant, shop: Shop
) -> None:
    merchant = new_merchant("Name collector")
    numbers = count(9_000_000_000)
    replies = [check(sender, merchant, f"{next(numbers)}@hundi") for _ in range(130)]
    refused = [each for each in replies if each.code == "429"]
    assert refused, "two minutes at the most lie within 130 checks"
    assert all(each.code in {"00", "429"} for each in replies)
    assert all(1 <= int(each.headers["retry-after"]) <= 60 for each in refused)
    assert re.search(r"60 checks a minute and 2000 a day", refused[0].envelope["message"])
    assert check(sender, shop.merchant, "asha@hundi").code == "00", (
        "one merchant's checks are not another's"
    )


def test_a_payment_form_seen_in_a_browser_opens_no_qr(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    # The payload of a payment form has the fields of a QR order, so it is one: for the same order,
    # and paid once.
    order_id = new_order_id()
    reply = sender.ask("generateorder", shop.merchant, order(order_id))
    assert reply.code == "00"
    assert shop.payment(order_id)["amount_paise"] == AMOUNT_PAISE
