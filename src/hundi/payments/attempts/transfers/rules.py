"""What transfers to an order's account number change, and when to ask for them; pure."""

from datetime import datetime, timedelta

from hundi.acquirers.port.answers import Approved
from hundi.acquirers.port.payments import InquirySchedule
from hundi.acquirers.port.transfers import Transfer
from hundi.instruments.methods import METHODS
from hundi.kernel.events import Kind
from hundi.kernel.moves import MOVED
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, EventKind
from hundi.kernel.states import AttemptState as A
from hundi.money.ledger.rules import entries_for_overpayment
from hundi.payments.attempts.answers.rules import expire
from hundi.payments.attempts.approvals.rules import Policy, after_approval, exceeds_order
from hundi.payments.attempts.rules import LATER_GAP, LATER_MAX
from hundi.payments.orders.rules import Attempt, PaymentView, Step

OTHER_NETWORK_CODE = "other_network"
"""The code for money that came by a network that its account does not take."""


def next_look(account: Attempt, schedule: InquirySchedule, now: datetime) -> datetime | None:
    """Return when to ask for transfers to an account next, until three days after its end."""
    if account.state is not A.OFFERED:
        later = now + LATER_GAP
        return later if later <= account.expires_at + LATER_MAX else None
    scheduled = account.inquiries < len(schedule.gaps_s)
    due = now + (timedelta(seconds=schedule.gaps_s[account.inquiries]) if scheduled else LATER_GAP)
    return min(due, max(account.expires_at, now))


def after_transfer(
    view: PaymentView,
    account: Attempt,
    transfer: Transfer,
    policy: Policy,
    extra_id: int,
    now: datetime,
) -> Step | None:
    """Return the step for a transfer to an order's account.

    None when it was recorded before (by its UTR).

    A transfer of the order's amount pays it, even late, if its network is allowed. Any other is an
    attempt of its own that is refunded, and the account stays open. extra_id: the id of that
    attempt.
    """
    if any(each.method == account.method and each.rrn == transfer.utr for each in view.attempts):
        return None
    answer = Approved(transfer.amount, transfer.utr, message=transfer.mode)
    networks = METHODS[account.method].networks
    other_network = bool(networks) and transfer.mode not in networks
    if (
        account.state not in MOVED
        and not other_network
        and not exceeds_order(view, account, answer)
    ):
        step = after_approval(view, account, answer, policy, now)
        return step and replace(
            step, attempt=step.attempt and replace(step.attempt, inquire_at=now + LATER_GAP)
        )
    extra = replace(
        account,
        attempt_id=extra_id,
        state=A.OVERPAID,
        received_paise=transfer.amount.paise,
        rrn=transfer.utr,
        bank_code=OTHER_NETWORK_CODE if other_network else answer.code,
        bank_message=answer.message,
        created_at=now,
        settled_at=now,
        inquire_at=None,
        surcharge_paise=0,
    )
    posted = entries_for_overpayment(extra)
    news = Kind.EXCESS_PAYMENT
    return Step(EventKind.EXCESS_PAYMENT, Actor.BANK, view.payment, extra, True, posted, news)  # noqa: FBT003


def is_spare(view: PaymentView, attempt_id: int) -> bool:
    """Return whether an issued voucher waits for cash although its order is paid or held."""
    ours = view.attempt(attempt_id)
    return (
        ours is not None and ours.awaits_money and bool(ours.voucher) and view.success is not None
    )


def close_account(view: PaymentView, account: Attempt, now: datetime) -> Step | None:
    """Return the step that ends an unpaid account.

    Inquiries about it go on.
    """
    if account.state is not A.OFFERED or now < account.expires_at:
        return None
    step = expire(view, account, Actor.INQUIRY, now)
    return replace(step, attempt=step.attempt and replace(step.attempt, inquire_at=now + LATER_GAP))
