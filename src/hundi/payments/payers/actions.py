"""Ask where a payment is, look for it, prove the payer by a code, and show it for a while."""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from asyncpg import UniqueViolationError

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.letters import actions as letters
from hundi.letters.mobile import actions as mobile
from hundi.letters.mobile.rules import mobile_number
from hundi.letters.rules import Letter, LetterChannel, LetterKind, NewLetter, mail_address
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders import actions as payments
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.rules import Payment
from hundi.payments.payers import rules, store
from hundi.payments.payers.rules import PayerQuestion, QuestionState, TypedQuestion
from hundi.payments.search import actions as search
from hundi.payments.search import rules as searching
from hundi.payments.search.rules import SearchKeyKind

DUE_CHANNEL = "payer_requests_due"
"""NOTIFY channel that wakes the worker once a question is written."""
CODE_PURPOSE, LIMIT_PURPOSE = "payer-code", "payer-limit"
_TOKEN_BYTES = 32
_OF_REFUNDS = (SearchKeyKind.REFUND_RRN, SearchKeyKind.REFUND_REQUEST)
_NEVER = -1
"""No payment has this id."""


@dataclass(frozen=True, slots=True)
class PayerContext:
    """Dependencies of the look. channels: those by which letters leave here."""

    payments: PaymentContext
    vault: Vault
    channels: Collection[LetterChannel]


async def ask(db: Database, typed: TypedQuestion, now: datetime) -> str:
    """Write a question down, and return the token of its browser's cookie.

    The same work whether or not there is such a payment: nobody looks for it here.
    """
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    for _ in range(ID_TRIES_MAX):
        key = new_id(now), _hash(token)
        try:
            await store.insert(db, key, typed, (now, now + rules.CODE_LIFE))
        except UniqueViolationError:
            continue
        db.wake(DUE_CHANNEL)
        return token
    message = "no free id of a question found"
    raise RuntimeError(message)


async def answer(context: PayerContext, request_id: int, now: datetime) -> bool:
    """Look for the payment of a question, and write the letter with its code if there is one.

    A question that waited longer than its code would work is forgotten. Return whether this call
    ended the question's wait.
    """
    db = context.payments.db
    typed, question = await store.typed_of(db, request_id), await store.select(db, request_id)
    if typed is None or question is None:
        return False
    found = await _found(context, typed) if question.ends_at > now else None
    view = await payments.view(context.payments, *found) if found else None
    merchant = await context.payments.directory.get(found[0]) if found else None
    recipient = (
        await _recipient(context, view.payment, typed) if view is not None and merchant else None
    )
    if found is None or merchant is None or recipient is None:
        return await store.move(db, request_id, QuestionState.SILENT)
    contact_key = rules.limit_key(context.vault.derive_oldest(LIMIT_PURPOSE), recipient[1])
    async with db.transaction() as conn:
        before = await store.sent_before(conn, found, contact_key, now)
        if before.is_enough:
            return await store.move(conn, request_id, QuestionState.SILENT)
        if not await store.move(conn, request_id, QuestionState.CODED, found, contact_key):
            return False
        await letters.write(conn, _letter(merchant, recipient, request_id, typed.language), now)
    db.wake(letters.DUE_CHANNEL)
    return True


async def _found(context: PayerContext, typed: TypedQuestion) -> tuple[int, int] | None:
    meanings = searching.meanings_of(typed.reference)
    secret = context.vault.derive_oldest(search.PURPOSE)
    keys = [
        (kind.value, searching.key_of(kind, meanings.keys[kind], secret))
        for kind in _OF_REFUNDS
        if kind in meanings.keys
    ]
    by_mail = "@" in typed.contact
    return await store.find(
        context.payments.db,
        (meanings.text, _NEVER if meanings.gateway_id is None else meanings.gateway_id),
        (typed.contact, None) if by_mail else (None, typed.contact),
        ([kind for kind, _ in keys], [key for _, key in keys]),
    )


async def _recipient(
    context: PayerContext, payment: Payment, typed: TypedQuestion
) -> tuple[LetterChannel, str] | None:
    """Return channel and address of a code: a contact that is kept with the payment, or None."""
    address, number = mail_address(payment.buyer.email), mobile_number(payment.buyer.phone)
    if "@" not in typed.contact and number and LetterChannel.SMS in context.channels:
        about = payment.merchant_id, LetterChannel.SMS, LetterKind.PAYER_CODE, typed.language
        if await mobile.template_of(context.payments.db, *about) is not None:
            return LetterChannel.SMS, number
    return (LetterChannel.MAIL, address) if address else None


def _letter(
    merchant: Merchant, recipient: tuple[LetterChannel, str], request_id: int, language: str
) -> NewLetter:
    """Return the letter with a code, which its row does not have (`at_sending`)."""
    facts = {"merchant": merchant.name, "support": merchant.settings.support}
    return NewLetter(
        merchant.merchant_id,
        f"payer:{request_id}",
        LetterKind.PAYER_CODE,
        *recipient,
        {name: value for name, value in facts.items() if value},
        language,
    )


async def at_sending(
    db: Database, vault: Vault, letter: Letter, now: datetime
) -> Mapping[str, str]:
    """Return the code of a letter, for the moment in which it is sent; {} once it is over."""
    request_id = int(letter.cause.rpartition(":")[2])
    question = await store.select(db, request_id)
    if question is None or question.state is not QuestionState.CODED or question.ends_at <= now:
        return {}
    return {"code": rules.code_of(vault.derive_oldest(CODE_PURPOSE), request_id)}


async def prove(db: Database, vault: Vault, token: str, code: str, now: datetime) -> str:
    """Return the token of a look for the right code, "" for any other one, or a late one.

    Each call counts as a try, whether or not a code was sent.
    """
    question = await store.count_try(db, _hash(token), rules.TRIES_MAX, now)
    request_id = question.request_id if question else 0
    is_right = rules.is_code(vault.derive_oldest(CODE_PURPOSE), request_id, code)
    if question is None or not is_right or question.state is not QuestionState.CODED:
        return ""
    look = secrets.token_urlsafe(_TOKEN_BYTES)
    ends_at = now + rules.LOOK_LIFE
    return look if await store.open_once(db, request_id, _hash(look), ends_at, now) else ""


async def look(db: Database, token: str, now: datetime) -> PayerQuestion | None:
    """Return the question whose payment a browser may see, None for none."""
    return await store.opened(db, _hash(token), now) if token else None


async def leave(db: Database, token: str) -> None:
    """End a browser's look before its time."""
    await store.close(db, _hash(token))


async def sweep(db: Database, now: datetime) -> None:
    """Forget old questions."""
    await store.sweep(db, now - rules.KEPT_FOR)


def _hash(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
