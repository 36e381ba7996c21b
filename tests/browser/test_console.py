"""The console in a real browser.

Signing in, every screen's looks at phone and desk, passkeys, an invitation.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pyotp.totp import TOTP

from hundi.console.navigation import GROUPS
from tests.browser.customer import DESK, PHONE, TABLET
from tests.browser.looks import (
    assert_accessible,
    assert_fits,
    assert_high_enough,
    assert_no_axe_violations,
)
from tests.system.console import Console
from tests.system.running import RunningGateway, until
from tests.system.test_console_payments import OPERATOR

EMAIL = "bharat@demo.example"
SCREENS = (
    *(each.path for nouns in GROUPS.values() for each in nouns if each.at != "all"),
    "deliveries/replay",
    "integration/notifications",
    "integration/methods",
    "integration/endpoints",
    "settings",
)
ACROSS = tuple(each.path for nouns in GROUPS.values() for each in nouns if each.at != "merchant")
LOOKS = ((DESK, "light"), (PHONE, "dark"))
"""What axe judges: each device and each scheme once."""
HEADER_PX_MAX = 160
"""How far down a phone the content begins."""
THUMB_PX_MIN, POINTER_PX_MIN = 44, 24
"""How high everything is that a thumb presses, and what a mouse at a desk presses.

The second is criterion 2.5.8 of WCAG 2.2.
"""
CLOSE = "matchMedia('(min-width: 860px) and (pointer: fine)').matches"
"""Where console.css puts everything closer: not on a wide tablet, which is pressed with thumbs."""
PRESSED = (
    "a.button:visible, button:visible, nav a:visible, select:visible, input:not([type=radio],"
    " [type=checkbox]):visible,"
    " label:has(input[type=radio], input[type=checkbox]):visible"
)


@pytest.fixture(scope="module")
def signed_in(gateway: RunningGateway) -> Iterator[Console]:
    """A session of the second merchant's owner, whose cookie each browser of this file gets.

    A code is good once.
    """
    with Console(gateway) as console:
        assert console.sign_in(EMAIL).headers["location"] == "/console/"
        yield console


@pytest.fixture(scope="module")
def operating(gateway: RunningGateway) -> Iterator[Console]:
    """A session of the operator, whom other files sign in too.

    A code that was used is new half a minute later.
    """
    with Console(gateway, "198.51.100.71") as console:

        def is_in() -> bool:
            return console.sign_in(OPERATOR).headers.get("location") == "/console/"

        until(is_in, "a fresh code", every_s=15)
        yield console


def _context(browser: Browser, signed_in: Console, **options: Any) -> BrowserContext:
    context = browser.new_context(**options)
    url = signed_in.gateway.base_url
    context.add_cookies(
        [
            {"name": name, "value": value, "url": url}
            for name, value in signed_in.http.cookies.items()
        ]
    )
    return context


def _complaints(page: Page) -> list[str]:
    found: list[str] = []
    page.on(
        "console",
        lambda told: found.append(told.text) if told.type in {"error", "warning"} else None,
    )
    page.on("pageerror", lambda told: found.append(str(told)))
    return found


def assert_large_enough(page: Page) -> None:
    """Assert that everything on the page that is pressed is high enough for what presses it."""
    assert_high_enough(page, PRESSED, POINTER_PX_MIN if page.evaluate(CLOSE) else THUMB_PX_MIN)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", [DESK, PHONE], ids=["desk", "phone"])
def test_every_screen_is_named_structured_and_fits(
    browser: Browser, signed_in: Console, device: Mapping[str, Any], scheme: str
) -> None:
    context = _context(browser, signed_in, **device, color_scheme=scheme)
    page = context.new_page()
    complaints = _complaints(page)
    place = signed_in.gateway.demo["merchants"][1]["merchant_id"]
    base = f"{signed_in.gateway.base_url}/console"
    for path in (*(f"{place}/{each}" for each in SCREENS), "you", "choose"):
        page.goto(f"{base}/{path}")
        assert_accessible(page)
        assert_fits(page)
        if (device, scheme) in LOOKS:
            assert_no_axe_violations(page)
        assert_large_enough(page)
    assert complaints == []
    context.close()


def test_a_wide_tablet_has_room_for_thumbs_on_every_screen(
    browser: Browser, signed_in: Console
) -> None:
    """It has the columns of a desk, of which only one with a mouse is close."""
    base = f"{signed_in.gateway.base_url}/console"
    place = signed_in.gateway.demo["merchants"][1]["merchant_id"]
    for device, is_close, paths in ((DESK, True, ()), (PHONE, False, ()), (TABLET, False, SCREENS)):
        context = _context(browser, signed_in, **device)
        page = context.new_page()
        for path in ("you", *(f"{place}/{each}" for each in paths)):
            page.goto(f"{base}/{path}")
            assert page.evaluate(CLOSE) is is_close
            assert_fits(page)
            assert_large_enough(page)
        context.close()


@pytest.mark.parametrize(("device", "scheme"), LOOKS, ids=["desk", "phone"])
def test_the_operators_screens_are_structured_and_fit(
    browser: Browser, operating: Console, device: Mapping[str, Any], scheme: str
) -> None:
    gateway = operating.gateway
    context = _context(browser, operating, **device, color_scheme=scheme)
    page = context.new_page()
    complaints = _complaints(page)
    place = gateway.demo["merchants"][0]["merchant_id"]
    of_one = [
        f"all/merchants/{place}",
        "all/acquirers/sandbox",
        "all/routing/new",
        "all/routing/form",
        "all/risk/form",
        "all/gateway-settings",
        f"{place}/price-plan/form",
    ]
    paths = [*(f"all/{each}" for each in ACROSS), *of_one, *(f"{place}/{each}" for each in SCREENS)]
    for path in paths:
        page.goto(f"{gateway.base_url}/console/{path}")
        assert_accessible(page)
        assert_no_axe_violations(page)
        assert_fits(page)
        assert_large_enough(page)
    assert complaints == []
    context.close()


def test_the_keyboard_reaches_the_content_first(browser: Browser, signed_in: Console) -> None:
    context = _context(browser, signed_in, **DESK)
    page = context.new_page()
    page.goto(f"{signed_in.gateway.base_url}/console/you")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    context.close()


def test_a_phone_opens_the_menu_without_scripts(browser: Browser, signed_in: Console) -> None:
    context = _context(browser, signed_in, **PHONE, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{signed_in.gateway.base_url}/console/")
    assert page.locator("main").evaluate("main => main.offsetTop") <= HEADER_PX_MAX
    page.get_by_text("Menu", exact=True).click()
    page.get_by_role("link", name="Trail").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Trail")
    context.close()


def test_an_invited_person_joins_signs_in_and_makes_a_passkey(
    browser: Browser, signed_in: Console
) -> None:
    """The whole way: link, password, app, recovery codes.

    Then a passkey, and in with nothing else.
    """
    place = signed_in.gateway.demo["merchants"][1]["merchant_id"]
    made = signed_in.post(
        f"{place}/people", email="tara@spice.example", name="Tara Bose", role="support"
    )
    link = re.search(r"/console/join/[\w-]+", made.text)
    assert link
    # Passkeys are bound to names: a demo's is localhost.
    base = signed_in.gateway.base_url.replace("127.0.0.1", "localhost")
    context = browser.new_context(**PHONE)
    page = context.new_page()
    complaints = _complaints(page)
    page.goto(base + link[0])
    assert_accessible(page)
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    page.get_by_label("Password again").fill("correct horse battery")
    secret = page.locator("form code").inner_text().replace(" ", "")
    page.get_by_label("Six digits").fill(TOTP(secret).now())
    page.get_by_role("button", name="Finish").click()
    expect(page.locator(".codes code")).to_have_count(10)
    recovery = page.locator(".codes code").first.inner_text()
    expect(page.get_by_role("button", name="Copy")).to_be_visible()
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    page.get_by_role("link", name="I have kept them").click()
    page.wait_for_url(re.compile(rf"/console/{place}/$"))
    page.goto(f"{base}/console/you")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("E-mail address").fill("tara@spice.example")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_label("Code", exact=True).fill(recovery)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(re.compile(rf"/console/{place}/$"))
    devtools = context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    authenticator = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
    }
    devtools.send(
        "WebAuthn.addVirtualAuthenticator",
        {"options": authenticator | {"isUserVerified": True, "automaticPresenceSimulation": True}},
    )
    page.goto(f"{base}/console/you/passkeys")
    assert_accessible(page)
    page.get_by_label("What to call it").fill("Telephone")
    page.get_by_role("button", name="Make a passkey").click()
    expect(page.get_by_role("status")).to_have_text("The passkey was added.")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("status")).to_have_text("You are signed out.")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(re.compile(rf"/console/{place}/$"))
    page.goto(f"{base}/console/you")
    page.get_by_role("button", name="Remove Telephone").click()
    expect(page.get_by_role("status")).to_have_text("The passkey was removed.")
    assert complaints == []
    context.close()
