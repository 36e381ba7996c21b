"""What RazorpayX's stand-in does with payouts, and what people and banks do to them."""

from dataclasses import dataclass

from tests.acquirers.razorpayx.standin_books import (
    AMOUNT_MIN,
    FEES,
    IMPS_MOST,
    MODES,
    MOVES,
    NARRATION,
    NOTES_MAX,
    PURPOSES,
    REFERENCE_LENGTH_MAX,
    RTGS_LEAST,
    TAX,
    UPI_MOST,
    Books,
    Payout,
    new_id,
    refusal,
)
from tests.acquirers.stage import Document

EVENTS = {
    "pending": "payout.pending",
    "queued": "payout.queued",
    "processing": "payout.initiated",
    "processed": "payout.processed",
    "reversed": "payout.reversed",
    "failed": "payout.failed",
    "rejected": "payout.rejected",
}
"""No event for cancelled is on their list."""


@dataclass
class Payouts:
    """Makes payouts and moves them.

    A test plays people with `approve` and `reject`, the bank with `settle`, `deem`, `fail`,
    `reverse` and `queue`, and the merchant's treasurer with `add_money`.
    """

    books: Books

    def create(self, asked: Document, fund_account: Document, *, composite: bool) -> Payout:
        account = self.books.account(asked.get("account_number"))
        if not fund_account["active"]:
            raise refusal("The fund account is inactive.", "fund_account_id")
        _check(asked, fund_account)
        short = account.balance < asked["amount"] + FEES
        if short and not asked.get("queue_if_low_balance") and self.books.short_balance != "failed":
            raise refusal(
                "Your account does not have enough balance to carry out the payout operation."
            )
        payout = Payout(new_id("pout"), account, fund_account, asked, "pending", self.books.now())
        payout.composite = composite
        self.books.payouts[payout.id] = payout
        if self.books.approval:
            self._tell(payout, "pending", "pending_approval")
        else:
            self._begin(payout)
        return payout

    def payout(self, payout: Payout | str) -> Payout:
        """Find a payout by its id, or the newest of our reference."""
        if isinstance(payout, Payout):
            return payout
        return self.books.payouts.get(payout) or self.books.of_reference(payout)[-1]

    def approve(self, payout: Payout | str) -> Payout:
        found = self.payout(payout)
        assert found.status == "pending", found.status
        self._begin(found)
        return found

    def reject(self, payout: Payout | str) -> Payout:
        return self._move(self.payout(payout), "rejected", "beneficiary_bank_rejected")

    def settle(self, payout: Payout | str, utr: str | None = None) -> Payout:
        """Credit the beneficiary. utr: another than the next one."""
        found = self.payout(payout)
        found.utr = utr or found.utr or self.books.next_utr()
        return self._move(found, "processed", "payout_processed")

    def tell_utr(self, payout: Payout | str, utr: str | None = None) -> Payout:
        """Learn the UTR of a payout that is underway."""
        found = self.payout(payout)
        found.utr = utr or self.books.next_utr()
        self._tell_as(found, "payout.updated")
        return found

    def deem(
        self, payout: Payout | str, reason: str = "beneficiary_bank_confirmation_pending"
    ) -> Payout:
        """Leave a payout underway, debited, and nobody knows whether it was credited."""
        found = self.payout(payout)
        assert found.status == "processing", found.status
        found.reason = reason
        self._tell_as(found, "payout.updated")
        return found

    def queue(self, payout: Payout | str, reason: str = "gateway_degraded") -> Payout:
        """Put a payout that has just begun in the queue, as when a bank is down."""
        found = self.payout(payout)
        assert found.status == "processing", found.status
        self._give_back(found)
        self._tell(found, "queued", reason)
        return found

    def release(self, payout: Payout | str) -> Payout:
        """Process what was queued: the bank is back."""
        found = self.payout(payout)
        assert found.status == "queued", found.status
        self._begin(found)
        return found

    def fail(
        self, payout: Payout | str, reason: str = "bank_account_closed", *, debited: bool = False
    ) -> Payout:
        """Let a payout fail. debited: its money stays away until it turns reversed."""
        found = self._move(self.payout(payout), "failed", reason)
        if not debited:
            self._give_back(found)
        return found

    def reverse(self, payout: Payout | str, reason: str = "beneficiary_bank_offline") -> Payout:
        """Send the money back: also days after it was processed, or after it had failed."""
        found = self._move(self.payout(payout), "reversed", reason)
        self._give_back(found)
        return found

    def cancel(self, payout: Payout) -> Payout:
        if payout.status != "queued":
            raise refusal("Payout is not in queued state and cannot be cancelled.")
        payout.status, payout.reason = "cancelled", ""
        payout.history.append("cancelled")
        return payout

    def add_money(self, number: str, paise: int) -> None:
        """Pay money in, and process what waits for it, first in first out (x/payouts/queued.md)."""
        account = self.books.accounts[number]
        transfer = {
            "id": new_id("bt"),
            "entity": "bank_transfer",
            "payer_name": "Saurav Kumar",
            "payer_account": "6543266545411243",
            "payer_ifsc": "UTIB0000002",
            "mode": "NEFT",
            "bank_reference": f"AXIR{self.books.next_utr()}",
            "amount": paise,
        }
        self.books.money(account, paise, transfer)
        for waiting in list(self.books.payouts.values()):
            if waiting.account is account and waiting.reason == "low_balance":
                self._begin(waiting)

    def _begin(self, payout: Payout) -> None:
        """Debit the account and send, or queue or fail what it cannot bear."""
        whole = payout.amount + FEES
        if payout.account.balance < whole:
            if payout.status == "queued":
                return
            queued = payout.asked.get("queue_if_low_balance")
            reason = "low_balance" if queued else "insufficient_funds"
            self._tell(payout, "queued" if queued else "failed", reason)
            return
        payout.fees, payout.tax, payout.debited = FEES, TAX, whole
        self._tell(payout, "processing", "payout_bank_processing")
        named = ("id", "entity", "fund_account_id", "amount", "notes", "fees", "tax", "status")
        document = payout.document()
        source = {name: document[name] for name in (*named, "utr", "mode", "created_at")}
        self.books.money(payout.account, -whole, source)
        details = payout.fund_account[payout.fund_account["account_type"]]
        reason = self.books.rejects.get(details.get("account_number") or details["address"])
        if reason:
            self.reverse(payout, reason)
        elif self.books.at_once:
            self.settle(payout)

    def _move(self, payout: Payout, status: str, reason: str) -> Payout:
        assert status in MOVES.get(payout.status, ()), f"{payout.status} -> {status}"
        if {payout.status, status} == {"failed", "reversed"}:
            assert payout.account.kind == "current_account"
        self._tell(payout, status, reason)
        return payout

    def _give_back(self, payout: Payout) -> None:
        if not payout.debited:
            return
        back, payout.debited = payout.debited, 0
        source = {
            "id": new_id("rvrsl"),
            "entity": "reversal",
            "payout_id": payout.id,
            "amount": payout.amount,
            "fee": payout.fees,
            "tax": payout.tax,
            "utr": payout.utr,
            "created_at": self.books.now(),
        }
        self.books.money(payout.account, back, source)

    def _tell(self, payout: Payout, status: str, reason: str) -> None:
        payout.status, payout.reason = status, reason
        payout.history.append(status)
        self._tell_as(payout, EVENTS[status])

    def _tell_as(self, payout: Payout, event: str) -> None:
        self.books.told.append((event, "payout", payout.document()))


def _check(asked: Document, fund_account: Document) -> None:
    amount, mode, kind = asked.get("amount"), asked.get("mode"), fund_account["account_type"]
    if not isinstance(amount, int) or isinstance(amount, bool):
        raise refusal("The amount must be an integer.", "amount")
    for wrong, field, said in (
        (amount < AMOUNT_MIN, "amount", "The amount must be at least 100."),
        (asked.get("currency") != "INR", "currency", "The selected currency is invalid."),
        (mode not in MODES[kind], "mode", f"Payout mode {mode} is not allowed for {kind}."),
        (mode == "IMPS" and amount > IMPS_MOST, "amount", "IMPS payouts end at INR 5,00,000."),
        (mode == "RTGS" and amount < RTGS_LEAST, "amount", "RTGS payouts begin at INR 2,00,000."),
        (mode == "UPI" and amount > UPI_MOST, "amount", "UPI payouts end at INR 1,00,000."),
        (asked.get("purpose") not in PURPOSES, "purpose", "Invalid purpose."),
        (
            not NARRATION.match(str(asked.get("narration", ""))),
            "narration",
            "The narration format is invalid.",
        ),
        (
            len(str(asked.get("reference_id") or "")) > REFERENCE_LENGTH_MAX,
            "reference_id",
            "The reference id may not be greater than 40 characters.",
        ),
        (
            len(asked.get("notes") or {}) > NOTES_MAX,
            "notes",
            "The notes may not have more than 15 items.",
        ),
    ):
        if wrong:
            raise refusal(said, field)
