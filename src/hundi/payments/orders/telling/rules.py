"""Which steps a customer is told of, and the facts of the letter; pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from hundi.kernel.clock import for_people
from hundi.kernel.events import Kind
from hundi.kernel.money import Money, shown
from hundi.letters.mobile.rules import mobile_number
from hundi.letters.rules import (
    CHOSEN_BY_MERCHANT,
    LetterChannel,
    LetterKind,
    NewLetter,
    mail_address,
)
from hundi.merchants.directory.rules import MerchantSettings, letter_choice
from hundi.payments.orders.rules import Payment, PaymentView, Step

TOLD: Mapping[Kind, LetterKind] = {
    Kind.PAID: LetterKind.RECEIPT,
    Kind.LATE_SUCCESS: LetterKind.RECEIPT,
    Kind.MANDATE_APPROVED: LetterKind.RECEIPT,
    Kind.CAPTURED: LetterKind.RECEIPT,
    Kind.REFUND_DONE: LetterKind.REFUND,
    Kind.EXCESS_REFUNDED: LetterKind.REFUND,
    Kind.REFUND_FAILED: LetterKind.REFUND_RETURNED,
    Kind.REFUND_REVERSED: LetterKind.REFUND_RETURNED,
    Kind.DEBIT_ANNOUNCED: LetterKind.DEBIT_NOTICE,
}
"""The letter that each event writes, if the merchant chose it."""


@dataclass(frozen=True, slots=True)
class LetterTerms:
    """What a merchant's customers are told, and by which name. simulated: no real money moved."""

    merchant: str
    settings: MerchantSettings
    simulated: bool = False


def recipients_of(step: Step, settings: MerchantSettings) -> list[tuple[LetterChannel, str]]:
    """Return by which channels a step is told, and to which address of the customer."""
    kind = TOLD.get(step.announce) if step.announce else None
    if kind is None:
        return []
    buyer = step.payment.buyer
    addresses = {
        LetterChannel.MAIL: mail_address(buyer.email),
        LetterChannel.SMS: mobile_number(buyer.phone),
        LetterChannel.WHATSAPP: mobile_number(buyer.phone),
    }
    return [
        (channel, address)
        for channel, address in addresses.items()
        if address and letter_choice(kind, channel) in settings.letters
    ]


def cause_of(payment_id: int, revision: int) -> str:
    """Return the cause of the letters of one step of a payment."""
    return f"payment:{payment_id}:{revision}"


def number_by_whatsapp(payment: Payment, settings: MerchantSettings) -> str:
    """Return the customer's number, if the merchant chose letters by WhatsApp; "" otherwise."""
    by_whatsapp = {letter_choice(kind, LetterChannel.WHATSAPP) for kind in CHOSEN_BY_MERCHANT}
    chosen = not by_whatsapp.isdisjoint(settings.letters)
    return mobile_number(payment.buyer.phone) if chosen else ""


def letters_of(view: PaymentView, step: Step, terms: LetterTerms) -> list[NewLetter]:
    """Return the letters of a step, one for each channel that the merchant chose.

    view: after the step.
    """
    recipients = recipients_of(step, terms.settings)
    if not recipients:
        return []
    assert step.announce is not None
    kind, payment = TOLD[step.announce], view.payment
    facts = _facts(view, step, terms)
    return [
        NewLetter(
            payment.merchant_id,
            cause_of(payment.payment_id, payment.revision),
            kind,
            channel,
            address,
            facts,
            terms.settings.letter_language,
        )
        for channel, address in recipients
    ]


def _facts(view: PaymentView, step: Step, terms: LetterTerms) -> dict[str, str]:
    payment, settings = view.payment, terms.settings
    about = view.attempt(step.attempt_id) if step.attempt_id else view.success
    facts = {
        "merchant": terms.merchant,
        "support": settings.support,
        "amount": shown(_amount(view, step)),
        "order": payment.order_id,
        "payment": str(payment.payment_id),
        # For the line of a mail that ends WhatsApp messages; no text shows it.
        "phone": number_by_whatsapp(payment, settings),
        "simulated": "yes" if terms.simulated else "",
    }
    if step.refund is not None:
        facts["rrn"] = step.refund.rrn
    elif step.mandate is not None and step.mandate.debit_at is not None:
        facts["date"] = for_people(step.mandate.debit_at)
        facts["mandate"] = str(step.mandate.subscription_id)
    elif about is not None:
        facts["rrn"] = about.rrn
        facts["at"] = for_people(about.settled_at or about.created_at)
    return {name: value for name, value in facts.items() if value}


def _amount(view: PaymentView, step: Step) -> Money:
    """Return the amount that a letter is about."""
    currency, success = view.payment.amount.currency, view.success
    if step.refund is not None:
        return Money(step.refund.amount_paise, currency)
    if step.mandate is not None and step.mandate.amount_paise:
        return Money(step.mandate.amount_paise, currency)
    if step.announce is Kind.CAPTURED:
        return Money(view.payment.captured_paise, currency)
    return success.amount if success is not None else view.payment.amount
