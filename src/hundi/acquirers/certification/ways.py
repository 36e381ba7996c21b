"""The ways to pay at an account, one for each method of attempt that a person can pay by."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hundi.acquirers.certification.steps import (
    Act,
    PersonTask,
    StepFailedError,
    StepRun,
    StepUnavailableError,
    told,
)
from hundi.acquirers.port.answers import (
    PROCEED_ONLY_ON,
    Approved,
    Authentication,
    Declined,
    NothingThere,
    Redirect,
    Unknown,
    Voided,
)
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.payments import Charge
from hundi.instruments.card import CardNumber
from hundi.instruments.methods import (
    CARD,
    CARD_DIRECT,
    CARD_EMI,
    CARD_MOTO,
    CARD_PAGE,
    EMI_DIRECT,
    EMI_PAGE,
    ENACH,
    METHODS,
    NETBANKING,
    PAY_LATER,
    UPI_COLLECT,
    UPI_LINK,
    WALLET,
)
from hundi.kernel.money import rupees
from hundi.kernel.records import replace

PaymentAnswer = Approved | Declined | Unknown | NothingThere | Voided
PAYEE = "Hundi certification"
EXPIRES_IN_S = 900
"""Seconds for which a page or a link is open."""
_EMI = "emi"
_DONE = {
    Act.PAY: "Pay",
    Act.DECLINE: "Try to pay so that it is declined",
    Act.LEAVE: "Leave without paying",
    Act.APPROVE: "Approve the mandate, and pay",
}


@dataclass(frozen=True, slots=True)
class Visit:
    """One payment that a person begins.

    act: what the person does. capture: False holds the amount.
    """

    charge: Charge
    act: Act
    capture: bool = True


Begin = Callable[[StepRun, Visit], Awaitable[PaymentAnswer | PersonTask]]


@dataclass(frozen=True, slots=True)
class PaymentWay:
    """One way to pay.

    method: of the attempt. begin: returns what the person has to do, or the answer where nobody has
    to. holds: it can hold an amount. declines, leaves: a person can make it fail, can leave.
    optional: an account may have nothing for it, such as no wallet.
    """

    method: str
    begin: Begin
    holds: bool = False
    declines: bool = True
    leaves: bool = True
    optional: bool = False

    @property
    def subject(self) -> str:
        """Return the capability that the way proves."""
        return METHODS[self.method].capability


async def pay(run: StepRun, way: PaymentWay, visit: Visit) -> tuple[PaymentAnswer, PersonTask]:
    """Begin a payment, let the person act, and return what became of it, with the task."""
    begun = await way.begin(run, visit)
    if not isinstance(begun, PersonTask):
        return begun, PersonTask(visit.act, "", visit.charge.reference, way.method)

    async def inquire() -> PaymentAnswer:
        if begun.authentication is not None:
            return await _authorised(run, visit, begun.authentication)
        return await run.connector.inquire(visit.charge.reference)

    is_done = await run.person.do(begun)
    return await run.ask(inquire, _decided(visit.act, is_done=is_done), begun), begun


def _decided(act: Act, *, is_done: bool) -> Callable[[Any], bool]:
    """Return whether an answer says what became of an act.

    is_done: the person said so. Then a page on which somebody failed or which somebody left may
    stay open.
    """
    ends = (Approved, Declined, NothingThere, Voided)
    if act in {Act.PAY, Act.APPROVE}:
        return lambda answer: isinstance(answer, Approved | Declined | Voided)
    return lambda answer: (
        isinstance(answer, ends)
        or (is_done and isinstance(answer, Unknown) and answer.awaiting_customer)
    )


async def _authorised(run: StepRun, visit: Visit, authentication_id: str) -> PaymentAnswer:
    """Charge a card once its challenge was passed."""
    connector: Any = run.connector
    result = await connector.authentication(authentication_id)
    if not isinstance(result, Authentication):
        return Unknown(awaiting_customer=True)
    if result.trans_status != PROCEED_ONLY_ON:
        return Declined(f"3DS-{result.trans_status}")
    found = await run.connector.inquire(visit.charge.reference)
    if isinstance(found, Approved):
        return found
    return await connector.authorise(
        visit.charge, authentication_id=authentication_id, capture=visit.capture
    )


def _task(run: StepRun, visit: Visit, method: str, answer: object) -> PersonTask:
    """Return what a person does with the page or link that came. Raises StepFailedError."""
    if not isinstance(answer, Redirect | UpiLink):
        message = f"no page and no link came, but {told(answer)}"
        raise StepFailedError(message)
    hints = run.sandbox.hints
    hint = hints.get(f"{method}-{visit.act}") or hints.get(visit.act, "")
    words = f"{_DONE[visit.act]} {rupees(visit.charge.amount.paise)}. {hint}".strip()
    return PersonTask(
        visit.act,
        words,
        visit.charge.reference,
        method,
        page=answer if isinstance(answer, Redirect) else None,
        link=answer if isinstance(answer, UpiLink) else None,
        charge=visit.charge,
    )


async def _link(run: StepRun, visit: Visit) -> PersonTask:
    connector: Any = run.connector
    answer = await connector.upi_link(visit.charge, expires_in_s=EXPIRES_IN_S)
    return _task(run, visit, UPI_LINK.name, answer)


async def _page(run: StepRun, visit: Visit, method: str, shown: str) -> PersonTask:
    connector: Any = run.connector
    answer = await connector.start_checkout(
        visit.charge,
        method=shown,
        return_url=run.return_url,
        expires_in_s=EXPIRES_IN_S,
        capture=visit.capture,
    )
    return _task(run, visit, method, answer)


async def _card_page(run: StepRun, visit: Visit) -> PersonTask:
    return await _page(run, visit, CARD_PAGE.name, "card")


async def _emi_page(run: StepRun, visit: Visit) -> PersonTask:
    return await _page(run, visit, EMI_PAGE.name, _EMI)


def _at_bank(method: str) -> Begin:
    async def begin(run: StepRun, visit: Visit) -> PersonTask:
        connector: Any = run.connector
        banks = await connector.banks()
        if isinstance(banks, Unknown):
            message = f"its banks were not listed: {told(banks)}"
            raise StepFailedError(message)
        of_method = [each for each in banks if each.method == method]
        if not of_method:
            message = f"the account lists nothing for {method}"
            raise StepUnavailableError(message)
        named = run.sandbox.banks.get(method, of_method[0].code)
        bank = next((each for each in of_method if each.code == named), of_method[0])
        answer = await connector.start_redirect(
            visit.charge, method=method, bank_code=bank.code, return_url=run.return_url
        )
        return _task(run, visit, method, answer)

    return begin


async def _typed(run: StepRun, visit: Visit) -> CardNumber:
    is_declined = visit.act is Act.DECLINE
    data = run.sandbox.declined_card if is_declined else run.sandbox.card
    card = data or await run.person.card(declined=is_declined)
    if card is None:
        message = "there is no card to type"
        raise StepUnavailableError(message)
    return card


async def _direct(run: StepRun, visit: Visit) -> PaymentAnswer | PersonTask:
    connector: Any = run.connector
    card = await _typed(run, visit)
    answer = await connector.charge_card(
        visit.charge, card, return_url=run.return_url, capture=visit.capture
    )
    if isinstance(answer, Declined) and visit.act is not Act.PAY:
        return answer
    return _task(run, visit, CARD_DIRECT.name, answer)


async def _in_instalments(run: StepRun, visit: Visit) -> Visit:
    connector: Any = run.connector
    plans = await connector.plans()
    if isinstance(plans, Unknown) or not plans:
        message = "the account lists no instalment plans"
        raise StepUnavailableError(message)
    plan = min(plans, key=lambda each: each.minimum_paise)
    amount = run.amount(plan.minimum_paise)
    charge = replace(visit.charge, amount=amount, emi_bank=plan.bank_code, emi_months=plan.months)
    return replace(visit, charge=charge)


async def _emi_direct(run: StepRun, visit: Visit) -> PaymentAnswer | PersonTask:
    return await _direct(run, await _in_instalments(run, visit))


async def _card(run: StepRun, visit: Visit) -> PaymentAnswer | PersonTask:
    connector: Any = run.connector
    card = await _typed(run, visit)
    answer = await connector.authenticate(visit.charge, card, return_url=run.return_url)
    if isinstance(answer, Declined) and visit.act is not Act.PAY:
        return answer
    task = _task(run, visit, CARD.name, answer)
    name = answer.authentication_id if isinstance(answer, Redirect) else None
    return replace(task, authentication=name)


async def _card_emi(run: StepRun, visit: Visit) -> PaymentAnswer | PersonTask:
    return await _card(run, await _in_instalments(run, visit))


async def _moto(run: StepRun, visit: Visit) -> PaymentAnswer:
    connector: Any = run.connector
    card = await _typed(run, visit)
    return await connector.charge_moto(visit.charge, card, capture=visit.capture)


async def _collect(run: StepRun, visit: Visit) -> PaymentAnswer | PersonTask:
    connector: Any = run.connector
    if not run.sandbox.good_vpa:
        message = "no UPI address is known to ask for the money"
        raise StepUnavailableError(message)
    answer = await connector.collect(
        visit.charge,
        payer_vpa=run.sandbox.good_vpa,
        payee_name=PAYEE,
        note="certification",
        expires_in_s=EXPIRES_IN_S,
    )
    if isinstance(answer, Declined):
        return answer
    words = f"{_DONE[visit.act]} the request to {run.sandbox.good_vpa}"
    return PersonTask(visit.act, words, visit.charge.reference, UPI_COLLECT.name)


WAYS: Mapping[str, PaymentWay] = {
    each.method: each
    for each in (
        PaymentWay(CARD_PAGE.name, _card_page, holds=True),
        PaymentWay(UPI_LINK.name, _link),
        PaymentWay(NETBANKING.name, _at_bank(NETBANKING.name), optional=True),
        PaymentWay(WALLET.name, _at_bank(WALLET.name), optional=True),
        PaymentWay(PAY_LATER.name, _at_bank(PAY_LATER.name), optional=True),
        PaymentWay(CARD.name, _card, holds=True),
        PaymentWay(CARD_DIRECT.name, _direct, holds=True),
        PaymentWay(CARD_MOTO.name, _moto, holds=True, leaves=False),
        PaymentWay(UPI_COLLECT.name, _collect, declines=False),
        PaymentWay(EMI_PAGE.name, _emi_page),
        PaymentWay(EMI_DIRECT.name, _emi_direct),
        PaymentWay(CARD_EMI.name, _card_emi),
    )
}
"""By the method of attempt, in the order in which they are tried.

A QR of ours is none of them: no acquirer makes it, and a payment by it is tried by collect.
"""
MANDATE_WAYS: Mapping[str, PaymentWay] = WAYS | {
    ENACH.name: PaymentWay(ENACH.name, _at_bank(ENACH.name))
}
"""The ways by which a customer can approve a mandate."""
