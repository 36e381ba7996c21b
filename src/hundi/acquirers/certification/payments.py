"""Steps in which somebody pays: paid, declined, left, held, with a fee for the customer."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from hundi.acquirers.certification.steps import (
    Act,
    CertificationStep,
    MovedAmount,
    StepOpenError,
    StepOutcome,
    StepRun,
    StepUnavailableError,
    demand,
    demand_kind,
    told,
)
from hundi.acquirers.certification.ways import (
    PAYEE,
    PaymentAnswer,
    PaymentWay,
    Visit,
    pay,
)
from hundi.acquirers.port.answers import Approved, NothingThere, Unknown, Voided
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.port.sandbox import SandboxData
from hundi.instruments.methods import EMI_PAGE
from hundi.kernel.money import Money, rupees

FEES = "CustomerFees"
"""The heading of the fee step: an account's setting, which no connector declares."""
_NO_FEE = "the acquirer adds no fee for its customers here, or nobody sees it"
_FROM = "instalments_from_paise"


def paid_name(method: str) -> str:
    """Return the name of the step that pays by a method."""
    return f"{method}-paid"


def least(connector: object, sandbox: SandboxData, method: str) -> int:
    """Return the smallest amount that a method takes, in paise; 0 for any."""
    by_connector = getattr(connector, _FROM, 0) if method == EMI_PAGE.name else 0
    return max(by_connector, sandbox.least_paise.get(method, 0))


def charge_of(run: StepRun, method: str) -> Charge:
    """Return the charge of a step, with the smallest amount that its method takes."""
    amount = run.amount(least(run.connector, run.sandbox, method))
    return Charge(run.reference, amount, payee_name=PAYEE)


def demand_paid(answer: object, amount: Money, *, is_held: bool = False) -> str:
    """Demand that an amount was paid, or is held, and return what came back in words."""
    if isinstance(answer, Unknown):
        message = f"nothing was decided in time: {told(answer)}"
        raise StepOpenError(message)
    paid = demand_kind(answer, Approved, f"it was to be paid, not {told(answer)}")
    demand(
        paid.amount == amount,
        f"{rupees(amount.paise)} was asked for and {rupees(paid.amount.paise)} came back",
    )
    demand(paid.authorised_only is is_held, "held" if is_held else "paid, not only held")
    demand(is_held or paid.rrn, "a payment has a bank's reference number")
    return f"{told(paid)} of {rupees(paid.amount.paise)}"


async def _paid(run: StepRun, way: PaymentWay) -> StepOutcome:
    charge = charge_of(run, way.method)
    if run.resumed:
        answer, amount = await run.connector.inquire(charge.reference), charge.amount
    else:
        answer, task = await pay(run, way, Visit(charge, Act.PAY))
        amount = task.charge.amount if task.charge else charge.amount
    words = demand_paid(answer, amount)
    again = await run.connector.inquire(charge.reference)
    demand(
        isinstance(again, Approved) and again.amount == amount,
        f"an inquiry says the same afterwards, not {told(again)}",
    )
    return StepOutcome(words, MovedAmount(charge.reference, amount, run.now()))


async def _unpaid(run: StepRun, way: PaymentWay, act: Act) -> StepOutcome:
    answer, _ = await pay(run, way, Visit(charge_of(run, way.method), act))
    demand(not isinstance(answer, Approved), f"nothing was paid, but it says {told(answer)}")
    if isinstance(answer, Unknown):
        if not answer.awaiting_customer:
            message = f"nothing was decided in time: {told(answer)}"
            raise StepOpenError(message)
        return StepOutcome("not paid; the page or link stays open until its time is over")
    return StepOutcome(f"not paid: {told(answer)}")


async def _fee(run: StepRun, way: PaymentWay) -> StepOutcome:
    if not await run.person.adds_fee():
        raise StepUnavailableError(_NO_FEE)
    charge = charge_of(run, way.method)
    answer, task = await pay(run, way, Visit(charge, Act.PAY))
    words = demand_paid(answer, charge.amount)
    total = await run.person.total(task)
    if total is None or total <= charge.amount.paise:
        raise StepUnavailableError(_NO_FEE)
    fee = rupees(total - charge.amount.paise)
    return StepOutcome(
        f"{words}; the customer was asked for {rupees(total)}, of which {fee} is the fee",
        MovedAmount(charge.reference, charge.amount, run.now()),
    )


async def _unused(run: StepRun) -> StepOutcome:
    answer = await run.connector.inquire(run.reference)
    demand(isinstance(answer, NothingThere), f"nothing is there, not {told(answer)}")
    return StepOutcome("nothing there, as it has to be")


async def _captured(run: StepRun, way: PaymentWay) -> StepOutcome:
    connector: Any = run.connector
    charge = await _held(run, way)
    answer = await connector.capture(charge.reference, charge.amount)
    if isinstance(answer, Unknown):
        answer = await run.connector.inquire(charge.reference)
    words = demand_paid(answer, charge.amount)
    return StepOutcome(f"held, then captured: {words}")


async def _voided(run: StepRun, way: PaymentWay) -> StepOutcome:
    connector: Any = run.connector
    charge = await _held(run, way)
    answer: PaymentAnswer = await connector.void(charge.reference)
    if isinstance(answer, Voided):
        return StepOutcome("held, then voided")
    demand(isinstance(answer, Unknown), f"a hold is voided or lapses, not {told(answer)}")
    found = await run.connector.inquire(charge.reference)
    demand(
        isinstance(found, Voided) or (isinstance(found, Approved) and found.authorised_only),
        f"nothing is captured of a hold that is given back, not {told(found)}",
    )
    return StepOutcome(f"held; it lapses by itself: {told(answer)}")


async def _held(run: StepRun, way: PaymentWay) -> Charge:
    charge = charge_of(run, way.method)
    answer, _ = await pay(run, way, Visit(charge, Act.PAY, capture=False))
    demand_paid(answer, charge.amount, is_held=True)
    return charge


def unused_step() -> CertificationStep:
    """Return the step that asks about what nobody paid."""
    return CertificationStep("inquiry", "Inquires", "nothing there", _unused)


def steps_of_way(way: PaymentWay) -> Iterator[CertificationStep]:
    """Yield the steps of one way to pay."""
    yield CertificationStep(
        paid_name(way.method),
        way.subject,
        "paid, with the amount of the order and a bank's reference number, also when asked again",
        partial(_paid, way=way),
        optional=way.optional,
        is_payment=True,
    )
    if way.declines:
        yield CertificationStep(
            f"{way.method}-declined",
            way.subject,
            "not paid",
            partial(_unpaid, way=way, act=Act.DECLINE),
            optional=way.optional,
            is_payment=True,
        )
    if way.leaves:
        yield CertificationStep(
            f"{way.method}-left",
            way.subject,
            "not paid, while the customer is away",
            partial(_unpaid, way=way, act=Act.LEAVE),
            optional=way.optional,
            is_payment=True,
        )


def fee_step(way: PaymentWay) -> CertificationStep:
    """Return the step with a fee that the customer bears."""
    return CertificationStep(
        "fee",
        FEES,
        "paid with the amount of the order, although the customer was asked for more",
        partial(_fee, way=way),
        optional=True,
        is_payment=True,
    )


def hold_steps(way: PaymentWay) -> tuple[CertificationStep, ...]:
    """Return the steps that hold an amount."""
    subject = "CompletesAuthorisations"
    return (
        CertificationStep(
            "hold-captured",
            subject,
            "held, then captured with the same amount",
            partial(_captured, way=way),
            is_payment=True,
        ),
        CertificationStep(
            "hold-voided",
            subject,
            "held, then voided, or left to lapse",
            partial(_voided, way=way),
            is_payment=True,
        ),
    )


def paid_again(way: PaymentWay) -> CertificationStep:
    """Return the step that pays once more, so that a whole payment can be refunded."""
    return CertificationStep(
        "again-paid", "Refunds", "paid", partial(_paid, way=way), is_payment=True
    )
