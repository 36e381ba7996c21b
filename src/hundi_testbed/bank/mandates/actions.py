"""Customers' acts on mandates: approving and ending them."""

import secrets
from datetime import datetime

import msgspec

from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.mandates import store
from hundi_testbed.bank.mandates.store import Mandate
from hundi_testbed.bank.messages import BankMandateRequest


async def keep(bank: BankContext, reference: str, request: BankMandateRequest | None) -> None:
    """Store the mandate that a customer is asked to approve.

    It is valid from the moment its payment is paid.

    Raises CallRefusedError.
    """
    if request is None:
        return
    if request.valid_until < request.valid_from:
        raise CallRefusedError(400, "valid_until is before valid_from")
    terms = (
        request.payee_name,
        request.max_paise,
        request.valid_from,
        request.valid_until,
        request.recur,
    )
    await store.keep(bank.db, Mandate(reference, *terms))


class NewsBody(msgspec.Struct, frozen=True, tag_field="kind", tag="mandate_changed"):
    """The callback about a mandate that its customer ended, paused or resumed."""

    event_id: str
    mandate: str


async def act_as_customer(bank: BankContext, reference: str, act: str, now: datetime) -> None:
    """End, pause or resume a mandate at its customer's bank, and tell the gateway.

    An ended one stays as it is.
    """
    event_id = "mandate_" + secrets.token_hex(8)
    callback = bank.callback_sender.callback_with(
        event_id, reference, NewsBody(event_id, reference), now
    )
    if await store.act_and_tell(bank.db, act, callback):
        bank.callback_sender.send_soon(callback)
