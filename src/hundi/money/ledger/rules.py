"""The postings of each cause; nothing else is ever posted."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from hundi.kernel.money import Money
from hundi.money.ledger.chart import rules as chart


class PostingKind(StrEnum):
    """Why an amount moved; the database allows one posting of a kind for each cause."""

    PAYMENT = "payment"
    """The acquirer collected the amount of an order."""
    OVERPAID = "overpaid"
    """The acquirer collected money that an order cannot keep: already paid, or another amount."""
    LATE_REFUND_DUE = "late_refund_due"
    """A success came too late, and the merchant does not keep late money."""
    CAPTURE = "capture"
    """The acquirer collected an authorised amount, or a part of it."""
    REFUND_BEGUN = "refund_begun"
    """An amount is on its way back to the customer."""
    REFUND_DONE = "refund_done"
    """The acquirer gave the amount back."""
    REFUND_FAILED = "refund_failed"
    """The refund failed: the amount is where it was before."""
    REFUND_REVERSED = "refund_reversed"
    """A finished refund came back: the acquirer has the amount again, and it is owed as before."""
    REVIEW_HELD = "review_held"
    """The acquirer collected an order's amount, which nobody is owed before the review ends."""
    REVIEW_RELEASED = "review_released"
    """A review released the amount to the merchant."""
    REVIEW_REJECTED = "review_rejected"
    """A review rejected the payment: the customer is owed the amount."""
    SETTLEMENT_FEE = "settlement_fee"
    """A settlement charged the fees of its payments."""
    SETTLEMENT_TAX = "settlement_tax"
    """A settlement charged the GST on those fees."""
    RESERVE_HELD = "reserve_held"
    """A settlement withheld a part as a reserve."""
    RESERVE_RELEASED = "reserve_released"
    """A settlement released the reserve of an earlier one."""
    SHARE_DUE = "share_due"
    """A settlement owes a share to a bank account of the merchant or of a linked account."""
    PAYOUT_SENT = "payout_sent"
    """A share was sent to a bank account."""
    PAYOUT_DONE = "payout_done"
    """Our bank confirmed that the payout left."""
    PAYOUT_RETURNED = "payout_returned"
    """The payout came back, or was refused, before it was confirmed."""
    PAYOUT_REVERSED = "payout_reversed"
    """The payout came back after it was confirmed."""
    PAYOUT_LATE = "payout_late"
    """The bank paid a payout after it had refused it."""
    PAYOUT_TWICE = "payout_twice"
    """The same, while another payout of the share had left."""
    DIRECT_BEGUN = "direct_begun"
    """A part of a payment is to be settled by its acquirer."""
    DIRECT_REDUCED = "direct_reduced"
    """The acquirer was asked for less, because of refunds."""
    DIRECT_DONE = "direct_done"
    """The acquirer gave the part to the linked account."""
    DIRECT_RETURNED = "direct_returned"
    """The acquirer does not settle the part."""
    DIRECT_REVERSED = "direct_reversed"
    """The acquirer took a part back after a refund."""
    PAYOUT_RECOVERED = "payout_recovered"
    """What a merchant got twice is taken off its next settlement."""
    PAYOUT_RECOVERED_BACK = "payout_recovered_back"
    """What was taken off is owed again, because the second payment came back."""
    PAYOUT_FEE = "payout_fee"
    """A provider took a fee for a payout, at our cost."""
    PAYOUT_FEE_BACK = "payout_fee_back"
    """The provider gave that fee back, because the payout came back."""
    CHECK_COST = "check_cost"
    """A provider checked a bank account, at our cost."""
    HANDED_OVER = "handed_over"
    """The acquirer paid collected money into our bank account."""
    ACQUIRER_FEE = "acquirer_fee"
    """The acquirer kept its own fee of the collected money."""
    CORRECTION = "correction"
    """Two people corrected an item of reconciliation."""
    DISPUTE_HELD = "dispute_held"
    """A customer's bank disputes a payment: the amount is held back."""
    DISPUTE_WON = "dispute_won"
    """The dispute was won: the merchant has the amount again."""
    DISPUTE_LOST = "dispute_lost"
    """The dispute was lost: the acquirer took the amount back."""
    DISPUTE_FEE = "dispute_fee"
    """The merchant was charged for a dispute."""
    DISPUTE_TAX = "dispute_tax"
    """The merchant was charged the GST on a dispute's fee."""


@dataclass(frozen=True, slots=True)
class Posting:
    """An amount that moves from one account (credit) to another (debit) of one merchant.

    cause_id: of the attempt, refund, settlement, share, reversal, payout, statement line or
    dispute. at: when the cause was recorded, UTC.
    """

    merchant_id: int
    cause_id: int
    kind: PostingKind
    debit: str
    credit: str
    amount: Money
    at: datetime

    def __post_init__(self) -> None:
        """Reject a posting that the database would reject: it is a bug of ours."""
        if self.amount.paise <= 0:
            message = f"a posting moves more than nothing, not {self.amount.paise} paise"
            raise ValueError(message)
        if self.amount.currency != "INR":
            # Acquirers hand over, and merchants are owed, rupees (decision 15).
            message = f"a posting is in rupees, not in {self.amount.currency}"
            raise ValueError(message)
        if self.debit == self.credit:
            message = f"a posting needs two accounts, not {self.debit} twice"
            raise ValueError(message)
        for code in (self.debit, self.credit):
            chart.account_of(code)


@dataclass(frozen=True, slots=True)
class Balance:
    """The balance of one account of a merchant: the sums of both sides in paise."""

    account: str
    currency: str
    debit_paise: int
    credit_paise: int

    @property
    def paise(self) -> int:
        """Return the balance in the account's own direction.

        Above zero it means what the chart says.
        """
        difference = self.debit_paise - self.credit_paise
        return difference if chart.account_of(self.account).side.grows_by_debits else -difference


class Received(Protocol):
    """What the ledger needs to know of an attempt that moved money.

    settled: what the bank moved, in INR, not the requested amount. settled_at: when that was
    recorded, UTC.
    """

    @property
    def merchant_id(self) -> int: ...  # noqa: D102 (the protocol's docstring says it)
    @property
    def attempt_id(self) -> int: ...  # noqa: D102
    @property
    def connector(self) -> str: ...  # noqa: D102
    @property
    def settled(self) -> Money: ...  # noqa: D102
    @property
    def settled_at(self) -> datetime | None: ...  # noqa: D102


def entries_for_success(attempt: Received) -> tuple[Posting, ...]:
    """Return the postings of a paid attempt: the acquirer owes us, we owe the merchant."""
    return (
        _posting(
            attempt,
            PostingKind.PAYMENT,
            chart.receivable_from(attempt.connector),
            chart.PAYABLE.code,
        ),
    )


def entries_for_held(attempt: Received) -> tuple[Posting, ...]:
    """Return the postings of a held attempt: the acquirer owes us, we owe nobody yet."""
    receivable = chart.receivable_from(attempt.connector)
    return (_posting(attempt, PostingKind.REVIEW_HELD, receivable, chart.HELD_FOR_REVIEW.code),)


def entry_for_review(attempt: Received, *, released: bool, at: datetime) -> Posting:
    """Return the posting of a review's end: the merchant or the customer is owed the amount."""
    kind = PostingKind.REVIEW_RELEASED if released else PostingKind.REVIEW_REJECTED
    owed = chart.PAYABLE if released else chart.OWED_BACK
    held_account = chart.HELD_FOR_REVIEW.code
    return Posting(
        attempt.merchant_id, attempt.attempt_id, kind, held_account, owed.code, attempt.settled, at
    )


def entries_for_overpayment(attempt: Received) -> tuple[Posting, ...]:
    """Return the postings of an overpaid attempt: the acquirer owes us, we owe the customer."""
    return (
        _posting(
            attempt,
            PostingKind.OVERPAID,
            chart.receivable_from(attempt.connector),
            chart.OWED_BACK.code,
        ),
    )


def entries_for_late_refund_due(attempt: Received) -> tuple[Posting, ...]:
    """Return the postings that turn a late success into a refund that is owed."""
    return (
        _posting(attempt, PostingKind.LATE_REFUND_DUE, chart.PAYABLE.code, chart.OWED_BACK.code),
    )


class Captured(Protocol):
    """What the ledger needs to know of a capture."""

    @property
    def merchant_id(self) -> int: ...  # noqa: D102 (the protocol's docstring says it)
    @property
    def attempt_id(self) -> int: ...  # noqa: D102
    @property
    def connector(self) -> str: ...  # noqa: D102


def entry_for_capture(captured: Captured, amount: Money, at: datetime) -> Posting:
    """Return the posting of a capture: the acquirer owes us, we owe the merchant."""
    receivable = chart.receivable_from(captured.connector)
    return Posting(
        captured.merchant_id,
        captured.attempt_id,
        PostingKind.CAPTURE,
        receivable,
        chart.PAYABLE.code,
        amount,
        at,
    )


class Returned(Protocol):
    """What the ledger needs to know of a refund.

    settled: in INR. owed_before: the customer was owed the money already, and not the merchant.
    """

    @property
    def merchant_id(self) -> int: ...  # noqa: D102 (the protocol's docstring says it)
    @property
    def refund_id(self) -> int: ...  # noqa: D102
    @property
    def connector(self) -> str: ...  # noqa: D102
    @property
    def settled(self) -> Money: ...  # noqa: D102
    @property
    def owed_before(self) -> bool: ...  # noqa: D102


def entry_for_refund_begun(refund: Returned, at: datetime) -> Posting:
    """Return the posting of a refund that begins: the owed amount is on its way."""
    return _returned(
        refund, PostingKind.REFUND_BEGUN, _source(refund), chart.REFUNDS_IN_FLIGHT.code, at
    )


def entry_for_refund_done(refund: Returned, at: datetime) -> Posting:
    """Return the posting of a finished refund: the acquirer owes us less."""
    receivable = chart.receivable_from(refund.connector)
    return _returned(refund, PostingKind.REFUND_DONE, chart.REFUNDS_IN_FLIGHT.code, receivable, at)


def entry_for_refund_failed(refund: Returned, at: datetime) -> Posting:
    """Return the posting of a failed refund: the amount is where it was before."""
    return _returned(
        refund, PostingKind.REFUND_FAILED, chart.REFUNDS_IN_FLIGHT.code, _source(refund), at
    )


def entry_for_refund_reversed(refund: Returned, at: datetime) -> Posting:
    """Return the posting of a reversed refund: the acquirer owes us more, and we owe it again."""
    receivable = chart.receivable_from(refund.connector)
    return _returned(refund, PostingKind.REFUND_REVERSED, receivable, _source(refund), at)


def _source(refund: Returned) -> str:
    return chart.OWED_BACK.code if refund.owed_before else chart.PAYABLE.code


def _returned(
    refund: Returned, kind: PostingKind, debit: str, credit: str, at: datetime
) -> Posting:
    return Posting(refund.merchant_id, refund.refund_id, kind, debit, credit, refund.settled, at)


def _posting(attempt: Received, kind: PostingKind, debit: str, credit: str) -> Posting:
    if attempt.settled_at is None:
        message = f"attempt {attempt.attempt_id} is not settled: nothing can be posted for it"
        raise ValueError(message)
    return Posting(
        attempt.merchant_id,
        attempt.attempt_id,
        kind,
        debit,
        credit,
        attempt.settled,
        attempt.settled_at,
    )
