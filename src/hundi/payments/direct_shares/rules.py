"""Direct shares: their states, what acquirers' answers change, and what is reversed; pure.

See docs/split.md#direct.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.splits import ReversalOrder, ShareMade, ShareOrder, SplitsSettlement
from hundi.kernel.ids import reference, reversal_reference, share_reference
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.money.ledger.chart import rules as chart
from hundi.money.ledger.rules import Posting, PostingKind

PARTY_GAP = timedelta(minutes=15)
"""The time between inquiries about a party that gets nothing yet."""
LATER_GAP = timedelta(minutes=30)
"""The time between inquiries after the connector's schedule: they never end while it is open."""
OWED_GAP = timedelta(days=1)
"""The time until a reversal that the party could not pay is tried again."""
OWED_TRIES_MAX = 30
"""Tries of one reversal before it is left to people."""
NOTE_MAX = 200

ShareAnswer = ShareMade | Declined | Unknown | NothingThere
ReversalAnswer = Approved | Declined | Unknown | NothingThere


class DirectShareState(StrEnum):
    """Where a direct share is."""

    WAITING = "waiting"
    """Not sent: its party gets nothing yet."""
    SENT = "sent"
    """The intention is written; the acquirer may have it."""
    UNKNOWN = "unknown"
    """The acquirer has said nothing that decides."""
    DONE = "done"
    """The acquirer gave it to the party."""
    REFUSED = "refused"
    """The acquirer refused it: a payout of ours pays the part."""
    CANCELLED = "cancelled"
    """Not sent: the merchant shared anew, the payment was refunded whole, or the party ended.

    Where the split still stands, a payout of ours pays the part.
    """


S = DirectShareState
SHARE_MOVES: Mapping[S, frozenset[S]] = {
    S.WAITING: frozenset({S.SENT, S.CANCELLED}),
    S.SENT: frozenset({S.UNKNOWN, S.DONE, S.REFUSED}),
    S.UNKNOWN: frozenset({S.SENT, S.DONE, S.REFUSED}),
    S.DONE: frozenset(),
    S.REFUSED: frozenset(),
    S.CANCELLED: frozenset(),
}
OPEN = frozenset({S.SENT, S.UNKNOWN})
"""The states in which the acquirer may have it."""


class ShareCause(StrEnum):
    """What the books say of a share that is to be sent."""

    SHOWN = "the books show its cause"
    ENDED = "the linked account is closed, or its party has ended"
    """A payout of ours pays the part."""
    INACTIVE = "the merchant is not active"
    UNPROVED = "the books do not show its cause"
    """Somebody wrote into the books: nothing is sent until people have looked."""


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


@dataclass(frozen=True, slots=True)
class LinkedParty:
    """A linked account at an acquirer. party: the acquirer's name of it."""

    identifier: str
    connector: str
    party: str


@dataclass(frozen=True, slots=True)
class DirectShare:
    """One part of a split that the acquirer of its payment settles.

    base_paise, amount_paise: the shared amount and this part of it, as they were configured.
    sent_paise: what the acquirer was asked for. transfer_id: the acquirer's number. called_at: of
    the newest call that gives it. utr, settled_at: of the acquirer's transfer to the party's bank
    account. revision: the number of its newest event.
    """

    merchant_id: int
    share_id: int
    payment_id: int
    request_id: str
    identifier: str
    attempt_id: int
    connector: str
    party: str
    base_paise: int
    amount_paise: int
    state: DirectShareState
    created_at: datetime
    sent_paise: int = 0
    transfer_id: str = ""
    code: str = ""
    message: str = ""
    utr: str = ""
    sent_at: datetime | None = None
    called_at: datetime | None = None
    ended_at: datetime | None = None
    settled_at: datetime | None = None
    due_at: datetime | None = None
    inquiries: int = 0
    revision: int = 1

    @property
    def reference(self) -> str:
        """Return our reference at the acquirer."""
        return share_reference(self.merchant_id, self.share_id)

    @property
    def order(self) -> ShareOrder:
        """Return the request to the acquirer."""
        original = reference(self.merchant_id, self.attempt_id)
        return ShareOrder(self.reference, original, self.party, Money(self.sent_paise))


@dataclass(frozen=True, slots=True)
class ShareReversal:
    """A part of a share that is taken back after refunds. tries: how often it was sent."""

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

    def order(self, share: DirectShare) -> ReversalOrder:
        """Return the request to the acquirer."""
        ours = reversal_reference(self.merchant_id, self.reversal_id)
        return ReversalOrder(ours, share.order, share.transfer_id, Money(self.amount_paise))


@dataclass(frozen=True, slots=True)
class ShareGaps:
    """A connector's schedule of inquiries, in seconds from one to the next."""

    open_s: tuple[int, ...]
    settled_s: tuple[int, ...]
    grace_s: int


def gaps_of(connector: SplitsSettlement) -> ShareGaps:
    """Return a connector's schedule."""
    return ShareGaps(connector.share_gaps_s, connector.settled_gaps_s, connector.share_grace_s)


@dataclass(frozen=True, slots=True)
class ShareChange:
    """A share after a change. note: of its event, where the state changes."""

    after: DirectShare
    note: str = ""
    postings: tuple[Posting, ...] = ()


def moved(share: DirectShare, state: DirectShareState, **changes: object) -> DirectShare:
    """Return the share in another state; a move outside the table is a bug of ours."""
    if state not in SHARE_MOVES[share.state]:
        message = f"direct share {share.share_id}: {share.state} may not become {state}"
        raise AssertionError(message)
    return replace(share, state=state, **changes)  # type: ignore[arg-type] (fields of the share)


def part_left(part_paise: int, base_paise: int, left_paise: int) -> int:
    """Return a part of a shared amount after refunds, in proportion, rounded down.

    left_paise: what is left of the payment; more than was shared does not increase the part.
    """
    return part_paise if left_paise >= base_paise else part_paise * left_paise // base_paise


def begun(share: DirectShare) -> Posting:
    """Return the posting of a new share: the merchant is not owed it any more."""
    accounts = (chart.PAYABLE.code, chart.DIRECT_SHARES.code)
    kind = PostingKind.DIRECT_BEGUN
    return _posting(share, kind, accounts, share.amount_paise, share.created_at)


def cancelled(share: DirectShare, why: str, now: datetime) -> ShareChange:
    """Return a waiting share that is not sent: the merchant is owed it again."""
    after = moved(share, S.CANCELLED, ended_at=now, due_at=None)
    return ShareChange(after, why, (_returned(share, share.amount_paise, now),))


def sent(share: DirectShare, left_paise: int, now: datetime) -> ShareChange:
    """Return a waiting share that is sent, as far as refunds left it.

    left_paise: what is left of the payment.
    """
    paise = part_left(share.amount_paise, share.base_paise, left_paise)
    if not paise:
        return cancelled(share, "nothing of the payment is left", now)
    after = moved(share, S.SENT, sent_paise=paise, sent_at=now, called_at=now, inquiries=0)
    accounts = (chart.DIRECT_SHARES.code, chart.PAYABLE.code)
    less = share.amount_paise - paise
    kind = PostingKind.DIRECT_REDUCED
    postings = (_posting(share, kind, accounts, less, now),) if less else ()
    return ShareChange(after, f"to {share.party} by {share.connector}", postings)


def next_step(
    share: DirectShare, cause: ShareCause, why_not: str, left_paise: int, now: datetime
) -> ShareChange:
    """Return what becomes of a waiting share.

    why_not: why its party gets nothing yet, "" where it does. left_paise: of the payment.
    """
    if cause is ShareCause.ENDED:
        return cancelled(share, cause, now)
    why = why_not if cause is ShareCause.SHOWN else cause
    return waits(share, why, now) if why else sent(share, left_paise, now)


def sent_again(share: DirectShare, now: datetime) -> ShareChange:
    """Return a share that the acquirer does not know, sent once more: its grace begins anew."""
    after = share if share.state is S.SENT else moved(share, S.SENT)
    return ShareChange(replace(after, called_at=now), f"again by {share.connector}")


def sends_again(share: DirectShare, answer: ShareAnswer, gaps: ShareGaps, now: datetime) -> bool:
    """Return whether to send again what the acquirer certainly does not have."""
    grace = timedelta(seconds=gaps.grace_s)
    since = share.called_at
    return isinstance(answer, NothingThere) and since is not None and now >= since + grace


def after_answer(
    share: DirectShare, answer: ShareAnswer, gaps: ShareGaps, now: datetime
) -> ShareChange | None:
    """Return the share after the acquirer's answer, None where it changes nothing."""
    if share.state is S.DONE:
        return _after_done(share, answer, gaps, now)
    if share.state not in OPEN:
        return None
    if isinstance(answer, Declined):
        words = {"code": answer.code, "message": answer.message}
        after = moved(share, S.REFUSED, ended_at=now, due_at=None, **words)
        note = " ".join(filter(None, words.values()))
        return ShareChange(after, note, (_returned(share, share.sent_paise, now),))
    if isinstance(answer, ShareMade) and answer.amount == Money(share.sent_paise):
        return _done(share, answer, gaps, now)
    return _stays_open(share, answer, gaps, now)


def _done(share: DirectShare, answer: ShareMade, gaps: ShareGaps, now: datetime) -> ShareChange:
    settled = {"utr": answer.utr, "settled_at": now} if answer.utr else {}
    due_at = None if answer.utr else _next(now, 0, gaps.settled_s)
    after = moved(
        share, S.DONE, transfer_id=answer.name, ended_at=now, due_at=due_at, inquiries=0, **settled
    )
    accounts = (chart.DIRECT_SHARES.code, chart.receivable_from(share.connector))
    posting = _posting(share, PostingKind.DIRECT_DONE, accounts, share.sent_paise, now)
    return ShareChange(after, answer.name, (posting,))


def _after_done(
    share: DirectShare, answer: ShareAnswer, gaps: ShareGaps, now: datetime
) -> ShareChange:
    """Return a share that is done, with the transfer that settled it once it is known."""
    if isinstance(answer, ShareMade) and answer.utr and not share.utr:
        return ShareChange(replace(share, utr=answer.utr, settled_at=now, due_at=None))
    due_at = None if share.utr else _next(now, share.inquiries, gaps.settled_s)
    return ShareChange(replace(share, due_at=due_at))


def _stays_open(
    share: DirectShare, answer: ShareAnswer, gaps: ShareGaps, now: datetime
) -> ShareChange:
    due_at = _next(now, share.inquiries, gaps.open_s) or now + LATER_GAP
    words = {"code": "", "message": ""}
    if isinstance(answer, ShareMade):
        # Another amount than we asked for: the share stays open until people decide.
        words = {"code": "", "message": f"the acquirer speaks of {answer.amount.paise} paise"}
    elif isinstance(answer, Unknown):
        words = {"code": answer.code, "message": answer.message}
    after = replace(share, due_at=due_at, **words)
    if share.state is S.UNKNOWN:
        return ShareChange(after)
    return ShareChange(moved(after, S.UNKNOWN), " ".join(filter(None, words.values())))


def waits(share: DirectShare, why: str, now: datetime) -> ShareChange:
    """Return a share that waits for its party, or for people."""
    return ShareChange(replace(share, message=why, due_at=now + PARTY_GAP))


# --- reversals ---


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


def reversal_due(
    share: DirectShare, reversal: ShareReversal, gaps: ShareGaps, now: datetime
) -> datetime | None:
    """Return when a share with this reversal is looked at again, None for never."""
    if reversal.state is ReversalState.DONE:
        # The next refund, or what was refunded meanwhile.
        return now
    if reversal.state is ReversalState.OWED:
        again_at = max(reversal.sent_at + OWED_GAP, now + LATER_GAP)
        return again_at if reversal.tries < OWED_TRIES_MAX else None
    return _next(now, share.inquiries, gaps.open_s) or now + LATER_GAP


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


def _returned(share: DirectShare, paise: int, now: datetime) -> Posting:
    accounts = (chart.DIRECT_SHARES.code, chart.PAYABLE.code)
    return _posting(share, PostingKind.DIRECT_RETURNED, accounts, paise, now)


def _posting(
    share: DirectShare, kind: PostingKind, accounts: tuple[str, str], paise: int, at: datetime
) -> Posting:
    return Posting(share.merchant_id, share.share_id, kind, *accounts, Money(paise), at)


def _next(now: datetime, inquiries: int, gaps_s: tuple[int, ...]) -> datetime | None:
    return now + timedelta(seconds=gaps_s[inquiries]) if inquiries < len(gaps_s) else None
