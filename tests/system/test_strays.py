"""Addresses that nobody serves, and refused starts.

A page for a browser, JSON for a program, each in its own form.
"""

import httpx
import pytest

from tests.system.browser import read_screen
from tests.system.envelopes import PAGE, Sender, form, order
from tests.system.shop import Shop

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PROGRAM = {"Accept": "application/json, text/html"}
NOWHERE = (
    "/nothing",
    "/gateway/pay/v4/api/nothing/",
    "/gateway/pay/v4/api/verify/",
    "/airpay/ms/baas/api/gst-verification",
    "/gateway/ms/nothing",
)


def ask(sender: Sender, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    return sender.http.request(method, sender.base_url + path, headers=headers)


@pytest.mark.parametrize("path", NOWHERE)
def test_a_browser_gets_a_page_and_a_program_gets_json(sender: Sender, path: str) -> None:
    shown = ask(sender, path, **BROWSER)
    assert (shown.status_code, shown.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert read_screen(shown).heading == "There is no page at this address"
    assert shown.headers["x-request-id"].startswith("req_")
    for headers in (PROGRAM, {"Accept": "*/*"}, {"Accept": ""}):
        told = ask(sender, path, **headers)
        assert told.headers["content-type"] == "application/json"
        assert told.json()["status"] in {"fail", 400}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/gateway/ms/baas/api/gst-verification", 405),
        ("PUT", "/airpay/ms/pos/api/transaction-detail-bulk", 405),
        ("POST", "/gateway/ms/baas/api/nothing", 404),
    ],
)
def test_partners_read_their_own_form_at_their_addresses(
    sender: Sender, method: str, path: str, status: int
) -> None:
    answer = ask(sender, path, method)
    told = answer.json()
    assert answer.status_code == status
    assert {name: told[name] for name in ("status", "message", "data", "error_code")} == {
        "status": 400,
        "message": "Failed",
        "data": "",
        "error_code": "101",
    }
    assert "method was" in told["error"] or f"address was '{path}'" in told["error"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/pay/index.php", "/pay/v4/"),
        ("/pay", "/pay/v4/"),
        ("/gateway/pay/index.php", "/gateway/pay/v4/"),
        ("/airpay/pay", "/airpay/pay/v4/"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_address_of_version_3_says_what_to_change(
    sender: Sender, method: str, old: str, new: str
) -> None:
    shown = ask(sender, old, method, **BROWSER)
    screen = read_screen(shown)
    assert shown.status_code == 410
    assert screen.heading == "The shop uses an old address of the payment page"
    assert screen.codes == [
        old,
        new,
        "docs/payment.md, docs/old-kits.md, /gateway/pay/v4/openapi.json",
    ]
    assert "No money has left your account." in screen.text
    assert "kits of versions 2 and 3 for this merchant" in screen.text
    assert ask(sender, "/gateway/pay/v4/openapi.json").status_code == 200
    told = ask(sender, old, method, **PROGRAM)
    assert (told.status_code, told.json()["response_code"]) == (410, "101")
    assert f"allowed: {new} with a message of version 4" in told.json()["message"]


def test_a_program_reads_why_a_payment_could_not_be_started(sender: Sender, shop: Shop) -> None:
    body = form(shop.merchant.envelope(order("S-1"), privatekey="0" * 64))
    address = f"{sender.base_url}{PAGE}?token={sender.token(shop.merchant)}"
    told = sender.http.post(address, content=body.content, headers={**body.headers, **PROGRAM})
    envelope = told.json()
    assert (envelope["response_code"], envelope["data"]) == ("108", [])
    assert envelope["request_id"] == told.headers["x-request-id"]
    shown = sender.http.post(address, content=body.content, headers={**body.headers, **BROWSER})
    assert read_screen(shown).heading == "This payment could not be started"
