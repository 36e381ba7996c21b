"""A shop in each language lives at the running gateway, from its first token to a refund."""

import base64
from dataclasses import asdict
from typing import Any

import pytest

from tests.system.browser import Browser
from tests.system.running import RunningGateway
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, pay_card, scan
from tools.sdks.check import Program

CONFIRMED = {"is_paid": "true", "is_pending": "false", "is_final": "true"}


def told(program: Program, do: str, **given: Any) -> Any:
    """Return what an SDK gives, which must not be a refusal."""
    (answer,) = program.ask([{"do": do, "with": given}])
    assert "gives" in answer, answer
    return answer["gives"]


def refused(program: Program, do: str, **given: Any) -> dict[str, str]:
    """Return an SDK's refusal."""
    (answer,) = program.ask([{"do": do, "with": given}])
    assert "refused" in answer, answer
    return answer["refused"]


def credentials(shop: Shop) -> dict[str, Any]:
    """Return a shop's credentials, as requests carry them."""
    values = asdict(shop.merchant.credentials)
    return values | {"webhook_keys": list(values["webhook_keys"])}


@pytest.fixture
def connected(program: Program, shop: Shop) -> Program:
    """A program that is connected as the shop."""
    given = {"credentials": credentials(shop), "base_url": shop.gateway.base_url}
    assert told(program, "connect", payment_page_url="", **given) == ""
    return program


def of_order(order_id: str) -> dict[str, str]:
    """Return what the shop's own books have of an order."""
    return {"order_id": order_id, "amount_paise": str(AMOUNT_PAISE)}


def announced(program: Program, shop: Shop, order_id: str, event: str) -> dict[str, str]:
    """Return a notification as the SDK reads it."""
    shop.hears_event(order_id, event)
    for heard in shop.endpoint.heard:
        given = {"headers": heard.headers, "body": base64.b64encode(heard.body).decode()}
        now = {"now": str(int(heard.at_s)), "credentials": credentials(shop)}
        read = told(program, "notification", **given, **now)
        if (read["order_id"], read["event"]) == (order_id, event):
            return read
    raise AssertionError(event, order_id)


def test_a_customer_pays_on_the_page_and_gets_a_part_back(
    connected: Program, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id("SDK")
    form = told(connected, "payment_form", txnsubtype="2", **of_order(order_id))
    assert form["html"].count('type="hidden"') == len(form["fields"]) == 4
    result = pay_card(browser, browser.post(form["action"], form["fields"]))

    (back,) = result.forms
    returned = {"form": back.fields, "now": back.fields["webhook_timestamp"]}
    own = {"credentials": credentials(shop), **of_order(order_id)}
    assert told(connected, "return", **returned, **own).items() >= CONFIRMED.items()
    cheaper = own | {"amount_paise": "100"}
    assert refused(connected, "return", **returned, **cheaper)["kind"] == "mismatch"

    assert announced(connected, shop, order_id, "paid").items() >= CONFIRMED.items()
    paid = told(connected, "verify", **of_order(order_id))
    assert (paid["is_paid"], paid["amount_paise"]) == ("true", str(AMOUNT_PAISE))
    elsewhere = of_order(order_id) | {"amount_paise": "1"}
    assert refused(connected, "verify", **elsewhere)["kind"] == "mismatch"

    share = {"identifier": "WEAVER", "share": "2500", "request_id": order_id.encode().hex()[-8:]}
    share["request_id"] = str(int(share["request_id"], 16))
    named = {"transaction_id": paid["transaction_id"]}
    assert told(connected, "split", rrn=paid["rrn"], **share, **named)["status"] == "configured"

    part = {"amount_paise": "10000", "request_id": f"R-{order_id}"}
    for _ in range(2):  # the same request again refunds nothing twice
        assert told(connected, "refund", **named, **part)["accepted"] == "true"
    assert announced(connected, shop, order_id, "refund_done")["is_refund"] == "true"
    assert told(connected, "verify", **of_order(order_id))["refunded_paise"] == "10000"


def test_a_customer_pays_a_qr_and_an_address_is_checked(connected: Program, shop: Shop) -> None:
    order_id = new_order_id("QR")
    qr = told(connected, "generate_qr", **of_order(order_id))
    assert (qr["order_id"], qr["png"]) == (order_id, "PNG")
    assert told(connected, "verify", **of_order(order_id))["is_pending"] == "true"
    scan(shop.gateway, qr["text"])
    shop.becomes(order_id, 200)
    assert told(connected, "verify", **of_order(order_id)).items() >= CONFIRMED.items()
    checked = told(connected, "validate_vpa", address="success@hundi")
    assert checked == {"address": "success@hundi", "is_registered": "true"}
    wrong = refused(connected, "validate_vpa", address="nobody")
    assert (wrong["field"], wrong["received"]) == ("vpa", "nobody")


def test_money_is_reserved_and_captured_once(
    connected: Program, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id("AUTH")
    form = told(connected, "payment_form", txnsubtype="1", **of_order(order_id))
    pay_card(browser, browser.post(form["action"], form["fields"]))
    held = told(connected, "verify", **of_order(order_id))
    assert held["is_authorised"] == "true"
    taken = told(connected, "capture", transaction_id=held["transaction_id"])
    assert taken["is_paid"] == "true"
    again = refused(connected, "capture", transaction_id=held["transaction_id"])
    assert (again["kind"], again["code"], again["retry"]) == ("state_refused", "120", "never")


def test_lists_and_links_come_back_as_declared(connected: Program) -> None:
    assert "upi" in told(connected, "banks").split()
    reference = new_order_id("LINK")
    made = told(connected, "create_link", reference=reference)
    assert made == {"state": "open", "same": "true"}


def test_a_refusal_says_its_code_and_whether_a_retry_helps(connected: Program, shop: Shop) -> None:
    absent = refused(connected, "verify", **of_order(new_order_id("NONE")))
    assert (absent["kind"], absent["code"], absent["retry"]) == ("not_found", "503", "never")
    wrong = credentials(shop) | {"api_secret": "another"}
    given = {"base_url": shop.gateway.base_url, "payment_page_url": "", "credentials": wrong}
    assert told(connected, "connect", **given) == ""
    unproven = refused(connected, "verify", **of_order("ORD-1"))
    assert (unproven["kind"], unproven["code"]) == ("credentials_refused", "108")


def test_in_trouble_a_bank_is_asked_and_the_customer_pays_once(
    connected: Program, shop: Shop, gateway: RunningGateway, browser: Browser
) -> None:
    """With the trouble dial turned up: lost, doubled and reordered messages of the bank."""
    gateway.inject_faults(
        seed=31, delay_ms=[0, 60], lose_request=0.2, lose_reply=0.2, duplicate_callback=0.5
    )
    orders = [new_order_id("TROUBLE") for _ in range(4)]
    try:
        for order_id in orders:
            qr = told(connected, "generate_qr", **of_order(order_id))
            scan(gateway, qr["text"])
            shop.becomes(order_id, 200)
    finally:
        gateway.inject_faults()
    for order_id in orders:
        assert told(connected, "verify", **of_order(order_id))["is_paid"] == "true"
        assert announced(connected, shop, order_id, "paid")["is_paid"] == "true"
    gateway.audit()
