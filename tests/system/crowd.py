"""Many customers at once.

Each pays one order, keeps trying as a person would when something breaks, and remembers what it
saw.
"""

import random
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import httpx

from hundi.sdk.errors import RefusedError, TransportError
from tests.patience import PATIENCE_S
from tests.system.browser import Browser, Screen
from tests.system.running import until
from tests.system.shop import (
    CHECKOUT,
    VISA,
    NotStartedError,
    Shop,
    enter_card,
    enter_otp,
    new_order_id,
    scan,
)

PAID, LEFT = 200, 405
_BROKEN = (httpx.HTTPError, TransportError, RefusedError, NotStartedError)
"""What a person tries again after."""

Seen = TypeVar("Seen")


@dataclass
class Customer:
    """One order and how its customer pays.

    expected: the status that the order must end in, unless a test says otherwise.

    begun: the page is open. through: the bank has had the payment, or said no.
    """

    shop: Shop
    order_id: str
    payer_vpa: str = ""
    card: str = ""
    expected: int = PAID
    broken: list[str] = field(default_factory=list)
    begun: bool = False
    through: bool = False

    def pay(self) -> None:
        """Open the page and pay, again and again until the bank has had it once."""
        with Browser() as browser:
            screen = self._again(lambda: self._page(browser))
            self.begun = True
            if self.payer_vpa:
                self._again(lambda: scan(self.shop.gateway, screen.upi_link, self.payer_vpa))
            else:
                self._by_card(browser, screen)
            if self.expected != PAID:
                self._goes_back(browser, screen)
        self.through = True

    def _goes_back(self, browser: Browser, screen: Screen) -> None:
        """Go back to the shop after the decline, which ends the payment."""

        def once() -> bool:
            ended = self.shop.verify(self.order_id).status_code == self.expected
            return ended or not browser.post(screen.url + "/return", {})

        self._patiently(once, "to be given up")

    def _by_card(self, browser: Browser, screen: Screen) -> None:
        def once() -> bool:
            seen = browser.get(screen.url)
            if seen.at == "waiting" and seen.offers("choose=1"):
                seen = browser.get(screen.url + "?choose=1")
            if seen.at != "choose":
                # Whoever waits, or sees a page that failed, looks again.
                return seen.at in {"result", "over"}
            challenge = enter_card(browser, seen, self.card)
            if "/3ds/" in challenge.path and challenge.forms:
                after = enter_otp(browser, challenge)
                if CHECKOUT in after.path and after.forms:
                    # An aggregator's page takes another card after a no: who has none goes back to
                    # the shop.
                    browser.submit(after.forms[0], act="cancel")
                return self.expected != PAID
            return False

        self._patiently(once, "to leave the page")

    def _page(self, browser: Browser) -> Screen:
        screen = self.shop.open_page(browser, self.order_id)
        assert not self.payer_vpa or screen.upi_link
        return screen

    def _once(self, act: Callable[[], Seen]) -> Seen | None:
        try:
            return act()
        except _BROKEN as problem:
            self.broken.append(f"{type(problem).__name__}: {problem}")
            return None

    def _again(self, act: Callable[[], Seen]) -> Seen:
        return until(
            lambda: self._once(act),
            f"{self.order_id} to get through",
            within_s=PATIENCE_S,
            every_s=0.2,
        )

    def _patiently(
        self, act: Callable[[], object], what: str, within_s: float = PATIENCE_S
    ) -> None:
        """Do it again and again until it is done; whoever gives up tells the order's story."""
        try:
            until(
                lambda: self._once(act), f"{self.order_id} {what}", within_s=within_s, every_s=0.3
            )
        except AssertionError as error:
            story = (
                self.shop.events(self.order_id),
                self.shop.attempts(self.order_id),
                self.broken,
            )
            raise AssertionError(f"{error}: {story}") from error

    def ends(self, within_s: float = PATIENCE_S) -> None:
        """Wait until verify says what this order must end in, and the shop was told."""

        def look() -> bool:
            return self.shop.verify(self.order_id).status_code == self.expected

        self._patiently(look, "to end", within_s)
        self.shop.hears_event(
            self.order_id, "paid" if self.expected == PAID else "failed", within_s=within_s
        )


def customers(shop: Shop, number: int, payers: Sequence[tuple[str, str, int]]) -> list[Customer]:
    """Return so many customers who pay in turn as listed.

    (UPI address, card number, expected status).
    """
    if shop.gateway.face == "aggregator":
        # A declined card is followed by another one at the aggregator's page: who goes back from
        # there has left it.
        payers = [
            (vpa, card, LEFT if card and status != PAID else status) for vpa, card, status in payers
        ]
    return [
        Customer(shop, new_order_id("C"), *payers[index % len(payers)]) for index in range(number)
    ]


BY_UPI = ("success@hundi", "", 200)
BY_CARD = ("", VISA, 200)


def at_once(
    crowd: Sequence[Customer], meanwhile: Callable[[], None] | None = None, width: int = 16
) -> None:
    """Let all pay, some at a time; raises what any of them raises.

    meanwhile: what else happens. It begins once the first has opened the page, and half of the
    crowd comes only then.
    """
    shuffled = list(crowd)
    random.shuffle(shuffled)
    first, happens = len(shuffled) // 2 if meanwhile else len(shuffled), threading.Event()

    def pay(place: int) -> None:
        assert place < first or happens.wait(PATIENCE_S)
        shuffled[place].pay()

    with ThreadPoolExecutor(width) as pool:
        paying = [pool.submit(pay, place) for place in range(len(shuffled))]
        if meanwhile:
            until(
                lambda: any(each.begun for each in crowd) or any(each.done() for each in paying),
                "the first customer",
            )
            happens.set()
            meanwhile()
        for each in paying:
            each.result()


def one_more(crowd: Sequence[Customer]) -> None:
    """Wait until one more of them is through, or all are."""
    before = sum(each.through for each in crowd)
    until(
        lambda: sum(each.through for each in crowd) > before or before == len(crowd),
        "one more customer",
    )


_ATTEMPTS = """
    SELECT p.order_id, a.merchant_id || '-' || a.attempt_id AS reference, a.state, a.amount_paise,
    l.kind
    FROM payments p JOIN attempts a USING (merchant_id, payment_id) LEFT JOIN ledger_postings l
        ON l.merchant_id = a.merchant_id AND l.cause_id = a.attempt_id
    WHERE p.order_id = ANY($1)
"""


def assert_settled(crowd: Sequence[Customer]) -> None:
    """Every order ended as it must.

    Told, posted once, and debited once at the bank exactly when it is paid.
    """
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(Customer.ends, crowd))
    gateway = crowd[0].shop.gateway
    extra = {
        each.order_id: _given_back(each) if gateway.face != "bank" and each.card else []
        for each in crowd
    }
    debited: dict[str, int] = {}
    for entry in gateway.bank_entries():
        if entry["state"] == "done" and entry["kind"] != "refund":
            debited[entry["reference"]] = debited.get(entry["reference"], 0) + entry["amount_paise"]
    rows = gateway.rows(_ATTEMPTS, [each.order_id for each in crowd])
    for each in crowd:
        attempts, back = (
            [row for row in rows if row["order_id"] == each.order_id],
            extra[each.order_id],
        )
        moved = [debited.pop(row["reference"], 0) for row in attempts]
        wanted = back + [attempts[0]["amount_paise"]] * (each.expected == PAID)
        told = (
            f"{each.order_id}: the bank moved {moved},"
            f" {[(row['state'], row['kind']) for row in attempts]}"
        )
        assert sorted(filter(None, moved)) == sorted(wanted), told
        kinds = sorted(row["kind"] for row in attempts if row["kind"])
        assert kinds == ["overpaid"] * len(back) + ["payment"] * (each.expected == PAID), told
        heard = {one.event for one in each.shop.endpoint.about(each.shop.merchant, each.order_id)}
        assert heard <= {"paid", "failed"} | (
            {"excess_payment", "excess_refunded"} if back else set()
        )


def _given_back(customer: Customer) -> list[int]:
    """Return the paise an order was overpaid, once all of it went back and the shop was told.

    A challenge that was passed charges an aggregator's card without us (decision 50): whoever pays
    again while our page still waits for the answer has paid twice. The order keeps one of them, and
    the others must go back.
    """
    shop, order_id = customer.shop, customer.order_id

    def settled() -> bool:
        done = [paise for paise, state in shop.bank_debits(order_id) if state == "done"]
        back = [paise for kind, *_, paise in shop.postings(order_id) if kind == "overpaid"]
        kept = len(done) - len(back) == (customer.expected == PAID)
        return kept and shop.bank_refunds(order_id) == [(paise, "done") for paise in back]

    until(
        settled,
        f"{order_id} to be paid once, and the rest to go back",
        within_s=PATIENCE_S,
        every_s=0.5,
    )
    back = [paise for kind, *_, paise in shop.postings(order_id) if kind == "overpaid"]
    for event in ("excess_payment", "excess_refunded") if back else ():
        shop.hears_event(order_id, event)
    return back
