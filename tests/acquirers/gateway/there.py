"""Our account at another gateway that really runs, and what its customers do there."""

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from standardwebhooks import Webhook

from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.payments import Charge
from hundi.wire import cipher
from hundi.wire.merchant.record import TransactionRecord, told_data, told_envelope, with_hash
from tests.system.bank_redirects import act
from tests.system.browser import Browser, Screen
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway
from tests.system.shop import SESSION, enter_otp, pay_card, scan, settled


def settings(address: str, merchant: Merchant, **other: Any) -> dict[str, Any]:
    """Return the fields of an acquirer of this kind, as an operator configures it."""
    return {
        "kind": "gateway",
        "environment": "test",
        "base_url": address,
        "merchant_id": merchant.merchant_id,
        "username": merchant.username,
        "password": merchant.password,
        "api_secret": merchant.secret,
        "client_id": merchant.client_id,
        "client_secret": merchant.client_secret,
        "webhook_key": merchant.webhook_key,
        "contact_email": "shop@example.in",
        "contact_phone": "9000000000",
        **other,
    }


def notification(merchant: Merchant, key: str = "", **changes: Any) -> tuple[dict[str, str], bytes]:
    """Return headers and body of a signed notification, as the other gateway sends it.

    key: another one than ours.
    """
    said = {"ap_transactionid": "217383559059812", "amount": "1499.50", "transaction_status": 200}
    said |= {
        "transaction_payment_status": "SUCCESS",
        "merchant_id": merchant.merchant_id,
        "message": "Success",
    }
    record = with_hash(TransactionRecord(**(said | changes)), merchant.username)
    envelope = told_envelope(
        {"status_code": "200", "event": "paid"}, told_data(record, as_text=False)
    )
    sealed = cipher.seal(merchant.key, json.dumps(envelope).encode())
    body = json.dumps({"merchant_id": merchant.merchant_id, "response": sealed})
    at = datetime.now(UTC)
    signature = Webhook(key or merchant.webhook_key).sign("ipn_1", at, body)
    stamp = str(int(at.timestamp()))
    return {
        "webhook-id": "ipn_1",
        "webhook-timestamp": stamp,
        "webhook-signature": signature,
    }, body.encode()


@dataclass
class Customers:
    """What customers do at the other gateway and its bank; returned.

    The forms that their browsers bring back.
    """

    there: RunningGateway
    returned: dict[str, dict[str, str]] = field(default_factory=dict)

    async def pay_link(self, _charge: Charge, link: UpiLink) -> None:
        """Scan a link."""
        await asyncio.to_thread(scan, self.there, link.url)

    async def pay_page(self, charge: Charge, page: Redirect) -> None:
        """Post the form, type the card and confirm it."""
        self.returned[charge.reference] = await asyncio.to_thread(self._pay_page, page)

    def _pay_page(self, page: Redirect) -> dict[str, str]:
        with Browser() as browser:
            after = pay_card(browser, browser.post(page.url, dict(page.fields)))
            (form,) = after.forms
            return form.fields

    async def come_back(self, charge: Charge) -> dict[str, str]:
        """Return the form that a customer's browser brought back."""
        return self.returned[charge.reference]

    async def confirm(self, url: str, otp: str = "123456") -> None:
        """Answer a challenge, and go where it leads."""
        await asyncio.to_thread(self._confirm, url, otp)

    def _confirm(self, url: str, otp: str) -> None:
        with Browser() as browser:
            settled(browser, enter_otp(browser, browser.get(url), otp))

    async def leave_bank(self, url: str) -> None:
        """Cancel at the bank's page, and go back to the shop from the other gateway's."""
        await asyncio.to_thread(self._leave, url)

    def _leave(self, url: str) -> None:
        with Browser() as browser:
            back = settled(browser, act(browser, browser.get(url), "cancel"))
            self.go_back(browser, back)

    def go_back(self, browser: Browser, screen: Screen) -> Screen:
        """Press what ends a session at the other gateway."""
        assert SESSION in screen.url
        return browser.post(screen.url.partition("?")[0] + "/return", {})
