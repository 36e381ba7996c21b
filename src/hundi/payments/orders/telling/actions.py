"""Writes a customer's letters in the transaction of their step, in the language of its page."""

from datetime import datetime

from hundi.infra.logs import get_logger
from hundi.infra.postgres.database import Connection, Database
from hundi.infra.settings import SIMULATOR
from hundi.kernel.records import replace
from hundi.letters import actions as letters
from hundi.letters.mobile import actions as mobile
from hundi.letters.mobile.rules import MessageConsent
from hundi.letters.rules import LetterChannel
from hundi.merchants.directory import store as merchants
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders.rules import Payment, PaymentView, Step
from hundi.payments.orders.telling import store
from hundi.payments.orders.telling.rules import LetterTerms, cause_of, letters_of

_log = get_logger(__name__)


async def tell(conn: Connection, after: PaymentView, step: Step, now: datetime) -> bool:
    """Write the letters of a step that its merchant chose; return whether one was written.

    after: the payment as the step made it. After the commit the caller wakes the letters. A letter
    that cannot be written is logged and left out: no step waits for one, because money moved.
    """
    payment = step.payment
    try:
        async with conn.transaction():
            return await _told(conn, after, step, now)
    except Exception:  # noqa: BLE001 (logged; a lost connection ends the step itself)
        _log.exception(
            "letter_not_written", merchant_id=payment.merchant_id, payment_id=payment.payment_id
        )
        return False


async def _told(conn: Connection, after: PaymentView, step: Step, now: datetime) -> bool:
    terms = await merchants.select_terms(conn, step.payment.merchant_id)
    simulated = any(each.connector == SIMULATOR for each in after.attempts)
    new = letters_of(after, step, LetterTerms(*terms, simulated)) if terms else []
    if new:
        key = step.payment.merchant_id, step.payment.payment_id
        language = await store.language_of(conn, *key)
        new = [replace(letter, language=language or letter.language) for letter in new]
    return any([await letters.write(conn, letter, now) for letter in new])


async def note_language(
    db: Database,
    merchant: Merchant,
    payment_id: int,
    language: str,
    now: datetime,
    *,
    chosen: bool = False,
) -> None:
    """Keep the language in which a customer sees the payment page, for letters about the order.

    chosen: by the page's switch. Else it is the browser's, and English says nothing then, because
    most browsers in India are set to it: the merchant's language holds. Nothing is written where
    that is the same, or where there are no letters, so most orders need no statement.
    """
    settings = merchant.settings
    if settings.letters and (chosen or language not in {"en", settings.letter_language}):
        await store.write_language(db, merchant.merchant_id, payment_id, language, now)


async def agree(
    db: Database, payment: Payment, number: str, words: tuple[str, str], now: datetime
) -> None:
    """Keep that a payment's customer agrees to WhatsApp messages of its merchant.

    The letters of this payment that were withheld for lack of it are sent. words: with their
    language.
    """
    consent = MessageConsent(payment.merchant_id, LetterChannel.WHATSAPP, number, *words)
    steps = range(1, payment.revision + 1)
    causes = [cause_of(payment.payment_id, revision) for revision in steps]
    await mobile.agree_beside_letters(db, consent, causes, now)


async def sweep(db: Database, now: datetime) -> None:
    """Forget the languages of pages that were seen as long ago as letters are kept."""
    await store.sweep(db, now - letters.KEPT_FOR)
