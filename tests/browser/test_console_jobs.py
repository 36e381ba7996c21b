"""Jobs of docs/console-jobs.md about customers and payments, by the console's words alone."""

import csv
import io
import re
import secrets
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from playwright.sync_api import Browser
from pyotp.totp import TOTP

from hundi.kernel.clock import business_day, world_now
from tests.browser.hand import Hand, assert_affordable
from tests.browser.jobs import Jobs
from tests.page.test_receipt import png
from tests.system.bank_redirects import NB, go, pay_there
from tests.system.browser import Browser as Customer
from tests.system.endpoint import Answer
from tests.system.running import until
from tests.system.shop import ASHA, Shop, new_order_id, pay_card, settled
from tests.system.test_console_payments import pay
from tests.system.test_disputes import PDF

CLIPBOARD = ("clipboard-read", "clipboard-write")
BANK_ACCOUNT = {
    "Holder": "Meera Looms",
    "Account number": "50100012345601",
    "IFSC": "HDFC0000001",
    "Reason": "Our first account",
}
EXCEL, PDF_FORM = re.compile("^Excel"), re.compile("^PDF")
ASKED_PAISE = 1_200_000


def _decline(shop: Shop, phone: str = ASHA.phone) -> str:
    order_id, buyer = new_order_id("JOB"), replace(ASHA, phone=phone)
    with Customer() as customer:
        there = go(customer, shop.open_page(customer, order_id, buyer=buyer), NB, "HDFC")
        settled(customer, pay_there(customer, there, NB, "decline"))
    return order_id


def test_01_a_customer_misses_money_and_order(browser: Browser, jobs: Jobs) -> None:
    phone = f"90{secrets.randbelow(10**8):08}"
    order_id = _decline(jobs.shop, phone=phone)
    with jobs.person(browser, "support") as support:
        support.type("Search payments, customers, references", f"{phone[:5]} {phone[5:]}")
        support.click("Search")
        support.reads(re.compile("No money"))
        assert_affordable(1, support)
    assert "failed" in jobs.tries_of(order_id)
    assert "paid" not in jobs.tries_of(order_id)


def test_02_a_refund_that_a_second_person_approves(browser: Browser, jobs: Jobs) -> None:
    with Customer() as customer:
        order_id, number, _ = pay(jobs.gateway, jobs.shop, customer, ASKED_PAISE)
    with jobs.person(browser, "support") as support, jobs.person(browser, "finance") as finance:
        support.type("Search payments, customers, references", order_id)
        support.click("Search")
        support.type("Reason", "The saree was torn")
        support.click("Refund", within="Amount in rupees")
        support.reads("It waits for a second person.")
        finance.page.reload()
        finance.click(re.compile("₹12,000.00"))
        finance.reads("The saree was torn")
        finance.click("Approve")
        assert_affordable(2, support, finance)
    refunds = jobs.rows("SELECT amount_paise FROM refunds WHERE payment_id = $1", number)
    assert [row["amount_paise"] for row in refunds] == [ASKED_PAISE]


def test_03_why_fewer_tries_are_paid(browser: Browser, jobs: Jobs) -> None:
    order_id = _decline(jobs.shop)
    said = "SELECT bank_message FROM attempts WHERE payment_id = $1 AND state = 'failed'"
    reason = jobs.value(said, jobs.number_of(order_id))
    with jobs.person(browser, "asha") as owner:
        owner.click(re.compile("of today's tries paid"))
        owner.reads("Why tries were not paid")
        owner.click(re.compile(reason), within="Why tries")
        owner.click(order_id)
        assert owner.page.url.endswith(str(jobs.number_of(order_id)))
        assert_affordable(3, owner)


def _ask_for_money(support: Hand, what_for: str) -> str:
    """Make a payment link, and return the address that was copied."""
    support.click("Payment links")
    support.type("Amount in rupees", "2,499.50")
    support.type("What it is for", what_for)
    support.click("Make the link")
    support.click("Copy")
    return str(support.page.evaluate("navigator.clipboard.readText()"))


def test_07_a_link_asks_a_customer_for_money(browser: Browser, jobs: Jobs) -> None:
    with jobs.person(browser, "support", *CLIPBOARD) as support:
        address = _ask_for_money(support, "Deposit for a loom")
        assert_affordable(7, support)
        support.page.goto(address)
        support.reads("Pay ₹2,499.50 to Asha Handlooms")


def test_11_a_bank_names_an_rrn(browser: Browser, jobs: Jobs) -> None:
    with Customer() as customer:
        order_id, _, rrn = pay(jobs.gateway, jobs.shop, customer)
    with jobs.person(browser, "support") as support:
        support.type("Search payments, customers, references", rrn)
        support.click("Search")
        support.reads("Payment " + order_id)
        support.reads(re.compile("The money is"))
        assert_affordable(11, support)


def test_12_a_link_is_taken_back(browser: Browser, jobs: Jobs) -> None:
    with jobs.person(browser, "support", *CLIPBOARD) as support:
        address = _ask_for_money(support, "Sent to the wrong person")
    with jobs.person(browser, "support") as support:
        support.click("Payment links")
        support.click("Sent to the wrong person")
        support.click("Cancel the link")
        support.reads("The link was cancelled. What was paid of it stays paid.")
        assert_affordable(12, support)
        support.page.goto(address)
        support.reads(re.compile("cancelled|no longer"))


def test_13_the_accountant_gets_last_month(browser: Browser, jobs: Jobs, tmp_path: Path) -> None:
    with jobs.person(browser, "finance") as finance:
        finance.click("Payments")
        finance.click("Last month")
        file = finance.take("Export as CSV", tmp_path / "payments.csv")
        assert_affordable(13, finance)
    month = "date_trunc('month', {} AT TIME ZONE 'Asia/Kolkata')"
    paid = jobs.value(
        "SELECT count(*) FROM payments WHERE merchant_id = $1"
        f" AND {month.format('created_at')} = {month.format('now()')} - interval '1 month'",
        jobs.merchant_id,
    )
    assert len(list(csv.DictReader(io.StringIO(file.decode())))) == paid > 0


def test_17_a_mandate_is_explained_and_stopped(browser: Browser, jobs: Jobs) -> None:
    with jobs.person(browser, "support") as support:
        support.click("Subscriptions")
        support.click(re.compile("^AH-"))
        support.reads(re.compile("next debit", re.IGNORECASE))
        number = int(support.page.url.rpartition("/")[2])
        support.click("End it for good, and the mandate at the customer's bank")
        support.click("Cancel subscription")
        support.reads(re.compile("[Cc]ancelled"))
        assert_affordable(17, support)
    state = "SELECT state FROM subscriptions WHERE subscription_id = $1"
    assert jobs.value(state, number) == "cancelled"


def test_08_a_chargeback_is_contested(browser: Browser, jobs: Jobs, tmp_path: Path) -> None:
    (tmp_path / "receipt.pdf").write_bytes(PDF)
    with jobs.person(browser, jobs.disputed_owner()) as owner:
        owner.click(re.compile("Answer the chargeback"))
        number = int(owner.page.url.rpartition("/")[2])
        owner.hand_in("A PDF, PNG or JPEG of 2 MB at most", tmp_path / "receipt.pdf")
        owner.click("Add document")
        owner.type("What you write to the bank", "The customer signed for the parcel.")
        owner.click("I have added all that helps: the answer is final")
        owner.click(re.compile("^Contest all of "))
        owner.reads(re.compile("[Cc]ontest"))
        assert_affordable(8, owner)
    state = "SELECT state FROM dispute_stages WHERE dispute_id = $1"
    assert jobs.value(state, number) in {"under_review", "won", "lost"}


def test_14_a_colleague_comes_and_goes(browser: Browser, jobs: Jobs) -> None:
    with jobs.person(browser, "asha") as owner:
        owner.click("People")
        owner.type("Name", "Meera Nair")
        owner.type("E-mail address", "meera@demo.example")
        owner.choose("Role", "Finance")
        owner.click("Make an invitation")
        owner.reads(re.compile("/console/join/"))
        assert jobs.role_of("meera@demo.example") == "finance"
        owner.click("Remove from here Meera Nair")
        owner.reads("Removed.")
        assert_affordable(14, owner)
    assert jobs.role_of("meera@demo.example") is None


def test_04_last_month_leaves_with_its_invoice(
    browser: Browser, jobs: Jobs, tmp_path: Path
) -> None:
    month = (business_day(world_now()).replace(day=1) - timedelta(days=1)).strftime("%B %Y")
    with jobs.person(browser, "finance") as finance:
        finance.click("Settlements")
        finance.click(month)
        table = finance.take(EXCEL, tmp_path / "settlements.xlsx", within="with its amounts")
        invoice = finance.take(PDF_FORM, tmp_path / "invoice.pdf", within="GST invoice")
        assert_affordable(4, finance)
    assert table.startswith(b"PK")
    assert invoice.startswith(b"%PDF")


def test_18_a_payout_has_its_utr_and_account(browser: Browser, jobs: Jobs) -> None:
    utr, last4 = jobs.rows(
        "SELECT p.utr, a.last4 FROM payouts p"
        " JOIN bank_accounts a USING (merchant_id, beneficiary, account_no)"
        " WHERE p.merchant_id = $1 AND p.utr <> '' ORDER BY p.created_at DESC LIMIT 1",
        jobs.merchant_id,
    )[0].values()
    with jobs.person(browser, "finance") as finance:
        finance.click("Payouts")
        finance.reads(utr)
        assert f"Your bank account ending {last4}" in finance.text()
        assert_affordable(18, finance)


def test_16_the_page_gets_colour_and_logo(browser: Browser, jobs: Jobs, tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(png(64, 64))
    with jobs.person(browser, "asha") as owner:
        owner.click("Brand")
        owner.type("Colour", "#7a1f3d")
        owner.hand_in("Logo", tmp_path / "logo.png")
        owner.click("Save")
        owner.reads("Saved.")
        assert_affordable(16, owner)
    with Customer() as customer:
        screen = jobs.shop.open_page(customer, new_order_id("BRAND"))
    assert "accent-7a1f3d.css" in screen.html
    assert "/logo" in screen.html


def test_06_a_key_is_replaced_without_a_break(browser: Browser, jobs: Jobs) -> None:
    with jobs.person(browser, "developer") as developer:
        developer.click("Keys")
        developer.click("Make a new one", within=re.compile("^Webhook key"))
        developer.click("Make a new Webhook key")
        developer.reads(re.compile("^whsec_"))
        developer.click("End the old Webhook key")
        developer.reads(re.compile("ended", re.IGNORECASE))
        assert_affordable(6, developer)


def test_19_a_held_payment_goes_on(browser: Browser, jobs: Jobs) -> None:
    with jobs.person(browser, "operator") as operator:
        operator.click(re.compile(r"^Review \d+ held payment"))
        operator.reads(re.compile("Amount above ₹10,000"))
        operator.type("Reason", "A regular customer, who confirmed it by telephone")
        order = operator.page.locator("main").get_by_text(re.compile("^Order ")).first.inner_text()
        operator.click(re.compile("^Release"))
        operator.reads(re.compile("[Rr]eleased"))
        assert_affordable(19, operator)
    state = "SELECT state FROM payments WHERE order_id = $1"
    assert jobs.value(state, order.split()[1]) == "paid"


def test_05_a_notification_fails_and_is_sent_again(browser: Browser, jobs: Jobs) -> None:
    heard = jobs.server.endpoint("shop-of-a-developer")
    heard.choose = lambda _: Answer(500, body=b"no such table: orders")
    with jobs.person(browser, "developer") as developer:
        developer.click("Integration")
        developer.click("Notifications")
        developer.type("Notification address", heard.url)
        developer.click("Save")
        developer.reads("Saved.")
        with Customer() as customer:
            order_id, _, _ = pay(jobs.gateway, jobs.shop, customer)
        until(lambda: heard.heard, "the first try")
        developer.click("Deliveries")
        developer.click("Paid", within=order_id)
        developer.click("What your server answered")
        developer.reads("no such table: orders")
        heard.choose = lambda _: Answer()
        tries = len(heard.heard)
        developer.click("Send again")
        until(lambda: len(heard.heard) > tries, "the notification again")
        assert_affordable(5, developer)
    assert len({each.webhook_id for each in heard.heard}) == 1


def test_15_the_warehouse_hears_of_refunds_alone(browser: Browser, jobs: Jobs) -> None:
    warehouse = jobs.server.endpoint("warehouse")
    with jobs.person(browser, "developer") as developer:
        developer.click("Integration")
        developer.click("Further addresses")
        developer.type("Address", warehouse.url)
        developer.type("Name", "Warehouse")
        for event in ("Refund done", "Refund failed", "Refund reversed"):
            developer.click(re.compile(f"^{event}"))
        developer.click("Send a test with what is typed")
        developer.reads(re.compile("this counts as delivered"))
        assert len(warehouse.heard) == 1
        developer.click("Add the address")
        developer.reads(re.compile("^whsec_"))
        assert_affordable(15, developer)
    query = "SELECT events FROM webhook_endpoints WHERE merchant_id = $1 AND name = 'Warehouse'"
    events = jobs.value(query, jobs.merchant_id)
    assert {*events} == {"refund_done", "refund_failed", "refund_reversed"}


def test_10_an_account_at_an_acquirer_is_added(browser: Browser, jobs: Jobs) -> None:
    with (
        jobs.person(browser, "operator") as operator,
        jobs.person(browser, "operator.finance") as second,
    ):
        operator.click("Acquirers")
        operator.click("Add an account")
        operator.click(re.compile("^Razorpay razorpay"))
        operator.type("Name of the account", "spare")
        operator.type("Key id", "rzp_test_spare")
        operator.type("Key secret", "nothing of theirs")
        operator.choose("Mode", "test")
        # Nobody outside is called, and no payment of other tests goes there.
        operator.page.get_by_label("URL", exact=True).fill("https://api.south.example/v1")
        operator.page.get_by_label("Methods", exact=True).fill("upi_link")
        operator.type("Reason, for the second person", "A second way for cards")
        operator.click("Ask for it")
        operator.reads("Asked. It waits for a second person.")
        second.page.reload()
        second.click(re.compile("spare"))
        second.reads("A second way for cards")
        second.click("Approve")
        assert_affordable(10, operator, second)
    account = "SELECT kind FROM acquirer_accounts WHERE name = 'spare'"
    assert jobs.value(account) == "razorpay"


def test_20_new_prices_are_seen_before_they_are_asked_for(browser: Browser, jobs: Jobs) -> None:
    with (
        jobs.person(browser, "operator.finance") as finance,
        jobs.person(browser, "operator") as second,
    ):
        finance.click("Merchants")
        finance.click("Asha Handlooms")
        finance.click("Its price plan")
        finance.click("Change the plan")
        finance.type("Part, %", "1.75")
        finance.click("See what it would cost")
        finance.reads("Was charged")
        finance.type("Reason", "A year of good business")
        finance.click("Ask a second person to approve it")
        second.page.reload()
        second.click(re.compile("price plan", re.IGNORECASE))
        second.reads("A year of good business")
        second.click("Approve")
        assert_affordable(20, finance, second)
    plans = jobs.value("SELECT count(*) FROM fee_plans WHERE merchant_id = $1", jobs.merchant_id)
    assert plans == 2


def test_09_a_merchant_is_taken_on_until_its_first_payment(browser: Browser, jobs: Jobs) -> None:
    name = new_order_id("Looms")
    with jobs.person(browser, "operator") as operator, jobs.newcomer(browser) as owner:
        operator.click("Merchants")
        operator.type("Name, as customers see it", name)
        operator.choose("Mode", "Live")
        operator.click("Add")
        operator.click("Go to the merchant")
        operator.click("Its people")
        operator.type("Name", "Meera Nair")
        operator.type("E-mail address", f"{name}@looms.example")
        operator.click("Make an invitation")
        operator.reads(re.compile("/console/join/"))
        found = re.search(r"http\S+/console/join/\S+", operator.text())
        assert found
        _join(owner, found[0])
        owner.click("Name the bank account")
        for label, text in BANK_ACCOUNT.items():
            owner.type(label, text)
        owner.click("Ask for it")
        operator.click("Hundi")
        operator.click(re.compile(f"{name}.*Pay out to the account"))
        operator.click("Approve")
        owner.click("Payment links")
        owner.type("Amount in rupees", "499")
        owner.type("What it is for", "A shawl")
        owner.click("Make the link")
        address = owner.page.locator("[data-copy]").inner_text()
        assert_affordable(9, operator, owner)
    _pay_link(address)
    merchant = "SELECT merchant_id FROM merchants WHERE name = $1"
    paid = f"SELECT count(*) FROM payments WHERE state = 'paid' AND merchant_id = ({merchant})"
    assert jobs.value(paid, name) == 1


def _join(owner: Hand, link: str) -> None:
    owner.page.goto(link)
    owner.type("Password", "three words for looms")
    owner.type("Password again", "three words for looms")
    secret = owner.page.locator("form code").inner_text().replace(" ", "")
    owner.type(re.compile("^Six digits"), TOTP(secret).now())
    owner.click("Finish")
    owner.click("I have kept them")


def _pay_link(address: str) -> None:
    with Customer() as customer:
        screen = customer.get(address)
        pay_card(customer, customer.submit(screen.forms[0]))
