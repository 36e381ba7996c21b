"""SMS and WhatsApp letters: by registered templates, with consent, through the simulated phones."""

from collections.abc import Iterator
from typing import Any

import pytest

from hundi.kernel.records import replace
from tests.bridge import MessageBridge
from tests.conftest import NewFolder
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import ASHA, Shop, new_order_id, scan
from tests.system.test_console_payments import OPERATOR, session_of
from tests.system.test_letters import arrived

ENTITY, TEMPLATE = "1101000000000000077", "1107000000000000077"


@pytest.fixture(scope="module")
def telling(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A shop whose customers are told by SMS and WhatsApp, by the operator's templates."""
    for shop in open_shop(gateway, server, "phoning"):
        choose(shop, "receipt:sms", "receipt:whatsapp", "refund_returned:sms")
        yield shop


def choose(shop: Shop, *letters: str) -> None:
    chosen = [part for each in letters for part in ("--letter", each)]
    shop.gateway.operate("merchant", "set", shop.merchant.merchant_id, *chosen)


def pay(shop: Shop, browser: Browser, phone: str) -> tuple[str, int]:
    order_id = new_order_id()
    page = shop.open_page(browser, order_id, buyer=replace(ASHA, phone=phone))
    scan(shop.gateway, page.upi_link, "success@hundi")
    return order_id, int(shop.becomes(order_id, 200).transaction_id)


def taken(gateway: RunningGateway, number: str) -> list[dict[str, Any]]:
    return gateway.bank.get("/phones/taken", params={"to": number}).json()


def ended(shop: Shop, payment_id: int, channel: str) -> dict[str, Any]:
    """Return the letter by a channel once it had its first try."""

    def look() -> dict[str, Any] | None:
        rows = shop.gateway.rows(
            "SELECT * FROM letters WHERE merchant_id = $1 AND cause LIKE $2 AND channel = $3"
            " AND (state <> 'waiting' OR problem <> '')",
            shop.merchant.number,
            f"payment:{payment_id}:%",
            channel,
        )
        return rows[0] if rows else None

    return until(look, f"a letter by {channel}", within_s=40)


def test_a_receipt_arrives_as_the_registered_text(
    gateway: RunningGateway, telling: Shop, browser: Browser
) -> None:
    order_id, payment = pay(telling, browser, "9876500001")
    letter = ended(telling, payment, "sms")
    assert (letter["state"], letter["address"]) == ("sent", "9876500001")
    (message,) = taken(gateway, "9876500001")
    assert message["words"] == (
        f"You paid Rs 1,499.50 to The phoning. Order {order_id[:30]}. -Hundi demo"
    )
    assert message["reference"] == f"letter.{letter['merchant_id']}.{letter['letter_id']}"
    page = gateway.bank.get("/phones", params={"mobile": "9876500001"}).text
    assert "You paid Rs 1,499.50" in page
    without = ended(telling, payment, "whatsapp")
    assert without["state"] == "withheld"
    assert without["problem"] == (
        "The customer has not agreed to WhatsApp messages of this merchant."
    )


def test_whatsapp_needs_consent_which_can_be_taken_back(
    gateway: RunningGateway, telling: Shop, browser: Browser
) -> None:
    number, shop = "9876500002", telling.merchant.merchant_id
    gateway.operate("consent", "add", shop, number, "--words", "Ticked the box at the till.")
    _, payment = pay(telling, browser, f"+91 {number}")
    assert ended(telling, payment, "whatsapp")["state"] == "sent"
    messages = {each["channel"]: each for each in taken(gateway, number)}
    assert messages["whatsapp"]["words"].startswith(
        "hundi_receipt (en) · The phoning · 1,499.50 · "
    )
    gateway.operate("consent", "withdraw", shop, number)
    again = gateway.invoke("consent", "add", shop, number, "--words", "Asked again by phone.")
    assert again.exit_code == 2, "only the customer can agree again"
    _, later = pay(telling, browser, number)
    assert ended(telling, later, "whatsapp")["state"] == "withheld"


def result_of(shop: Shop, browser: Browser, phone: str, **more: Any) -> tuple[Screen, int]:
    """Pay, and return the result's page and the payment's number."""
    order_id = new_order_id()
    page = shop.open_page(browser, order_id, buyer=replace(ASHA, phone=phone, **more))
    scan(shop.gateway, page.upi_link, "success@hundi")
    payment = int(shop.becomes(order_id, 200).transaction_id)
    return browser.get(page.url), payment


def consent_of(shop: Shop, number: str) -> list[dict[str, Any]]:
    return shop.gateway.rows(
        "SELECT * FROM message_consents WHERE merchant_id = $1 AND address = $2",
        shop.merchant.number,
        number,
    )


def test_a_customer_agrees_after_paying_and_takes_it_back_by_the_link_of_a_mail(
    gateway: RunningGateway, telling: Shop, browser: Browser
) -> None:
    choose(telling, "receipt", "receipt:sms", "receipt:whatsapp")
    number, email = "9876500011", "radha@customers.example"
    result, payment = result_of(telling, browser, f"+91 {number}", email=email)
    assert "by WhatsApp on ••••0011?" in result.text
    assert number not in result.html
    form = result.form("/whatsapp")
    assert form.fields == {}
    assert ended(telling, payment, "whatsapp")["state"] == "withheld"
    assert consent_of(telling, number) == []
    agreed = browser.submit(form, number="9876500012", phone="9876500012")
    assert "sends receipts and other messages" in agreed.text
    assert not agreed.offers("/whatsapp")
    (consent,) = consent_of(telling, number)
    assert consent["words"] == (
        "Get receipts and other messages about your payments to The phoning by WhatsApp on"
        " ••••0011? You can stop them at any time. [Yes, by WhatsApp]"
    )
    assert (consent["language"], consent["withdrawn_at"]) == ("en", None)
    assert consent_of(telling, "9876500012") == []

    def came() -> list[dict[str, Any]]:
        return [each for each in taken(gateway, number) if each["channel"] == "whatsapp"]

    assert len(until(came, "the receipt that was withheld", within_s=40)) == 1
    assert "/pay/v4/c/" not in arrived(gateway, email)[0]["plain"]
    with Browser() as hindi:
        hindi.http.headers["accept-language"] = "hi"
        pay_again, _ = result_of(telling, hindi, number, email=email)
    assert "रोकें" in pay_again.text
    mail = arrived(gateway, email, 2)[0]
    link = next(word for word in mail["plain"].split() if "/pay/v4/c/" in word)
    assert link.endswith(".hi")
    page = browser.get(link)
    assert page.heading == "WhatsApp संदेश चालू हैं"
    assert number not in page.html + link
    assert consent_of(telling, number)[0]["withdrawn_at"] is None
    stopped = browser.submit(page.form("/stop"))
    assert (stopped.heading, stopped.forms) == ("WhatsApp संदेश बंद हैं", [])
    assert consent_of(telling, number)[0]["withdrawn_at"] is not None
    assert browser.post(page.form("/stop").action, {}).heading == stopped.heading
    assert browser.get(link[:-6] + "xyz.hi").status == 404


def test_nobody_is_asked_without_a_number_or_a_whatsapp_letter(
    telling: Shop, shop: Shop, browser: Browser
) -> None:
    choose(telling, "receipt:sms", "receipt:whatsapp")
    without, _ = result_of(telling, browser, "2079460958")
    assert not without.offers("/whatsapp")
    assert browser.post(f"{without.url}/whatsapp", {"phone": "9876500013"}).at == "result"
    unchosen, _ = result_of(shop, browser, "9876500013")
    assert not unchosen.offers("/whatsapp")
    browser.post(f"{unchosen.url}/whatsapp", {})
    unpaid = telling.open_page(browser, new_order_id(), buyer=replace(ASHA, phone="9876500013"))
    browser.post(f"{unpaid.url}/whatsapp", {})
    assert consent_of(telling, "9876500013") == consent_of(shop, "9876500013") == []


def test_numbers_that_bounce_or_are_busy(telling: Shop, browser: Browser) -> None:
    shop = telling.merchant.merchant_id
    for number in ("9876500404", "9876500429"):
        telling.gateway.operate("consent", "add", shop, number, "--words", "At the till.")
    _, nobody = pay(telling, browser, "9876500404")
    bounced = ended(telling, nobody, "whatsapp")
    assert bounced["state"] == "bounced"
    assert "131026" in bounced["problem"]
    assert ended(telling, nobody, "sms")["state"] == "given_up"
    _, busy = pay(telling, browser, "9876500429")
    for channel in ("whatsapp", "sms"):
        assert ended(telling, busy, channel)["state"] == "waiting"


def test_a_template_that_no_letter_can_fill_is_refused(telling: Shop) -> None:
    shop = telling.merchant.merchant_id
    ids = "--template-id", TEMPLATE, "--entity-id", ENTITY, "--header", "ASHAPY"
    write = "template", "set", shop, "sms", "receipt", *ids
    unfit = *write, "--text", "Paid Rs {#var#}", "--field", "mandate", "--json"
    ended_so = telling.gateway.invoke(*unfit)
    assert ended_so.exit_code
    assert "mandate" in ended_so.output


def test_a_link_is_sent_by_sms_to_the_customer_that_it_names(
    gateway: RunningGateway, telling: Shop
) -> None:
    shop, number = telling.merchant.merchant_id, "9876500005"
    made = gateway.operate("link", "make", shop, "75.50", "Six towels", "--phone", number)
    gateway.operate("link", "send", shop, made["link_id"], "--channel", "sms")

    def arrived() -> list[dict[str, Any]]:
        return taken(gateway, number)

    (message,) = until(arrived, "the link by SMS", within_s=40)
    assert message["words"] == (
        f"The phoning asks you to pay Rs 75.50: {made['address']} -Hundi demo"
    )


# --- a worker that is killed between the sending and the record ---


def test_a_killed_worker_repeats_an_sms_under_the_same_reference(
    new_folder: NewFolder, server: MerchantServer, browser: Browser
) -> None:
    with (
        MessageBridge() as bridge,
        RunningGateway(new_folder("messages"), **bridge.settings) as gateway,
    ):
        for shop in open_shop(gateway, server, "killed"):
            choose(shop, "receipt:sms")
            bridge.answering.clear()
            _, payment = pay(shop, browser, "9876500003")
            until(lambda: bridge.taken, "the bridge to take the message", within_s=40)
            gateway.kill_part("worker")
            bridge.answering.set()
            gateway.rows("UPDATE letters SET due_at = now() WHERE state = 'waiting'")
            sent = ended(shop, payment, "sms")
            assert (sent["state"], sent["tries"]) == ("sent", 2)
            assert bridge.taken[0] == bridge.taken[1]
            assert bridge.taken[0]["text"].startswith("You paid Rs 1,499.50 to The killed.")
            bridge.status, bridge.problem = 410, "no such number"
            _, other = pay(shop, browser, "9876500004")
            assert ended(shop, other, "sms")["problem"].endswith("410: no such number")


def test_the_console_sends_a_link_by_whatsapp_to_who_agreed_alone(telling: Shop) -> None:
    shop, number = telling.merchant.merchant_id, "9876500021"
    made = telling.gateway.operate("link", "make", shop, "500", "A shawl", "--phone", number)
    page = f"{shop}/links/{made['link_id']}"
    with session_of(telling.gateway, OPERATOR, "198.51.100.61") as operator:
        before = operator.get(page).text
        assert "Send by SMS to ••••0021" in before
        assert "Send by WhatsApp to" not in before
        assert "the customer has not agreed to any" in before
        telling.gateway.operate("consent", "add", shop, number, "--words", "At the till.")
        after = operator.get(page).text
        assert "Send by WhatsApp to ••••0021" in after
        assert "has not agreed" not in after
