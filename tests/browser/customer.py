"""A person with a browser.

What they do at shop, payment page and bank, and everything their browser noticed.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Route, WebError, expect

from tests.patience import PATIENCE_S

GOOD_CARD = "4111 1111 1111 1111"
GOOD_OTP = "123456"
BAD_OTP = "000000"
PATIENCE_MS = PATIENCE_S * 1000
DESK: Mapping[str, Any] = {"viewport": {"width": 1200, "height": 860}}
PHONE: Mapping[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
    "user_agent": "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/126.0 Mobile Safari/537.36",
}
TABLET: Mapping[str, Any] = {**PHONE, "viewport": {"width": 1180, "height": 820}}
"""As wide as a desk, and pressed with thumbs."""
expect.set_options(timeout=PATIENCE_MS)
SESSION = re.compile(r"/pay/v4/s/[^/?]+$")
CHALLENGE = re.compile(r"/3ds/")
RETURN = re.compile(r"/demo-shop/return$")
ORDER = re.compile(r"/demo-shop/orders/[^/]+$")


class Customer:
    """One person in one fresh browser profile."""

    def __init__(self, browser: Browser, demo: Mapping[str, Any], **options: Any) -> None:
        """Open an empty page. options: of the browser context, on top of those of a desk."""
        self.scripts = options.get("java_script_enabled", True)
        self.shop_url: str = demo["shop_url"]
        self.payment_page_url: str = demo["payment_page_url"]
        self._origins = {
            _origin(demo[name]) for name in ("base_url", "payment_page_url", "simbank_url")
        }
        self._complaints: list[str] = []
        self._forgiven: list[str] = []
        self._context = browser.new_context(**{**DESK, **options})
        self._context.set_default_timeout(PATIENCE_MS)
        self._context.on("console", self._hear_console)
        self._context.on("weberror", self._hear_error)
        self._context.on("request", self._hear_request)
        self._context.on("requestfailed", self._hear_failure)
        self.page = self._context.new_page()

    def leave(self) -> list[str]:
        """Close the browser and return everything that was not right.

        Errors, violated policies, foreign requests.
        """
        self._context.close()
        return [
            each for each in self._complaints if not any(words in each for words in self._forgiven)
        ]

    def forgive(self, words: str) -> None:
        """Expect a complaint with these words: what it is about belongs to the test."""
        self._forgiven.append(words)

    # --- at the shop ---

    def buy(self, product: str = "Nilgiri masala chai") -> Page:
        """Choose a product and go to the payment page."""
        self.page.goto(self.shop_url)
        self.page.get_by_role("link", name=f"Buy {product}").click()
        return self.check_out()

    def buy_for(self, rupees: str) -> Page:
        """Buy a gift card of an amount that no other test uses, and go to the payment page."""
        self.page.goto(self.shop_url)
        self.page.get_by_label("Amount in rupees").fill(rupees)
        self.page.get_by_role("button", name="Buy").click()
        return self.check_out()

    def check_out(self) -> Page:
        """Order with the details that are filled in."""
        self.page.get_by_role("button", name=re.compile("^Pay ")).click()
        if not self.scripts:
            self.page.get_by_role("button", name=re.compile("^Continue to pay ")).click()
        self.page.wait_for_url(SESSION)
        return self.page

    @contextmanager
    def held_at_the_outcome(self) -> Iterator[None]:
        """Keep the browser from going back to the shop while the outcome is looked at."""
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        self.page.route(RETURN, hold)
        yield
        self.page.unroute(RETURN)
        for route in held:
            route.continue_()

    def see_paid_order(self) -> None:
        """Be back at the shop, which says that the order is paid.

        Who does not press waits for some seconds.
        """
        go_on = self.page.get_by_role("button", name=re.compile("^Continue to "))
        expect(go_on.or_(self.page.get_by_role("status")).first).to_be_visible()
        if go_on.is_visible():
            go_on.click()
        self.page.wait_for_url(ORDER)
        expect(self.page.get_by_role("status")).to_have_text("Paid")

    # --- on the payment page and at the bank ---

    def open_upi_app(self, payer_vpa: str = "success@hundi") -> Page:
        """Open the simulated UPI app with the payment's link, in its own tab, and say who pays."""
        with self._context.expect_page() as opened:
            self.open_row("UPI")
            self.page.get_by_role("link", name="Open the simulated UPI app").first.click()
        app = opened.value
        app.get_by_label("Pay from").fill(payer_vpa)
        return app

    def pay_by_upi(self, payer_vpa: str = "success@hundi") -> Page:
        """Approve the payment in the simulated UPI app and return the app's receipt."""
        app = self.open_upi_app(payer_vpa)
        app.get_by_role("button", name=re.compile("^Pay ")).click()
        expect(app.get_by_role("heading", name=re.compile("Paid|Pending|Not paid"))).to_be_visible()
        return app

    def open_row(self, name: str) -> None:
        """Open a row of the methods, unless it stands open."""
        row = self.page.locator(
            "details[name=method]",
            has=self.page.locator("> summary b", has_text=re.compile(f"^{name}$")),
        )
        if row.get_attribute("open") is None:
            row.locator("> summary").click()

    def type_card(self, number: str = GOOD_CARD) -> None:
        """Open the card form and fill it in."""
        self.open_row("Credit or debit card")
        self.page.get_by_label("Card number").fill(number)
        self.page.get_by_label("Expiry").fill("12/30")
        self.page.get_by_label("Security code").fill("1234" if number.startswith("3") else "123")

    def press_pay(self) -> None:
        """Press the card form's button."""
        self.page.get_by_role("button", name=re.compile("^Pay ")).click()

    def pay_by_card(self, number: str = GOOD_CARD, otp: str = GOOD_OTP) -> None:
        """Pay by card, through the bank's challenge and back."""
        self.type_card(number)
        self.press_pay()
        self.page.wait_for_url(CHALLENGE)
        self.page.get_by_label("One-time password").fill(otp)
        self.page.get_by_role("button", name=re.compile("^Confirm ")).click()

    # --- what the browser noticed ---

    def _hear_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self._complaints.append(f"console {message.type}: {message.text}")

    def _hear_error(self, error: WebError) -> None:
        self._complaints.append(f"script error: {error.error}")

    def _hear_request(self, request: Request) -> None:
        if _origin(request.url) not in self._origins and not request.url.startswith("data:"):
            self._complaints.append(f"foreign request: {request.url}")

    def _hear_failure(self, request: Request) -> None:
        # A page that is left abandons what it has just asked for; every other failure is one.
        if request.failure != "net::ERR_ABORTED":
            self._complaints.append(f"failed request: {request.url}: {request.failure}")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
