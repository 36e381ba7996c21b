"""Letters to customers: written with their cause, sent by the worker, read in the mailbox."""

from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

import pytest

from hundi.kernel.records import replace
from tests.conftest import NewFolder
from tests.relay import MailRelay
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import ASHA, Shop, new_order_id, scan
from tests.system.test_refunds import refund


@pytest.fixture(scope="module")
def telling(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A shop whose customers are told everything."""
    for shop in open_shop(gateway, server, "telling", support="help@asha.example"):
        choose(shop, "receipt", "refund")
        yield shop


def choose(shop: Shop, *letters: str, language: str = "en") -> None:
    chosen = [part for each in letters for part in ("--letter", each)] or ["--letter", ""]
    command = "merchant", "set", shop.merchant.merchant_id, *chosen
    shop.gateway.operate(*command, "--letter-language", language)


def pay(shop: Shop, browser: Browser, address: str) -> tuple[str, int]:
    """Pay an order of a customer with an address; return the order's and the payment's number."""
    order_id = new_order_id()
    page = shop.open_page(browser, order_id, buyer=replace(ASHA, email=address))
    scan(shop.gateway, page.upi_link, "success@hundi")
    return order_id, int(shop.becomes(order_id, 200).transaction_id)


def mails(gateway: RunningGateway, address: str) -> list[dict[str, Any]]:
    return gateway.bank.get("/mailbox/mails", params={"to": address}).json()


def arrived(gateway: RunningGateway, address: str, number: int = 1) -> list[dict[str, Any]]:
    def look() -> list[dict[str, Any]] | None:
        there = mails(gateway, address)
        return there if len(there) >= number else None

    return until(look, f"{number} mails to {address}", within_s=40)


def letters(shop: Shop, payment_id: int) -> list[dict[str, Any]]:
    return shop.gateway.rows(
        "SELECT * FROM letters WHERE merchant_id = $1 AND cause LIKE $2 ORDER BY letter_id",
        shop.merchant.number,
        f"payment:{payment_id}:%",
    )


def ended(shop: Shop, payment_id: int, state: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        rows = letters(shop, payment_id)
        return rows[0] if rows and rows[0]["state"] == state else None

    return until(look, f"a letter that is {state}", within_s=40)


def test_a_letter_that_cannot_be_written_stops_no_payment(
    gateway: RunningGateway, telling: Shop, browser: Browser
) -> None:
    address = "never@customers.example"
    gateway.rows(
        f"ALTER TABLE letters ADD CONSTRAINT never CHECK (address <> '{address}') NOT VALID"
    )
    try:
        _, payment = pay(telling, browser, address)
    finally:
        gateway.rows("ALTER TABLE letters DROP CONSTRAINT never")
    assert letters(telling, payment) == []
    assert "letter_not_written" in gateway.logged()


def test_a_paid_order_and_its_refund_are_told_once_each(
    gateway: RunningGateway, telling: Shop, sender: Sender, browser: Browser
) -> None:
    address = "lakshmi@customers.example"
    order_id, payment = pay(telling, browser, address)
    (receipt,) = arrived(gateway, address)
    assert receipt["subject"] == "Receipt from The telling: ₹1,499.50"
    assert order_id in receipt["plain"]
    assert "help@asha.example" in receipt["plain"]
    assert str(payment) in receipt["html"]
    assert "no real money" in receipt["html"]
    assert receipt["sender"].startswith("The telling <")
    letter = ended(telling, payment, "sent")
    assert (letter["tries"], letter["kind"], letter["problem"]) == (1, "receipt", "")
    assert str(letter["letter_id"]) in receipt["message_id"]
    refund(sender, telling.merchant, {"ap_transactionid": payment, "amount": "100.00"})
    back, _ = arrived(gateway, address, 2)
    assert back["subject"] == "Refund from The telling: ₹100.00"
    assert len(letters(telling, payment)) == 2


def test_a_merchant_who_chose_nothing_has_customers_who_are_told_nothing(
    gateway: RunningGateway, shop: Shop, browser: Browser
) -> None:
    _, payment = pay(shop, browser, "untold@customers.example")
    shop.gateway.catch_up()
    assert letters(shop, payment) == []


def test_a_receipt_is_in_the_language_that_the_merchant_chose(
    gateway: RunningGateway, telling: Shop, browser: Browser
) -> None:
    choose(telling, "receipt", language="ta")
    try:
        pay(telling, browser, "kavitha@customers.example")
        (receipt,) = arrived(gateway, "kavitha@customers.example")
    finally:
        choose(telling, "receipt", "refund")
    assert (receipt["language"], receipt["subject"]) == ("ta", "The telling ரசீது: ₹1,499.50")
    assert "நீங்கள் The telling-க்கு ₹1,499.50 செலுத்தினீர்கள்." in receipt["plain"]


def test_letters_are_in_the_language_of_the_payment_page(
    gateway: RunningGateway, telling: Shop, browser: Browser, sender: Sender
) -> None:
    """The browser's, if that is not English, and the one that the customer chose before both."""
    address = "meena@customers.example"
    with Browser() as hindi:
        hindi.http.headers["accept-language"] = "hi-IN,hi;q=0.9,en"
        order_id, payment = pay(telling, hindi, address)
    (receipt,) = arrived(gateway, address)
    assert (receipt["language"], receipt["subject"]) == ("hi", "The telling से रसीद: ₹1,499.50")
    refund(sender, telling.merchant, {"ap_transactionid": payment, "amount": "100.00"})
    assert arrived(gateway, address, 2)[0]["language"] == "hi"
    address, order_id = "john@customers.example", new_order_id()
    choose(telling, "receipt", language="ta")
    try:
        page = telling.open_page(browser, order_id, buyer=replace(ASHA, email=address))
        browser.get(f"{page.url}?lang=en")
        scan(gateway, page.upi_link, "success@hundi")
        (receipt,) = arrived(gateway, address)
    finally:
        choose(telling, "receipt", "refund")
    assert receipt["language"] == "en"


def test_an_address_that_bounces_gets_nothing_more(telling: Shop, browser: Browser) -> None:
    first = pay(telling, browser, "bounces@customers.example")[1]
    bounced = ended(telling, first, "bounced")
    assert bounced["problem"] == (
        "The mail relay answered 550: 5.1.1 <this address>: no such mailbox"
    )
    again = ended(telling, pay(telling, browser, "bounces@customers.example")[1], "bounced")
    assert again["problem"].startswith("The address took no letter before.")


def test_a_busy_relay_is_tried_again_later(telling: Shop, browser: Browser) -> None:
    payment = pay(telling, browser, "busy@customers.example")[1]

    def tried() -> dict[str, Any] | None:
        rows = letters(telling, payment)
        return rows[0] if rows and rows[0]["problem"] else None

    letter = until(tried, "a first try")
    assert (letter["state"], letter["tries"]) == ("waiting", 1)
    assert letter["problem"] == "The mail relay answered 451: 4.7.1 Try again later"
    assert 50 < (letter["due_at"] - letter["created_at"]).total_seconds() < 120


# --- a worker that is killed between the sending and the record ---


@pytest.fixture
def relay() -> Iterator[MailRelay]:
    with MailRelay() as running:
        yield running


def test_a_worker_killed_before_it_wrote_the_outcome_sends_the_same_mail_again(
    new_folder: NewFolder, relay: MailRelay, server: MerchantServer, browser: Browser
) -> None:
    relay.answering.clear()
    with RunningGateway(new_folder("letters"), **relay.settings) as gateway:
        for shop in open_shop(gateway, server, "killed"):
            choose(shop, "receipt")
            payment = pay(shop, browser, "asha@customers.example")[1]
            until(lambda: relay.taken, "the relay to take the mail", within_s=40)
            (letter,) = letters(shop, payment)
            assert (letter["state"], letter["tries"]) == ("waiting", 1)
            gateway.kill_part("worker")
            relay.answering.set()
            (letter,) = letters(shop, payment)
            assert letter["state"] == "waiting", "nobody wrote that it was taken"
            # The lease of the dead worker ends.
            gateway.rows("UPDATE letters SET due_at = now() WHERE state = 'waiting'")
            sent = ended(shop, payment, "sent")
            assert sent["tries"] == 2
    (one, first), (other, second) = relay.taken
    assert one == other == "asha@customers.example"
    assert first["Message-ID"] == second["Message-ID"] == _id_of(sent)
    assert first["Date"] == second["Date"]
    assert _body(first) == _body(second)


def _id_of(letter: dict[str, Any]) -> str:
    return f"<letter.{letter['merchant_id']}.{letter['letter_id']}@pay.example>"


def _body(mail: EmailMessage) -> str:
    part = mail.get_body(preferencelist=("plain",))
    assert part is not None
    return part.get_content()
