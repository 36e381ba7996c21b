"""The actions of payments by card: challenge, authorisation, and charges without a challenge."""

import secrets
from dataclasses import dataclass, replace  # noqa: TID251 (no structs here)
from datetime import datetime, timedelta

from hundi_testbed.bank import rules, states, store
from hundi_testbed.bank.actions import CallRefusedError, SilenceError, same_payment
from hundi_testbed.bank.advancing import advance, as_decided, expect
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.instalments import has_plan
from hundi_testbed.bank.mandates import store as mandates
from hundi_testbed.bank.mandates.store import Mandate
from hundi_testbed.bank.messages import (
    AuthenticateRequest,
    AuthoriseRequest,
    ChallengeAnswer,
    DeclinedAnswer,
    MotoRequest,
)
from hundi_testbed.bank.rules import Status
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.bank.store import Challenge

_CARD_NUMBER_IMPOSSIBLE = DeclinedAnswer("14", "Invalid card number")

_CARD_EXPIRED = DeclinedAnswer("54", "Expired card")

_NO_SUCH_PLAN = DeclinedAnswer("57", "These instalments are not offered")

_NO_CREDIT = DeclinedAnswer("57", "This card gives no credit to pay back in instalments")


async def authenticate(
    bank: BankContext, request: AuthenticateRequest, now: datetime
) -> ChallengeAnswer | DeclinedAnswer:
    """Open a 3-D Secure challenge for a card; store its facts and the decision, not its number.

    Raises CallRefusedError.
    """
    card_read = rules.read_card(request.card.number)
    refusal = _CARD_NUMBER_IMPOSSIBLE if card_read is None else None
    if request.emi and card_read and card_read[0].type == "debit":
        refusal = _NO_CREDIT
    if request.emi and not has_plan(
        request.emi.bank_code, request.emi.months, request.amount_paise
    ):
        refusal = refusal or _NO_SUCH_PLAN
    if (request.card.expiry_year, request.card.expiry_month) < (now.year, now.month):
        refusal = refusal or _CARD_EXPIRED
    if card_read and request.tokenise:
        card_read = replace(card_read[0], token="nt_" + secrets.token_hex(12)), card_read[1]
    card_payment = rules.CardPayment(
        request.reference, request.amount_paise, request.currency, request.return_url
    )
    return await open_challenge(bank, card_payment, card_read, refusal, now)


async def open_challenge(
    bank: BankContext,
    card_payment: rules.CardPayment,
    card_read: tuple[rules.BankCardFacts, rules.IssuerDecision] | None,
    refusal: DeclinedAnswer | None,
    now: datetime,
) -> ChallengeAnswer | DeclinedAnswer:
    """Open the challenge of a card, or decline the payment. Raises CallRefusedError."""
    if not bank.may_return_to(card_payment.return_url):
        raise CallRefusedError(400, "return_url is not an address at the gateway's own origin")
    payment = BankPayment(
        card_payment.reference,
        "card",
        card_payment.amount_paise,
        card_payment.currency,
        Status.CHALLENGE,
        now,
    )
    if card_read is None or refusal is not None:
        return await _refuse_card(bank, payment, refusal or _CARD_NUMBER_IMPOSSIBLE)
    challenge = Challenge(
        authentication_id="auth_" + secrets.token_urlsafe(18),
        reference=card_payment.reference,
        return_url=card_payment.return_url,
        card=card_read[0],
        issuer_decision=card_read[1],
        expires_at=now + timedelta(seconds=bank.settings.timings.challenge_s),
    )
    if await store.open_challenge(bank.db, payment, challenge):
        bank.scheduler.wake_in(bank.settings.timings.challenge_s)
    else:
        challenge = await _same_challenge(bank, payment, challenge)
    url = f"{bank.settings.public_url}/3ds/{challenge.authentication_id}"
    return ChallengeAnswer(challenge.authentication_id, url)


async def _refuse_card(
    bank: BankContext, payment: BankPayment, refusal: DeclinedAnswer
) -> DeclinedAnswer:
    declined = replace(payment, status=Status.DECLINED, code=refusal.code, message=refusal.message)
    if not await store.open_payment(bank.db, declined, None, booked=False, again=False):
        earlier = await same_payment(bank, declined)
        if earlier.status is not Status.DECLINED or await store.challenge_of(
            bank.db, earlier.reference
        ):
            raise CallRefusedError(409, "this reference was used with another card")
        return DeclinedAnswer(earlier.code, earlier.message)
    return refusal


async def _same_challenge(
    bank: BankContext, payment: BankPayment, requested: Challenge
) -> Challenge:
    await same_payment(bank, payment)
    earlier = await store.challenge_of(bank.db, payment.reference)
    # A repeated request asks for a new token; the first one stands.
    if earlier is None or (
        replace(earlier.card, token=requested.card.token),
        earlier.issuer_decision,
        earlier.return_url,
    ) != (
        requested.card,
        requested.issuer_decision,
        requested.return_url,
    ):
        raise CallRefusedError(409, "this reference was used with another card or return_url")
    return earlier


@dataclass(frozen=True, slots=True)
class ChallengeView:
    """A challenge, its payment, and the mandate approved with it, for the holder's page."""

    challenge: Challenge
    payment: BankPayment
    mandate: Mandate | None = None


async def challenge(
    bank: BankContext, authentication_id: str, now: datetime
) -> ChallengeView | None:
    """Return a challenge and its payment; end an expired challenge first."""
    view = await store.find_challenge(bank.db, authentication_id)
    if view is not None and not view.trans_status and view.expires_at <= now:
        await end_challenge(bank, view, "N", "The confirmation page expired", now)
        view = await store.find_challenge(bank.db, authentication_id)
    payment = await store.find_payment(bank.db, view.reference) if view else None
    if view is None or payment is None:
        return None
    return ChallengeView(view, payment, await mandates.find(bank.db, view.reference))


async def enter_otp(bank: BankContext, view: ChallengeView, otp: str, now: datetime) -> bool:
    """Check a one-time password; True when the challenge has ended, with success or not.

    Each password uses a try before the check, so concurrent ones get no more tries.
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
    bank: BankContext, challenge: Challenge, trans_status: str, message: str, now: datetime
) -> None:
    """End a challenge with Y or N and send its callback.

    A challenge that has ended stays as it is.
    """
    payment = await store.find_payment(bank.db, challenge.reference)
    if payment is None:
        return
    ended = states.challenged(payment, trans_status, message, now)
    callback = bank.callback_sender.callback_for(ended, "authentication")
    if await store.end_challenge(bank.db, challenge, ended, callback):
        bank.callback_sender.send_soon(callback)


async def authorise(
    bank: BankContext, request: AuthoriseRequest, now: datetime
) -> tuple[BankPayment, Challenge]:
    """Charge or hold an amount on an authenticated card, once for each reference.

    Raises CallRefusedError, and SilenceError when the issuer records the debit but does not answer.
    """
    challenge = await store.find_challenge(bank.db, request.authentication_id)
    if challenge is None or challenge.reference != request.reference:
        raise CallRefusedError(404, "no such authentication of this reference")
    payment_asked = BankPayment(
        request.reference, "card", request.amount_paise, request.currency, Status.AUTHENTICATED, now
    )
    payment = await same_payment(bank, payment_asked)
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
    bank: BankContext, request: MotoRequest, now: datetime
) -> tuple[BankPayment, Challenge] | DeclinedAnswer:
    """Charge or hold an amount on a card without a challenge, once for each reference.

    Raises CallRefusedError, and SilenceError when the issuer records the debit but does not answer.
    """
    card_read = rules.read_card(request.card.number)
    expired = (request.card.expiry_year, request.card.expiry_month) < (now.year, now.month)
    blank = BankPayment(
        request.reference, "card", request.amount_paise, request.currency, Status.DECLINED, now
    )
    if card_read is None or expired:
        return await _refuse_card(
            bank, blank, _CARD_NUMBER_IMPOSSIBLE if card_read is None else _CARD_EXPIRED
        )
    card, issuer_decision = card_read
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
    bank: BankContext, payment: BankPayment, challenge: Challenge, now: datetime, *, capture: bool
) -> BankPayment:
    outcome = rules.card_outcome(challenge.issuer_decision, bank.settings.timings, capture=capture)
    outcome = rules.with_late_success(outcome, bank.faults.settings.late_success_s)
    settles_to = Status.PAID if capture else Status.AUTHORISED
    payment_after = as_decided(
        replace(payment, settles_to=settles_to), outcome, await bank.rrns.take(now), now
    )
    callback = (
        None
        if outcome.silent
        else bank.callback_sender.callback_for(payment_after, card=challenge.card)
    )
    if not await store.decide(bank.db, payment, payment_after, callback, booked=True):
        # A concurrent request with the same reference decided first.
        return await same_payment(bank, payment)
    bank.callback_sender.send_soon(callback)
    expect(bank, payment_after, now)
    return payment_after
