"""Somebody buys at a shop on django-payments by a browser, and its staff refunds in the admin."""

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.customer import BAD_OTP, Customer
from tests.conftest import NewFolder
from tests.storefronts.conftest import Enter
from tests.storefronts.store import SHOPS, Store
from tests.system.running import RunningGateway

PRICE_PAISE = 149_950
SANDBOX = SHOPS / "django-payments" / "sandbox"


class PaymentsShop(Store):
    """A shop of one page, and books that a test can look into."""

    def __init__(self, gateway: RunningGateway, folder: NewFolder) -> None:
        """Start from the database that was made at the installation."""
        path = "/payments/process/hundi/"
        super().__init__(gateway, folder("payments"), "django-payments", back=path, told=path)
        self.database = self.folder / "shop.sqlite3"
        shutil.copy(self.environment / "filled.sqlite3", self.database)
        host = self.url.removeprefix("http://")
        own = {"database": str(self.database), "secret_key": "of the tests", "host": host}
        (self.folder / "shop.json").write_text(json.dumps({**own, "hundi": self.settings}))
        python = str(self.environment / "bin" / "python")
        serve = ["manage.py", "runserver", "--noreload", "--skip-checks", f"127.0.0.1:{self.port}"]
        its = {"HUNDI_SHOP": str(self.folder / "shop.json"), "PYTHONWARNINGS": "ignore"}
        self.start([python, *serve], SANDBOX, "/", its)

    def books(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Return rows of the shop's own database; a change is written."""
        connection = sqlite3.connect(self.database, timeout=20)
        with connection:
            rows = connection.execute(query, values).fetchall()
        connection.close()
        return rows

    def payment(self, token: str) -> tuple[object, ...]:
        """Return status and captured amount of a payment."""
        query = "SELECT status, captured_amount FROM shop_payment WHERE token = ?"
        (row,) = self.books(query, token)
        return row


@pytest.fixture(scope="module")
def payments(gateway: RunningGateway, new_folder: NewFolder) -> Iterator[PaymentsShop]:
    """The shop."""
    with PaymentsShop(gateway, new_folder) as running:
        yield running


def place(customer: Customer, store: PaymentsShop) -> str:
    """Go to the payment page; return the payment's token."""
    page = customer.page
    page.goto(store.url)
    page.get_by_role("button", name=re.compile("Buy")).click()
    page.get_by_role("button", name="Continue to pay").click()
    page.wait_for_url(re.compile("/pay/v4/s/"))
    ((token,),) = store.books("SELECT token FROM shop_payment ORDER BY id DESC LIMIT 1")
    return str(token)


def see(customer: Customer, store: PaymentsShop, token: str, words: str) -> None:
    """Be back at the shop, which says how the order stands."""
    customer.page.wait_for_url(f"{store.url}/orders/{token}")
    expect(customer.page.get_by_role("status")).to_contain_text(words)


def test_a_sari_is_bought_and_a_part_refunded(payments: PaymentsShop, enter: Enter) -> None:
    customer = enter(payments)
    token = place(customer, payments)
    customer.pay_by_card()
    see(customer, payments, token, "Confirmed")
    assert payments.payment(token) == ("confirmed", 1499.5)
    payments.told_again(token)
    assert payments.payment(token) == ("confirmed", 1499.5)

    staff = enter(payments)
    page = staff.page
    page.goto(f"{payments.url}/admin/shop/payment/")
    page.get_by_label("Username").fill("staff")
    page.get_by_label("Password").fill("of the tests")
    page.get_by_role("button", name="Log in").click()
    page.locator("input[name=_selected_action]").first.check()
    page.locator("select[name=action]").select_option(label="Refund ₹500")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_text("Refund begun")).to_be_visible()
    assert payments.payment(token) == ("confirmed", 999.5)
    assert payments.verify(token, PRICE_PAISE).refunded_paise == 50_000
    payments.told_again(token)
    assert payments.payment(token) == ("confirmed", 999.5)


def test_a_declined_payment_is_rejected(payments: PaymentsShop, enter: Enter) -> None:
    customer = enter(payments)
    token = place(customer, payments)
    customer.pay_by_card(otp=BAD_OTP)
    customer.page.get_by_role("button", name=re.compile("django-payments shop")).click()
    see(customer, payments, token, "Rejected")
    assert payments.payment(token) == ("rejected", 0)


def test_another_amount_than_the_shops_own_is_not_confirmed(
    payments: PaymentsShop, enter: Enter
) -> None:
    customer = enter(payments)
    token = place(customer, payments)
    payments.books("UPDATE shop_payment SET total = 9000 WHERE token = ?", token)
    customer.pay_by_card()
    see(customer, payments, token, "Waiting")
    assert payments.payment(token) == ("waiting", 0)
    assert "amount: expected '9000.00', received '1499.50'" in payments.logged()


def test_who_does_not_know_the_keys_is_not_believed(payments: PaymentsShop) -> None:
    headers = {"webhook-id": "ipn_1_1_1", "webhook-timestamp": "1", "webhook-signature": "v1,eA=="}
    body = b'{"event": "paid", "data": {}}'
    path = "/payments/process/hundi/"
    assert payments.post(path, content=body, headers=headers) == 400
    assert payments.post(path, data={"response": "c2F5cyBwYWlk"}) == 400
