"""The shop of shop.py, with the payment page over its own page instead of in its place.

    python examples/overlay.py merchant.json

The merchant needs this shop's origin among those that may hold the payment page in a frame: `hundi
merchant frames MERCHANT http://127.0.0.1:9000`. Everything else is as in shop.py: what the overlay
tells is news for the eye, and the order is paid when the gateway says so.
"""

import html
import sys
import time

from shop import BUYER, GATEWAY, PRICE_PAISE, Shop, main, orders

from hundi.sdk import Order, rupees

SCRIPT = """
document.querySelector("#pay").addEventListener("submit", (event) => {
  event.preventDefault();
  const told = document.querySelector("#told");
  Hundi.pay(event.target, {
    onResult: (result) => { told.textContent = `The payment page says: ${result.state}`; },
    onClose: () => { told.textContent ||= "The payment was closed."; },
  });
});
"""


class OverlayShop(Shop):
    """Answers as the shop does, but for the page on which the customer pays."""

    gateway = GATEWAY

    def buy(self, _: bytes) -> None:
        """Show the order, with a form that the overlay sends into its frame."""
        order_id = f"order-{time.time_ns()}"
        orders[order_id] = "waiting"
        form = self.client.payment_form(
            Order(order_id=order_id, amount_paise=PRICE_PAISE, buyer=BUYER)
        )
        fields = "".join(
            f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
            for name, value in form.fields.items()
        )
        self.answer(
            "<!doctype html><title>Your order</title><h1>Your order</h1><p>A handloom sari,"
            f" {rupees(PRICE_PAISE)}</p>"
            '<form id="pay" method="post"'
            f' action="{html.escape(form.action_url)}">{fields}<button>Pay</button></form>'
            f'<p id="told" role="status"></p><script src="{self.gateway}/pay/v4/hundi.js"></script>'
            f"<script>{SCRIPT}</script>"
        )


if __name__ == "__main__":
    OverlayShop.gateway = sys.argv[2] if len(sys.argv) > 2 else GATEWAY  # noqa: PLR2004 (the second argument)
    try:
        main(*sys.argv[1:], answers=OverlayShop)
    except KeyboardInterrupt:
        print("Closed.")
