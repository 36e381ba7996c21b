"""Reversals of direct shares: what refunds take back of them, and what answers change; pure.

See docs/split.md#direct.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.splits import ReversalOrder
from hundi.kernel.ids import refund_reference, reversal_reference
from hundi.kernel.inquiries import next_planned
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.money.ledger.chart import rules as chart
from hundi.money.ledger.rules import Posting, PostingKind
from hundi.payments.direct_shares.rules import (
    LATER_GAP,
    DirectShare,
    ShareGaps,
    part_left,
)

OWED_GAP = timedelta(days=1)
"""The time until a reversal that the party could not pay is tried again."""
OWED_TRIES_MAX = 30
"""Tries of one reversal before it is left to people."""

ReversalAnswer = Approved | Declined | Unknown | NothingThere


class ReversalState(StrEnum):
    """Where a reversal is."""

    SENT = "sent"
    """The intention is written; the acquirer may have it."""
    UNKNOWN = "unknown"
    """The acquirer has said nothing that decides."""
    DONE = "done"
    """The acquirer took the amount back."""
    OWED = "owed"
    """The party had not enough: it is tried again, and then left to people."""
    CANCELLED = "cancelled"
    """The refund that carried it failed: nothing was taken back."""


@dataclass(frozen=True, slots=True)
class ShareReversal:
    """A part of a share that is taken back after refunds.

    tries: how often it was sent. refund_id: the refund that carries it, None where it is a call of
    its own.
    """

    merchant_id: int
    reversal_id: int
    share_id: int
    amount_paise: int
    state: ReversalState
    created_at: datetime
    sent_at: datetime
    code: str = ""
    message: str = ""
    ended_at: datetime | None = None
    tries: int = 1
    refund_id: int | None = None

    def order(self, share: DirectShare) -> ReversalOrder:
        """Return the request to the acquirer."""
        ours = reversal_reference(self.merchant_id, self.reversal_id)
        carrier = refund_reference(self.merchant_id, self.refund_id) if self.refund_id else ""
        amount = Money(self.amount_paise)
        return ReversalOrder(ours, share.order, share.transfer_id, amount, carrier)


def to_reverse(share: DirectShare, left_paise: int, reversed_paise: int) -> int:
    """Return what is to be taken back of a share, in paise; 0 for nothing.

    left_paise: what is left of the payment after the refunds that are done. reversed_paise: what
    was taken back already.
    """
    due = min(share.sent_paise, part_left(share.amount_paise, share.base_paise, left_paise))
    return max(share.sent_paise - due - reversed_paise, 0)


def carried(
    shares: Sequence[tuple[DirectShare, int]], left_paise: int, refund_paise: int
) -> list[tuple[DirectShare, int]]:
    """Return what a refund takes of each share that was made, in paise, without shares of 0.

    shares: each with what was taken back already. left_paise: what is left of the payment after
    the refund. Together it is not more than the refund.
    """
    parts: list[tuple[DirectShare, int]] = []
    for share, reversed_paise in shares:
        paise = min(to_reverse(share, left_paise, reversed_paise), refund_paise)
        refund_paise -= paise
        if paise:
            parts.append((share, paise))
    return parts


def is_due_again(reversal: ShareReversal, now: datetime) -> bool:
    """Return whether a reversal that the party could not pay is tried again now."""
    return reversal.tries < OWED_TRIES_MAX and now >= reversal.sent_at + OWED_GAP


def reverses_again(
    reversal: ShareReversal, answer: ReversalAnswer, gaps: ShareGaps, now: datetime
) -> bool:
    """Return whether to send a reversal again that certainly took nothing back.

    One that a refund carried is never sent: the refund is done.
    """
    if reversal.refund_id is not None:
        return False
    if reversal.state is ReversalState.OWED:
        return isinstance(answer, NothingThere | Declined)
    grace = timedelta(seconds=gaps.grace_s)
    return isinstance(answer, NothingThere) and now >= reversal.sent_at + grace


def reversal_after(reversal: ShareReversal, answer: ReversalAnswer, now: datetime) -> ShareReversal:
    """Return a reversal after the acquirer's answer."""
    match answer:
        case Approved() if answer.amount == Money(reversal.amount_paise):
            return replace(reversal, state=ReversalState.DONE, ended_at=now)
        case Declined() if reversal.refund_id is None:
            words = {"code": answer.code, "message": answer.message}
            return replace(reversal, state=ReversalState.OWED, **words)
        case Declined() | Approved() | Unknown() | NothingThere():
            owed = reversal.state is ReversalState.OWED
            return reversal if owed else replace(reversal, state=ReversalState.UNKNOWN)


def reversal_again(reversal: ShareReversal, now: datetime) -> ShareReversal:
    """Return a reversal that is sent once more."""
    tries = reversal.tries + (reversal.state is ReversalState.OWED)
    return replace(reversal, state=ReversalState.SENT, sent_at=now, tries=tries)


def reversal_due(reversal: ShareReversal, gaps: ShareGaps, now: datetime) -> datetime | None:
    """Return when a share with this reversal is looked at again, None for never."""
    if reversal.state is ReversalState.DONE:
        # The next refund, or what was refunded meanwhile.
        return now
    if reversal.state is ReversalState.OWED:
        again_at = max(reversal.sent_at + OWED_GAP, now + LATER_GAP)
        return again_at if reversal.tries < OWED_TRIES_MAX else None
    return next_planned(reversal.sent_at, now, gaps.open_s) or now + LATER_GAP


def reversal_posting(share: DirectShare, reversal: ShareReversal, now: datetime) -> Posting:
    """Return the posting of a reversal: the acquirer owes us more, and we owe the merchant more."""
    return Posting(
        share.merchant_id,
        reversal.reversal_id,
        PostingKind.DIRECT_REVERSED,
        chart.receivable_from(share.connector),
        chart.PAYABLE.code,
        Money(reversal.amount_paise),
        now,
    )
