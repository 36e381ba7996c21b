"""Ask the bank for money at an account number or voucher, and record each transfer once."""

from datetime import datetime

import structlog

from hundi.acquirers.port.answers import Accepted, Unknown
from hundi.acquirers.port.payments import IssuesVouchers, ListsTransfers
from hundi.acquirers.port.transfers import Transfer
from hundi.kernel.ids import new_id
from hundi.kernel.states import Actor
from hundi.merchants.directory.rules import Merchant
from hundi.payments.attempts.answers.rules import expire
from hundi.payments.attempts.approvals.rules import Policy
from hundi.payments.attempts.transfers import rules as transfers
from hundi.payments.orders import store
from hundi.payments.orders.actions import PaymentCase, PaymentContext, write
from hundi.payments.orders.rules import Attempt, PaymentView, Step

_log = structlog.get_logger(__name__)


async def inquire(
    context: PaymentContext, merchant: Merchant, account: Attempt, now: datetime
) -> bool:
    """Ask for transfers to an account, and close it after its end.

    Return False when the inquiry could not be sent.
    """
    view = await store.select_by_attempt(context.db, merchant.merchant_id, account.attempt_id)
    if view is None:
        return True
    case = PaymentCase(context, merchant, view, now)
    looked = await look(case, account)
    if isinstance(looked, Unknown) and not looked.sent:
        return False
    if not isinstance(looked, Unknown):
        case = case.with_view(looked)

    def decide(current: PaymentView) -> Step | None:
        ours = current.attempt(account.attempt_id)
        # Only the bank's answer says whether money came in before the end.
        return (
            None
            if ours is None or isinstance(looked, Unknown)
            else transfers.close_account(current, ours, now)
        )

    after, _ = await write(case, decide)
    after = await _end_spare_voucher(case.with_view(after), account)
    ours = after.attempt(account.attempt_id)
    if ours is not None and ours.inquire_at is not None:
        due = transfers.next_look(
            ours, context.connectors.get(ours.connector).inquiry_schedule, now
        )
        await store.reschedule_inquiry(
            context.db, merchant.merchant_id, ours.attempt_id, ours.inquire_at, due
        )
    return True


async def _end_spare_voucher(case: PaymentCase, voucher: Attempt) -> PaymentView:
    """End a voucher of an order that was paid in another way.

    If the network does not end it, the next inquiry tries again.
    """
    view = case.view
    connector = case.context.connectors.get(voucher.connector)
    if not transfers.is_spare(view, voucher.attempt_id) or not isinstance(
        connector, IssuesVouchers
    ):
        return view
    if not isinstance(await connector.end_voucher(voucher.reference), Accepted):
        return view

    def decide(current: PaymentView) -> Step | None:
        ours = current.attempt(voucher.attempt_id)
        return (
            expire(current, ours, Actor.GATEWAY, case.now)
            if ours is not None and ours.awaits_money
            else None
        )

    after, _ = await write(case, decide)
    return after


async def look(case: PaymentCase, account: Attempt) -> PaymentView | Unknown:
    """Record every transfer to an account that we do not have yet.

    Return Unknown when the bank did not answer.
    """
    connector, now = case.context.connectors.get(account.connector), case.now
    listed_transfers = (
        await connector.transfers(account.reference)
        if isinstance(connector, ListsTransfers)
        else Unknown()
    )
    if isinstance(listed_transfers, Unknown):
        return listed_transfers
    if any(each.amount.currency != account.amount.currency for each in listed_transfers):
        _log.error("bank_currency_differs", reference=account.reference)
        return Unknown(message="the bank speaks of another currency")
    policy = Policy(case.merchant.settings.late_success == "refund", connector.inquiry_schedule)
    for transfer in listed_transfers:

        def decide(current: PaymentView, transfer: Transfer = transfer) -> Step | None:
            ours = current.attempt(account.attempt_id)
            return ours and transfers.after_transfer(
                current, ours, transfer, policy, new_id(now), now
            )

        after, _ = await write(case, decide)
        case = case.with_view(after)
    return case.view
