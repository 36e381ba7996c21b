"""What the examples of the documentation find at the running gateway.

The variables that the pages promise to them.
"""

import html
import os
import re
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest

from hundi.sdk import Buyer, Callbacks, Client, Credentials, Gateway, Order, QrOrder, Transaction
from tests.docs.commands import ready_commands
from tests.docs.examples import ROOT, blocks
from tests.patience import PATIENCE_S
from tests.system.browser import Browser
from tests.system.running import RunningGateway
from tests.system.shop import pay_card

AMOUNT_PAISE = 149_950
# Other pages go on from the first examples of these: `call` and `token`; the demo's variables and
# `ask`.
_BEGINNINGS = {"token.md": 2, "verify.md": 1, "partners.md": 2}

Given = Callable[[], dict[str, object]]


@dataclass
class Inbox:
    """A merchant's own server: keeps what the gateway's server brings."""

    url: str = ""
    taken: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def about(
        self, order_id: str, read: Callable[[dict[str, str], bytes], str]
    ) -> tuple[dict[str, str], bytes]:
        """Return the notification about an order, waiting for it.

        read: tells the order id of one.
        """
        give_up = time.monotonic() + PATIENCE_S
        while time.monotonic() < give_up:
            for headers, body in list(self.taken):
                if read(headers, body) == order_id:
                    return headers, body
            time.sleep(0.05)
        message = f"no notification about {order_id} within {PATIENCE_S} s"
        raise AssertionError(message)


@pytest.fixture(scope="package")
def inbox(gateway: RunningGateway) -> Iterator[Inbox]:
    """The server of the second demo merchant, whose notifications are pointed at it."""
    box = Inbox()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            box.taken.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its base names it)
            """Keep the test's output clean."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    box.url = f"http://127.0.0.1:{server.server_port}/notifications"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    merchant_id = gateway.demo["merchants"][1]["merchant_id"]
    gateway.operate("merchant", "set", merchant_id, "--notification-url", box.url)
    yield box
    server.shutdown()
    thread.join()
    server.server_close()


@dataclass(frozen=True)
class Paid:
    """A paid order, and what its merchant received of it."""

    order_id: str
    transaction_id: str
    rrn: str
    posted: dict[str, str]
    headers: dict[str, str]
    body: bytes


def credentials_of(gateway: RunningGateway) -> Credentials:
    """Return the second demo merchant's credentials."""
    given = gateway.demo["merchants"][1]
    return Credentials(
        merchant_id=given["merchant_id"],
        username=given["username"],
        password=given["password"],
        api_secret=given["secret"],
        oauth_client_id=given["client_id"],
        oauth_client_secret=given["client_secret"],
        webhook_keys=(given["webhook_key"],),
    )


@pytest.fixture(scope="package")
def paid(gateway: RunningGateway, inbox: Inbox) -> Paid:
    """An order of the second demo merchant, paid by UPI."""
    order_id = f"ORD-{secrets.token_hex(6)}"
    credentials, page = credentials_of(gateway), gateway.demo["payment_page_url"]
    buyer = Buyer(first_name="Asha", last_name="Rao", email="asha@example.in", phone="9876543210")
    order = Order(order_id=order_id, amount_paise=AMOUNT_PAISE, buyer=buyer, custom_var="cart 7")
    with (
        Client(
            credentials, Gateway(base_url=gateway.demo["base_url"], payment_page_url=page)
        ) as client,
        httpx.Client(follow_redirects=True) as browser,
    ):
        form = client.payment_form(order)
        shown = browser.post(form.action_url, data=dict(form.fields))
        link = html.unescape(re.findall(r'href="(upi://[^"]+)"', shown.text)[0])
        answer = browser.post(
            gateway.demo["simbank_url"] + "/upi/pay",
            json={"uri": link, "payer_vpa": "success@hundi"},
        ).json()
        posted = _returned(browser, str(shown.url))
        transaction = client.verify(order_id=order_id, amount_paise=AMOUNT_PAISE)
    callbacks = Callbacks(credentials)
    headers, body = inbox.about(
        order_id,
        lambda headers, body: callbacks.read_notification(headers, body).transaction.order_id,
    )
    return Paid(order_id, transaction.transaction_id, answer["rrn"], posted, headers, body)


def _returned(browser: httpx.Client, address: str) -> dict[str, str]:
    """Return the fields of the form that takes the browser back, once the payment page shows it."""
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        form = re.search(r'<form [^>]*id="return".*?</form>', browser.get(address).text, re.DOTALL)
        if form:
            found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form[0])
            return {html.unescape(name): html.unescape(value) for name, value in found}
        time.sleep(0.1)
    message = "the payment page never offered the way back"
    raise AssertionError(message)


@dataclass(frozen=True)
class Others:
    """Further transactions of the same merchant, each for one page.

    Paid ones, and ones that a card's bank holds.
    """

    refundable_id: str
    splittable_id: str
    splittable_rrn: str
    held_id: str
    other_held_id: str


@pytest.fixture(scope="package")
def others(gateway: RunningGateway) -> Others:
    """What pages about what comes after a payment do things with."""
    credentials = credentials_of(gateway)
    gateway.operate(
        "split",
        "link",
        credentials.merchant_id,
        "WEAVER",
        "The weavers",
        "HDFC0000001",
        "--number",
        "50100123456789",
    )
    addresses = Gateway(
        base_url=gateway.demo["base_url"], payment_page_url=gateway.demo["payment_page_url"]
    )
    with Client(credentials, addresses) as client, Browser() as browser:
        paid = [_scanned(gateway, client) for _ in range(2)]
        held = [_held(client, browser) for _ in range(2)]
    return Others(paid[0].transaction_id, paid[1].transaction_id, paid[1].rrn, *held)


def _scanned(gateway: RunningGateway, client: Client) -> Transaction:
    order_id = f"ORD-{secrets.token_hex(6)}"
    code = client.generate_qr(QrOrder(order_id=order_id, amount_paise=AMOUNT_PAISE))
    answer = httpx.post(
        gateway.demo["simbank_url"] + "/upi/pay",
        json={"uri": code.text, "payer_vpa": "success@hundi"},
    )
    answer.raise_for_status()
    give_up = time.monotonic() + PATIENCE_S
    while not (told := client.verify(order_id=order_id, amount_paise=AMOUNT_PAISE)).is_paid:
        assert time.monotonic() < give_up, "the bank's word never came"
        time.sleep(0.05)
    return told


def _held(client: Client, browser: Browser) -> str:
    order_id = f"ORD-{secrets.token_hex(6)}"
    buyer = Buyer(first_name="Asha", last_name="Rao", email="asha@example.in", phone="9876543210")
    asked = Order(order_id=order_id, amount_paise=AMOUNT_PAISE, buyer=buyer, authorise_only=True)
    form = client.payment_form(asked)
    pay_card(browser, browser.post(form.action_url, form.fields))
    return client.verify(order_id=order_id, amount_paise=AMOUNT_PAISE).transaction_id


@pytest.fixture(scope="package")
def commands() -> Iterator[Path]:
    """A folder with a `hundi` that has loaded everything."""
    with ready_commands() as folder:
        yield folder


@pytest.fixture
def given(
    gateway: RunningGateway,
    paid: Paid,
    others: Others,
    commands: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, object]:
    """The variables that docs/token.md promises: second demo merchant, orders, addresses, partner.

    The commands are found, and the gateway's folder is named where a reader's is `.hundi`, as after
    `make run`.
    """
    for name in (each for each in tuple(os.environ) if each.startswith("HUNDI_")):
        monkeypatch.delenv(name)
    monkeypatch.setenv(
        "PATH", f"{commands}{os.pathsep}{Path(sys.executable).parent}", prepend=os.pathsep
    )
    monkeypatch.setenv("HUNDI_DATA_DIR", str(gateway.data_dir))
    names: dict[str, object] = _given(gateway, paid) | asdict(others)
    for name, count in _BEGINNINGS.items():
        code = [each.text for each in blocks(ROOT / "docs" / name) if each.language == "python"]
        exec(compile("\n".join(code[:count]), f"docs/{name}", "exec"), names)  # noqa: S102 (the examples are ours)
    return names


def _given(gateway: RunningGateway, paid: Paid) -> dict[str, object]:
    merchant = gateway.demo["merchants"][1]
    addresses = {
        name: gateway.demo[name] for name in ("base_url", "payment_page_url", "simbank_url")
    }
    return {
        **{name: value for name, value in merchant.items() if name not in {"name", "mode"}},
        **addresses,
        "order_id": paid.order_id,
        "transaction_id": paid.transaction_id,
        "rrn": paid.rrn,
        "amount_paise": AMOUNT_PAISE,
        "posted": dict(paid.posted),
        "headers": dict(paid.headers),
        "body": paid.body,
        "split_request_id": str(secrets.randbelow(10**12)),
        "new_order_id": f"ORD-{secrets.token_hex(6)}",
        "sandbox_id": gateway.demo["merchants"][2]["merchant_id"],
    }
