"""What the stand-in of Cashfree Payouts does with transfers, and what banks do to them."""

from dataclasses import dataclass

from tests.acquirers.cashfree_payouts.standin_books import (
    BATCH_ID,
    CHARGE,
    ID,
    IMPS_MOST,
    MODES,
    OTHER_MODES,
    REMARKS,
    TAX,
    UPI_MOST,
    Books,
    Transfer,
    paise_of,
    refusal,
)
from tests.acquirers.stage import Document

BATCH_MOST = 5000
MOVES = {
    "APPROVAL_PENDING": {"RECEIVED", "MANUALLY_REJECTED"},
    "RECEIVED": {"QUEUED", "PENDING", "SUCCESS", "FAILED", "REJECTED", "REVERSED"},
    "QUEUED": {"PENDING", "SUCCESS", "FAILED", "REJECTED"},
    "PENDING": {"SUCCESS", "FAILED", "REVERSED"},
    "SUCCESS": {"SUCCESS", "REVERSED"},
}
EVENTS = {
    "SUCCESS": "TRANSFER_SUCCESS",
    "FAILED": "TRANSFER_FAILED",
    "REVERSED": "TRANSFER_REVERSED",
    "REJECTED": "TRANSFER_REJECTED",
    "MANUALLY_REJECTED": "TRANSFER_REJECTED",
}
SANDBOX = {
    "026291800001191": [("SUCCESS", "COMPLETED")],
    "00011020001772": [("SUCCESS", "COMPLETED")],
    "2640101002729": [("FAILED", "INVALID_IFSC_FAIL")],
    "026291800001190": [("FAILED", "INVALID_ACCOUNT_FAIL")],
    "007711000031": [("PENDING", "PENDING")],
    "00224412311300": [("PENDING", "PENDING"), ("SUCCESS", "COMPLETED")],
    "7766666351000": [("PENDING", "PENDING"), ("FAILED", "BENE_BANK_DECLINED")],
    "02014457596969": [("SUCCESS", "COMPLETED"), ("REVERSED", "INVALID_ACCOUNT_FAIL")],
}
"""What becomes of transfers to the accounts of their sandbox: at once, and then by `later`."""


@dataclass
class Transfers:
    """Makes transfers and moves them.

    A test plays people with `approve` and `reject_by_hand`, Cashfree with `reject`, the bank with
    `process`, `send_on`, `settle`, `fail` and `reverse`, and the treasurer with `add_money`.
    """

    books: Books

    def create(self, asked: Document) -> Transfer:
        books = self.books
        name = asked.get("transfer_id")
        if not name:
            raise refusal("transfer_id_missing", "transfer_id is missing in the request")
        if not ID.match(str(name)):
            raise refusal("transfer_id_invalid", "transfer_id should be alphanumeric")
        paise, mode = paise_of(asked.get("transfer_amount")), asked.get("transfer_mode")
        mode = str(mode or "banktransfer")
        self._check(asked, paise, mode)
        beneficiary = books.instrument(asked.get("beneficiary_details") or {}, mode)
        if name in books.transfers:
            if books.repeated == "same":
                return books.transfers[name]
            status = 409 if books.repeated == "conflict" else 400
            raise refusal("transfer_id_already_exists", "transfer_id already exists", status=status)
        now = books.now()
        made = Transfer(name, books.next_id(), paise, mode, beneficiary, now, now)
        books.transfers[name] = made
        if books.approval:
            self._put(made, "APPROVAL_PENDING", "APPROVAL_PENDING")
        else:
            self._begin(made)
        return made

    def _check(self, asked: Document, paise: int, mode: str) -> None:
        if mode not in {*MODES, *OTHER_MODES}:
            raise refusal("transfer_mode_invalid", "transfer_mode is invalid")
        if asked.get("transfer_currency", "INR") not in {"INR", None}:
            raise refusal("transfer_currency_invalid", "transfer_currency is invalid")
        if not REMARKS.match(str(asked.get("transfer_remarks") or "")):
            raise refusal("transfer_remarks_invalid", "transfer_remarks is invalid")
        if paise > {"imps": IMPS_MOST, "upi": UPI_MOST}.get(mode, paise):
            raise refusal("transfer_amount_invalid", "transfer_amount exceeds the limit")

    def one(self, transfer: Transfer | str) -> Transfer:
        """Find a transfer by our reference or by Cashfree's id."""
        if isinstance(transfer, Transfer):
            return transfer
        found = self.books.transfers.get(transfer)
        return found or next(
            each for each in self.books.transfers.values() if each.cf_transfer_id == transfer
        )

    def approve(self, transfer: Transfer | str) -> Transfer:
        found = self.one(transfer)
        assert found.status == "APPROVAL_PENDING", found.status
        self._begin(found)
        return found

    def reject_by_hand(self, transfer: Transfer | str) -> Transfer:
        return self._move(self.one(transfer), "MANUALLY_REJECTED", "MANUALLY_REJECTED")

    def reject(self, transfer: Transfer | str, code: str = "INVALID_MODE_FOR_PYID") -> Transfer:
        return self._move(self.one(transfer), "REJECTED", code)

    def process(self, transfer: Transfer | str, code: str = "SENT_TO_BANK") -> Transfer:
        """Hand a transfer to the bank, which has not answered: it stays PENDING."""
        return self._move(self.one(transfer), "PENDING", code)

    def send_on(self, transfer: Transfer | str, utr: str | None = None) -> Transfer:
        """Debit is certain, the credit is not confirmed: SUCCESS with SENT_TO_BENEFICIARY."""
        found = self.one(transfer)
        found.utr = utr or self.books.next_utr()
        return self._move(found, "SUCCESS", "SENT_TO_BENEFICIARY")

    def settle(self, transfer: Transfer | str, utr: str | None = None) -> Transfer:
        """Confirm the credit: SUCCESS with COMPLETED."""
        found = self.one(transfer)
        found.utr = utr or found.utr or self.books.next_utr()
        return self._move(found, "SUCCESS", "COMPLETED")

    def fail(self, transfer: Transfer | str, code: str = "INVALID_ACCOUNT_FAIL") -> Transfer:
        return self._move(self.one(transfer), "FAILED", code)

    def reverse(self, transfer: Transfer | str, code: str = "INVALID_ACCOUNT_FAIL") -> Transfer:
        """Send the money back, also days after SUCCESS."""
        return self._move(self.one(transfer), "REVERSED", code)

    def later(self, transfer: Transfer | str) -> Transfer:
        """Let come what comes later to an account of the sandbox."""
        found = self.one(transfer)
        for status, code in self._fate(found)[1:]:
            self._come(found, status, code)
        return found

    def add_money(self, paise: int) -> None:
        """Pay money in, and process what waits for it."""
        self.books.paise += paise
        self.books.told.append(
            ("CREDIT_CONFIRMATION", {"amount": paise / 100, "utr": self.books.next_utr()})
        )
        for waiting in list(self.books.transfers.values()):
            if waiting.status == "QUEUED" and self._debit(waiting):
                self._put(waiting, "PENDING", "SENT_TO_BANK")

    def create_batch(self, asked: Document) -> Document:
        name, wanted = asked.get("batch_transfer_id"), asked.get("transfers") or []
        if not name:
            raise refusal("batch_transfer_id_missing", "batch_transfer_id is missing")
        if not BATCH_ID.match(str(name)):
            raise refusal("batch_transfer_id_invalid", "batch_transfer_id should be alphanumeric")
        if name in self.books.batches:
            raise refusal(
                "batch_transfer_id_already_exists",
                "batch_transfer_id already exists. please pass unique id in each request",
                status=409,
            )
        if len(wanted) > BATCH_MOST:
            raise refusal("transfers_invalid", "too many transfers")
        batch = {
            "batch_transfer_id": name,
            "cf_batch_transfer_id": self.books.next_id(),
            "status": "RECEIVED",
        }
        made = [self.create(each).transfer_id for each in wanted]
        self.books.batches[name] = batch | {"transfers": made}
        return batch

    def batch(self, name: str) -> Document:
        known = self.books.batches[name]
        found = [self.books.transfers[each].document() for each in known["transfers"]]
        return known | {"status": "PENDING", "transfers": found}

    def _begin(self, made: Transfer) -> None:
        if not self._debit(made):
            short = ("QUEUED", "REJECTED")[not self.books.queues]
            self._put(made, short, "INSUFFICIENT_BALANCE")
            self.books.told.append(("LOW_BALANCE_ALERT", {"current_balance": made.paise / 100}))
            return
        self._put(made, "RECEIVED", "RECEIVED")
        for status, code in self._fate(made)[:1]:
            self._come(made, status, code)

    def _fate(self, transfer: Transfer) -> list[tuple[str, str]]:
        instrument = transfer.beneficiary["beneficiary_instrument_details"]
        number = instrument.get("bank_account_number") or instrument.get("vpa")
        return self.books.fates.get(number, [])

    def _come(self, transfer: Transfer, status: str, code: str) -> None:
        if status == "SUCCESS":
            transfer.utr = transfer.utr or self.books.next_utr()
        self._move(transfer, status, code)

    def _debit(self, transfer: Transfer) -> bool:
        whole = transfer.paise + CHARGE + TAX
        if self.books.paise < whole:
            return False
        self.books.paise -= whole
        transfer.left = whole
        return True

    def _move(self, transfer: Transfer, status: str, code: str) -> Transfer:
        assert status in MOVES.get(transfer.status, ()), f"{transfer.status} -> {status}"
        self._put(transfer, status, code)
        return transfer

    def _put(self, transfer: Transfer, status: str, code: str) -> None:
        acknowledged = (transfer.status, status) == ("SUCCESS", "SUCCESS")
        transfer.status, transfer.code = status, code
        transfer.updated_at = self.books.now()
        transfer.history.append(status)
        transfer.charged = status == "SUCCESS"
        if status in {"FAILED", "REVERSED", "REJECTED"}:
            self.books.paise += transfer.left
            transfer.left = 0
        if status in EVENTS:
            event = "TRANSFER_ACKNOWLEDGED" if acknowledged else EVENTS[status]
            dated = ("added_on", "updated_on")
            told = {name: each for name, each in transfer.document().items() if name not in dated}
            self.books.told.append((event, told))
