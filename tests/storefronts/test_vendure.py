"""Somebody buys in a real Vendure by a browser, and its staff refunds by the Admin API."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.customer import BAD_OTP, Customer
from tests.conftest import NewFolder
from tests.storefronts.conftest import Enter
from tests.storefronts.store import SHOPS, Store
from tests.system.running import RunningGateway
from tests.system.waiting import until

PRICE_PAISE = 149_950
SANDBOX = SHOPS / "vendure" / "sandbox"
PASSWORD = "of the tests"
_REFUND = """mutation ($input: RefundOrderInput!) { refundOrder(input: $input) {
  ... on Refund { state total transactionId } ... on ErrorResult { errorCode message } } }"""
_ORDER = """query ($code: String!) { orders(options: {filter: {code: {eq: $code}}}) { items {
  state payments { id state amount transactionId refunds { state total } }
  history(options: {filter: {type: {eq: "ORDER_NOTE"}}}) { items { data } } } } }"""


class Vendure(Store):
    """A Vendure with one thing to buy, on a database of the gateway's server."""

    def __init__(self, gateway: RunningGateway, folder: NewFolder) -> None:
        """Let it make its tables and fill them."""
        paths = {"back": "/hundi/return", "told": "/hundi/notification"}
        super().__init__(gateway, folder("vendure"), "vendure", **paths)
        gateway.rows("CREATE DATABASE vendure")
        own = self.settings
        credentials = {_camel(name): own[name] for name in own if name != "base_url"}
        settings = {
            "port": self.port,
            "password": PASSWORD,
            "database": _options(gateway.database_url("vendure")),
            "hundi": {"credentials": credentials, "baseUrl": gateway.base_url},
        }
        (self.folder / "shop.json").write_text(json.dumps(settings))
        for each in SANDBOX.iterdir():
            if each.suffix in {".js", ".html", ".csv"}:
                (self.environment / each.name).write_text(each.read_text())
        its = {"HUNDI_SHOP": str(self.folder / "shop.json"), "VENDURE_DISABLE_TELEMETRY": "true"}
        self.start(["node", "server.js"], self.environment, "/shop", its)
        until(lambda: "the shop is filled" in self.logged(), "a filled shop", within_s=90)
        unkept = httpx.Limits(max_keepalive_connections=0)
        self.staff = httpx.Client(base_url=self.url, trust_env=False, timeout=30, limits=unkept)
        login = 'mutation ($word: String!) { login(username: "staff", password: $word)'
        self.admin(login + " { ... on CurrentUser { id } } }", word=PASSWORD)

    def admin(self, query: str, **variables: Any) -> Any:
        """Ask the Admin API, as its dashboard does."""
        sent = {"query": query, "variables": variables}
        answer = self.staff.post("/admin-api", json=sent)
        told = answer.raise_for_status().json()
        assert "errors" not in told, told
        (value,) = told["data"].values()
        return value

    def __exit__(self, *_: object) -> None:
        """End the shop."""
        self.staff.close()
        super().__exit__()

    def order(self, code: str) -> dict[str, Any]:
        """Return an order of the shop's books with its payments."""
        (order,) = self.admin(_ORDER, code=code)["items"]
        return order

    def refund(self, payment: dict[str, Any], amount: int) -> dict[str, Any]:
        """Refund a part of a payment."""
        asked = {"paymentId": payment["id"], "amount": amount, "reason": "wanted"}
        return self.admin(_REFUND, input={"lines": [], "shipping": 0, "adjustment": 0, **asked})


def _camel(name: str) -> str:
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)


def _options(url: str) -> dict[str, Any]:
    """Return TypeORM's options for an address of a database."""
    parts = urlsplit(url)
    return {
        "type": "postgres",
        "host": parts.hostname or parse_qs(parts.query)["host"][0],
        "port": parts.port or 5432,
        "username": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "database": parts.path.strip("/"),
    }


@pytest.fixture(scope="module")
def vendure(gateway: RunningGateway, new_folder: NewFolder) -> Iterator[Vendure]:
    """The shop."""
    with Vendure(gateway, new_folder) as running:
        yield running


def go_to_pay(customer: Customer, store: Vendure, button: str = "Buy Handloom sari") -> None:
    """Press a button of the storefront that leads to the payment page."""
    customer.page.goto(f"{store.url}/shop")
    customer.page.get_by_role("button", name=button).click()
    customer.page.wait_for_url(re.compile("/pay/v4/s/"))


def come_back(customer: Customer, store: Vendure, outcome: str) -> str:
    """Be back at the storefront; return the code of the order."""
    customer.page.wait_for_url(f"{store.url}/shop?order=*&outcome={outcome}")
    expect(customer.page.get_by_role("status")).to_contain_text(outcome)
    return parse_qs(urlsplit(customer.page.url).query)["order"][0]


def states(order: dict[str, Any]) -> list[tuple[str, int]]:
    """Return state and amount of an order's payments."""
    return [(each["state"], each["amount"]) for each in order["payments"]]


def test_a_sari_is_bought_and_a_part_refunded(vendure: Vendure, enter: Enter) -> None:
    customer = enter(vendure)
    go_to_pay(customer, vendure)
    customer.pay_by_card()
    code = come_back(customer, vendure, "paid")
    order = vendure.order(code)
    assert (order["state"], states(order)) == ("PaymentSettled", [("Settled", PRICE_PAISE)])

    vendure.told_again(code)
    assert states(vendure.order(code)) == [("Settled", PRICE_PAISE)]

    (payment,) = order["payments"]
    begun = vendure.refund(payment, 50_000)
    assert begun.get("state") == "Pending", begun
    assert vendure.verify(code, PRICE_PAISE).refunded_paise == 50_000
    (payment,) = until(lambda: refunded(vendure, code), "the refund to be settled")
    assert payment["refunds"] == [{"state": "Settled", "total": 50_000}]
    more = vendure.refund(payment, 100_000)
    assert more["errorCode"] == "REFUND_AMOUNT_ERROR"


def refunded(store: Vendure, code: str) -> list[dict[str, Any]] | None:
    """Return an order's payments once their refunds are settled."""
    payments = store.order(code)["payments"]
    done = all(each["state"] == "Settled" for pay in payments for each in pay["refunds"])
    return payments if done else None


def test_a_declined_order_is_paid_at_the_next_try(vendure: Vendure, enter: Enter) -> None:
    customer = enter(vendure)
    go_to_pay(customer, vendure)
    customer.pay_by_card(otp=BAD_OTP)
    customer.page.get_by_role("button", name=re.compile("vendure shop")).click()
    code = come_back(customer, vendure, "failed")
    assert states(vendure.order(code)) == [("Declined", PRICE_PAISE)]
    go_to_pay(customer, vendure, "Pay again")
    customer.pay_by_card()
    assert come_back(customer, vendure, "paid") == code
    assert sorted(states(vendure.order(code))) == [
        ("Declined", PRICE_PAISE),
        ("Settled", PRICE_PAISE),
    ]
    assert vendure.verify(f"{code}-2", PRICE_PAISE).is_paid


def test_a_storefront_proves_nothing(vendure: Vendure, enter: Enter) -> None:
    """Who says to the Shop API that they have paid, or to its addresses, is not believed."""
    customer = enter(vendure)
    go_to_pay(customer, vendure)
    customer.page.goto(f"{vendure.url}/shop")
    claim = """async () => (await fetch("/shop-api", {
      method: "POST", headers: {"content-type": "application/json"},
      body: JSON.stringify({query: `mutation { addPaymentToOrder(input: {method: "hundi", metadata:
        {reference: "x", transactionId: "1", amountPaise: 149950, isPaid: true, message: ""}})
        { ... on Order { state } } }`})})).json()"""
    assert "use the mutation hundiPaymentForm" in json.dumps(customer.page.evaluate(claim))
    headers = {"webhook-id": "ipn_1_1_1", "webhook-timestamp": "1", "webhook-signature": "v1,eA=="}
    body = b'{"event": "paid", "data": {}}'
    assert vendure.post("/hundi/notification", content=body, headers=headers) == 400
    assert vendure.post("/hundi/return", data={"response": "c2F5cyBwYWlk"}) == 400


CHANGE = """async (quantity) => {
  const headers = { "content-type": "application/json" };
  const ask = async (query) => (await (await fetch("/shop-api", { method: "POST", headers,
    body: JSON.stringify({ query }) })).json()).data;
  await ask(`mutation { transitionOrderToState(state: "AddingItems") { ... on Order { code } } }`);
  const { activeOrder } = await ask("{ activeOrder { code lines { id } } }");
  await ask(`mutation { adjustOrderLine(orderLineId: "${activeOrder.lines[0].id}",
    quantity: ${quantity}) { ... on Order { code } } }`);
  await ask(`mutation { transitionOrderToState(state: "ArrangingPayment")
    { ... on Order { code } } }`);
  return activeOrder.code;
}"""


def changed(customer: Customer, store: Vendure, quantity: int) -> str:
    """Change the cart on the storefront; return the order's code."""
    customer.page.goto(f"{store.url}/shop")
    return customer.page.evaluate(CHANGE, quantity)


def test_a_cart_that_was_changed_after_the_form_is_paid_by_another(
    vendure: Vendure, enter: Enter
) -> None:
    customer = enter(vendure)
    go_to_pay(customer, vendure)
    code = changed(customer, vendure, 2)
    go_to_pay(customer, vendure, "Pay again")
    customer.pay_by_card()
    assert come_back(customer, vendure, "paid") == code
    assert states(vendure.order(code)) == [("Settled", 2 * PRICE_PAISE)]
    assert vendure.verify(f"{code}-2", 2 * PRICE_PAISE).is_paid


def test_who_pays_what_the_cart_was_before_is_told_and_a_person_looks(
    vendure: Vendure, enter: Enter
) -> None:
    customer = enter(vendure)
    go_to_pay(customer, vendure)
    former = customer.page.url
    code = changed(customer, vendure, 2)
    customer.page.goto(former)
    customer.pay_by_card()
    assert come_back(customer, vendure, "changed") == code
    vendure.told_again(code)
    order = vendure.order(code)
    notes = [each["data"]["note"] for each in order["history"]["items"]]
    assert (order["state"], states(order), len(notes)) == ("ArrangingPayment", [], 1)
    assert f"paid {PRICE_PAISE} as {code}, and the order was changed since" in notes[0]
    customer.page.get_by_role("button", name="Pay again").click()
    expect(customer.page.get_by_role("status")).to_contain_text("was paid before the order was")
