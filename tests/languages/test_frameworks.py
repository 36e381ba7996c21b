"""A shop in each framework sells at the running gateway: each event is handed over exactly once."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import httpx
import pytest
from standardwebhooks import Webhook

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.embedded.server import Listening
from hundi.sdk import Client, Gateway, RefundItem
from hundi.wire.merchant.notifications import AnnouncedNotification
from tests.conftest import NewFolder
from tests.languages.conftest import LANGUAGES
from tests.languages.frameworks import FRAMEWORKS
from tests.patience import PATIENCE_S
from tests.system.browser import Browser, Screen
from tests.system.conftest import add_merchant
from tests.system.envelopes import Merchant
from tests.system.machine import clean_environment, free_port
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, new_order_id, pay_card

BOOKS = """
CREATE TABLE orders (
  order_id text PRIMARY KEY,
  amount_paise bigint NOT NULL,
  state text NOT NULL DEFAULT 'new',
  deliveries integer NOT NULL DEFAULT 0
)
"""
FAULT = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$;
CREATE TRIGGER fault BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION refuse();
"""
HERE = [
    name
    for name, each in FRAMEWORKS.items()
    if each.language in (*LANGUAGES, "python")
    and (name != "laravel" or os.environ.get("HUNDI_TEST_LARAVEL"))
]
"""Debian has Laravel in a package beside PHP's."""


@dataclass
class FrameworkShop:
    """A shop's process, its books and its merchant at the gateway."""

    gateway: RunningGateway
    merchant: Merchant
    url: str
    run: Callable[..., list[Any]]
    after: str = ""

    def __post_init__(self) -> None:
        """Remember from where on the gateway's news is the shop's."""
        with self.client() as client:
            self.after = client.notifications().next

    def new_order(self) -> str:
        """Write an order into the shop's books, and return its id."""
        order_id = new_order_id("FRAME")
        self.run("INSERT INTO orders VALUES ($1, $2)", order_id, AMOUNT_PAISE)
        return order_id

    def state(self, order_id: str) -> tuple[str, int]:
        """Return an order's state, and how often its handler wrote that."""
        ((state, deliveries),) = self.run(
            "SELECT state, deliveries FROM orders WHERE order_id = $1", order_id
        )
        return state, deliveries

    def marks(self, order_id: str) -> int:
        """Return how many events of an order are marked as handled."""
        ((number,),) = self.run("SELECT count(*) FROM hundi_events WHERE order_id = $1", order_id)
        return number

    def begin(self, browser: Browser, order_id: str) -> Screen:
        """Open the shop's own page to pay, and go where its form leads."""
        page = browser.get(f"{self.url}/orders/{order_id}/pay")
        assert page.status == 200
        assert "no-store" in page.headers["cache-control"]
        (form,) = page.forms
        return browser.submit(form)

    def come_back(self, browser: Browser, screen: Screen) -> Screen:
        """Carry the result of a payment back to the shop."""
        (form,) = screen.forms
        assert urlsplit(form.action).netloc == urlsplit(self.url).netloc
        return browser.submit(form)

    def tries(self, order_id: str) -> list[dict[str, Any]]:
        """Return what the shop answered to the gateway, as the gateway has it."""
        return self.gateway.rows(
            "SELECT a.status, a.answer, a.event_no FROM delivery_attempts a"
            " JOIN payments p USING (merchant_id, payment_id)"
            " WHERE merchant_id = $1 AND order_id = $2 ORDER BY a.at",
            self.merchant.number,
            order_id,
        )

    def answered(self, order_id: str, status: int) -> str:
        """Wait until the shop gave the gateway an answer with a status, and return its words."""

        def look() -> str | None:
            rows = self.tries(order_id)
            return next((row["answer"] or "-" for row in rows if row["status"] == status), None)

        return until(look, f"{status} about {order_id}")

    def announced(self, order_id: str) -> AnnouncedNotification:
        """Return what the gateway tells of an order of this shop."""
        with self.client() as client:

            def look() -> AnnouncedNotification | None:
                page = client.notifications(after=self.after)
                return next(
                    (each for each in page.notifications if each.order_id == order_id), None
                )

            return until(look, f"the news of {order_id}")

    def client(self) -> Client:
        """Return a client of the gateway, beside the shop's own."""
        return Client(self.merchant.credentials, Gateway(base_url=self.gateway.base_url))

    def send(self, webhook_id: str, body: bytes, key: str) -> httpx.Response:
        """Send the shop a notification that a key signs now."""
        now = datetime.now(UTC)
        signed = {
            "webhook-id": webhook_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(key).sign(webhook_id, now, body.decode()),
            "content-type": "application/json",
        }
        address = f"{self.url}/hundi/notification"
        return httpx.post(address, content=body, headers=signed, trust_env=False, timeout=60)


@pytest.fixture(scope="module")
def books(new_folder: NewFolder) -> Iterator[dict[str, str]]:
    """A PostgreSQL of the shops, as the variables of its own programs."""
    port = free_port()
    listening = Listening("127.0.0.1", port, ("127.0.0.1/32",))
    with embedded_postgres.start(
        new_folder("frameworks"), databases=["shop"], listening=listening, options={"fsync": "off"}
    ) as server:
        own = urlsplit(server.url("shop"))
        yield {
            "PGHOST": "127.0.0.1",
            "PGPORT": str(port),
            "PGUSER": own.username or "",
            "PGPASSWORD": own.password or "",
            "PGDATABASE": "shop",
        }


@contextmanager
def runner(books: dict[str, str]) -> Iterator[Callable[..., list[Any]]]:
    """Yield what runs a statement on the shops' books."""
    with asyncio.Runner() as loop:
        own = {name.removeprefix("PG").lower(): value for name, value in books.items()}
        connection = loop.run(asyncpg.connect(**own))

        def run(statement: str, *values: object) -> list[Any]:
            if not values:
                return [loop.run(connection.execute(statement))]
            return [tuple(row) for row in loop.run(connection.fetch(statement, *values))]

        yield run
        loop.run(connection.close())


@pytest.fixture(scope="module")
def run(books: dict[str, str]) -> Iterator[Callable[..., list[Any]]]:
    """Runs a statement on the shops' books."""
    with runner(books) as running:
        yield running


def variables_of(
    merchant: Merchant, gateway: RunningGateway, books: dict[str, str]
) -> dict[str, str]:
    """Return the variables that every README's shop takes."""
    own = merchant.credentials
    return {
        **clean_environment(),
        **books,
        "SECRET_KEY": "of-tests",
        "MERCHANT_ID": own.merchant_id,
        "USERNAME": own.username,
        "PASSWORD": own.password,
        "API_SECRET": own.api_secret,
        "OAUTH_CLIENT_ID": own.oauth_client_id,
        "OAUTH_CLIENT_SECRET": own.oauth_client_secret,
        "WEBHOOK_KEY": own.webhook_keys[0],
        "BASE_URL": gateway.base_url,
    }


@pytest.fixture(scope="module", params=HERE)
def shop(
    request: pytest.FixtureRequest,
    gateway: RunningGateway,
    books: dict[str, str],
    run: Callable[..., list[Any]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[FrameworkShop]:
    """The running shop of a framework, as its README has it."""
    framework, port = FRAMEWORKS[request.param], free_port()
    url = f"http://127.0.0.1:{port}"
    addresses = {
        "notification_url": f"{url}/hundi/notification",
        "success_url": f"{url}/hundi/return",
        "failure_url": f"{url}/hundi/return",
    }
    merchant = add_merchant(gateway, f"Weaver {request.param}", **addresses)
    run("DROP TABLE IF EXISTS orders, hundi_events, django_migrations, migrations CASCADE")
    run(BOOKS)
    framework.write()
    log = tmp_path_factory.mktemp(request.param) / "shop.log"
    environment = variables_of(merchant, gateway, books)
    process = framework.start(environment, port, log)
    try:
        until(lambda: process.poll() is not None or listens(url), f"{request.param} to listen")
        assert process.poll() is None, log.read_text()
        yield FrameworkShop(gateway, merchant, url, run)
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # with the workers of PHP's server
        process.wait()


@contextmanager
def fault(shop: FrameworkShop) -> Iterator[None]:
    """Let the shop's database refuse to change orders."""
    shop.run(FAULT)
    try:
        yield
    finally:
        shop.run("DROP FUNCTION refuse CASCADE")


def listens(url: str) -> bool:
    """Return whether a shop answers."""
    try:
        return bool(httpx.get(f"{url}/orders/none", trust_env=False, timeout=PATIENCE_S))
    except httpx.TransportError:
        return False


def test_a_paid_order_is_handed_over_once_however_often_it_is_told(
    shop: FrameworkShop, browser: Browser
) -> None:
    order_id = shop.new_order()
    result = pay_card(browser, shop.begin(browser, order_id))
    back = shop.come_back(browser, result)
    assert (back.status, back.path) == (200, f"/orders/{order_id}")
    assert shop.answered(order_id, 200) == "handled"
    assert shop.state(order_id) == ("paid", 1)

    shop.gateway.operate("delivery", "replay", shop.announced(order_id).webhook_id)
    until(lambda: len(shop.tries(order_id)) > 1, "the second delivery")
    assert shop.tries(order_id)[-1].items() >= {"status": 200, "answer": "handled before"}.items()
    assert (shop.state(order_id), shop.marks(order_id)) == (("paid", 1), 1)


def test_deliveries_at_one_moment_are_handed_over_once(
    shop: FrameworkShop, browser: Browser
) -> None:
    order_id = shop.new_order()
    pay_card(browser, shop.begin(browser, order_id))
    shop.answered(order_id, 200)
    body, key = shop.announced(order_id).text.encode(), shop.merchant.webhook_key
    webhook_id = new_order_id("again")
    with ThreadPoolExecutor(6) as threads:
        answers = [threads.submit(shop.send, webhook_id, body, key) for _ in range(6)]
    words = sorted(each.result().text for each in answers if each.result().status_code == 200)
    assert words == ["handled"] + ["handled before"] * (len(words) - 1)
    assert (shop.state(order_id), shop.marks(order_id)) == (("paid", 2), 2)


def test_a_forgery_and_a_foreign_order_are_refused(shop: FrameworkShop, browser: Browser) -> None:
    order_id = shop.new_order()
    pay_card(browser, shop.begin(browser, order_id))
    shop.answered(order_id, 200)
    body, key = shop.announced(order_id).text.encode(), shop.merchant.webhook_key
    shop.run("UPDATE orders SET state = 'new' WHERE order_id = $1 RETURNING 1", order_id)
    assert shop.send("forged-1", body, "whsec_" + "QUFB" * 8).status_code == 400
    unsigned = httpx.post(f"{shop.url}/hundi/notification", content=body, trust_env=False)
    assert unsigned.status_code == 400
    assert shop.send("long-1", body + b" " * 300_000, key).status_code in {400, 413}
    returned = httpx.post(f"{shop.url}/hundi/return", data={"response": "x"}, trust_env=False)
    assert returned.status_code == 400
    shop.run("DELETE FROM orders WHERE order_id = $1 RETURNING 1", order_id)
    assert shop.send("foreign-1", body, key).status_code == 404
    assert shop.marks(order_id) == 1


def test_news_of_a_refund_has_an_amount_of_its_own(shop: FrameworkShop, browser: Browser) -> None:
    order_id = shop.new_order()
    pay_card(browser, shop.begin(browser, order_id))
    shop.answered(order_id, 200)
    with shop.client() as client:
        paid = client.verify(order_id=order_id, amount_paise=AMOUNT_PAISE)
        items = [RefundItem(paid.transaction_id, amount_paise=10_000)]
        assert client.refund(items, request_id=order_id)[0].accepted
    until(lambda: shop.marks(order_id) > 1, "the news of the refund")
    assert {row["status"] for row in shop.tries(order_id)} == {200}
    assert shop.state(order_id) == ("paid", 1)


@pytest.mark.parametrize("form", ["json", "form"])
def test_the_other_forms_of_a_notification_are_read(
    shop: FrameworkShop, browser: Browser, form: str
) -> None:
    own = shop.merchant.merchant_id
    shop.gateway.operate("merchant", "set", own, "--notification-form", form)
    try:
        order_id = shop.new_order()
        pay_card(browser, shop.begin(browser, order_id))
        assert shop.answered(order_id, 200) == "handled"
        # The form of old kits says no event, and this shop acts on events alone.
        assert shop.state(order_id) == (("paid", 1) if form == "json" else ("new", 0))
    finally:
        shop.gateway.operate("merchant", "set", own, "--notification-form", "json-encrypted")


def test_another_amount_than_the_books_have_is_not_handed_over(
    shop: FrameworkShop, browser: Browser
) -> None:
    order_id = shop.new_order()
    page = shop.begin(browser, order_id)
    shop.run("UPDATE orders SET amount_paise = 100 WHERE order_id = $1 RETURNING 1", order_id)
    back = shop.come_back(browser, pay_card(browser, page))
    assert (back.status, back.path) == (200, f"/orders/{order_id}")
    assert "amount" in shop.answered(order_id, 409)
    assert (shop.state(order_id), shop.marks(order_id)) == (("new", 0), 0)


def test_a_handler_that_fails_leaves_no_mark_and_is_called_again(
    shop: FrameworkShop, browser: Browser
) -> None:
    order_id = shop.new_order()
    pay_card(browser, shop.begin(browser, order_id))
    shop.answered(order_id, 200)
    body, key = shop.announced(order_id).text.encode(), shop.merchant.webhook_key
    webhook_id = new_order_id("fault")
    with fault(shop):
        assert shop.send(webhook_id, body, key).status_code == 500
        assert (shop.state(order_id), shop.marks(order_id)) == (("paid", 1), 1)
    assert shop.send(webhook_id, body, key).text == "handled"
    assert shop.send(webhook_id, body, key).text == "handled before"
    assert (shop.state(order_id), shop.marks(order_id)) == (("paid", 2), 2)


@pytest.mark.parametrize("shop", HERE[:1], indirect=True)
def test_the_gateway_sends_again_what_a_shop_could_not_handle(
    shop: FrameworkShop, browser: Browser
) -> None:
    """With one framework: it takes the gateway half a minute."""
    order_id = shop.new_order()
    page = shop.begin(browser, order_id)
    with fault(shop):
        pay_card(browser, page)
        shop.answered(order_id, 500)
        assert (shop.state(order_id), shop.marks(order_id)) == (("new", 0), 0)
    assert shop.answered(order_id, 200) == "handled"
    assert (shop.state(order_id), shop.marks(order_id)) == (("paid", 1), 1)
