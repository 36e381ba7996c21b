"""A payment at the bank, and the moves of its state; pure."""

from dataclasses import dataclass, replace  # noqa: TID251 (no structs here)
from datetime import datetime, timedelta

from hundi_testbed.bank.rules import NOT_AUTHENTICATED_CODE, PaymentDecision, Status

_SETTLED_MESSAGE = "Approved late"


@dataclass(frozen=True, slots=True)
class BankPayment:
    """A payment, as stored under one reference; schema.sql explains the columns."""

    reference: str
    method: str
    amount_paise: int
    currency: str
    status: Status
    at: datetime
    code: str = ""
    message: str = ""
    rrn: str = ""
    payer_vpa: str = ""
    approval_code: str = ""
    trans_status: str = ""
    due: str | None = None
    due_at: datetime | None = None
    settles_to: Status = Status.PAID
    quiet: bool = False
    expires_at: datetime | None = None
    captured_paise: int | None = None
    ended_rrn: str = ""


def decided(
    payment: BankPayment, outcome: PaymentDecision, rrn: str, approval_code: str, now: datetime
) -> BankPayment:
    """Return a payment with its bank's decision. approval_code: for an approved card."""
    waits_s = outcome.judged_after_s if outcome.settles_after_s is None else outcome.settles_after_s
    due = "answer" if outcome.settles_after_s is None else "settle"
    approved = outcome.status in {Status.PAID, Status.AUTHORISED}
    return replace(
        payment,
        status=outcome.status,
        code=outcome.code,
        message=outcome.message,
        rrn=rrn,
        approval_code=approval_code
        if approved and payment.method == "card"
        else outcome.approval_code,
        at=now,
        due=None if waits_s is None else due,
        due_at=None if waits_s is None else now + timedelta(seconds=waits_s),
        quiet=outcome.quiet,
    )


def settled(payment: BankPayment, approval_code: str, now: datetime) -> BankPayment:
    """Return an undecided payment that succeeds late. approval_code: for a card."""
    return replace(
        payment,
        status=payment.settles_to,
        code="00",
        message=_SETTLED_MESSAGE,
        at=now,
        due=None,
        due_at=None,
        approval_code=approval_code if payment.method == "card" else "",
    )


def challenged(payment: BankPayment, trans_status: str, message: str, now: datetime) -> BankPayment:
    """Return a payment whose challenge has ended. trans_status: Y or N."""
    passed = trans_status == "Y"
    return replace(
        payment,
        status=Status.AUTHENTICATED if passed else Status.DECLINED,
        code="" if passed else NOT_AUTHENTICATED_CODE,
        message=message,
        trans_status=trans_status,
        at=now,
    )


def entry_of(payment: BankPayment) -> tuple[str, str]:
    """Return kind and state of a decided payment's entry in the books."""
    kind = "authorise" if Status.AUTHORISED in {payment.status, payment.settles_to} else "debit"
    state = {Status.PENDING: "pending", Status.DECLINED: "declined"}.get(payment.status, "done")
    return kind, state
