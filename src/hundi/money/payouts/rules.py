"""Payouts: their states, who may release them, and how the bank's answers change them; pure.

See docs/payouts.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    PayoutStage,
    SentBack,
    Underway,
    Unknown,
)
from hundi.kernel.ids import payout_reference
from hundi.kernel.money import Money
from hundi.kernel.names import is_same_person
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, wrong_state
from hundi.money.bank_accounts.rules import PERSON
from hundi.money.ledger.chart import rules as chart
from hundi.money.ledger.rules import Posting, PostingKind
from hundi.money.payouts.rails.rules import PayoutChannel, Rail, rail_for

GATEWAY, BANK = "gateway", "bank"
"""The actors of changes that no person made."""
NOTE_LENGTH_MAX = 200
"""The most characters of an event's note."""

PayoutWord = Approved | Declined | SentBack | Underway | Unknown
"""A bank's answer to the call that pays out."""
Answer = PayoutWord | NothingThere
"""A bank's answer about a payout."""


class PayoutState(StrEnum):
    """Where a payout is."""

    PREPARED = "prepared"
    """Waits for its maker."""
    PROPOSED = "proposed"
    """Its maker has released it; waits for its checker, another person."""
    APPROVED = "approved"
    """Released by two people; waits to be sent."""
    AWAITING_BALANCE = "awaiting_balance"
    """Not sent yet: the balance of its provider is short."""
    AWAITING_PROVIDER = "awaiting_provider"
    """Not sent yet: no provider may carry it, by the plan in force or by their own limits."""
    SENT = "sent"
    """The intention is written; the bank may have it."""
    UNKNOWN = "unknown"
    """The bank has said nothing that decides."""
    AWAITING_APPROVAL = "awaiting_approval"
    """People at the provider have to approve it."""
    QUEUED = "queued"
    """The provider keeps it until its balance suffices, or the bank works again."""
    PROCESSING = "processing"
    """The provider or its bank works on it."""
    DEEMED = "deemed"
    """Our account was debited; the credit is not confirmed."""
    DONE = "done"
    """The bank confirmed that it left."""
    REFUSED = "refused"
    """The bank refused it: nothing left."""
    RETURNED = "returned"
    """It came back before it was confirmed."""
    REVERSED = "reversed"
    """It came back after it was confirmed."""
    HELD_BACK = "held_back"
    """Not sent: its bank account was changed, its share was paid, or a person cancelled it."""
    PAID_LATE = "paid_late"
    """The bank refused it first, and paid it after all."""
    PAID_TWICE = "paid_twice"
    """The same, while another payout of the share had left: the share was paid twice."""


P = PayoutState
STAGES: Mapping[PayoutStage, P] = {
    PayoutStage.APPROVAL: P.AWAITING_APPROVAL,
    PayoutStage.QUEUED: P.QUEUED,
    PayoutStage.PROCESSING: P.PROCESSING,
    PayoutStage.DEEMED: P.DEEMED,
}
"""The state of a payout that a provider has, by the stage that it names."""
WAIT_GAPS: Mapping[P, timedelta] = {
    P.AWAITING_BALANCE: timedelta(minutes=5),
    P.AWAITING_PROVIDER: timedelta(minutes=1),
}
"""The time until a payout that waits is looked at again.

A balance that is filled is told sooner; plans and accounts of providers are read again each time.
"""
TO_SEND = frozenset({P.APPROVED, *WAIT_GAPS})
"""The states of payouts that two people released, and that have not left."""
WAITING = frozenset({P.PREPARED, P.PROPOSED, *TO_SEND})
"""The states before sending, in which a changed account holds the payout back."""
UNDER_WAY = frozenset({P.SENT, P.UNKNOWN, *STAGES.values()})
"""The states in which the money is in flight."""
CAME_TO_NOTHING = frozenset({P.REFUSED, P.RETURNED, P.REVERSED, P.HELD_BACK})
"""The states in which the share is owed again and another payout may follow."""
STANDS_NOT = CAME_TO_NOTHING | {P.PAID_TWICE}
"""The states beside which another payout of the share may stand."""
PAID = frozenset({P.DONE, P.PAID_LATE, P.PAID_TWICE})
"""The states in which the money left, and may still come back."""
_ENDS = frozenset({P.DONE, P.REFUSED, P.RETURNED})
PAYOUT_MOVES: Mapping[P, frozenset[P]] = {
    P.PREPARED: frozenset({P.PROPOSED, P.HELD_BACK}),
    P.PROPOSED: frozenset({P.APPROVED, P.HELD_BACK}),
    **{each: frozenset({*WAIT_GAPS, P.SENT, P.HELD_BACK}) - {each} for each in TO_SEND},
    **{each: (UNDER_WAY | _ENDS) - {each, P.SENT} for each in UNDER_WAY},
    P.UNKNOWN: (UNDER_WAY | _ENDS) - {P.UNKNOWN},
    P.DONE: frozenset({P.REVERSED}),
    P.REFUSED: frozenset({P.PAID_LATE, P.PAID_TWICE}),
    P.RETURNED: frozenset(),
    P.REVERSED: frozenset(),
    P.HELD_BACK: frozenset(),
    P.PAID_LATE: frozenset({P.REVERSED}),
    P.PAID_TWICE: frozenset({P.REVERSED}),
}


@dataclass(frozen=True, slots=True)
class PayoutTry:
    """One try at paying out a share.

    source: the ledger account that owes the share. account_no: of the beneficiary's bank account.
    maker, checker: the people who released it. revision: the number of its newest event. connector,
    rail: as planned when it was prepared. sent_by, sent_rail: the provider that has it, and on
    which rail; "" before, and for one in a file. late_utr, late_at: of one that was paid after all.
    wait_reason: why one that waits could not leave when it was last looked at.
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
    sent_by: str = ""
    sent_rail: str = ""
    late_utr: str = ""
    late_at: datetime | None = None
    wait_reason: str = ""

    @property
    def provider(self) -> str:
        """Return the connector that has the payout, "" before it is sent: the plan chooses then."""
        return (self.sent_by or self.connector) if self.sent_at else ""

    @property
    def paid_utr(self) -> str:
        """Return the UTR under which the bank paid it, "" for none."""
        return self.late_utr or self.utr

    @property
    def amount(self) -> Money:
        """Return the amount in rupees."""
        return Money(self.amount_paise)

    @property
    def reference(self) -> str:
        """Return our reference at the bank, the key that stops a repeat from paying twice."""
        return payout_reference(self.merchant_id, self.payout_id)


@dataclass(frozen=True, slots=True)
class Gaps:
    """A connector's schedule of inquiries: seconds from one to the next.

    open_s: about open payouts. returned_s: about ended ones, which may come back or be paid after
    all; the first from their end. grace_s: how long after the call a payout that the bank does not
    find may still appear.
    """

    open_s: tuple[int, ...] = ()
    returned_s: tuple[int, ...] = ()
    grace_s: int = 60


@dataclass(frozen=True, slots=True)
class PayoutChange:
    """A payout after a change.

    actor, note: who caused it, and why, for its event. postings: written with it.
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
    return replace(payout, **{"state": state, "wait_reason": "", **changes})  # type: ignore[arg-type]


def approval_refusal(payout: PayoutTry, person: str) -> Refusal | None:
    """Return why a person may not release a payout, or None."""
    if (unnamed := _name_refusal(person)) is not None:
        return unnamed
    if payout.state not in {P.PREPARED, P.PROPOSED}:
        return wrong_state("payout", payout.state, P.PREPARED, P.PROPOSED)
    if payout.state is P.PROPOSED and is_same_person(person, payout.maker):
        allowed = f"another person than {payout.maker}, who proposed it"
        return Refusal(RefusalCode.FIELD_INVALID, field="as", received=person, allowed=allowed)
    return None


def _name_refusal(person: str) -> Refusal | None:
    if PERSON.match(person) and person not in {GATEWAY, BANK}:
        return None
    allowed = "a person's name"
    return Refusal(RefusalCode.FIELD_INVALID, field="as", received=person[:64], allowed=allowed)


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


CHANGED_WORDS = "the bank account was changed"
PAID_WORDS = "an earlier payout was paid after all"
CANCELLED_WORDS = "cancelled: "
"""Before the reason of the person who cancelled a payout."""


def held_back(payout: PayoutTry, person: str, why: str = CHANGED_WORDS) -> PayoutChange:
    """Return a payout that is not sent, with the reason."""
    return PayoutChange(moved(payout, P.HELD_BACK, due_at=None), person, why)


def cancel_refusal(payout: PayoutTry, person: str) -> Refusal | None:
    """Return why a person may not cancel a payout, or None."""
    if (unnamed := _name_refusal(person)) is not None:
        return unnamed
    if payout.state not in WAITING:
        return wrong_state("payout", payout.state, *(each for each in P if each in WAITING))
    return None


@dataclass(frozen=True, slots=True)
class PayoutWay:
    """How a payout leaves: by a connector on a rail, or in a file."""

    connector: str = ""
    rail: str = ""
    batch_id: int | None = None

    @property
    def words(self) -> str:
        """Return the way as the event of the sending names it."""
        return f"by {self.connector} over {self.rail}" if self.connector else ""


def sent(payout: PayoutTry, way: PayoutWay, now: datetime, by: str = GATEWAY) -> PayoutChange:
    """Return a sent payout with its posting; a payout that is sent again has one already."""
    as_sent = {"sent_by": way.connector, "sent_rail": way.rail}
    if payout.state not in TO_SEND:
        return PayoutChange(replace(payout, state=P.SENT, **as_sent), GATEWAY, way.words)
    after = moved(payout, P.SENT, sent_at=now, batch_id=way.batch_id, inquiries=0, **as_sent)
    posting = posting_of(
        payout, PostingKind.PAYOUT_SENT, payout.source, chart.PAYOUTS_IN_FLIGHT.code, now
    )
    return PayoutChange(after, by, way.words, (posting,))


def waits(payout: PayoutTry, state: PayoutState, why: str, now: datetime) -> PayoutChange:
    """Return an approved payout that waits, in one of the states of WAIT_GAPS.

    The event has the reason for which it began to wait, the payout the newest one.
    """
    newest = {"due_at": now + WAIT_GAPS[state], "wait_reason": why[:NOTE_LENGTH_MAX]}
    if payout.state is state:
        return PayoutChange(replace(payout, **newest))
    return PayoutChange(moved(payout, state, **newest), GATEWAY, why)


def posting_of(
    payout: PayoutTry, kind: PostingKind, debit: str, credit: str, at: datetime
) -> Posting:
    """Return a posting of a payout's whole amount."""
    return Posting(payout.merchant_id, payout.payout_id, kind, debit, credit, payout.amount, at)
