"""Two gateways, of which the first has the second as its acquirer."""

from dataclasses import dataclass
from typing import Any

from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway
from tests.system.shop import (
    AMOUNT_PAISE,
    Shop,
)

PAID_BY_THE_SECOND = [("payment", "receivable:other", "payable", AMOUNT_PAISE)]


@dataclass
class Chain:
    """Two gateways: the shop's, and the one that it is a merchant of."""

    first: RunningGateway
    second: RunningGateway
    account: Merchant
    shop: Shop

    def reference(self, order_id: str) -> str:
        """Return as what the second gateway knows the last attempt at an order."""
        attempt = self.shop.attempts(order_id)[-1]
        return f"{attempt['merchant_id']}-{attempt['attempt_id']}"

    def there(self, order_id: str) -> dict[str, Any]:
        """Return the row of the second gateway's payment."""
        (row,) = self.second.rows(
            "SELECT * FROM payments WHERE merchant_id = $1 AND order_id = $2",
            self.account.number,
            self.reference(order_id),
        )
        return row

    def debits(self, order_id: str) -> list[int]:
        """Return the paise of every debit in the bank's own books for an order.

        Those it declined moved nothing.
        """
        payment_id = self.there(order_id)["payment_id"]
        tries = self.second.rows(
            "SELECT attempt_id FROM attempts WHERE payment_id = $1", payment_id
        )
        ours = {f"{self.account.merchant_id}-{each['attempt_id']}" for each in tries}
        entries = [each for each in self.second.bank_entries() if each["reference"] in ours]
        moved = [
            each
            for each in entries
            if each["kind"] in {"debit", "authorise"} and each["state"] != "declined"
        ]
        return [each["amount_paise"] for each in moved]

    def agree(self, order_id: str) -> None:
        """Assert that shop, both gateways and the bank know one payment, to the paisa."""
        told, there = self.shop.verify(order_id), self.there(order_id)
        assert (told.status_code, told.captured_paise) == (200, AMOUNT_PAISE)
        assert (there["state"], there["captured_paise"]) == ("paid", AMOUNT_PAISE)
        assert self.shop.postings(order_id) == PAID_BY_THE_SECOND
        assert self.debits(order_id) == [AMOUNT_PAISE]
        (entry,) = [each for each in self.second.bank_entries() if each["rrn"] == told.rrn]
        assert entry["amount_paise"] == AMOUNT_PAISE

    def tell(self, url: str) -> None:
        """Have the second gateway send its notifications somewhere."""
        self.second.operate("merchant", "set", self.account.merchant_id, "--notification-url", url)
