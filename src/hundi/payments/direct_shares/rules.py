"""Direct shares: their states, and what acquirers' answers change; pure.

See docs/split.md#direct.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hundi.acquirers.port.answers import Declined, NothingThere, Unknown
from hundi.acquirers.port.splits import ShareMade, ShareOrder, SplitsSettlement
from hundi.kernel.ids import reference, share_reference
from hundi.kernel.inquiries import next_planned, next_unanswered
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.money.ledger.chart import rules as chart
from hundi.money.ledger.rules import Posting, PostingKind

PARTY_GAP = timedelta(minutes=15)
"""The time between inquiries about a party that gets nothing yet."""
REFUND_GAP = timedelta(minutes=1)
"""The time until a share that waits for a refund is looked at again."""
LATER_GAP = timedelta(minutes=30)
"""The time between inquiries after the connector's schedule: they never end while it is open."""
REPEAT_GRACE = timedelta(days=1)
"""How long a lost call may still appear.

Until then a refusal of a later call decides nothing, and a share that may not be sent again stays.
"""
REFUSED_GAPS_S = (300, 3_600, 21_600, 86_400, 172_800, 259_200)
"""When a refused share is asked about, for six days: a lost call may still be worked on."""
HASTEN_GAP = timedelta(seconds=5)
"""The shortest time between two inquiries that webhooks ask for."""
NOTE_MAX = 200

ShareAnswer = ShareMade | Declined | Unknown | NothingThere


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
    """The acquirer refused it, or has none of it and must not get it: a payout pays the part.

    late_at says when the acquirer had made it after all.
    """
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


@dataclass(frozen=True, slots=True)
class ShareHindrance:
    """Why a share is not sent yet. gap: the time until it is looked at again."""

    why: str
    gap: timedelta = PARTY_GAP


DISPUTED = ShareHindrance("the payment is disputed")
BEING_REFUNDED = ShareHindrance("a refund is under way", REFUND_GAP)


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
    account. late_at: when the acquirer had made what it had refused. hastened_at: of the newest
    inquiry that a webhook asked for. revision: the number of its newest event.
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
    late_at: datetime | None = None
    hastened_at: datetime | None = None

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
    share: DirectShare,
    cause: ShareCause,
    hindrance: ShareHindrance | None,
    left_paise: int,
    now: datetime,
) -> ShareChange:
    """Return what becomes of a waiting share. left_paise: of the payment."""
    if cause is ShareCause.ENDED:
        return cancelled(share, cause, now)
    if cause is not ShareCause.SHOWN:
        return waits(share, ShareHindrance(cause), now)
    return sent(share, left_paise, now) if hindrance is None else waits(share, hindrance, now)


def sent_again(share: DirectShare, now: datetime) -> ShareChange:
    """Return a share that the acquirer does not know, sent once more: its grace begins anew."""
    after = share if share.state is S.SENT else moved(share, S.SENT)
    return ShareChange(replace(after, called_at=now), f"again by {share.connector}")


def sends_again(share: DirectShare, answer: ShareAnswer, gaps: ShareGaps, now: datetime) -> bool:
    """Return whether to send again what the acquirer certainly does not have."""
    since = share.called_at
    if share.state not in OPEN or since is None or not isinstance(answer, NothingThere):
        return False
    return now >= since + timedelta(seconds=gaps.grace_s)


def not_sent_again(
    share: DirectShare, cause: ShareCause, held_paise: int, now: datetime
) -> ShareChange:
    """Return a share that the acquirer does not have and that may not be sent again.

    It ends a day after its last call, if the books hold what goes back. held_paise: by its own
    postings, in the account of direct shares.
    """
    since = share.called_at
    if since is None or now < since + REPEAT_GRACE or held_paise != share.sent_paise:
        return waits(share, ShareHindrance(cause), now)
    return _refused(share, "", cause, now)


def after_answer(
    share: DirectShare, answer: ShareAnswer, gaps: ShareGaps, now: datetime
) -> ShareChange | None:
    """Return the share after the acquirer's answer, None where it changes nothing."""
    if share.state is S.DONE:
        return _after_done(share, answer, gaps, now)
    if share.state is S.REFUSED:
        return _after_refused(share, answer, now)
    if share.state not in OPEN:
        return None
    if isinstance(answer, Declined) and _decides(share, now):
        return _refused(share, answer.code, answer.message, now)
    if isinstance(answer, ShareMade) and answer.amount == Money(share.sent_paise):
        return _done(share, answer, gaps, now)
    return _stays_open(share, answer, gaps, now)


def _decides(share: DirectShare, now: datetime) -> bool:
    """Return whether a refusal decides: not while an earlier call may still be worked on."""
    since = share.sent_at
    return since is None or share.called_at == since or now >= since + REPEAT_GRACE


def _refused(share: DirectShare, code: str, message: str, now: datetime) -> ShareChange:
    """Return a share that the acquirer does not make: the merchant is owed it again."""
    words = {"code": code, "message": message}
    due_at = next_planned(now, now, REFUSED_GAPS_S)
    after = moved(share, S.REFUSED, ended_at=now, due_at=due_at, inquiries=0, **words)
    note = " ".join(filter(None, words.values()))
    return ShareChange(after, note, (_returned(share, share.sent_paise, now),))


def _after_refused(share: DirectShare, answer: ShareAnswer, now: datetime) -> ShareChange | None:
    """Return a refused share that was made after all: the acquirer owes us less.

    What went back to the merchant is taken off again.
    """
    if share.late_at is not None or share.ended_at is None:
        return None
    if isinstance(answer, ShareMade) and answer.amount == Money(share.sent_paise):
        accounts = (chart.PAYABLE.code, chart.receivable_from(share.connector))
        posting = _posting(share, PostingKind.DIRECT_DONE, accounts, share.sent_paise, now)
        return ShareChange(replace(share, late_at=now, due_at=None), "", (posting,))
    next_at = next_unanswered if isinstance(answer, Unknown) else next_planned
    due_at = next_at(share.ended_at, now, REFUSED_GAPS_S)
    if isinstance(answer, ShareMade):
        # The payout of the part goes on; people settle what the acquirer made beside it.
        return ShareChange(replace(share, due_at=due_at, message=_other_amount(answer)))
    return ShareChange(replace(share, due_at=due_at))


def _done(share: DirectShare, answer: ShareMade, gaps: ShareGaps, now: datetime) -> ShareChange:
    settled = {"utr": answer.utr, "settled_at": now} if answer.utr else {}
    due_at = None if answer.utr else next_planned(now, now, gaps.settled_s)
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
    next_at = next_unanswered if isinstance(answer, Unknown) else next_planned
    due_at = None if share.utr else next_at(share.ended_at or now, now, gaps.settled_s)
    return ShareChange(replace(share, due_at=due_at))


def _stays_open(
    share: DirectShare, answer: ShareAnswer, gaps: ShareGaps, now: datetime
) -> ShareChange:
    due_at = next_planned(share.called_at or now, now, gaps.open_s) or now + LATER_GAP
    words = {"code": "", "message": ""}
    if isinstance(answer, ShareMade):
        # Another amount than we asked for: the share stays open until people decide.
        words = {"code": "", "message": _other_amount(answer)}
    elif isinstance(answer, Unknown | Declined):
        words = {"code": answer.code, "message": answer.message}
    after = replace(share, due_at=due_at, **words)
    if share.state is S.UNKNOWN:
        return ShareChange(after)
    return ShareChange(moved(after, S.UNKNOWN), " ".join(filter(None, words.values())))


def waits(share: DirectShare, hindrance: ShareHindrance, now: datetime) -> ShareChange:
    """Return a share that is not sent before its hindrance was looked at again."""
    return ShareChange(replace(share, message=hindrance.why, due_at=now + hindrance.gap))


def _other_amount(made: ShareMade) -> str:
    return f"the acquirer speaks of {made.amount.paise} paise"


def _returned(share: DirectShare, paise: int, now: datetime) -> Posting:
    accounts = (chart.DIRECT_SHARES.code, chart.PAYABLE.code)
    return _posting(share, PostingKind.DIRECT_RETURNED, accounts, paise, now)


def _posting(
    share: DirectShare, kind: PostingKind, accounts: tuple[str, str], paise: int, at: datetime
) -> Posting:
    return Posting(share.merchant_id, share.share_id, kind, *accounts, Money(paise), at)
