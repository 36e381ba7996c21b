"""A merchant with its SDK and its endpoint, and the ways in which its customers pay."""

import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from hundi.sdk import Buyer, Callbacks, Client, Gateway, Notification, Order, Return, Transaction
from tests.patience import PATIENCE_S
from tests.system.browser import Browser, Screen
from tests.system.endpoint import Endpoint
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway, until

AMOUNT_PAISE = 149_950
ASHA = Buyer(first_name="Asha", last_name="Rao", email="asha@example.in", phone="+91 98765-43210")
SESSION = "/pay/v4/s/"
CARD = {"expiry": "12/40", "cvv": "123", "holder": "ASHA RAO"}
VISA, MASTERCARD, RUPAY, AMEX = (
    "4111111111111111",
    "5267318187975449",
    "6082015309577308",
    "378282246310005",
)
OTP = "123456"
CHECKOUT = "/aggregator/checkout"


class NotStartedError(AssertionError):
    """The payment page did not open; the text is what it says instead."""

    def __init__(self, screen: Screen) -> None:
        """Keep what came in its place."""
        super().__init__(screen.text)
        self.screen = screen


def new_order_id(mark: str = "T") -> str:
    """Return an order id that no other test uses."""
    return f"{mark}-{secrets.token_hex(6)}"


@dataclass
class Shop:
    """One merchant at one gateway."""

    gateway: RunningGateway
    merchant: Merchant
    client: Client
    endpoint: Endpoint

    @classmethod
    def at(cls, gateway: RunningGateway, merchant: Merchant, endpoint: Endpoint) -> "Shop":
        """Return a shop whose SDK talks to a gateway."""
        return cls(
            gateway,
            merchant,
            Client(merchant.credentials, Gateway(base_url=gateway.base_url)),
            endpoint,
        )

    def open_page(
        self, browser: Browser, order_id: str, amount_paise: int = AMOUNT_PAISE, **more: Any
    ) -> Screen:
        """Send a customer to the payment page, and return its first screen.

        Where UPI is asked for, with a link to pay.
        """
        screen = self.first_screen(browser, order_id, amount_paise, **more)
        if self.gateway.face != "bank" and any(
            each.action.endswith("/qr") for each in screen.forms
        ):
            # The acquirer makes the link when somebody wants it.
            screen = browser.submit(screen.form("/qr"))
            if not screen.offers("/upi/app"):
                raise NotStartedError(screen)
        return screen

    def first_screen(
        self, browser: Browser, order_id: str, amount_paise: int = AMOUNT_PAISE, **more: Any
    ) -> Screen:
        """Send a customer to the payment page, as the SDK's form does, and return its screen."""
        asked = Order(
            order_id=order_id, amount_paise=amount_paise, buyer=more.pop("buyer", ASHA), **more
        )
        form = self.client.payment_form(asked)
        screen = browser.post(form.action_url, form.fields)
        if screen.status != 200 or not screen.path.startswith(SESSION):
            raise NotStartedError(screen)
        return screen

    def refusal_of(self, screen: Screen) -> str:
        """Return what the merchant's developer reads under the reference on a page.

        The customer reads no such words.
        """
        query = "SELECT words FROM refused_requests WHERE merchant_id = $1 AND reference = $2"
        return str(self.gateway.value(query, self.merchant.number, screen.codes[1]))

    def verify(self, order_id: str, amount_paise: int = AMOUNT_PAISE) -> Transaction:
        """Ask the gateway, by the SDK."""
        return self.client.verify(order_id=order_id, amount_paise=amount_paise)

    def becomes(
        self,
        order_id: str,
        status: int,
        amount_paise: int = AMOUNT_PAISE,
        within_s: float = PATIENCE_S,
    ) -> Transaction:
        """Poll verify until the transaction has a status, as merchants are told to.

        See docs/spec/payment-interfaces.md#generateorder.
        """

        def look() -> Transaction | None:
            told = self.verify(order_id, amount_paise)
            return told if told.status_code == status else None

        return until(look, f"{order_id} to become {status}", within_s=within_s, every_s=0.15)

    def declined(self, order_id: str, bank_code: str) -> Transaction:
        """Poll verify until a decline shows.

        The order can still be paid, so it is 211 and nobody was told.
        """

        def look() -> Transaction | None:
            told = self.verify(order_id)
            return told if told.bank_code == bank_code else None

        told = until(look, f"{order_id} to be declined with {bank_code}", every_s=0.15)
        assert (told.status_code, told.payment_status, told.is_failed) == (211, "INCOMPLETE", False)
        assert self.endpoint.about(self.merchant, order_id) == []
        return told

    def goes_back(self, browser: Browser, screen: Screen, order_id: str) -> Transaction:
        """Let a customer go back after a decline, which ends the payment.

        Return what everybody is told then.
        """
        page = browser.post(screen.url.partition("?")[0] + "/return", {})
        assert page.forms[0].action.endswith("/unpaid")
        told = self.come_back(page, order_id).transaction
        assert self.verify(order_id) == told
        assert self.hears_event(order_id, "failed").transaction == told
        return told

    def hears_event(self, order_id: str, event: str, within_s: float = PATIENCE_S) -> Notification:
        """Wait until the shop was told of an event of an order, and return the message."""

        def look() -> Notification | None:
            return next(
                (
                    each
                    for each in self.endpoint.about(self.merchant, order_id)
                    if each.event == event
                ),
                None,
            )

        return until(look, f"{event} of {order_id}", within_s=within_s)

    def come_back(self, screen: Screen, order_id: str, amount_paise: int = AMOUNT_PAISE) -> Return:
        """Read what the browser carries back to the shop, as the shop's server does."""
        (form,) = screen.forms
        assert urlsplit(form.action).netloc == urlsplit(self.endpoint.url).netloc
        return Callbacks(self.merchant.credentials).read_return(
            form.fields, order_id=order_id, amount_paise=amount_paise
        )

    # --- the books about one order ---

    def payment(self, order_id: str) -> dict[str, Any]:
        """Return the payment's own row."""
        (row,) = self.gateway.rows(
            "SELECT * FROM payments WHERE merchant_id = $1 AND order_id = $2",
            self.merchant.number,
            order_id,
        )
        return row

    def attempts(self, order_id: str) -> list[dict[str, Any]]:
        """Return its attempts, oldest first."""
        return self.gateway.rows(
            "SELECT a.* FROM attempts a JOIN payments p USING (merchant_id, payment_id)"
            " WHERE merchant_id = $1 AND order_id = $2 ORDER BY a.created_at, attempt_id",
            self.merchant.number,
            order_id,
        )

    def events(self, order_id: str) -> list[str]:
        """Return the names of its events, in order."""
        return [
            row["kind"]
            for row in self.gateway.rows(
                "SELECT e.kind FROM payment_events e JOIN payments p USING (merchant_id,"
                " payment_id)"
                " WHERE merchant_id = $1 AND order_id = $2 ORDER BY event_no",
                self.merchant.number,
                order_id,
            )
        ]

    def postings(self, order_id: str) -> list[tuple[str, str, str, int]]:
        """Return (kind, debit, credit, paise) of everything posted for it."""
        return [
            (row["kind"], row["debit"], row["credit"], row["amount_paise"])
            for row in self.gateway.rows(
                "SELECT l.kind, l.debit, l.credit, l.amount_paise FROM ledger_postings l"
                " JOIN attempts a ON a.merchant_id = l.merchant_id AND a.attempt_id = l.cause_id"
                " JOIN payments p ON p.merchant_id = a.merchant_id AND p.payment_id = a.payment_id"
                " WHERE p.merchant_id = $1 AND order_id = $2 ORDER BY l.at, l.kind",
                self.merchant.number,
                order_id,
            )
        ]

    def bank_debits(self, order_id: str) -> list[tuple[int, str]]:
        """Return (paise, state) of all the order's attempts in the bank's own books."""
        ours = {f"{each['merchant_id']}-{each['attempt_id']}" for each in self.attempts(order_id)}
        return [
            (each["amount_paise"], each["state"])
            for each in self.gateway.bank_entries()
            if each["reference"] in ours and each["kind"] in {"debit", "authorise"}
        ]

    def bank_endings(self, order_id: str) -> list[tuple[str, int]]:
        """Return (kind, paise) of the order's captures and voids in the bank's own books."""
        ours = {f"{each['merchant_id']}-{each['attempt_id']}" for each in self.attempts(order_id)}
        return [
            (each["kind"], each["amount_paise"])
            for each in self.gateway.bank_entries()
            if each["reference"] in ours and each["kind"] in {"capture", "void"}
        ]

    def bank_refunds(self, order_id: str) -> list[tuple[int, str]]:
        """Return (paise, state) of all the order's refunds in the bank's own books."""
        ours = {f"{each['merchant_id']}-{each['attempt_id']}" for each in self.attempts(order_id)}
        return [
            (each["amount_paise"], each["state"])
            for each in self.gateway.bank_entries()
            if each["reference"] in ours and each["kind"] == "refund"
        ]


PAID_POSTING = [("payment", "receivable:sandbox", "payable", AMOUNT_PAISE)]


def scan(
    gateway: RunningGateway, upi_link: str, payer_vpa: str = "success@hundi", **more: Any
) -> dict[str, Any]:
    """Pay a UPI link with the customer's app and return what the app shows."""
    answer = gateway.bank.post("/upi/pay", json={"uri": upi_link, "payer_vpa": payer_vpa, **more})
    return answer.raise_for_status().json()


def pay_in_app(
    browser: Browser, screen: Screen, payer_vpa: str = "success@hundi", act: str = "approve"
) -> Screen:
    """Open the simulated UPI app at the QR, press a button, and return what the app shows."""
    app = browser.get(screen.link("/upi/app"))
    return browser.submit(app.form("/upi/app"), payer_vpa=payer_vpa, act=act)


def enter_card(browser: Browser, screen: Screen, number: str = VISA, **changes: str) -> Screen:
    """Type a card, at our page or at the aggregator's, and return where that leads.

    The bank's challenge, or our page again.
    """
    form, typed = screen.form("/card"), {"number": number, **CARD, **changes}
    if "number" in form.fields:
        return browser.submit(form, **typed)
    onward = browser.submit(form)
    there = browser.submit(onward.form(CHECKOUT)) if onward.offers(CHECKOUT) else onward
    return (
        browser.submit(there.forms[0], act="pay", **typed)
        if CHECKOUT in there.path and there.forms
        else there
    )


def enter_otp(browser: Browser, challenge: Screen, otp: str = OTP) -> Screen:
    """Confirm at the bank's page and return where that leads."""
    (form,) = challenge.forms
    return browser.submit(form, otp=otp, act="confirm")


def pay_card(
    browser: Browser, screen: Screen, number: str = VISA, otp: str = OTP, **changes: str
) -> Screen:
    """Pay by card, through the challenge when there is one, and return the screen after it."""
    after = enter_card(browser, screen, number, **changes)
    return settled(browser, enter_otp(browser, after, otp)) if "/3ds/" in after.path else after


def settled(browser: Browser, screen: Screen, within_s: float = PATIENCE_S) -> Screen:
    """Reload a waiting page, as it asks to be, until it shows something else."""

    def look() -> Screen | None:
        seen = browser.get(screen.url)
        return None if seen.at == "waiting" else seen

    return until(look, f"{screen.url} to stop waiting", within_s=within_s)
