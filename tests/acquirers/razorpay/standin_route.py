"""What Razorpay's stand-in keeps of Route: transfers to linked accounts, reversals, settlements.

Written by a hand that has not read the connector, from razorpay/markdown-docs at ab3bda5:
api/payments/route/*.md, payments/route/{transfer-fees-example, pricing, schedule-settlement,
reversal, transfer-funds-to-linked-accounts, faqs}.md, payments/route/account-code/api.md (the
sample of transfer.processed) and webhooks/route.md. What that text leaves open is marked "open":

- the field of a transfer's state: transfer_status in every table and on the page of the entity,
  status in all other samples. Here status; `status_field` changes it.
- a transfer of 100 paise costs 1 paisa in the samples: the fee of 0.25 % with its tax is rounded
  up to whole paise, and the tax in it down. Every sample and the example of fees agree.
- no key makes a reversal happen once: a second call reverses once more, while something is left.
- the sample of transfer.failed is missing in the text: here that of transfer.processed, and error.
- whether each of the retries of an order's transfer tells that it failed: here it does.
- whether transfers of an order are listed at its payment, too: here they are.
- the words for a payment that is not captured, a reversal of more than is left, a hold of what is
  settled, a partial refund that reverses several transfers.
"""

import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone

from tests.acquirers.razorpay.standin_books import AMOUNT_MIN, Books, Payment, RefusedError, new_id
from tests.acquirers.razorpay.standin_linked import PARENT, LinkedAccounts
from tests.acquirers.razorpay.standin_money import fee_of
from tests.acquirers.stage import Document

IST = timezone(timedelta(hours=5, minutes=30))
DAY_S = 24 * 3600
HOLD_UNTIL = (946_684_800, 4_765_046_400)
KEY_LENGTHS = (4, 36)
KEY_ALPHABET = frozenset(string.ascii_letters + string.digits + "-_ ")
SETTLES_IN_DAYS = 2
RETRIES_MAX = 3
TOO_MUCH = "The sum of amount requested for transfer is greater than the captured amount"
_ERROR_FIELDS = ("code", "description", "reason", "field", "step", "source", "metadata")
NO_ERROR: Document = dict.fromkeys(_ERROR_FIELDS)
SHORT = {
    "code": "BAD_REQUEST_TRANSFER_INSUFFICIENT_BALANCE",
    "description": "Transfer failed due to insufficient balance",
    "field": None,
    "source": "transfer",
    "step": "balance_check",
    "reason": "insufficient_balance",
}


def transfer_fee(paise: int) -> tuple[int, int]:
    """Return what a transfer costs with its tax, and the tax: 0.25 % and 18 % of it."""
    return -(-paise * 295 // 100_000), paise * 45 // 100_000


def working_day(after: int, days: int) -> int:
    """Return 11:00 in India on a working day so many after; holidays are not known here."""
    day = datetime.fromtimestamp(after, UTC).astimezone(IST)
    while days:
        day += timedelta(days=1)
        days -= day.weekday() < 5
    return int(day.replace(hour=11, minute=0, second=0).timestamp())


@dataclass
class Transfer:
    """A part that goes to a linked account. source: order, payment or the parent account."""

    id: str
    source: str
    asked: Document
    created_at: int
    status: str = "created"
    fees: int = 0
    tax: int = 0
    amount_reversed: int = 0
    on_hold: bool = False
    on_hold_until: int | None = None
    settlement_id: str | None = None
    processed_at: int | None = None
    error: Document = field(default_factory=lambda: dict(NO_ERROR))
    tries: int = 0
    next_try_at: int = 0

    @property
    def amount(self) -> int:
        return self.asked["amount"]

    @property
    def recipient(self) -> str:
        return self.asked["account"]

    @property
    def moved(self) -> bool:
        return self.status in {"processed", "reversed", "partially_reversed"}

    @property
    def settlement_status(self) -> str | None:
        if not self.moved:
            return None
        return "settled" if self.settlement_id else "on_hold" if self.on_hold else "pending"

    def told(self) -> Document:
        """Return it as transfer.processed tells it: without its states."""
        return {
            "id": self.id,
            "entity": "transfer",
            "source": self.source,
            "recipient": self.recipient,
            "amount": self.amount,
            "currency": "INR",
            "amount_reversed": self.amount_reversed,
            "notes": self.asked.get("notes") or [],
            "fees": self.fees,
            "tax": self.tax,
            "on_hold": self.on_hold,
            "on_hold_until": self.on_hold_until,
            "recipient_settlement_id": self.settlement_id,
            "created_at": self.created_at,
            "linked_account_notes": self.asked.get("linked_account_notes") or [],
            "processed_at": self.processed_at,
        }


@dataclass
class Route:
    """Transfers, reversals and settlements of linked accounts, by id.

    deposit: paise that the parent added to its balance. status_field: what the state of a
    transfer is called. processes: transfers of payments are worked on as soon as a call asks.
    """

    books: Books
    linked: LinkedAccounts
    now: Callable[[], int]
    deposit: int = 0
    status_field: str = "status"
    processes: bool = True
    transfers: dict[str, Transfer] = field(default_factory=dict)
    reversals: list[Document] = field(default_factory=list)
    settlements: dict[str, Document] = field(default_factory=dict)

    @property
    def balance(self) -> int:
        """Return what the parent has; its own settlements are not taken from it here."""
        paid = sum(
            each.amount - fee_of(each.amount)[0] - each.amount_refunded
            for each in self.books.payments.values()
            if each.captured
        )
        left = sum(
            each.amount + each.fees - each.amount_reversed
            for each in self.transfers.values()
            if each.moved
        )
        return self.deposit + paid - left

    def balance_of(self, account_id: str) -> int:
        """Return what a linked account has and was not settled."""
        moved = (
            each.amount - each.amount_reversed
            for each in self.transfers.values()
            if each.recipient == account_id and each.moved
        )
        settled = (
            each["amount"] for each in self.settlements.values() if each["account_id"] == account_id
        )
        return sum(moved) - sum(settled)

    def check(self, asked: list[Document], most: int) -> None:
        """Refuse transfers that an order or a payment of an amount does not carry."""
        for number, each in enumerate(asked):
            self.check_one(each, f"transfers.{number}.")
        if sum(each["amount"] for each in asked) > most:
            raise RefusedError(TOO_MUCH, field="transfers")

    def check_one(self, asked: Document, place: str = "") -> None:
        amount, notes = asked.get("amount"), asked.get("notes") or {}
        for name in ("account", "amount", "currency"):
            if asked.get(name) is None:
                raise RefusedError(f"The {place}{name} field is required.", field=name)
        if not isinstance(amount, int) or isinstance(amount, bool) or amount < AMOUNT_MIN:
            raise RefusedError(f"The {place}amount must be at least 100.", field=f"{place}amount")
        if asked["currency"] != "INR":
            raise RefusedError("The currency should be INR for transfers", field="currency")
        if not set(asked.get("linked_account_notes") or []) <= set(notes):
            raise RefusedError("Keys sent in linked_account_notes must exist in notes")
        self._check_hold(asked)
        self.linked.receives(asked["account"], f"{place}account")

    @staticmethod
    def _check_hold(asked: Document) -> None:
        until = asked.get("on_hold_until")
        if until is not None and not HOLD_UNTIL[0] <= int(until) <= HOLD_UNTIL[1]:
            said = "on_hold_until must be between 946684800 and 4765046400"
            raise RefusedError(said, field="on_hold_until")

    def add(self, source: str, asked: Iterable[Document], status: str) -> list[Transfer]:
        made = []
        for each in asked:
            transfer = Transfer(new_id("trf"), source, each, self.now(), status)
            self._hold(transfer, each)
            self.transfers[transfer.id] = transfer
            made.append(transfer)
        return made

    @staticmethod
    def _hold(transfer: Transfer, asked: Document) -> None:
        transfer.on_hold = asked.get("on_hold") in {True, "1"}
        until = asked.get("on_hold_until")
        transfer.on_hold_until = int(until) if until and transfer.on_hold else None

    def of_payment(self, payment: Payment) -> list[Transfer]:
        sources = {payment.id, payment.order_id}
        return [each for each in self.transfers.values() if each.source in sources]

    def transfer_payment(self, payment_id: str, asked: Document) -> list[Transfer]:
        payment = self.books.payment(payment_id)
        if not payment.captured:
            raise RefusedError("The payment is not captured.")
        wanted = asked.get("transfers")
        if not isinstance(wanted, list) or not wanted:
            raise RefusedError("The transfers field is required.", field="transfers")
        taken = sum(
            each.amount - each.amount_reversed
            for each in self.of_payment(payment)
            if each.status != "failed"
        )
        self.check(wanted, payment.amount - payment.amount_refunded - taken)
        costs = sum(each["amount"] + transfer_fee(each["amount"])[0] for each in wanted)
        if costs > self.balance:
            raise RefusedError("Transfer cannot be made due to insufficient balance")
        return self.add(payment_id, wanted, "pending")

    def transfer_directly(self, asked: Document) -> Transfer:
        self.check_one(asked)
        if asked["amount"] + transfer_fee(asked["amount"])[0] > self.balance:
            raise RefusedError("Transfer cannot be made due to insufficient balance")
        (made,) = self.add(PARENT, [asked], "pending")
        self._process(made)
        return made

    def run(self) -> None:
        """Work on what is pending, and settle what is due by the clock."""
        for transfer in list(self.transfers.values()):
            order = self.books.orders.get(transfer.source)
            if transfer.status == "created" and order and order.status == "paid":
                transfer.status = "pending"
            again = transfer.status == "failed" and order and transfer.tries <= RETRIES_MAX
            if transfer.status == "pending" or (again and transfer.next_try_at <= self.now()):
                self._process(transfer)
        self._settle()

    def _process(self, transfer: Transfer) -> None:
        fees, tax = transfer_fee(transfer.amount)
        transfer.tries += 1
        if transfer.amount + fees > self.balance:
            transfer.status, transfer.error = "failed", dict(SHORT)
            transfer.processed_at, transfer.next_try_at = self.now(), self.now() + DAY_S
            told = transfer.told() | {"error": transfer.error}
            self.books.told.append(("transfer.failed", {"transfer": told}))
            return
        transfer.status, transfer.error = "processed", dict(NO_ERROR)
        transfer.fees, transfer.tax, transfer.processed_at = fees, tax, self.now()
        self.books.told.append(("transfer.processed", {"transfer": transfer.told()}))

    def due_at(self, transfer: Transfer) -> int | None:
        """Return when a transfer is settled, None while it is held for good."""
        if transfer.on_hold and transfer.on_hold_until is None:
            return None
        plain = working_day(transfer.processed_at or self.now(), SETTLES_IN_DAYS)
        return max(plain, working_day(transfer.on_hold_until or 0, 1))

    def _settle(self) -> None:
        due: dict[str, list[Transfer]] = {}
        for each in self.transfers.values():
            waits = each.status in {"processed", "partially_reversed"} and not each.settlement_id
            at = self.due_at(each) if waits else None
            if at is not None and at <= self.now():
                due.setdefault(each.recipient, []).append(each)
        for account, transfers in due.items():
            number = new_id("setl")
            settled = {
                "id": number,
                "entity": "settlement",
                "amount": sum(each.amount - each.amount_reversed for each in transfers),
                "status": "processed",
                "fees": 0,
                "tax": 0,
                "utr": f"AXISCN{number[-10:]}",
                "created_at": self.now(),
            }
            for each in transfers:
                each.settlement_id = number
            self.settlements[number] = settled | {"account_id": account}
            told = {"settlement": settled, "account_id": account}
            self.books.told.append(("settlement.processed", told))

    def hold(self, transfer: Transfer, asked: Document) -> None:
        if transfer.settlement_id:
            raise RefusedError("The transfer is settled.")
        self._check_hold(asked)
        self._hold(transfer, asked)

    def reverse(
        self, transfer: Transfer, amount: object = None, refund_id: str | None = None
    ) -> Document:
        left = transfer.amount - transfer.amount_reversed
        paise = left if amount is None else int(str(amount))
        if paise < AMOUNT_MIN:
            raise RefusedError("The amount must be at least INR 1.00", field="amount")
        if not transfer.moved or paise > left:
            raise RefusedError("The amount is greater than what can be reversed", field="amount")
        if paise > self.balance_of(transfer.recipient):
            said = "The linked account does not have sufficient balance to process reversal."
            raise RefusedError(said)
        transfer.amount_reversed += paise
        transfer.status = "reversed" if paise == left else "partially_reversed"
        made = {
            "id": new_id("rvrsl"),
            "entity": "reversal",
            "transfer_id": transfer.id,
            "amount": paise,
            "fee": 0,
            "tax": 0,
            "currency": "INR",
            "notes": [],
            "initiator_id": PARENT[4:],
            "customer_refund_id": refund_id,
            "created_at": self.now(),
        }
        self.reversals.append(made)
        return made

    def reversed_by(self, payment: Payment, amount: int) -> list[tuple[Transfer, int]]:
        """Return what a refund with reverse_all takes back of which transfer, or refuse."""
        moved = [each for each in self.of_payment(payment) if each.moved]
        left = [(each, each.amount - each.amount_reversed) for each in moved]
        if amount < payment.amount and len(moved) > 1:
            raise RefusedError("reverse_all is not allowed for a partial refund", field="amount")
        if amount < payment.amount:
            left = [(each, min(paise, amount)) for each, paise in left]
        short = {each.recipient for each, paise in left if paise > self.balance_of(each.recipient)}
        if short:
            said = "The linked account does not have sufficient balance to process reversal."
            raise RefusedError(said)
        return [(each, paise) for each, paise in left if paise]
