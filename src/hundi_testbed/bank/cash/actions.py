"""Issues vouchers, takes cash for each at most once, and withdraws them."""

from collections.abc import Mapping
from dataclasses import replace  # noqa: TID251 (no structs here)
from datetime import datetime, timedelta

from hundi_testbed.bank import store as books
from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.cash import rules, store
from hundi_testbed.bank.cash.rules import WITHDRAWN, CashVoucher
from hundi_testbed.bank.rules import Status
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.bank.transfers import store as transfers


async def issue(bank: BankContext, voucher: CashVoucher, now: datetime) -> CashVoucher:
    """Issue a voucher, or return the one of the same reference. Raises CallRefusedError."""
    stored = await store.open_voucher(
        bank.db, replace(voucher, number=rules.number_of(await bank.rrns.take(now)))
    )
    if stored is None or replace(stored, number="") != replace(voucher, number=""):
        raise CallRefusedError(409, "this reference was used with another voucher")
    return stored


async def pay(
    bank: BankContext, voucher: CashVoucher, values: Mapping[str, str], now: datetime
) -> bool:
    """Take cash for a voucher, which is told later; False when it is paid or withdrawn."""
    decision = rules.taken(values["counter"], bank.settings.timings)
    payment = BankPayment(
        reference=voucher.receipt,
        method="cash",
        amount_paise=voucher.amount_paise,
        currency=voucher.currency,
        status=decision.status,
        at=now,
        code=decision.code,
        message=decision.message,
        rrn=await bank.rrns.take(now),
        due="settle",
        due_at=now + timedelta(seconds=decision.settles_after_s or 0),
        quiet=decision.quiet,
    )
    # Stored first, as a transfer: one receipt has one payment, so a voucher is paid once.
    if not await transfers.keep(
        bank.db, voucher.receipt, voucher.reference, "CASH", values["mobile"]
    ):
        return False
    if not await books.open_payment(bank.db, payment, None, booked=True, again=False):
        return False
    bank.scheduler.wake_in(decision.settles_after_s or 0)
    return True


async def withdraw(bank: BankContext, reference: str, now: datetime) -> bool:
    """Withdraw a voucher, so that no counter takes cash for it; False when it is paid.

    A withdrawal takes the place of the payment: only one of both is written. Raises
    CallRefusedError.
    """
    voucher = await store.of_reference(bank.db, reference)
    if voucher is None:
        raise CallRefusedError(404, "no such voucher")
    paise, what = voucher.amount_paise, WITHDRAWN
    ended = BankPayment(
        voucher.receipt, "cash", paise, voucher.currency, what.status, now, what.code, what.message
    )
    written = await books.open_payment(bank.db, ended, None, booked=False, again=False)
    return written or await is_withdrawn(bank, voucher)


async def is_withdrawn(bank: BankContext, voucher: CashVoucher) -> bool:
    """Return whether a voucher was withdrawn."""
    payment = await books.find_payment(bank.db, voucher.receipt)
    return payment is not None and payment.status is Status.DECLINED
