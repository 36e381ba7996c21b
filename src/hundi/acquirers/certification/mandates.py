"""Steps of mandates: approved, noticed, debited, ended."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from typing import Any

from hundi.acquirers.certification.payments import charge_of, demand_paid
from hundi.acquirers.certification.steps import (
    Act,
    CertificationStep,
    MovedAmount,
    PersonTask,
    StepOpenError,
    StepOutcome,
    StepRun,
    demand,
    told,
)
from hundi.acquirers.certification.ways import MANDATE_WAYS, PAYEE, PaymentWay, Visit, pay
from hundi.acquirers.port.answers import Accepted, Approved, Declined
from hundi.acquirers.port.mandates import (
    MandateDebit,
    MandateNotice,
    MandateRequest,
    MandateStanding,
    MandateState,
    NoticeGiven,
    TakesMandates,
)
from hundi.instruments.methods import CHANNEL_OF_METHOD
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money
from hundi.kernel.records import replace

SUBJECT = "TakesMandates"
LIFE = timedelta(days=60)
MAXIMUM = Money(10_00)
"""The most for one debit that the customer approves."""
MARGIN = timedelta(hours=1)
"""After the earliest time of a debit."""
_MONTHLY = "MONTHLY"


async def _approved(run: StepRun, way: PaymentWay) -> StepOutcome:
    connector: Any = run.connector
    today: date = business_day(run.now())
    request = MandateRequest(PAYEE, MAXIMUM, _MONTHLY, today, today + LIFE)
    charge = replace(charge_of(run, way.method), mandate=request)
    if run.resumed:
        answer = await run.connector.inquire(charge.reference)
    else:
        answer, _ = await pay(run, way, Visit(charge, Act.APPROVE))
    words = demand_paid(answer, charge.amount)
    standing = await run.until(
        lambda: connector.inquire_mandate(charge.reference),
        _stands(MandateState.ACTIVE),
        PersonTask(Act.WAIT, "The mandate is asked about.", charge.reference),
    )
    _demand_standing(standing, MandateState.ACTIVE)
    moved = MovedAmount(charge.reference, charge.amount, run.now())
    return StepOutcome(f"{words}; the mandate is active", moved)


async def _noticed(run: StepRun, approved: str, method: str) -> StepOutcome:
    connector: Any = run.connector
    mandate = run.earlier(approved)
    notice = _notice(run, mandate, method)
    answer = await run.until(
        lambda: connector.give_notice(notice),
        lambda given: isinstance(given, NoticeGiven | Declined),
        PersonTask(Act.WAIT, "The notice is asked about.", notice.reference),
    )
    if not isinstance(answer, NoticeGiven | Declined):
        message = f"the customer has no notice yet: {told(answer)}. Run the step again later"
        raise StepOpenError(message)
    demand(isinstance(answer, NoticeGiven), f"the notice is given, not {told(answer)}")
    again = await connector.give_notice(notice)
    demand(again == answer, "the same notice again is the same")
    return StepOutcome(
        f"the customer has the notice of a debit after {notice.debit_at:%d %B %Y %H:%M} UTC",
        MovedAmount(notice.reference, notice.amount, run.now()),
    )


async def _debited(run: StepRun, approved: str, noticed: str, method: str) -> StepOutcome:
    connector: Any = run.connector
    mandate, given_at = run.earlier(approved), run.earlier(noticed)
    notice = replace(_notice(run, mandate, method, at=given_at), reference=given_at.reference)
    # The wait between a notice and its debit is the acquirer's: a stand-in lets it pass.
    await run.person.do(
        PersonTask(Act.WAIT, "The time of the notice has to pass.", notice.reference)
    )
    if run.now() < notice.debit_at:
        message = f"run it again after {notice.debit_at:%d %B %Y %H:%M} UTC"
        raise StepOpenError(message)
    given = await connector.give_notice(notice)
    demand(isinstance(given, NoticeGiven), f"the notice stands, not {told(given)}")
    debit = MandateDebit(
        run.reference,
        mandate.reference,
        notice.period_no,
        notice.amount,
        notice.reference,
        given.name,
    )
    for _ in range(2):
        answer = await connector.debit_mandate(debit)
        demand(not isinstance(answer, Declined), f"the debit is made, not {told(answer)}")
    found = await run.until(
        lambda: run.connector.inquire(debit.reference),
        lambda each: isinstance(each, Approved | Declined),
        PersonTask(Act.WAIT, "The debit is asked about.", debit.reference),
    )
    words = demand_paid(found, debit.amount)
    return StepOutcome(
        f"debited once: {words}", MovedAmount(debit.reference, debit.amount, run.now())
    )


async def _ended(run: StepRun, approved: str) -> StepOutcome:
    connector: Any = run.connector
    mandate = run.earlier(approved)
    answer = await connector.end_mandate(mandate.reference)
    demand(isinstance(answer, Accepted), f"the mandate ends, not {told(answer)}")
    standing = await run.until(
        lambda: connector.inquire_mandate(mandate.reference),
        _stands(MandateState.ENDED),
        PersonTask(Act.WAIT, "The mandate is asked about.", mandate.reference),
    )
    _demand_standing(standing, MandateState.ENDED)
    return StepOutcome("the mandate has ended")


def _notice(
    run: StepRun, mandate: MovedAmount, method: str, *, at: MovedAmount | None = None
) -> MandateNotice:
    """Return a notice. at: the one that was given, whose time counts."""
    connector: Any = run.connector
    terms = connector.mandate_terms[CHANNEL_OF_METHOD[method].code]
    debit_at = (at.at if at else run.now()) + terms.notice_before + MARGIN
    return MandateNotice(run.notice, mandate.reference, 1, mandate.amount, debit_at)


def _stands(state: MandateState) -> Callable[[object], bool]:
    return lambda answer: isinstance(answer, MandateStanding) and answer.state is state


def _demand_standing(answer: object, state: MandateState) -> None:
    demand(
        isinstance(answer, MandateStanding) and answer.state is state,
        f"the mandate is {state}, not {getattr(answer, 'state', told(answer))}",
    )


def mandate_steps(connector: TakesMandates) -> Iterator[CertificationStep]:
    """Yield the steps of mandates, for each way to approve one."""
    for method, way in MANDATE_WAYS.items():
        if method not in connector.mandate_methods:
            continue
        approved, noticed = f"mandate-{method}-approved", f"mandate-{method}-noticed"
        yield CertificationStep(
            approved,
            SUBJECT,
            "paid, and the mandate is active",
            partial(_approved, way=way),
            is_payment=True,
        )
        yield CertificationStep(
            noticed,
            SUBJECT,
            "the customer has the notice of a debit",
            partial(_noticed, approved=approved, method=method),
            after=(approved,),
        )
        yield CertificationStep(
            f"mandate-{method}-debited",
            SUBJECT,
            "debited once, with the amount of the notice, after its time",
            partial(_debited, approved=approved, noticed=noticed, method=method),
            after=(noticed,),
        )
        yield CertificationStep(
            f"mandate-{method}-ended",
            SUBJECT,
            "ended, so that nothing more is debited",
            partial(_ended, approved=approved),
            after=(approved,),
        )
