"""The bank's actions; each writes its decision with one statement, then sends the callback."""

from dataclasses import replace  # noqa: TID251 (no structs here)
from datetime import datetime, timedelta

from hundi_testbed.bank import rules, store
from hundi_testbed.bank.advancing import advance, as_decided, expect
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.mandates import store as mandates
from hundi_testbed.bank.mandates.store import Mandate
from hundi_testbed.bank.messages import (
    CollectRequest,
    PayAnswer,
)
from hundi_testbed.bank.rules import PaymentDecision, Status
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.bank.store import Challenge
from hundi_testbed.bank.upi_links import PayableLink, read_vpa, serves

_PAY_WORDS = {Status.PAID: "success", Status.DECLINED: "declined", Status.PENDING: "pending"}


class CallRefusedError(Exception):
    """The acquirer refuses a call; status is the HTTP status, the text is the reason."""

    def __init__(self, status: int, text: str) -> None:
        """Keep both."""
        super().__init__(text)
        self.status = status


class SilenceError(Exception):
    """The issuer does not answer, so this call gets no answer."""


async def pay(
    bank: BankContext, link: PayableLink, payer_vpa: str, now: datetime, *, consents: bool = True
) -> PayAnswer:
    """Pay a link as a customer's UPI app does: once for each reference, again only after a decline.

    payer_vpa in lower case. consents: False when the customer presses decline.
    """
    outcome = (
        rules.upi_outcome(payer_vpa, bank.settings.timings)
        if consents
        else rules.DECLINED_BY_CUSTOMER
    )
    outcome = rules.with_late_success(outcome, bank.faults.settings.late_success_s)
    if link.mandate is not None:
        # Stored before the payment: the mandate is valid from the moment its payment is paid.
        terms = link.mandate
        mandate = Mandate(
            link.reference,
            link.payee_name,
            terms.max_paise,
            terms.valid_from,
            terms.valid_until,
            terms.recur,
            alone=consents and payer_vpa == rules.MANDATE_ALONE,
        )
        await mandates.keep(bank.db, mandate)
    blank = BankPayment(
        link.reference, "upi", link.amount_paise, "INR", outcome.status, now, payer_vpa=payer_vpa
    )
    # A `final` outcome reaches no account, so it has no RRN and no entry in the books.
    payment = as_decided(blank, outcome, "" if outcome.final else await bank.rrns.take(now), now)
    callback = None if outcome.silent else bank.callback_sender.callback_for(payment)
    if not await store.open_payment(
        bank.db, payment, callback, booked=not outcome.final, again=True
    ):
        return PayAnswer(
            "declined",
            rules.DUPLICATE_CODE,
            "",
            "This request has been paid, or is being paid, already",
        )
    bank.callback_sender.send_soon(callback)
    expect(bank, payment, now)
    if outcome.silent:
        return PayAnswer("silent", "", "", "")
    return PayAnswer(_PAY_WORDS[outcome.status], outcome.code, payment.rrn, outcome.message)


async def debit_by_mandate(
    bank: BankContext, request: BankPayment, outcome: PaymentDecision, now: datetime
) -> BankPayment:
    """Debit a customer by a mandate, once for each reference; return the payment."""
    outcome = rules.with_late_success(outcome, bank.faults.settings.late_success_s)
    payment = as_decided(request, outcome, await bank.rrns.take(now), now)
    callback = None if outcome.silent else bank.callback_sender.callback_for(payment)
    booked = outcome.judged_after_s is None
    if not await store.open_payment(bank.db, payment, callback, booked=booked, again=False):
        return await same_payment(bank, request)
    bank.callback_sender.send_soon(callback)
    expect(bank, payment, now)
    return payment


async def collect(bank: BankContext, request: CollectRequest, now: datetime) -> BankPayment:
    """Ask a payer's app for an amount.

    The payer's trigger decides the later answer, and a callback tells it.

    Raises CallRefusedError.
    """
    payer_vpa = read_vpa(request.payer_vpa)
    if not payer_vpa:
        raise CallRefusedError(400, "payer_vpa is not a UPI address")
    if not serves(request.payee_vpa, request.reference):
        raise CallRefusedError(
            400, "payee_vpa is not the address of the merchant of this reference"
        )
    payment = BankPayment(
        reference=request.reference,
        method="upi",
        amount_paise=request.amount_paise,
        currency=request.currency,
        status=Status.PENDING,
        at=now,
        message="Waiting for the customer's app",
        rrn=await bank.rrns.take(now),
        payer_vpa=payer_vpa,
        due="answer",
        due_at=now + timedelta(seconds=bank.settings.timings.collect_s),
        expires_at=now + timedelta(seconds=request.expires_in_s),
    )
    if payer_vpa == "unregistered@hundi":
        payment = as_decided(
            replace(payment, expires_at=None), rules.NOT_REGISTERED, payment.rrn, now
        )
    if await store.open_payment(bank.db, payment, None, booked=False, again=False):
        expect(bank, payment, now)
        return payment
    earlier = await same_payment(bank, payment)
    if earlier.payer_vpa != payer_vpa:
        raise CallRefusedError(409, "this reference was used with another payer")
    return earlier


async def same_payment(bank: BankContext, payment: BankPayment) -> BankPayment:
    """Return the payment of a reference.

    Raises CallRefusedError for another payment.
    """
    earlier = await store.find_payment(bank.db, payment.reference)
    if earlier is None or (earlier.method, earlier.amount_paise, earlier.currency) != (
        payment.method,
        payment.amount_paise,
        payment.currency,
    ):
        raise CallRefusedError(409, "this reference was used with another amount or method")
    return earlier


async def settle_redirect(
    bank: BankContext,
    payment: BankPayment,
    outcome: PaymentDecision,
    rrn: str,
    now: datetime,
    *,
    booked: bool,
) -> None:
    """Write a bank's decision about a redirected customer's payment, and send its callback."""
    payment_after = as_decided(payment, outcome, rrn, now)
    callback = None if outcome.silent else bank.callback_sender.callback_for(payment_after)
    if await store.decide(bank.db, payment, payment_after, callback, booked=booked):
        bank.callback_sender.send_soon(callback)
        expect(bank, payment_after, now)


async def inquire(
    bank: BankContext, reference: str, now: datetime
) -> tuple[BankPayment, Challenge | None] | None:
    """Return the current payment of a reference, with its card's challenge."""
    payment = await store.find_payment(bank.db, reference)
    if payment is None:
        return None
    if payment.due_at and payment.due_at <= now:
        payment = await advance(bank, payment, now)
    return payment, await store.challenge_of(
        bank.db, reference
    ) if payment.method == "card" else None
