"""Sends a transfer, or pays a slip in: books it, and tells the gateway."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from hundi_testbed.bank import store as books
from hundi_testbed.bank.actions import CallRefusedError, same_payment
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.rules import APPROVED, PaymentDecision, Status
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.bank.transfers import rules, store


async def send(bank: BankContext, values: Mapping[str, str], now: datetime) -> BankPayment:
    """Send a valid transfer; the same UTR again moves money once.

    A transfer that the account does not accept is turned back. Raises CallRefusedError where the
    UTR belongs to another transfer.
    """
    turned_back = rules.turned_back(values["account"], values["mode"])
    return await _keep(bank, values, values["utr"], turned_back or APPROVED, now)


async def pay_in(bank: BankContext, values: Mapping[str, str], now: datetime) -> BankPayment:
    """Pay a slip in at a branch: it is credited after clearing, or its cheque comes back."""
    return await _keep(
        bank,
        values,
        "",
        rules.cleared(values["mode"], values["remitter"], bank.settings.timings),
        now,
    )


async def _keep(
    bank: BankContext,
    values: Mapping[str, str],
    remitter: str,
    outcome: PaymentDecision,
    now: datetime,
) -> BankPayment:
    account, mode, rrn = (
        rules.reference_of(values["account"]),
        values["mode"],
        await bank.rrns.take(now),
    )
    utr = remitter or rules.utr_of(mode, rrn, now)
    after_s = outcome.settles_after_s
    payment = BankPayment(
        reference=utr,
        method="transfer",
        amount_paise=rules.paise(values["amount"]),
        currency="INR",
        status=outcome.status,
        at=now,
        code=outcome.code,
        message=outcome.message,
        rrn=rrn,
        due=None if after_s is None else "settle",
        due_at=None if after_s is None else now + timedelta(seconds=after_s),
    )
    # Stored first: the transfer is valid from the moment its payment is written.
    if not await store.keep(bank.db, utr, account, mode, values["remitter"]):
        raise CallRefusedError(409, "this UTR belongs to another transfer")
    came_in = payment.status is Status.PAID
    callback = bank.callback_sender.callback_for(payment, account=account) if came_in else None
    if not await books.open_payment(bank.db, payment, callback, booked=True, again=False):
        return await same_payment(bank, payment)
    bank.callback_sender.send_soon(callback)
    if after_s is not None:
        bank.scheduler.wake_in(after_s)
    return payment
