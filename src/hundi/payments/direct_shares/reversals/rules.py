"""What is taken back of a direct share after refunds, and what each answer to it changes; pure."""

from datetime import datetime, timedelta

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.money.ledger.chart import rules as chart
from hundi.money.ledger.rules import Posting, PostingKind
from hundi.payments.direct_shares.rules import (
    LATER_GAP,
    DirectShare,
    ReversalAnswer,
    ReversalState,
    ShareGaps,
    ShareReversal,
    next_moment,
    part_left,
)

OWED_GAP = timedelta(days=1)
"""The time until a reversal that the party could not pay is tried again."""
OWED_TRIES_MAX = 30
"""Tries of one reversal before it is left to people."""


def to_reverse(share: DirectShare, left_paise: int, reversed_paise: int) -> int:
    """Return what is to be taken back of a share, in paise; 0 for nothing.

    left_paise: what is left of the payment after the refunds that are done. reversed_paise: what
    was taken back already.
    """
    due = min(share.sent_paise, part_left(share.amount_paise, share.base_paise, left_paise))
    return max(share.sent_paise - due - reversed_paise, 0)


def is_due_again(reversal: ShareReversal, now: datetime) -> bool:
    """Return whether a reversal that the party could not pay is tried again now."""
    return reversal.tries < OWED_TRIES_MAX and now >= reversal.sent_at + OWED_GAP


def reverses_again(
    reversal: ShareReversal, answer: ReversalAnswer, gaps: ShareGaps, now: datetime
) -> bool:
    """Return whether to send a reversal again that certainly took nothing back."""
    if reversal.state is ReversalState.OWED:
        return isinstance(answer, NothingThere | Declined)
    grace = timedelta(seconds=gaps.grace_s)
    return isinstance(answer, NothingThere) and now >= reversal.sent_at + grace


def reversal_after(reversal: ShareReversal, answer: ReversalAnswer, now: datetime) -> ShareReversal:
    """Return a reversal after the acquirer's answer."""
    match answer:
        case Approved() if answer.amount == Money(reversal.amount_paise):
            return replace(reversal, state=ReversalState.DONE, ended_at=now)
        case Declined():
            words = {"code": answer.code, "message": answer.message}
            return replace(reversal, state=ReversalState.OWED, **words)
        case Approved() | Unknown() | NothingThere():
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
    return next_moment(reversal.sent_at, now, gaps.open_s) or now + LATER_GAP


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
