"""What happens at the pages of banks and wallets: a visit begins, moves on, and ends with one decision."""

import secrets
from datetime import datetime, timedelta
from urllib.parse import urlencode, urlsplit

from simbank import actions, rules
from simbank import store as books
from simbank.actions import CallRefusedError
from simbank.bank import Bank
from simbank.rules import Outcome, Status
from simbank.store import Payment
from simbank.visits import store
from simbank.visits.messages import VisitRequest
from simbank.visits.rules import BY_CODE, LEFT, Step, first_step, outcome
from simbank.visits.store import Visit

CUSTOMER_LENGTH_MAX = 50


async def begin(bank: Bank, request: VisitRequest, now: datetime) -> Visit | None:
    """Open a visit, or return the one that was opened under this reference; None: there is no such bank.

    Raises CallRefusedError.
    """
    if not actions.may_return_to(bank, request.return_url):
        raise CallRefusedError(400, "return_url is not an address at the gateway's own origin")
    house = BY_CODE.get((request.method, request.bank_code))
    if house is None:
        return None
    payment = Payment(request.reference, house.method, request.amount_paise, request.currency, Status.CHALLENGE, now)
    life_s = bank.settings.timings.challenge_s
    visit = Visit(
        visit_id="visit_" + secrets.token_urlsafe(18),
        reference=request.reference,
        house=house,
        return_url=request.return_url,
        step=first_step(house),
        expires_at=now + timedelta(seconds=life_s),
    )
    if await store.open_visit(bank.db, payment, visit):
        bank.scheduler.wake_in(life_s)
        return visit
    await actions.same_payment(bank, payment)
    known = await store.find_by_reference(bank.db, request.reference)
    if known is None or (known.house, known.return_url) != (house, request.return_url):
        raise CallRefusedError(409, "this reference was used with another bank or return_url")
    return known


async def log_in(bank: Bank, visit: Visit, customer: str) -> None:
    """Take down who the customer is."""
    if visit.step is Step.LOGIN:
        await store.move(bank.db, visit, Step.CONFIRM, customer)


async def confirm(bank: Bank, visit: Visit, customer: str, now: datetime) -> None:
    """Pay; a company's payment waits for its second person."""
    if visit.step is Step.CONFIRM and visit.house.corporate:
        await store.move(bank.db, visit, Step.CHECKER, visit.customer)
    elif visit.step in {Step.CONFIRM, Step.CHECKER}:
        who = visit.customer or customer
        payment = await books.find_payment(bank.db, visit.reference)
        if payment is not None:
            decided = outcome(visit.house, who, payment.amount_paise, bank.settings.timings)
            decided = rules.with_late_success(decided, bank.faults.settings.late_success_s)
            await _end(bank, visit, payment, decided, now, who)


async def leave(bank: Bank, visit: Visit, now: datetime) -> None:
    """End a visit without a payment: the customer pressed cancel, or never came back."""
    payment = await books.find_payment(bank.db, visit.reference)
    if visit.step is not Step.ENDED and payment is not None:
        await _end(bank, visit, payment, LEFT, now, visit.customer)


async def _end(  # noqa: PLR0913 (the visit, its payment, and everything about the end)
    bank: Bank, visit: Visit, payment: Payment, what: Outcome, now: datetime, customer: str
) -> None:
    """Let the bank decide, once, and close the visit: after a crash in between, the next look closes it."""
    # Of two presses at once, and after a crash, the payment may be decided while its visit is still open.
    if payment.status is Status.CHALLENGE:
        asked = not what.final
        await actions.settle_visit(bank, payment, what, await bank.rrns.take(now) if asked else "", now, booked=asked)
    await store.move(bank.db, visit, Step.ENDED, customer)


def way_back(visit: Visit) -> str:
    """Return where the browser goes when the visit is over."""
    address = urlsplit(visit.return_url)
    added = urlencode({"visit_id": visit.visit_id})
    return address._replace(query=f"{address.query}&{added}" if address.query else added, fragment="").geturl()
