"""Forms that come from elsewhere, and pages that give nothing away."""

import html
import re

import pytest

from tests.system.browser import Browser, read_screen
from tests.system.envelopes import Sender
from tests.system.shop import (
    Shop,
    enter_card,
    new_order_id,
)

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "https://evil.example", "sec-fetch-site": "cross-site"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.parametrize("tail", ["/qr", "/vpa", "/card"])
def test_a_form_from_another_site_does_nothing(
    sender: Sender, shop: Shop, browser: Browser, headers: dict[str, str], tail: str
) -> None:
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id)
    typed = {"number": "4111111111111111", "expiry": "12/40", "cvv": "123", "vpa": "success@hundi"}
    answer = sender.http.post(screen.url + tail, data=typed, headers=headers)
    assert answer.status_code == 403
    assert read_screen(answer).heading == "This request came from another site"
    assert shop.events(order_id) == ["created"]


def test_pages_are_locked_down_and_carry_no_token(
    sender: Sender, shop: Shop, browser: Browser
) -> None:
    screen = shop.open_page(browser, new_order_id())
    policy = screen.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "base-uri 'none'" in policy
    assert screen.headers["referrer-policy"] == "no-referrer"
    assert screen.headers["x-content-type-options"] == "nosniff"
    assert screen.headers["cache-control"] == "no-store"
    assert sender.token(shop.merchant) not in screen.html
    assert "token=" not in screen.html
    # No inline script, no style attribute, nothing from elsewhere but the link to the simulated
    # app.
    assert not re.search(r"<script(?![^>]*\bsrc=)", screen.html)
    assert not re.search(r"\son\w+=|\sstyle=|javascript:", screen.html)
    loaded = re.findall(r"<(?:script|img|link)[^>]*\b(?:src|href)=\"([^\"]+)\"", screen.html)
    assert all(each.startswith("/pay/v4/") for each in loaded)
    assert "set-cookie" not in screen.headers


def test_what_a_customer_typed_comes_back_as_text(shop: Shop, browser: Browser) -> None:
    screen = shop.open_page(browser, new_order_id())
    evil = '"><script>alert(1)</script>'
    back = enter_card(browser, screen, "4111111111111112", holder=evil, expiry="13/99")
    assert evil not in back.html
    assert html.escape(evil) in back.html or evil in html.unescape(back.html)
    assert back.form("/card").fields["holder"] == evil
    assert (back.form("/card").fields["number"], back.form("/card").fields["cvv"]) == ("", "")
