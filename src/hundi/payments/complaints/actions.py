"""Take a payer's complaint, answer it by a letter, and close it."""

from datetime import datetime

from hundi.infra.postgres.database import Beside, Database
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.kernel.masking import masked
from hundi.kernel.refusals import RefusalCode, Refused, refuse, wrong_state
from hundi.letters import actions as letters
from hundi.letters.mobile.rules import mobile_number
from hundi.letters.rules import LetterChannel, LetterKind, NewLetter, mail_address
from hundi.merchants.directory.rules import Merchant
from hundi.payments.complaints import rules, store
from hundi.payments.complaints.rules import Complaint, ComplaintKind, ComplaintState
from hundi.payments.orders.finding import store as finding
from hundi.payments.orders.rules import Payment


async def make(
    db: Database,
    payment: Payment,
    kind: ComplaintKind,
    words: str,
    language: str,
    now: datetime,
) -> bool:
    """Keep a payer's complaint; False while another one waits, and after COMPLAINTS_MAX.

    words: at most WORDS_LENGTH_MAX characters; card and Aadhaar numbers are masked.
    """
    for _ in range(ID_TRIES_MAX):
        complaint = Complaint(
            payment.merchant_id,
            new_id(now),
            payment.payment_id,
            kind,
            masked(words),
            language,
            ComplaintState.OPEN,
            now,
            now + rules.ANSWER_WITHIN,
        )
        known = await store.of_payment(db, payment.merchant_id, payment.payment_id)
        if not rules.may_complain(known):
            return False
        if await store.insert(db, complaint):
            return True
    message = "no free id of a complaint found"
    raise RuntimeError(message)


async def answer(
    db: Database,
    merchant: Merchant,
    complaint_id: int,
    text: str,
    by: str,
    now: datetime,
    beside: Beside | None = None,
) -> Complaint:
    """Answer a complaint, and write the letter that brings the answer to the payer.

    by: who answers, for the merchant's own people. beside: also written in the transaction; it
    gets the complaint's id. Raises Refused: FIELD_INVALID for an answer without words or with too
    many, NO_RECORDS without the complaint, STATE_FORBIDS for one that does not wait.
    """
    words = rules.words_of(text)
    if not words:
        allowed = f"1 to {rules.WORDS_LENGTH_MAX} characters"
        raise refuse(RefusalCode.FIELD_INVALID, field="answer", received=text[:64], allowed=allowed)
    key = merchant.merchant_id, complaint_id
    known = await store.select(db, *key)
    if known is None:
        raise refuse(RefusalCode.NO_RECORDS, field="complaint_id", received=str(complaint_id))
    view = await finding.select_by_references(
        db, merchant.merchant_id, None, known.payment_id, None
    )
    async with db.transaction() as conn:
        complaint = await store.answer(conn, key, masked(words), by, now)
        if complaint is None:
            state = (await store.select(conn, *key) or known).state
            raise Refused(wrong_state("complaint", state))
        letter = view and _letter(merchant, complaint, view.payment)
        if letter is not None:
            await letters.write(conn, letter, now)
        if beside is not None:
            await beside(conn, complaint_id)
    db.wake(letters.DUE_CHANNEL)
    return complaint


def _letter(merchant: Merchant, complaint: Complaint, payment: Payment) -> NewLetter | None:
    """Return the letter with an answer, None for a payer whom nothing reaches."""
    address, number = mail_address(payment.buyer.email), mobile_number(payment.buyer.phone)
    if not address and not number:
        return None
    facts = {
        "merchant": merchant.name,
        "support": merchant.settings.support,
        "order": payment.order_id,
        "payment": str(payment.payment_id),
        "answer": complaint.answer,
    }
    return NewLetter(
        merchant.merchant_id,
        f"complaint:{complaint.complaint_id}",
        LetterKind.COMPLAINT_ANSWER,
        LetterChannel.MAIL if address else LetterChannel.SMS,
        address or number,
        {name: value for name, value in facts.items() if value},
        complaint.language,
    )


async def close(db: Database, payment: Payment, now: datetime) -> None:
    """Close a payment's complaints: its payer says that they are solved."""
    await store.close(db, payment.merchant_id, payment.payment_id, now)
