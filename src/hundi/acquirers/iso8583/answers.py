"""Meaning of a switch's messages for a payment, a reversal, a capture or a void; pure."""

from datetime import UTC, datetime

from hundi.acquirers.iso8583.dialects import LATE_CODE, Dialect
from hundi.acquirers.iso8583.rules import (
    RUPEE_NUMBER,
    SENT_BACK,
    Call,
    CallDecision,
    CallEnd,
    CallKind,
    amount_text,
)
from hundi.acquirers.iso8583.wire import Message
from hundi.acquirers.port.answers import Approved, Declined, Unknown, Voided
from hundi.kernel.money import Money


def rrn_of(trace: int, at: int) -> str:
    """Return field 37 as many networks write it.

    Digit of the year, day of the year, hour (UTC), trace.
    """
    sent = datetime.fromtimestamp(at, UTC)
    return f"{sent.year % 10}{sent:%j%H}{trace:06}"


def code_when_reversed(reply: Message, dialect: Dialect) -> str:
    """Return the decline's code for a reversed answer.

    The bank's own, unless that was an approval.
    """
    code = reply.get(39)
    return LATE_CODE if code in dialect.approved or not code else dialect.unsure.get(code, code)


def word_said(reply: Message, call: Call, dialect: Dialect) -> CallDecision | None:
    """Return the decision in an answer to a purchase, hold or refund; None: it is reversed.

    An approval counts when it names this reference and this amount: the bank echoes our field 37. A
    decline counts when its code is a published refusal.
    """
    code, reference = reply.get(39), reply.get(37)
    if reference not in {"", call.rrn}:
        return None
    if code in dialect.refused:
        return CallDecision(dialect.refused[code])
    amount = reply.get(4)
    same = amount == amount_text(dialect, call.amount) and reply.get(49) in {"", RUPEE_NUMBER}
    if code in dialect.approved and same and reference:
        return CallDecision("00", call.paise, reply.get(38))
    return None


def reversal_said(
    reply: Message, undo: Call, dialect: Dialect, age_s: float, forget_after_s: float
) -> CallEnd | None:
    """Return the end of a reversal, None while it has none.

    An answer to another reversal is ignored.

    A host with nothing to reverse may still get the original message: its answer counts once that
    message is old enough. age_s: the age of that message.
    """
    code = reply.get(39)
    if reply.get(37) not in {"", undo.rrn}:
        return None
    if code in dialect.reversed_ or (code in dialect.unfound and age_s >= forget_after_s):
        return CallEnd(done=True, code=code)
    return None


def ending_said(reply: Message, call: Call, dialect: Dialect) -> CallEnd | None:
    """Return the end of a capture or void, None while it has none.

    A refusal has a published code.
    """
    code = reply.get(39)
    if reply.get(37) not in {"", call.rrn}:
        return None
    if code in dialect.refused:
        return CallEnd(done=False, code=dialect.refused[code])
    if call.kind is CallKind.VOID:
        return CallEnd(done=True, code=code) if code in dialect.reversed_ else None
    same = reply.get(4) == amount_text(dialect, call.amount)
    return CallEnd(done=True, code=code) if code in dialect.approved and same else None


def answer(
    call: Call, word: CallDecision, *, undone: CallEnd | None
) -> Approved | Declined | Unknown:
    """Return the port's answer for a call's decision.

    An undone call is declined, once it is undone.
    """
    if word.undo is not None:
        if undone is None:
            return Unknown(word.code, "the reversal is not acknowledged yet")
        return Declined(word.code, SENT_BACK if word.code == LATE_CODE else "", call.rrn)
    if not word.approved:
        return Declined(word.code, "", call.rrn)
    held = call.kind is CallKind.HOLD
    return Approved(
        Money(word.paise, call.currency),
        call.rrn,
        authorised_only=held,
        approval_code=word.approval,
    )


def ending_answer(call: Call, ended: CallEnd) -> Approved | Declined | Voided:
    """Return the port's answer for the end of a capture or void."""
    if not ended.done:
        return Declined(ended.code, "", call.rrn)
    if call.kind is CallKind.VOID:
        return Voided(call.rrn)
    return Approved(call.amount, call.rrn)
