"""A whole shop in one file: one thing to buy, paid through a Hundi gateway.

    python examples/shop.py merchant.json

It needs nothing but Python and Hundi's SDK (`pip install .`). `merchant.json` is what `hundi
merchant add --json` printed; the merchant's addresses are `/return` and `/notifications` of this
shop (docs/README.md). Orders are kept in memory: a shop of yours keeps them in its database.
"""

import html
import json
import sys
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl

from hundi.sdk import Buyer, Callbacks, Client, Credentials, Gateway, Order, rupees
from hundi.sdk.errors import HundiError, UntrustedError

GATEWAY = "http://127.0.0.1:8080"
PORT = 9000
PRICE_PAISE = 149_950
BUYER = Buyer(first_name="Asha", last_name="Rao", email="asha@example.in", phone="9876543210")

orders: dict[str, str] = {}
"""Our own books: order id and how it stands."""


class Shop(BaseHTTPRequestHandler):
    """Answers one request of a browser, or of the gateway's server."""

    client: Client
    callbacks: Callbacks

    def do_GET(self) -> None:
        """Show what there is to buy, and the orders."""
        lines = "".join(
            f"<li>{each}: <b>{html.escape(state)}</b></li>" for each, state in orders.items()
        )
        price = rupees(PRICE_PAISE)
        button = (
            f"<form method=post action=/buy><button>Buy a handloom sari for {price}</button></form>"
        )
        self.answer(
            f"<!doctype html><title>My shop</title><h1>My shop</h1>{button}<ul>{lines}</ul>"
        )

    def do_POST(self) -> None:
        """Begin an order, or take what browser and gateway bring."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        acts = {
            "/buy": self.buy,
            "/return": self.take_return,
            "/notifications": self.take_notification,
        }
        try:
            acts[self.path](body)
        except KeyError:
            self.answer("There is nothing here.", HTTPStatus.NOT_FOUND)
        except UntrustedError as error:
            self.answer(f"Not believed: {html.escape(str(error))}", HTTPStatus.BAD_REQUEST)
        except HundiError as error:
            self.answer(f"The gateway said: {html.escape(str(error))}", HTTPStatus.BAD_GATEWAY)

    def buy(self, _: bytes) -> None:
        """Send the customer to the payment page."""
        order_id = f"order-{time.time_ns()}"
        orders[order_id] = "waiting"
        form = self.client.payment_form(
            Order(order_id=order_id, amount_paise=PRICE_PAISE, buyer=BUYER)
        )
        self.answer(form.html())

    def take_return(self, body: bytes) -> None:
        """The customer is back. What the browser brings is a claim.

        Ask the gateway before goods are released.
        """
        order_id = self.callbacks.claimed_order_id(dict(parse_qsl(body.decode())))
        if order_id in orders:
            self.ask(order_id)
        self.send_response(HTTPStatus.SEE_OTHER)  # a reload sends nothing twice
        self.send_header("location", "/")
        self.end_headers()

    def take_notification(self, body: bytes) -> None:
        """The gateway's server tells us, also when the customer never comes back.

        It proves itself by a signature.
        """
        told = self.callbacks.read_notification(dict(self.headers), body)
        if told.transaction.order_id in orders:
            self.ask(told.transaction.order_id)
        self.answer("Written down.")

    def ask(self, order_id: str) -> None:
        """Ask the gateway how the order stands; it must name our order id and our amount."""
        told = self.client.verify(order_id=order_id, amount_paise=PRICE_PAISE)
        orders[order_id] = (
            "paid"
            if told.is_paid
            else "waiting"
            if told.is_pending
            else f"not paid: {told.message}"
        )

    def answer(self, text: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        """Send one page."""
        self.send_response(status)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())


def main(
    path: str, gateway: str = GATEWAY, port: str = str(PORT), *, answers: type[Shop] = Shop
) -> None:
    """Serve the shop until Ctrl-C."""
    keys = json.loads(Path(path).read_text("utf-8"))
    credentials = Credentials(
        merchant_id=keys["merchant_id"],
        username=keys["username"],
        password=keys["password"],
        api_secret=keys["secret"],
        oauth_client_id=keys["client_id"],
        oauth_client_secret=keys["client_secret"],
        webhook_keys=tuple(keys["webhook_keys"]),
    )
    Shop.callbacks = Callbacks(credentials)
    with Client(credentials, Gateway(base_url=gateway)) as Shop.client:
        server = ThreadingHTTPServer(("127.0.0.1", int(port)), answers)
        print(f"Open http://127.0.0.1:{port}/", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        print("Closed.")
