"""The aggregator's actions: make an order, try cards at it, close it, and return its state."""

import secrets
from datetime import datetime, timedelta
from urllib.parse import urlencode, urlsplit

import msgspec

from hundi_testbed.bank import actions, advancing, rules
from hundi_testbed.bank import store as books
from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.aggregator import rules as aggregator
from hundi_testbed.bank.aggregator import store
from hundi_testbed.bank.aggregator.messages import AggregatorOrderRequest, OrderAnswer, OrderNews
from hundi_testbed.bank.aggregator.rules import AggregatorOrder, CardTry
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.messages import CardAnswer, CardInput
from hundi_testbed.bank.outbox.store import Callback
from hundi_testbed.bank.redirects import actions as redirects
from hundi_testbed.bank.redirects import store as redirect_store
from hundi_testbed.bank.redirects.messages import RedirectRequest
from hundi_testbed.bank.rules import OTP_TRIES_MAX, BankCardFacts, IssuerDecision, Status
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.bank.store import Challenge

_NO_CARD = BankCardFacts("0000", "", "", "", "")


async def make(bank: BankContext, request: AggregatorOrderRequest, now: datetime) -> OrderAnswer:
    """Make an order, once for each receipt. Raises CallRefusedError: 409 for a used receipt."""
    if request.way != "upi" and not bank.may_return_to(request.return_url):
        raise CallRefusedError(400, "return_url is not an address at the gateway's own origin")
    if (request.card is not None) != (request.way == "card"):
        raise CallRefusedError(400, "a card is for orders whose way is card, and only for these")
    order = AggregatorOrder(
        order_id="order_" + secrets.token_hex(9),
        reference=request.receipt,
        way=request.way,
        amount_paise=request.amount_paise,
        capture=request.capture,
        once=request.way not in {"upi", "card_page"},
        return_url=request.return_url,
        payee_name=request.payee_name,
        page=secrets.token_urlsafe(18),
        expires_at=now + timedelta(seconds=request.expires_in_s),
    )
    if await books.find_payment(bank.db, request.receipt) or not await store.insert(bank.db, order):
        raise CallRefusedError(409, "this receipt is taken")
    await bank.payees.keep(request.receipt, request.payee_name)
    base = bank.settings.public_url
    if request.way == "upi":
        return msgspec.structs.replace(
            await said(bank, order, now), link=aggregator.upi_link(order)
        )
    if request.way == "card_page":
        fields = {"order_id": order.order_id, "page": order.page}
        answer = await said(bank, order, now)
        return msgspec.structs.replace(
            answer, page=f"{base}/aggregator/checkout", visit=order.page, fields=fields
        )
    if request.card is not None:
        tried = await try_card(bank, order, request.card, now)
        page = f"{base}/aggregator/3ds/{tried.try_id}" if tried.step == "otp" else ""
        order = await store.find(bank.db, "order_id", order.order_id) or order
        return msgspec.structs.replace(await said(bank, order, now), page=page, visit=tried.try_id)
    return await _visit(bank, order, request, now)


async def _visit(
    bank: BankContext, order: AggregatorOrder, request: AggregatorOrderRequest, now: datetime
) -> OrderAnswer:
    """Begin a visit at a bank's or wallet's own pages."""
    begun = RedirectRequest(
        reference=request.receipt,
        amount_paise=request.amount_paise,
        currency=request.currency,
        method=request.way,  # type: ignore[arg-type]
        bank_code=request.bank_code,
        return_url=request.return_url,
    )
    redirect = await redirects.begin(bank, begun, now)
    if redirect is None:
        await close(bank, order, "91", "This bank takes no payments", now)
        return await said(bank, await store.find(bank.db, "order_id", order.order_id) or order, now)
    page = f"{bank.settings.public_url}/visits/{redirect.redirect_id}"
    return msgspec.structs.replace(
        await said(bank, order, now), page=page, visit=redirect.redirect_id
    )


async def said(bank: BankContext, order: AggregatorOrder, now: datetime) -> OrderAnswer:
    """Return the present state of an order for the gateway."""
    payment_view = await actions.inquire(bank, order.reference, now)
    payment, challenge = payment_view or (None, None)
    last = await store.last_try(bank.db, order.order_id)
    where = aggregator.standing(order, payment, last, now)
    moved_paise = (
        payment
        if payment is not None and where.status in {"paid", "authorised", "voided", "pending"}
        else None
    )
    return OrderAnswer(
        id=order.order_id,
        receipt=order.reference,
        status=where.status,
        amount_paise=(moved_paise.captured_paise or moved_paise.amount_paise)
        if moved_paise
        else order.amount_paise,
        expires_at=order.expires_at.isoformat(),
        code=where.code,
        message=where.words,
        rrn=payment.rrn if payment else "",
        payer_vpa=payment.payer_vpa if payment else "",
        approval_code=moved_paise.approval_code if moved_paise else "",
        trans_status=where.trans_status,
        challenge_cancel=rules.challenge_cancel(where.words),
        card=CardAnswer.of(challenge.card) if moved_paise and challenge else None,
    )


async def told(bank: BankContext, reference: str, now: datetime) -> OrderAnswer | None:
    """Return the state of a receipt for the gateway, also of a payment without an order."""
    order = await store.find(bank.db, "reference", reference)
    if order is not None:
        answer = await said(bank, order, now)
        visit = (
            await redirect_store.find_by_reference(bank.db, reference)
            if answer.status == "attempted"
            else None
        )
        if visit is None:
            return answer
        page = f"{bank.settings.public_url}/visits/{visit.redirect_id}"
        return msgspec.structs.replace(answer, page=page, visit=visit.redirect_id)
    payment = await books.find_payment(bank.db, reference)
    if payment is None:
        return None
    alone = AggregatorOrder(
        order_id="",
        reference=reference,
        way="upi",
        amount_paise=payment.amount_paise,
        capture=True,
        once=True,
        return_url="",
        payee_name="",
        page="",
        expires_at=payment.expires_at or now,
    )
    return await said(bank, alone, now)


async def try_card(
    bank: BankContext, order: AggregatorOrder, card: CardInput, now: datetime
) -> CardTry:
    """Try a card at an order: ask its holder for a password, or refuse the card at once."""
    read = rules.read_card(card.number)
    facts, issuer = read or (_NO_CARD, IssuerDecision.DO_NOT_HONOUR)
    expired = (card.expiry_year, card.expiry_month) < (now.year, now.month)
    tried = CardTry("pay_" + secrets.token_urlsafe(12), order.order_id, now, "otp", facts, issuer)
    await store.insert_try(bank.db, tried)
    if read is None or expired:
        code, words = ("14", "Invalid card number") if read is None else ("54", "Expired card")
        await _fail(bank, order, tried, code, words, "", now)
        return await store.find_try(bank.db, tried.try_id) or tried
    return tried


async def enter_otp(
    bank: BankContext, order: AggregatorOrder, tried: CardTry, otp: str, now: datetime
) -> bool:
    """Check a one-time password; True when the try is over, paid or not."""
    before = await store.take_otp(bank.db, tried.try_id, OTP_TRIES_MAX)
    if before is None:
        return True
    ended = rules.trans_status(otp, before)
    if ended == "":
        return False
    if ended != "Y":
        await _fail(
            bank,
            order,
            tried,
            rules.NOT_AUTHENTICATED_CODE,
            "The one-time password was not right",
            ended,
            now,
        )
    else:
        await _charge(bank, order, tried, now)
    return True


async def cancel_try(
    bank: BankContext, order: AggregatorOrder, tried: CardTry, now: datetime
) -> None:
    """End a try after its holder pressed cancel."""
    await _fail(bank, order, tried, rules.NOT_AUTHENTICATED_CODE, rules.CANCELLED, "N", now)


async def _charge(bank: BankContext, order: AggregatorOrder, tried: CardTry, now: datetime) -> None:
    """Ask the card's issuer.

    Only the payment of the order's reference moves money, so there is one.
    """
    outcome = rules.card_outcome(
        tried.issuer_decision, bank.settings.timings, capture=order.capture
    )
    outcome = rules.with_late_success(outcome, bank.faults.settings.late_success_s)
    if outcome.status is Status.DECLINED and outcome.settles_after_s is None:
        await _fail(bank, order, tried, outcome.code, outcome.message, "", now)
        return
    settles_to = Status.PAID if order.capture else Status.AUTHORISED
    blank = BankPayment(
        order.reference,
        "card",
        order.amount_paise,
        "INR",
        Status.DECLINED,
        now,
        settles_to=settles_to,
    )
    payment = advancing.as_decided(blank, outcome, await bank.rrns.take(now), now)
    ended_challenge = Challenge(
        tried.try_id, order.reference, order.return_url, tried.card, tried.issuer_decision, now
    )
    callback = (
        None if outcome.silent else bank.callback_sender.callback_for(payment, card=tried.card)
    )
    if not await books.open_moto(bank.db, payment, ended_challenge, callback):
        await _fail(
            bank,
            order,
            tried,
            rules.DUPLICATE_CODE,
            "This order was paid with another card",
            "",
            now,
        )
        return
    bank.callback_sender.send_soon(callback)
    advancing.expect(bank, payment, now)
    declined = payment.status is Status.DECLINED
    code, words = (payment.code, payment.message) if declined else ("", "")
    await store.end_try(bank.db, tried, code, words, "", None)


async def _fail(
    bank: BankContext,
    order: AggregatorOrder,
    tried: CardTry,
    code: str,
    words: str,
    trans_status: str,
    now: datetime,
) -> None:
    callback = _news(bank, order, now)
    if await store.end_try(bank.db, tried, code, words, trans_status, callback):
        bank.callback_sender.send_soon(callback)


async def close(
    bank: BankContext, order: AggregatorOrder, code: str, words: str, now: datetime
) -> None:
    """Close an order for further tries."""
    callback = _news(bank, order, now)
    if await store.close(bank.db, order, code, words, callback):
        bank.callback_sender.send_soon(callback)


def _news(bank: BankContext, order: AggregatorOrder, now: datetime) -> Callback:
    event_id = "evt_" + secrets.token_hex(12)
    return bank.callback_sender.callback_with(
        event_id, order.reference, OrderNews(event_id, order.reference, order.order_id), now
    )


def way_back(order: AggregatorOrder) -> str:
    """Return the browser's address after an order."""
    address = urlsplit(order.return_url)
    added = urlencode({"order_id": order.order_id})
    return address._replace(
        query=f"{address.query}&{added}" if address.query else added, fragment=""
    ).geturl()


async def is_over(bank: BankContext, order: AggregatorOrder, now: datetime) -> bool:
    """Return whether an order takes no more tries, paid or not."""
    return (await said(bank, order, now)).status not in {"created", "attempted"}
