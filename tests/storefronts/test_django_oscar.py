"""Somebody buys in a real django-oscar by a browser, and its staff refunds from the dashboard."""

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.customer import BAD_OTP, Customer
from tests.conftest import NewFolder
from tests.storefronts.conftest import Enter
from tests.storefronts.store import SHOPS, Store
from tests.system.running import RunningGateway
from tests.system.waiting import until

PRICE_PAISE = 149_950
SANDBOX = SHOPS / "django-oscar" / "sandbox"
ADDRESS = {
    "first_name": "Asha",
    "last_name": "Rao",
    "line1": "12 Weavers' Street",
    "line4": "Kolhapur",
    "postcode": "416012",
    "phone_number": "+91 98765 43210",
}


class Oscar(Store):
    """An Oscar with one thing to buy, and books that a test can look into."""

    def __init__(self, gateway: RunningGateway, folder: NewFolder) -> None:
        """Start from the database that was filled when Oscar was installed."""
        paths = {"back": "/hundi/return/", "told": "/hundi/notification/"}
        super().__init__(gateway, folder("oscar"), "django-oscar", **paths)
        self.database = self.folder / "shop.sqlite3"
        shutil.copy(self.environment / "filled.sqlite3", self.database)
        own = {"database": str(self.database), "secret_key": "of the tests", "hundi": self.settings}
        (self.folder / "shop.json").write_text(json.dumps(own))
        python = str(self.environment / "bin" / "python")
        serve = ["manage.py", "runserver", "--noreload", "--skip-checks", f"127.0.0.1:{self.port}"]
        its = {"HUNDI_SHOP": str(self.folder / "shop.json"), "PYTHONWARNINGS": "ignore"}
        self.start([python, *serve], SANDBOX, "/catalogue/", its)

    def books(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Return rows of the shop's own database; a change is written."""
        connection = sqlite3.connect(self.database, timeout=20)
        with connection:
            rows = connection.execute(query, values).fetchall()
        connection.close()
        return rows

    def status(self, number: str) -> object:
        """Return an order's status."""
        ((status,),) = self.books("SELECT status FROM order_order WHERE number = ?", number)
        return status

    def moved(self, number: str) -> list[tuple[object, ...]]:
        """Return type and amount of what was moved for an order, in order."""
        return self.books(
            "SELECT txn_type, amount FROM payment_transaction t JOIN payment_source s ON"
            " s.id = t.source_id JOIN order_order o ON o.id = s.order_id WHERE o.number = ?"
            " ORDER BY t.id",
            number,
        )


@pytest.fixture(scope="module")
def oscar(gateway: RunningGateway, new_folder: NewFolder) -> Iterator[Oscar]:
    """The shop."""
    with Oscar(gateway, new_folder) as running:
        yield running


def place(customer: Customer, store: Oscar) -> str:
    """Buy as a guest up to the payment page; return the number of the order."""
    page = customer.page
    page.goto(f"{store.url}/catalogue/sari_1/")
    page.get_by_role("button", name="Add to basket").click()
    page.goto(f"{store.url}/checkout/")
    page.get_by_label("My email address is").fill("asha@example.in")
    page.get_by_role("button", name="Continue").click()
    for name, value in ADDRESS.items():
        page.locator(f"#id_{name}").fill(value)
    page.get_by_role("button", name="Continue").click()
    page.goto(f"{store.url}/checkout/preview/")
    page.get_by_role("button", name="Place order").click()
    page.wait_for_url(re.compile("/pay/v4/s/"))
    ((number,),) = store.books("SELECT number FROM order_order ORDER BY id DESC LIMIT 1")
    return str(number)


def back_at(page: Page, store: Oscar, path: str) -> None:
    """Wait for a page of the shop; who does not press waits for some seconds."""
    page.wait_for_url(store.url + path)


def refund(staff: Customer, store: Oscar, number: str, rupees: str) -> None:
    """Refund from the order's page of the dashboard."""
    page = staff.page
    page.goto(f"{store.url}/dashboard/orders/{number}/")
    page.locator("input[name=selected_line]").check()
    page.get_by_label("Create payment event").check()
    page.locator("select[name=payment_event_type]").select_option("Refunded")
    page.get_by_label("with amount").fill(rupees)
    page.get_by_role("button", name="Go!").click()
    page.wait_for_load_state()


def sign_in(staff: Customer, store: Oscar) -> None:
    """Sign in as the shop's staff, and overlook what Oscar's own scripts complain of there."""
    staff.forgive("oscar.dashboard.orders.initTable")
    page = staff.page
    page.goto(f"{store.url}/dashboard/login/")
    page.locator("input[name=username]").fill("staff@example.in")
    page.locator("input[name=password]").fill("of the tests")
    page.get_by_role("button", name=re.compile("Log ?in", re.IGNORECASE)).click()
    page.wait_for_url(f"{store.url}/dashboard/**")


def test_a_sari_is_bought_and_a_part_refunded(oscar: Oscar, enter: Enter) -> None:
    customer = enter(oscar)
    number = place(customer, oscar)
    assert oscar.status(number) == "Pending"
    customer.pay_by_card()
    back_at(customer.page, oscar, "/checkout/thank-you/")
    expect(customer.page.get_by_text(number).first).to_be_visible()
    assert oscar.status(number) == "Paid"
    paid = [("Authorise", 1499.5), ("Debit", 1499.5)]
    assert oscar.moved(number) == paid

    oscar.told_again(number)
    assert oscar.moved(number) == paid
    ((handled,),) = oscar.books("SELECT count(*) FROM hundi_oscar_handlednotification")
    assert handled == 1

    staff = enter(oscar)
    sign_in(staff, oscar)
    refund(staff, oscar, number, "2000")
    expect(staff.page.get_by_text("between 0.01 and 1499.50 can be refunded")).to_be_visible()
    refund(staff, oscar, number, "500")
    expect(staff.page.get_by_text("Payment event created")).to_be_visible()
    assert oscar.verify(number, PRICE_PAISE).refunded_paise == 50_000
    assert oscar.moved(number) == [*paid, ("Refund", 500)]
    done = "SELECT state FROM hundi_oscar_refund"
    until(lambda: oscar.books(done) == [("done",)], "the refund to be done")
    assert oscar.moved(number) == [*paid, ("Refund", 500)]


def test_a_declined_payment_gives_the_basket_back(oscar: Oscar, enter: Enter) -> None:
    customer = enter(oscar)
    number = place(customer, oscar)
    customer.pay_by_card(otp=BAD_OTP)
    customer.page.get_by_role("button", name=re.compile("Asha|shop", re.IGNORECASE)).click()
    back_at(customer.page, oscar, "/basket/")
    expect(customer.page.get_by_text("The payment failed")).to_be_visible()
    expect(customer.page.get_by_text("Handloom sari").first).to_be_visible()
    assert oscar.status(number) == "Cancelled"
    assert oscar.moved(number) == [("Authorise", 1499.5), ("Failed", 0)]


def test_another_amount_than_the_shops_own_is_not_paid(oscar: Oscar, enter: Enter) -> None:
    customer = enter(oscar)
    number = place(customer, oscar)
    dearer = "UPDATE payment_source SET amount_allocated = 9000 WHERE reference = ?"
    oscar.books(dearer, number)
    customer.pay_by_card()
    back_at(customer.page, oscar, "/checkout/thank-you/")
    assert oscar.status(number) == "Pending"
    assert "amount: expected '9000.00', received '1499.50'" in oscar.logged()


def test_who_does_not_know_the_keys_is_not_believed(oscar: Oscar) -> None:
    headers = {"webhook-id": "ipn_1_1_1", "webhook-timestamp": "1", "webhook-signature": "v1,eA=="}
    body = b'{"event": "paid", "data": {}}'
    assert oscar.post("/hundi/notification/", content=body, headers=headers) == 400
    assert oscar.post("/hundi/return/", data={"response": "c2F5cyBwYWlk"}) == 400
