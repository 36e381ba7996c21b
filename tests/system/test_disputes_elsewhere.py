"""A dispute whose contest only the acquirer's dashboard takes, in a running gateway."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from hundi.sdk import errors
from tests.acquirers.payu.standin_disputes import MERCHANT_ID, TOKEN, DisputedPayU
from tests.acquirers.payu.standin_payments import KEY, SALT
from tests.acquirers.playing import running
from tests.conftest import NewFolder
from tests.documents import pdf
from tests.system.acquirer_accounts import acquirer, alongside, running_apart
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id
from tests.system.test_console_payments import OPERATOR, session_of

AMOUNT = 149_950


@pytest.fixture(scope="module")
def apart(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of its own: what is added to it stays."""
    with running_apart(new_folder("disputes-elsewhere"), "south") as running:
        yield running


@dataclass(frozen=True)
class PlayedPayU:
    """The stand-in of PayU in a thread of its own, at the account south."""

    bank: DisputedPayU
    loop: asyncio.AbstractEventLoop
    gateway: RunningGateway

    def pays(self) -> None:
        """Let the customer pay the one link, and have the webhook about it sent."""
        (reference,) = self.bank.transactions
        self.bank.pay(reference)
        self._tell(*self.bank.webhook(reference))

    def disputes(self) -> str:
        """Have it disputed, announce that with a signature, and return PayU's number."""
        (reference,) = self.bank.transactions
        number = self.bank.raise_dispute(reference)
        self._tell(*self.bank.dispute_webhook(number, signs=True))
        return number

    def decides(self, number: str, status: str) -> None:
        self.bank.decide(number, status)
        self._tell(*self.bank.dispute_webhook(number, signs=True))

    def _tell(self, headers: dict[str, str], body: bytes) -> None:
        url = f"{self.gateway.base_url}/callbacks/south"
        assert httpx.post(url, headers=headers, content=body, timeout=20).status_code == 200


@pytest.fixture
def payu(apart: RunningGateway) -> Iterator[PlayedPayU]:
    with alongside(running(DisputedPayU())) as (bank, loop):
        yield PlayedPayU(bank, loop, apart)


@pytest.fixture
def shop(apart: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(apart, server, "elsewhere")


def paid_at_payu(payu: PlayedPayU, shop: Shop, browser: Browser) -> str:
    """Open orders until PayU is asked for the link of one, pay it, and return the order's id."""

    def look() -> str:
        order_id = new_order_id()
        screen = shop.open_page(browser, order_id, AMOUNT)
        if not screen.offers("/upi/app"):  # a QR of the simulated bank is there at once
            browser.submit(screen.form("/qr"))
        return order_id if payu.bank.transactions else ""

    order_id = until(look, "the account to be used", every_s=0.5)
    payu.pays()
    return order_id


def added(gateway: RunningGateway, payu: DisputedPayU, merchant_id: str) -> None:
    fields: dict[str, Any] = {
        "environment": "test",
        "key": KEY,
        "salt": SALT,
        "contact_email": "pay@shop.example",
        "contact_phone": "9000090000",
        "payment_url": payu.url,
        "command_url": payu.url,
        "dispute_token": TOKEN,
        "dispute_merchant_id": MERCHANT_ID,
        "dispute_url": f"{payu.url}/api/v1",
        "methods": ["upi_link"],
    }
    merchant = ("--merchant", merchant_id, "--paid-to", "operator")
    acquirer(gateway, "add", "south", "payu", *merchant, fields=fields)


def test_an_answer_is_given_in_the_dashboard_and_every_door_says_so(
    apart: RunningGateway, shop: Shop, payu: PlayedPayU, browser: Browser, tmp_path: Path
) -> None:
    merchant_id = str(shop.merchant.merchant_id)
    added(apart, payu.bank, merchant_id)
    order_id = paid_at_payu(payu, shop, browser)
    shop.becomes(order_id, 200, AMOUNT)
    number = payu.disputes()
    (listed,) = apart.operate("dispute", "list", merchant_id, "--state", "open")
    assert listed["bank_case"].endswith(f"-{number}")
    which = (merchant_id, listed["dispute_id"])
    shown = apart.operate("dispute", "show", *which)
    assert shown["acquirer"] == "south"
    assert (shown["answers"], shown["in_dashboard"]) == (["accept"], ["contest", "part"])

    (receipt := tmp_path / "receipt.pdf").write_bytes(pdf("A receipt"))
    given = ("--note", "delivered", "--evidence", str(receipt))
    contested = apart.invoke("dispute", "contest", *which, *given)
    assert contested.exit_code != 0
    assert "dashboard" in contested.output
    kept = apart.operate("dispute", "evidence", "list", *which)
    assert kept == [], "nothing is kept of an answer that is refused"
    with pytest.raises(errors.RefusedError) as refused:
        shop.client.contest_dispute(listed["dispute_id"], note="delivered")
    assert refused.value.code == "125"
    with session_of(apart, OPERATOR, "198.51.100.61") as console:
        page = console.get(f"{merchant_id}/disputes/{listed['dispute_id']}").text
    assert "in its own dashboard alone when you contest or accept a part" in page
    assert "The operator gives them to the acquirer." in page
    assert "/contest" not in page
    assert "/accept" in page

    payu.decides(number, "Pending Doc Review")
    assert apart.operate("dispute", "show", *which)["state"] == "under_review"
    payu.decides(number, "Closed in Merchant Favour")
    assert apart.operate("dispute", "show", *which)["state"] == "won"
