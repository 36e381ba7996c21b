"""What a bank's answer does to a payout; pure. See docs/payouts.md."""

from datetime import datetime, timedelta

from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    SentBack,
    Underway,
    Unknown,
)
from hundi.kernel.inquiries import next_planned, next_unanswered
from hundi.kernel.records import replace
from hundi.money.ledger.chart import rules as chart
from hundi.money.ledger.rules import Posting, PostingKind
from hundi.money.payouts.rails.rules import PayoutChannel
from hundi.money.payouts.rules import (
    BANK,
    PAID,
    STAGES,
    UNDER_WAY,
    Answer,
    Gaps,
    P,
    PayoutChange,
    PayoutState,
    PayoutTry,
    PayoutWord,
    moved,
    posting_of,
)

LATER_GAP = timedelta(minutes=30)
"""The time between inquiries after the connector's schedule.

They never end while money is under way.
"""

LOST_AFTER = timedelta(days=1)
"""From its last call: by then a provider that does not know a payout will never carry it."""
LOST = Declined("", "the provider does not know it, and its account was replaced")


def is_lost(payout: PayoutTry, now: datetime) -> bool:
    """Return whether a payout that its provider does not know was sent long enough ago to end."""
    return payout.sent_at is not None and now >= payout.sent_at + LOST_AFTER


def not_taken(payout: PayoutTry, answer: PayoutWord) -> PayoutChange:
    """Return a payout that certainly did not leave, before another provider is asked."""
    note = " ".join(filter(None, (f"not taken by {payout.sent_by}:", *_words(answer))))
    return PayoutChange(moved(payout, P.UNKNOWN), BANK, note)


def certainly_not_taken(answer: PayoutWord) -> bool:
    """Return whether an answer to the first call says that nothing left and nothing can."""
    if isinstance(answer, Unknown):
        return not answer.sent
    return isinstance(answer, Declined) and answer.never_accepted


def after_answer(
    payout: PayoutTry,
    answer: Answer,
    gaps: Gaps,
    now: datetime,
    *,
    stands: bool = False,
    utr_of: str = "",
) -> PayoutChange | None:
    """Return the payout after the bank's answer, or None if it changes nothing.

    stands: another payout of the share has left. utr_of: the reference of another payout that has
    the answer's UTR at this provider. A repeated answer, from whichever source, changes nothing.
    """
    if payout.state in PAID:
        return _after_paid(payout, answer, gaps, now)
    doubt = _doubt(payout, answer, utr_of) if isinstance(answer, Approved) else ""
    if payout.state is P.REFUSED:
        paid = answer if isinstance(answer, Approved) and not doubt else None
        if paid is None:
            return _asked_again(payout, answer, gaps, now)
        return _after_late(payout, paid, gaps, now, stands=stands)
    if payout.state not in UNDER_WAY:
        return None
    if doubt:
        odd = replace(payout, bank_message=doubt)
        return _stays_open(odd, _open_state(payout), gaps, now)
    return _while_open(payout, answer, gaps, now)


def _doubt(payout: PayoutTry, answer: Approved, utr_of: str) -> str:
    """Return why a bank's word is not about this payout, "" where it is.

    Such a payout stays as it is until people decide.
    """
    if answer.amount != payout.amount or not answer.rrn:
        return f"the bank speaks of {answer.amount.paise} {answer.amount.currency}"
    return f"the bank names the UTR of {utr_of}" if utr_of else ""


def _while_open(
    payout: PayoutTry, answer: Answer, gaps: Gaps, now: datetime
) -> PayoutChange | None:
    """Return a payout under way after an answer that is about it."""
    match answer:
        case Approved():
            return _paid(payout, answer, gaps, now)
        case Declined() | SentBack():
            return _ended(payout, answer, gaps, now)
        case Underway():
            after = replace(payout, bank_code=answer.code, bank_message=answer.message)
            return _stays_open(after, STAGES[answer.stage], gaps, now, _note(answer))
        case Unknown() | NothingThere():
            return _stays_open(payout, _open_state(payout), gaps, now)


def _paid(payout: PayoutTry, answer: Approved, gaps: Gaps, now: datetime) -> PayoutChange:
    """Return a payout that the bank confirmed."""
    bank_fields = {"utr": answer.rrn, "bank_code": answer.code, "bank_message": answer.message}
    after = moved(payout, P.DONE, settled_at=now, **bank_fields, **_asked_after(gaps, now))
    accounts = (chart.PAYOUTS_IN_FLIGHT.code, chart.ESCROW.code)
    posting = posting_of(payout, PostingKind.PAYOUT_DONE, *accounts, now)
    return PayoutChange(after, BANK, answer.rrn, (posting,))


def _ended(
    payout: PayoutTry, answer: Declined | SentBack, gaps: Gaps, now: datetime
) -> PayoutChange:
    """Return a payout that came to nothing: what was in flight is owed again."""
    is_refused = isinstance(answer, Declined)
    bank_fields = {"bank_code": answer.code, "bank_message": answer.message}
    utr = answer.rrn if isinstance(answer, Declined) else answer.utr
    may_change = isinstance(answer, Declined) and not answer.never_accepted
    asked = _asked_after(gaps, now) if may_change and _is_asked(payout) else {"due_at": None}
    state = P.REFUSED if is_refused else P.RETURNED
    after = moved(payout, state, settled_at=now, utr=utr, **bank_fields, **asked)
    accounts = (chart.PAYOUTS_IN_FLIGHT.code, payout.source)
    posting = posting_of(payout, PostingKind.PAYOUT_RETURNED, *accounts, now)
    return PayoutChange(after, BANK, _note(answer), (posting,))


def contradicts(payout: PayoutTry, answer: Answer) -> bool:
    """Return whether a bank's answer denies an earlier one: refused and done for one payout."""
    if isinstance(answer, Approved):
        return payout.state is P.REFUSED
    return isinstance(answer, Declined) and payout.state in {*PAID, P.REVERSED}


def _open_state(payout: PayoutTry) -> PayoutState:
    """Return the state after an answer that says nothing: what a provider said once stays."""
    return P.UNKNOWN if payout.state is P.SENT else payout.state


def _stays_open(
    payout: PayoutTry, state: PayoutState, gaps: Gaps, now: datetime, note: str = ""
) -> PayoutChange:
    due_at = now + _gap(payout.inquiries, gaps.open_s) if _is_asked(payout) else None
    if state is payout.state:
        return PayoutChange(replace(payout, due_at=due_at))
    return PayoutChange(moved(payout, state, due_at=due_at), BANK, note)


def _after_paid(
    payout: PayoutTry, answer: Answer, gaps: Gaps, now: datetime
) -> PayoutChange | None:
    if isinstance(answer, SentBack):
        # The refusal before a late payment stays as it was sealed.
        bank_fields = {
            "settled_at": now,
            "bank_code": answer.code,
            "bank_message": answer.message,
        }
        after = moved(
            payout,
            P.REVERSED,
            due_at=None,
            **(bank_fields if payout.state is P.DONE else {}),
        )
        owed = chart.PAID_TWICE.code if payout.state is P.PAID_TWICE else payout.source
        posting = posting_of(payout, PostingKind.PAYOUT_REVERSED, chart.ESCROW.code, owed, now)
        again = _given_back(payout, now) if payout.state is P.PAID_TWICE else ()
        return PayoutChange(after, BANK, _note(answer), (posting, *again))
    return _asked_again(payout, answer, gaps, now)


def _after_late(
    payout: PayoutTry, paid: Approved, gaps: Gaps, now: datetime, *, stands: bool
) -> PayoutChange | None:
    """Return a refused payout that the bank paid after it said no."""
    if not _is_asked(payout):
        return None
    kind, state, owed = (
        (PostingKind.PAYOUT_TWICE, P.PAID_TWICE, chart.PAID_TWICE.code)
        if stands
        else (PostingKind.PAYOUT_LATE, P.PAID_LATE, payout.source)
    )
    after = moved(payout, state, late_utr=paid.rrn, late_at=now, **_asked_after(gaps, now))
    posting = posting_of(payout, kind, owed, chart.ESCROW.code, now)
    recovered = _recovered(payout, now) if stands else ()
    return PayoutChange(after, BANK, paid.rrn, (posting, *recovered))


def _recovered(payout: PayoutTry, now: datetime) -> tuple[Posting, ...]:
    """Return the posting that takes what was paid twice off the merchant's next settlement.

    A linked account has no balance of its own from which it could be taken: it stays a debt.
    """
    if payout.source != chart.SETTLEMENT_DUE.code:
        return ()
    sides = (chart.PAYABLE.code, chart.PAID_TWICE.code)
    return (posting_of(payout, PostingKind.PAYOUT_RECOVERED, *sides, now),)


def _given_back(payout: PayoutTry, now: datetime) -> tuple[Posting, ...]:
    """Return the posting that owes again what was taken off, once the second payment is back."""
    if payout.source != chart.SETTLEMENT_DUE.code:
        return ()
    sides = (chart.PAID_TWICE.code, chart.PAYABLE.code)
    return (posting_of(payout, PostingKind.PAYOUT_RECOVERED_BACK, *sides, now),)


def _is_asked(payout: PayoutTry) -> bool:
    """Return whether a connector is asked about a payout; a file's bank reports by itself."""
    return payout.channel is PayoutChannel.API


def _asked_after(gaps: Gaps, now: datetime) -> dict[str, object]:
    """Return when an ended payout is asked about first."""
    return {"due_at": next_planned(now, now, gaps.returned_s), "inquiries": 0}


def _asked_again(
    payout: PayoutTry, answer: Answer, gaps: Gaps, now: datetime
) -> PayoutChange | None:
    """Return an ended payout with the time of the next inquiry."""
    if not _is_asked(payout) or payout.due_at is None:
        return None
    ended_at = payout.late_at or payout.settled_at
    assert ended_at is not None, "an ended payout says when it ended"
    next_at = next_unanswered if isinstance(answer, Unknown) else next_planned
    return PayoutChange(replace(payout, due_at=next_at(ended_at, now, gaps.returned_s)))


def _words(answer: PayoutWord) -> tuple[str, str]:
    return answer.code, answer.message


def _note(answer: Declined | SentBack | Underway) -> str:
    """Return an answer as its event says it."""
    utr = answer.utr if isinstance(answer, Underway) else ""
    return " ".join(filter(None, (*_words(answer), utr)))


def _gap(inquiries: int, gaps_s: tuple[int, ...]) -> timedelta:
    return timedelta(seconds=gaps_s[inquiries]) if inquiries < len(gaps_s) else LATER_GAP


def sends_again(payout: PayoutTry, answer: object, gaps: Gaps, now: datetime) -> bool:
    """Return whether to send again a payout that the bank does not know.

    The call was lost or was never made. What the bank said something about is never sent again.
    """
    if (
        not _is_asked(payout)
        or payout.sent_at is None
        or payout.state not in {P.SENT, P.UNKNOWN}
        or payout.bank_message
    ):
        return False
    grace = timedelta(seconds=gaps.grace_s)
    return isinstance(answer, NothingThere) and now >= payout.sent_at + grace
