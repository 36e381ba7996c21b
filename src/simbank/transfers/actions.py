"""Send a transfer: write it with its entry in the books, and tell the gateway of its account."""

from collections.abc import Mapping
from datetime import datetime

from simbank import store as books
from simbank.actions import CallRefusedError, same_payment
from simbank.bank import Bank
from simbank.rules import APPROVED
from simbank.store import Payment
from simbank.transfers import rules, store


async def send(bank: Bank, values: Mapping[str, str], now: datetime) -> Payment:
    """Send a transfer whose fields are right; the same UTR again moves money once.

    Raises CallRefusedError where the UTR belongs to another transfer.
    """
    account, mode, rrn = rules.reference_of(values["account"]), values["mode"], await bank.rrns.take(now)
    utr = values["utr"] or rules.utr_of(mode, rrn, now)
    payment = Payment(
        utr,
        "transfer",
        rules.paise(values["amount"]),
        "INR",
        APPROVED.status,
        now,
        APPROVED.code,
        APPROVED.message,
        rrn,
    )
    # Kept first: the transfer stands from the moment at which its payment is written.
    if not await store.keep(bank.db, utr, account, mode, values["remitter"]):
        raise CallRefusedError(409, "this UTR belongs to another transfer")
    callback = bank.callback_sender.callback_for(payment, account=account)
    if not await books.open_payment(bank.db, payment, callback, booked=True, again=False):
        return await same_payment(bank, payment)
    bank.callback_sender.send_soon(callback)
    return payment
