"""The bank's actions; each writes its decision with one statement, then sends the callback."""

import secrets
from dataclasses import dataclass, replace  # noqa: TID251 (no structs here)
from datetime import datetime, timedelta

from simbank import rules, store
from simbank.bank import Bank
from simbank.instalments import has_plan
from simbank.mandates import clearing
from simbank.mandates import store as mandates
from simbank.mandates.store import Mandate
from simbank.messages import (
    AuthenticateRequest,
    AuthoriseRequest,
    ChallengeAnswer,
    CollectRequest,
    DeclinedAnswer,
    MotoRequest,
    PayAnswer,
)
from simbank.rules import Outcome, Status
from simbank.store import Challenge, Payment
from simbank.transfers import store as transfers
from simbank.upi_links import UpiLink, read_vpa, serves

_PAY_WORDS = {Status.PAID: "success", Status.DECLINED: "declined", Status.PENDING: "pending"}
_CARD_NUMBER_IMPOSSIBLE = DeclinedAnswer("14", "Invalid card number")
_CARD_EXPIRED = DeclinedAnswer("54", "Expired card")
_NO_SUCH_PLAN = DeclinedAnswer("57", "These instalments are not offered")
_NO_CREDIT = DeclinedAnswer("57", "This card gives no credit to pay back in instalments")
_SETTLED_MESSAGE = "Approved late"


class CallRefusedError(Exception):
    """The acquirer refuses a call; status is the HTTP status, the text says why."""

    def __init__(self, status: int, text: str) -> None:
        """Carry both."""
        super().__init__(text)
        self.status = status


class SilenceError(Exception):
    """The issuer does not answer, so this call gets no answer."""


async def pay(
    bank: Bank, link: UpiLink, payer_vpa: str, now: datetime, *, consents: bool = True
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
        # Kept first: it stands from the moment at which the payment of its reference is paid.
        terms = link.mandate
        asked = Mandate(
            link.reference,
            link.payee_name,
            terms.max_paise,
            terms.valid_from,
            terms.valid_until,
            terms.recur,
        )
        await mandates.keep(bank.db, asked)
    blank = Payment(
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


async def debit_by_mandate(bank: Bank, asked: Payment, outcome: Outcome, now: datetime) -> Payment:
    """Debit a customer by a mandate, once a reference; return the payment as it is then."""
    outcome = rules.with_late_success(outcome, bank.faults.settings.late_success_s)
    payment = as_decided(asked, outcome, await bank.rrns.take(now), now)
    callback = None if outcome.silent else bank.callback_sender.callback_for(payment)
    booked = outcome.judged_after_s is None
    if not await store.open_payment(bank.db, payment, callback, booked=booked, again=False):
        return await same_payment(bank, asked)
    bank.callback_sender.send_soon(callback)
    expect(bank, payment, now)
    return payment


async def collect(bank: Bank, request: CollectRequest, now: datetime) -> Payment:
    """Ask a payer's app for an amount.

    It answers after a while by the triggers, and a callback tells how.

    Raises CallRefusedError.
    """
    payer_vpa = read_vpa(request.payer_vpa)
    if not payer_vpa:
        raise CallRefusedError(400, "payer_vpa is not a UPI address")
    if not serves(request.payee_vpa, request.reference):
        raise CallRefusedError(
            400, "payee_vpa is not the address of the merchant of this reference"
        )
    payment = Payment(
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
    known = await same_payment(bank, payment)
    if known.payer_vpa != payer_vpa:
        raise CallRefusedError(409, "this reference was used with another payer")
    return known


async def same_payment(bank: Bank, asked: Payment) -> Payment:
    """Return what is known under a reference.

    Raises CallRefusedError when that is another payment.
    """
    known = await store.find_payment(bank.db, asked.reference)
    if known is None or (known.method, known.amount_paise, known.currency) != (
        asked.method,
        asked.amount_paise,
        asked.currency,
    ):
        raise CallRefusedError(409, "this reference was used with another amount or method")
    return known


async def authenticate(
    bank: Bank, request: AuthenticateRequest, now: datetime
) -> ChallengeAnswer | DeclinedAnswer:
    """Open a 3-D Secure challenge for a card, keeping its facts and its issuer's decision, not its
    number.

    Raises CallRefusedError.
    """
    found = rules.read_card(request.card.number)
    refusal = _CARD_NUMBER_IMPOSSIBLE if found is None else None
    if request.emi and found and found[0].type == "debit":
        refusal = _NO_CREDIT
    if request.emi and not has_plan(
        request.emi.bank_code, request.emi.months, request.amount_paise
    ):
        refusal = refusal or _NO_SUCH_PLAN
    if (request.card.expiry_year, request.card.expiry_month) < (now.year, now.month):
        refusal = refusal or _CARD_EXPIRED
    if found and request.tokenise:
        found = replace(found[0], token="nt_" + secrets.token_hex(12)), found[1]
    asked = rules.CardPayment(
        request.reference, request.amount_paise, request.currency, request.return_url
    )
    return await open_challenge(bank, asked, found, refusal, now)


async def open_challenge(
    bank: Bank,
    asked: rules.CardPayment,
    found: tuple[rules.CardFacts, rules.IssuerDecision] | None,
    refusal: DeclinedAnswer | None,
    now: datetime,
) -> ChallengeAnswer | DeclinedAnswer:
    """Open the challenge of a card, or decline the payment. Raises CallRefusedError."""
    if not bank.may_return_to(asked.return_url):
        raise CallRefusedError(400, "return_url is not an address at the gateway's own origin")
    payment = Payment(
        asked.reference, "card", asked.amount_paise, asked.currency, Status.CHALLENGE, now
    )
    if found is None or refusal is not None:
        return await _refuse_card(bank, payment, refusal or _CARD_NUMBER_IMPOSSIBLE)
    challenge = Challenge(
        authentication_id="auth_" + secrets.token_urlsafe(18),
        reference=asked.reference,
        return_url=asked.return_url,
        card=found[0],
        issuer_decision=found[1],
        expires_at=now + timedelta(seconds=bank.settings.timings.challenge_s),
    )
    if await store.open_challenge(bank.db, payment, challenge):
        bank.scheduler.wake_in(bank.settings.timings.challenge_s)
    else:
        challenge = await _same_challenge(bank, payment, challenge)
    url = f"{bank.settings.public_url}/3ds/{challenge.authentication_id}"
    return ChallengeAnswer(challenge.authentication_id, url)


async def _refuse_card(bank: Bank, payment: Payment, refusal: DeclinedAnswer) -> DeclinedAnswer:
    declined = replace(payment, status=Status.DECLINED, code=refusal.code, message=refusal.message)
    if not await store.open_payment(bank.db, declined, None, booked=False, again=False):
        known = await same_payment(bank, declined)
        if known.status is not Status.DECLINED or await store.challenge_of(
            bank.db, known.reference
        ):
            raise CallRefusedError(409, "this reference was used with another card")
        return DeclinedAnswer(known.code, known.message)
    return refusal


async def _same_challenge(bank: Bank, payment: Payment, asked: Challenge) -> Challenge:
    await same_payment(bank, payment)
    known = await store.challenge_of(bank.db, payment.reference)
    # A repeated request asks for a new token; the first one stands.
    if known is None or (
        replace(known.card, token=asked.card.token),
        known.issuer_decision,
        known.return_url,
    ) != (
        asked.card,
        asked.issuer_decision,
        asked.return_url,
    ):
        raise CallRefusedError(409, "this reference was used with another card or return_url")
    return known


@dataclass(frozen=True, slots=True)
class ChallengeView:
    """A challenge, its payment, and what is approved with it, as the holder's page shows them."""

    challenge: Challenge
    payment: Payment
    mandate: Mandate | None = None


async def challenge(bank: Bank, authentication_id: str, now: datetime) -> ChallengeView | None:
    """Return a challenge and its payment; one whose time is over is ended first."""
    found = await store.find_challenge(bank.db, authentication_id)
    if found is not None and not found.trans_status and found.expires_at <= now:
        await end_challenge(bank, found, "N", "The confirmation page expired", now)
        found = await store.find_challenge(bank.db, authentication_id)
    payment = await store.find_payment(bank.db, found.reference) if found else None
    if found is None or payment is None:
        return None
    return ChallengeView(found, payment, await mandates.find(bank.db, found.reference))


async def enter_otp(bank: Bank, view: ChallengeView, otp: str, now: datetime) -> bool:
    """Check a one-time password; True when the challenge has ended, with success or not.

    Each takes one of the tries before it is looked at: many at once are no more than these.
    """
    tries = await store.take_try(bank.db, view.challenge, rules.OTP_TRIES_MAX)
    if tries is None:
        return True
    trans_status = rules.trans_status(otp, tries)
    if trans_status == "":
        return False
    message = "Authenticated" if trans_status == "Y" else "The one-time password was not right"
    await end_challenge(bank, view.challenge, trans_status, message, now)
    return True


async def end_challenge(
    bank: Bank, challenge: Challenge, trans_status: str, message: str, now: datetime
) -> None:
    """End a challenge with Y or N and send its callback.

    A challenge that has ended stays as it is.
    """
    payment = await store.find_payment(bank.db, challenge.reference)
    if payment is None:
        return
    passed = trans_status == "Y"
    ended = replace(
        payment,
        status=Status.AUTHENTICATED if passed else Status.DECLINED,
        code="" if passed else rules.NOT_AUTHENTICATED_CODE,
        message=message,
        trans_status=trans_status,
        at=now,
    )
    callback = bank.callback_sender.callback_for(ended, "authentication")
    if await store.end_challenge(bank.db, challenge, ended, callback):
        bank.callback_sender.send_soon(callback)


async def authorise(
    bank: Bank, request: AuthoriseRequest, now: datetime
) -> tuple[Payment, Challenge]:
    """Charge or hold an amount on an authenticated card, once a reference.

    Raises CallRefusedError, and SilenceError when the issuer records the debit but does not answer.
    """
    challenge = await store.find_challenge(bank.db, request.authentication_id)
    if challenge is None or challenge.reference != request.reference:
        raise CallRefusedError(404, "no such authentication of this reference")
    asked = Payment(
        request.reference, "card", request.amount_paise, request.currency, Status.AUTHENTICATED, now
    )
    payment = await same_payment(bank, asked)
    if payment.status is Status.CHALLENGE:
        raise CallRefusedError(409, "the challenge has not ended")
    if payment.status is Status.AUTHENTICATED:
        payment = await _ask_issuer(bank, payment, challenge, now, capture=request.capture)
    if payment.due_at and payment.due_at <= now:
        payment = await advance(bank, payment, now)
    if payment.status is Status.PENDING:
        raise SilenceError
    return payment, challenge


async def charge_moto(
    bank: Bank, request: MotoRequest, now: datetime
) -> tuple[Payment, Challenge] | DeclinedAnswer:
    """Charge or hold an amount on a card without a challenge, once a reference.

    Raises CallRefusedError, and SilenceError when the issuer records the debit but does not answer.
    """
    found = rules.read_card(request.card.number)
    expired = (request.card.expiry_year, request.card.expiry_month) < (now.year, now.month)
    blank = Payment(
        request.reference, "card", request.amount_paise, request.currency, Status.DECLINED, now
    )
    if found is None or expired:
        return await _refuse_card(
            bank, blank, _CARD_NUMBER_IMPOSSIBLE if found is None else _CARD_EXPIRED
        )
    card, issuer_decision = found
    outcome = rules.card_outcome(issuer_decision, bank.settings.timings, capture=request.capture)
    outcome = rules.with_late_success(outcome, bank.faults.settings.late_success_s)
    settles_to = Status.PAID if request.capture else Status.AUTHORISED
    payment = as_decided(
        replace(blank, settles_to=settles_to), outcome, await bank.rrns.take(now), now
    )
    challenge = Challenge(
        "moto_" + secrets.token_urlsafe(18), request.reference, "", card, issuer_decision, now
    )
    callback = None if outcome.silent else bank.callback_sender.callback_for(payment, card=card)
    if await store.open_moto(bank.db, payment, challenge, callback):
        bank.callback_sender.send_soon(callback)
        expect(bank, payment, now)
    else:
        payment, challenge = (
            await same_payment(bank, payment),
            await _same_challenge(bank, payment, challenge),
        )
    if payment.status is Status.PENDING:
        raise SilenceError
    return payment, challenge


async def _ask_issuer(
    bank: Bank, payment: Payment, challenge: Challenge, now: datetime, *, capture: bool
) -> Payment:
    outcome = rules.card_outcome(challenge.issuer_decision, bank.settings.timings, capture=capture)
    outcome = rules.with_late_success(outcome, bank.faults.settings.late_success_s)
    settles_to = Status.PAID if capture else Status.AUTHORISED
    decided = as_decided(
        replace(payment, settles_to=settles_to), outcome, await bank.rrns.take(now), now
    )
    callback = (
        None if outcome.silent else bank.callback_sender.callback_for(decided, card=challenge.card)
    )
    if not await store.decide(bank.db, payment, decided, callback, booked=True):
        # A concurrent request with the same reference decided first.
        return await same_payment(bank, payment)
    bank.callback_sender.send_soon(callback)
    expect(bank, decided, now)
    return decided


async def settle_redirect(
    bank: Bank, payment: Payment, outcome: Outcome, rrn: str, now: datetime, *, booked: bool
) -> None:
    """Write a bank's decision about a redirected customer's payment, and send its callback."""
    decided = as_decided(payment, outcome, rrn, now)
    callback = None if outcome.silent else bank.callback_sender.callback_for(decided)
    if await store.decide(bank.db, payment, decided, callback, booked=booked):
        bank.callback_sender.send_soon(callback)
        expect(bank, decided, now)


async def inquire(
    bank: Bank, reference: str, now: datetime
) -> tuple[Payment, Challenge | None] | None:
    """Return the current payment of a reference, with its card's challenge."""
    payment = await store.find_payment(bank.db, reference)
    if payment is None:
        return None
    if payment.due_at and payment.due_at <= now:
        payment = await advance(bank, payment, now)
    return payment, await store.challenge_of(
        bank.db, reference
    ) if payment.method == "card" else None


async def advance(bank: Bank, payment: Payment, now: datetime) -> Payment:
    """Do what is due on a payment.

    Answer a collect request, or let an undecided payment succeed.
    """
    if payment.due == "settle":
        approval_code = _approval_code() if payment.method == "card" else ""
        after = replace(
            payment, status=payment.settles_to, code="00", message=_SETTLED_MESSAGE, at=now
        )
        after = replace(after, due=None, due_at=None, approval_code=approval_code)
        challenge = (
            await store.challenge_of(bank.db, payment.reference)
            if payment.method == "card"
            else None
        )
        card = challenge.card if challenge else None
        account = (
            await transfers.account_of(bank.db, payment.reference)
            if payment.method in rules.TRANSFERRED
            else ""
        )
        callback = (
            None
            if payment.quiet
            else bank.callback_sender.callback_for(after, card=card, account=account)
        )
        happened = await store.settle(bank.db, payment, after, callback)
    else:
        outcome = (
            await clearing.answer(bank.db, payment.reference, now)
            if payment.method == clearing.ENACH
            else None
        )
        if outcome is None:
            outcome = rules.upi_outcome(payment.payer_vpa, bank.settings.timings)
        if payment.expires_at and payment.expires_at <= now:
            outcome = rules.COLLECT_EXPIRED
        outcome = rules.with_late_success(outcome, bank.faults.settings.late_success_s)
        after = as_decided(payment, outcome, payment.rrn, now)
        callback = None if outcome.silent else bank.callback_sender.callback_for(after)
        happened = await store.decide(bank.db, payment, after, callback, booked=not outcome.final)
    if not happened:
        return await store.find_payment(bank.db, payment.reference) or payment
    bank.callback_sender.send_soon(callback)
    expect(bank, after, now)
    return after


def as_decided(payment: Payment, outcome: Outcome, rrn: str, now: datetime) -> Payment:
    """Return a payment as a bank has decided it."""
    waits_s = outcome.judged_after_s if outcome.settles_after_s is None else outcome.settles_after_s
    due = "answer" if outcome.settles_after_s is None else "settle"
    approved = outcome.status in {Status.PAID, Status.AUTHORISED}
    return replace(
        payment,
        status=outcome.status,
        code=outcome.code,
        message=outcome.message,
        rrn=rrn,
        approval_code=_approval_code()
        if approved and payment.method == "card"
        else outcome.approval_code,
        at=now,
        due=None if waits_s is None else due,
        due_at=None if waits_s is None else now + timedelta(seconds=waits_s),
        quiet=outcome.quiet,
    )


def _approval_code() -> str:
    return secrets.token_hex(3).upper()


def expect(bank: Bank, payment: Payment, now: datetime) -> None:
    """Wake up when something is to happen to a payment by itself."""
    if payment.due_at is not None:
        bank.scheduler.wake_in((payment.due_at - now).total_seconds())
