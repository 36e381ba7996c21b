"""The other gateway's answers and our requests; pure.

See docs/spec/states-and-codes.md#payment-states.
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown, Voided
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.payments import BankEntry
from hundi.instruments.card import CardFacts, CardNumber, Scheme
from hundi.kernel.money import Money
from hundi.sdk import Bank
from hundi.sdk.errors import (
    CredentialsRefusedError,
    GatewayFaultError,
    InvalidRequestError,
    NotEnabledError,
    OrderRefusedError,
    RefusedError,
    RequestRefusedError,
    TokenRefusedError,
    TooManyRequestsError,
)
from hundi.sdk.order import Buyer
from hundi.sdk.seamless import Card, NextStep
from hundi.sdk.transaction import Transaction

RISK_BLOCKED = "146"
WORDS_MAX = 200
METHODS = {"nb": "netbanking", "ppc": "wallet", "payltr": "pay_later"}
"""Our methods, by the other gateway's channels that send customers somewhere."""
CHANNELS = {method: channel for channel, method in METHODS.items()}
NAME_MAX = 100
UNNAMED = "Customer"
_RUPEES_CODE = "356"
_PAID_WORDS = frozenset({"SUCCESS", "CAPTURE", "Mandate Approved"})
_HELD, _VOIDED, _UNTOUCHED = "AUTHORIZE", "VOIDED", "INCOMPLETE"
_UNPAID = frozenset({_UNTOUCHED, "FAIL"})
_SUCCESS, _FAILED, _NOT_REGISTERED = 200, 400, 401
_NOTHING_ATTEMPTED, _LEFT = 402, 405
_TYPES = {"cc": "credit", "dc": "debit"}
_REFUND_DONE, _NOT_REFUNDED = "done", frozenset({"failed", "reversed"})
_SHORT_YEAR = 100
_COUNTRY_LETTERS = 2


def outcome(record: Transaction, reference: str) -> Approved | Declined | Unknown | Voided:
    """Return the outcome of a payment; the amount is what the other gateway captured or holds."""
    if record.order_id != reference or record.currency_code != _RUPEES_CODE or _is_news(record):
        return Unknown(message="the other gateway speaks of something else")
    code, words = record.bank_code[:WORDS_MAX], record.bank_message[:WORDS_MAX]
    status, answer = record.status_code, record.payment_status
    if status == _SUCCESS and answer in {_HELD, *_PAID_WORDS}:
        return _approved(record, code, words)
    if answer == _VOIDED:
        return Voided(record.rrn, code or str(status), words)
    if status in {_FAILED, _NOT_REGISTERED, _NOTHING_ATTEMPTED, _LEFT}:
        return Declined(
            code or str(status),
            words,
            record.rrn,
            not_registered=status == _NOT_REGISTERED,
            left=status in {_NOTHING_ATTEMPTED, _LEFT},
            card=card_facts(record),
        )
    # While the customer goes on there, its last decline says nothing about the payment.
    if answer == _UNTOUCHED:
        return Unknown(awaiting_customer=True)
    return Unknown(code, words, awaiting_customer=not code)


def _is_news(record: Transaction) -> bool:
    """Return whether a record is about a refund, a dispute or an excess."""
    return bool(record.refund_id) or record.is_dispute or record.is_excess


def _approved(record: Transaction, code: str, words: str) -> Approved:
    held = record.payment_status == _HELD
    paise = record.amount_paise if held else record.captured_paise or record.amount_paise
    return Approved(
        amount=Money(paise),
        rrn=record.rrn,
        authorised_only=held,
        code=code or "00",
        message=words,
        payer_vpa=record.customer_vpa,
        card=card_facts(record),
    )


def card_facts(record: Transaction) -> CardFacts | None:
    """Return the card of a payment, None for one without."""
    last4 = record.card_number[-4:]
    if not (last4.isascii() and last4.isdigit()):
        return None
    return CardFacts(
        last4=last4,
        scheme=record.card_scheme if record.card_scheme in set(Scheme) else "",
        type=_TYPES.get(record.card_type, ""),
        issuer=record.bank_name[:NAME_MAX],
        country=record.card_country if len(record.card_country) == _COUNTRY_LETTERS else "",
    )


def captured(standing: object, amount: Money) -> Approved | Declined | Unknown:
    """Return the outcome of a capture, by the payment's state after it."""
    if isinstance(standing, Approved):
        if standing.authorised_only:
            return Unknown(message="the hold has not ended yet")
        if standing.amount == amount:
            return standing
        return Declined("120", "Another amount was captured.")
    if isinstance(standing, Unknown):
        return standing
    return Declined("120", "There is no such hold.")


def voided(standing: object) -> Voided | Declined | Unknown:
    """Return the outcome of a void, by the payment's state after it."""
    if isinstance(standing, Voided | Unknown):
        return standing
    if isinstance(standing, Approved) and standing.authorised_only:
        return Unknown(message="the hold has not ended yet")
    return Declined("120", "There is no such hold.")


def refund_outcome(
    record: Transaction, refund_id: str, reference: str
) -> Approved | Declined | Unknown:
    """Return the outcome of a refund.

    A gateway that cannot report one refund reports something else.
    """
    if (record.refund_id, record.refund_request_id, record.currency_code) != (
        refund_id,
        reference,
        _RUPEES_CODE,
    ):
        return Unknown(message="the other gateway speaks of something else")
    code, words = record.bank_code[:WORDS_MAX], record.bank_message[:WORDS_MAX]
    if record.refund_status == _REFUND_DONE:
        return Approved(Money(record.amount_paise), rrn=record.refund_rrn, message=words)
    if record.refund_status in _NOT_REFUNDED:
        return Declined(code or record.refund_status, words, record.refund_rrn)
    return Unknown(record.refund_status[:WORDS_MAX], words)


def refused(problem: RefusedError | InvalidRequestError) -> Declined | Unknown:
    """Return the meaning of a refusal to begin something.

    It is a decline where the other gateway looked at the request; the order may have been begun
    before.
    """
    is_no = isinstance(problem, RequestRefusedError | NotEnabledError | InvalidRequestError)
    if is_no or problem.code == RISK_BLOCKED:
        return Declined(problem.code or "110", "The other gateway takes no such payment.")
    let_in = not isinstance(
        problem, CredentialsRefusedError | TokenRefusedError | TooManyRequestsError
    )
    return Unknown(problem.code, "the other gateway refuses", sent=let_in)


def refund_refused(problem: RefusedError) -> Declined | Unknown:
    """Return the meaning of a refund's refusal.

    Nothing is refunded, unless it was requested before.
    """
    if isinstance(problem, OrderRefusedError | GatewayFaultError):
        return Unknown(problem.code, "the other gateway has this reference already, or failed")
    if isinstance(problem, TooManyRequestsError):
        return Unknown(problem.code, "the other gateway takes no more calls now", sent=False)
    return Declined(problem.code or "refused", "The other gateway gives this back by no refund.")


def unanswered(problem: RefusedError | InvalidRequestError) -> Unknown:
    """Return Unknown for a refused inquiry: it says nothing about its subject."""
    return Unknown(
        message=f"the other gateway refuses the question with {problem.code or 'no code'}"
    )


def buyer(customer: Customer, email: str, phone: str) -> Buyer:
    """Return the payer in the interface's form. email, phone: sent for customers who gave none."""
    first, _, last = " ".join(customer.name.split()).partition(" ")
    return Buyer(
        first_name=(first or UNNAMED)[:NAME_MAX],
        # The interface wants a last name, and many people have one name.
        last_name=(last or first or UNNAMED)[:NAME_MAX],
        email=customer.email or email,
        phone=customer.phone or phone,
    )


def card(typed: CardNumber) -> Card:
    """Return a typed card in the interface's form."""
    expiry = f"{typed.expiry_month:02d}/{typed.expiry_year % _SHORT_YEAR:02d}"
    return Card(number=typed.number, expiry=expiry, cvv=typed.cvv, holder=typed.holder)


def entries(banks: Sequence[Bank]) -> tuple[BankEntry, ...]:
    """Return the banks, wallets and lenders of a bank list, each once.

    Those without a code cannot be chosen.
    """
    by_code = {
        (METHODS[each.channel], each.code): BankEntry(
            METHODS[each.channel], each.code, each.name or each.code
        )
        for each in banks
        if each.channel in METHODS and each.code
    }
    return tuple(by_code.values())


def next_page(
    step: NextStep, reference: str, amount: Money, origins: Sequence[str]
) -> Redirect | Declined | Unknown:
    """Return the customer's next page. origins: where it may be."""
    if step.action == "none":
        code, words = step.bank_code[:WORDS_MAX], step.bank_message[:WORDS_MAX]
        if step.payment_status in _UNPAID:
            return Declined(code or str(step.status_code), words)
        # The customer has nothing more to do, and may have paid.
        return Unknown(code, words)
    if step.payable_paise != amount.paise:
        return Declined("amount-differs", "The other gateway asks for another amount.")
    parts = urlsplit(step.redirect_url)
    if step.action not in {"redirect", "form"} or f"{parts.scheme}://{parts.netloc}" not in origins:
        return Unknown("no-page", "the other gateway named no page that customers may be sent to")
    return Redirect(step.redirect_url, reference, tuple(step.redirect_fields.items()))
