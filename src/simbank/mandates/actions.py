"""What a customer is asked to approve is kept before they are asked."""

from simbank.actions import CallRefusedError
from simbank.bank import Bank
from simbank.mandates import store
from simbank.mandates.store import Mandate
from simbank.messages import MandateRequest


async def keep(bank: Bank, reference: str, asked: MandateRequest | None) -> None:
    """Keep what a customer is asked to approve; it stands from the moment at which the payment is paid.

    Raises CallRefusedError.
    """
    if asked is None:
        return
    if asked.valid_until < asked.valid_from:
        raise CallRefusedError(400, "valid_until is before valid_from")
    terms = asked.payee_name, asked.max_paise, asked.valid_from, asked.valid_until, asked.recur
    await store.keep(bank.db, Mandate(reference, *terms))
