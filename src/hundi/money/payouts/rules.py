"""Payouts: their states, who may release them, and how the bank's answers change them; pure.

See docs/payouts.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, SentBack, Underway, Unknown
from hundi.kernel.money import Money
from hundi.kernel.names import is_same_person
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, wrong_state
from hundi.money.bank_accounts.rules import PERSON
from hundi.money.ledger.chart import rules as chart
from hundi.money.ledger.rules import Posting, PostingKind
from hundi.money.payouts.rails.rules import PayoutChannel, Rail, rail_for

SENT_GRACE = timedelta(seconds=60)
"""How long a bank without a record of a payout may still receive it.

After that the payout is sent again under the same key.
"""
LATER_GAP = timedelta(minutes=30)
"""The time between inquiries after the connector's schedule.

They never end while money is under way.
"""
GATEWAY, BANK = "gateway", "bank"
"""The actors of changes that no person made."""

Answer = Approved | Declined | SentBack | Underway | Unknown | NothingThere
"""A bank's answer about a payout."""


class PayoutState(StrEnum):
    """Where a payout is."""

    PREPARED = "prepared"
    """Waits for its maker."""
    PROPOSED = "proposed"
    """Its maker has released it; waits for its checker, another person."""
    APPROVED = "approved"
    """Released by two people; waits to be sent."""
    SENT = "sent"
    """The intention is written; the bank may have it."""
    UNKNOWN = "unknown"
    """The bank has said nothing that decides."""
    DONE = "done"
    """The bank confirmed that it left."""
    REFUSED = "refused"
    """The bank refused it: nothing left."""
    RETURNED = "returned"
    """It came back before it was confirmed."""
    REVERSED = "reversed"
    """It came back after it was confirmed."""
    HELD_BACK = "held_back"
    """Its bank account was changed before it was sent: another payout follows."""


P = PayoutState
PAYOUT_MOVES: Mapping[P, frozenset[P]] = {
    P.PREPARED: frozenset({P.PROPOSED, P.HELD_BACK}),
    P.PROPOSED: frozenset({P.APPROVED, P.HELD_BACK}),
    P.APPROVED: frozenset({P.SENT, P.HELD_BACK}),
    P.SENT: frozenset({P.UNKNOWN, P.DONE, P.REFUSED, P.RETURNED}),
    P.UNKNOWN: frozenset({P.SENT, P.DONE, P.REFUSED, P.RETURNED}),
    P.DONE: frozenset({P.REVERSED}),
    P.REFUSED: frozenset(),
    P.RETURNED: frozenset(),
    P.REVERSED: frozenset(),
    P.HELD_BACK: frozenset(),
}
WAITING = frozenset({P.PREPARED, P.PROPOSED, P.APPROVED})
"""The states before sending, in which a changed account holds the payout back."""
UNDER_WAY = frozenset({P.SENT, P.UNKNOWN})
CAME_TO_NOTHING = frozenset({P.REFUSED, P.RETURNED, P.REVERSED, P.HELD_BACK})
"""The states in which the share is owed again and another payout may follow."""


@dataclass(frozen=True, slots=True)
class PayoutTry:
    """One try at paying out a share.

    source: the ledger account that owes the share. account_no: of the beneficiary's bank account.
    maker, checker: the people who released it. revision: the number of its newest event.
    """

    merchant_id: int
    payout_id: int
    share_id: int
    try_no: int
    beneficiary: str
    account_no: int
    amount_paise: int
    source: str
    state: PayoutState
    channel: PayoutChannel
    rail: Rail
    connector: str
    created_at: datetime
    maker: str = ""
    checker: str = ""
    batch_id: int | None = None
    utr: str = ""
    bank_code: str = ""
    bank_message: str = ""
    sent_at: datetime | None = None
    settled_at: datetime | None = None
    due_at: datetime | None = None
    inquiries: int = 0
    revision: int = 0

    @property
    def amount(self) -> Money:
        """Return the amount in rupees."""
        return Money(self.amount_paise)

    @property
    def reference(self) -> str:
        """Return our reference at the bank, the key that stops a repeat from paying twice."""
        return f"{self.merchant_id}-P{self.payout_id}"


@dataclass(frozen=True, slots=True)
class Gaps:
    """A connector's schedule of inquiries: seconds from one to the next.

    open_s: about open payouts. returned_s: about done payouts, which may come back.
    """

    open_s: tuple[int, ...] = ()
    returned_s: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PayoutChange:
    """A payout after a change.

    event: the change has an event, with `who` and `why`. postings: written with it.
    """

    after: PayoutTry
    actor: str = BANK
    note: str = ""
    postings: tuple[Posting, ...] = ()


@dataclass(frozen=True, slots=True)
class Reported:
    """One line of a bank's report. reference: ours."""

    reference: str
    paise: int
    answer: Answer


def moved(payout: PayoutTry, state: PayoutState, **changes: object) -> PayoutTry:
    """Return the payout in another state; a move outside the table is a bug of ours."""
    if state not in PAYOUT_MOVES[payout.state]:
        message = f"payout {payout.payout_id}: {payout.state} may not become {state}"
        raise AssertionError(message)
    return replace(payout, state=state, **changes)  # type: ignore[arg-type]


def approval_refusal(payout: PayoutTry, person: str) -> Refusal | None:
    """Return why a person may not release a payout, or None."""
    if not PERSON.match(person) or person in {GATEWAY, BANK}:
        return Refusal(
            RefusalCode.FIELD_INVALID, field="as", received=person[:64], allowed="a person's name"
        )
    if payout.state not in {P.PREPARED, P.PROPOSED}:
        return wrong_state("payout", payout.state, P.PREPARED, P.PROPOSED)
    if payout.state is P.PROPOSED and is_same_person(person, payout.maker):
        allowed = f"another person than {payout.maker}, who proposed it"
        return Refusal(RefusalCode.FIELD_INVALID, field="as", received=person, allowed=allowed)
    return None


def approved(
    payout: PayoutTry, person: str, channel: PayoutChannel | None, now: datetime
) -> PayoutChange:
    """Return a payout that a person released; the first is its maker, the second its checker."""
    if payout.state is P.PREPARED:
        payout_channel = channel or payout.channel
        rail = rail_for(payout.amount_paise, payout_channel)
        return PayoutChange(
            moved(payout, P.PROPOSED, maker=person, channel=payout_channel, rail=rail),
            person,
            f"by {payout_channel}",
        )
    due_at = now if payout.channel is PayoutChannel.API else None
    return PayoutChange(moved(payout, P.APPROVED, checker=person, due_at=due_at), person)


def held_back(payout: PayoutTry, person: str) -> PayoutChange:
    """Return a payout whose account was changed before it was sent."""
    return PayoutChange(
        moved(payout, P.HELD_BACK, due_at=None), person, "the bank account was changed"
    )


def sent(
    payout: PayoutTry, now: datetime, batch_id: int | None = None, by: str = GATEWAY
) -> PayoutChange:
    """Return a sent payout with its posting; a payout that is sent again has one already."""
    if payout.state is not P.APPROVED:
        return PayoutChange(replace(payout, state=P.SENT), GATEWAY, "sent again under the same key")
    after = moved(payout, P.SENT, sent_at=now, batch_id=batch_id)
    posting = _posting(
        payout, PostingKind.PAYOUT_SENT, payout.source, chart.PAYOUTS_IN_FLIGHT.code, now
    )
    return PayoutChange(after, by, "", (posting,))


def after_answer(
    payout: PayoutTry, answer: Answer, gaps: Gaps, now: datetime
) -> PayoutChange | None:
    """Return the payout after the bank's answer, or None if it changes nothing.

    A repeated answer, from whichever source, changes nothing.
    """
    if payout.state is P.DONE:
        return _after_done(payout, answer, gaps, now)
    if payout.state not in UNDER_WAY:
        return None
    match answer:
        case Approved() if answer.amount != payout.amount or not answer.rrn:
            # Another amount than we sent: the payout stays open until people decide.
            words = f"the bank speaks of {answer.amount.paise} {answer.amount.currency}"
            return _stays_open(replace(payout, bank_message=words), gaps, now)
        case Approved():
            bank_fields = {
                "utr": answer.rrn,
                "bank_code": answer.code,
                "bank_message": answer.message,
            }
            due_at = now + timedelta(seconds=gaps.returned_s[0]) if gaps.returned_s else None
            after = moved(payout, P.DONE, settled_at=now, due_at=due_at, inquiries=0, **bank_fields)
            kind, accounts = (
                PostingKind.PAYOUT_DONE,
                (chart.PAYOUTS_IN_FLIGHT.code, chart.ESCROW.code),
            )
            return PayoutChange(after, BANK, answer.rrn, (_posting(payout, kind, *accounts, now),))
        case Declined() | SentBack():
            state = P.REFUSED if isinstance(answer, Declined) else P.RETURNED
            bank_fields = {"bank_code": answer.code, "bank_message": answer.message}
            utr = answer.rrn if isinstance(answer, Declined) else answer.utr
            after = moved(payout, state, settled_at=now, due_at=None, utr=utr, **bank_fields)
            kind, accounts = (
                PostingKind.PAYOUT_RETURNED,
                (chart.PAYOUTS_IN_FLIGHT.code, payout.source),
            )
            return PayoutChange(
                after,
                BANK,
                f"{answer.code} {answer.message}".strip(),
                (_posting(payout, kind, *accounts, now),),
            )
        case Underway() | Unknown() | NothingThere():
            return _stays_open(payout, gaps, now)


def contradicts(payout: PayoutTry, answer: Answer) -> bool:
    """Return whether a bank's answer denies an earlier one: refused and done for one payout."""
    if isinstance(answer, Approved):
        return payout.state is P.REFUSED
    return isinstance(answer, Declined) and payout.state in {P.DONE, P.REVERSED}


def _stays_open(payout: PayoutTry, gaps: Gaps, now: datetime) -> PayoutChange:
    due_at = (
        now + _gap(payout.inquiries, gaps.open_s) if payout.channel is PayoutChannel.API else None
    )
    return PayoutChange(replace(payout, state=P.UNKNOWN, due_at=due_at))


def _after_done(
    payout: PayoutTry, answer: Answer, gaps: Gaps, now: datetime
) -> PayoutChange | None:
    if isinstance(answer, SentBack):
        bank_fields = {"bank_code": answer.code, "bank_message": answer.message}
        after = moved(payout, P.REVERSED, settled_at=now, due_at=None, **bank_fields)
        kind, accounts = PostingKind.PAYOUT_REVERSED, (chart.ESCROW.code, payout.source)
        return PayoutChange(
            after,
            BANK,
            f"{answer.code} {answer.message}".strip(),
            (_posting(payout, kind, *accounts, now),),
        )
    if payout.channel is PayoutChannel.FILE or payout.due_at is None:
        return None
    inquiries = payout.inquiries
    due_at = (
        now + timedelta(seconds=gaps.returned_s[inquiries])
        if inquiries < len(gaps.returned_s)
        else None
    )
    return PayoutChange(replace(payout, due_at=due_at))


def _gap(inquiries: int, gaps_s: tuple[int, ...]) -> timedelta:
    return timedelta(seconds=gaps_s[inquiries]) if inquiries < len(gaps_s) else LATER_GAP


def sends_again(payout: PayoutTry, answer: object, now: datetime) -> bool:
    """Return whether to send again a payout that the bank does not know.

    The call was lost or was never made.
    """
    if (
        payout.channel is PayoutChannel.FILE
        or payout.sent_at is None
        or payout.state not in UNDER_WAY
    ):
        return False
    return isinstance(answer, NothingThere) and now >= payout.sent_at + SENT_GRACE


def _posting(
    payout: PayoutTry, kind: PostingKind, debit: str, credit: str, at: datetime
) -> Posting:
    return Posting(payout.merchant_id, payout.payout_id, kind, debit, credit, payout.amount, at)
