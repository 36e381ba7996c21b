"""Steps of money out: payouts by each rail, the balance, checks of bank accounts."""

from functools import partial
from typing import Any

from hundi.acquirers.certification.steps import (
    Act,
    CertificationStep,
    MovedAmount,
    PersonTask,
    StepOpenError,
    StepOutcome,
    StepRun,
    StepUnavailableError,
    demand,
    demand_kind,
    told,
)
from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    NotRegistered,
    RegisteredName,
    SentBack,
    Underway,
    Unknown,
)
from hundi.acquirers.port.payouts import PayoutBalance, PayoutOrder, PaysOut, RailTerms
from hundi.acquirers.port.sandbox import SandboxAccount
from hundi.kernel.money import rupees

PAYOUTS, CHECKS = "PaysOut", "ChecksAccounts"
PENDING_S_MAX = 20.0
"""Seconds in which a payout that has to stay open is asked about."""
_ANOTHER = "Somebody Else Entirely"
_WORDS = "The payout is asked about."
_END = Approved | Declined | SentBack


async def _account(run: StepRun, *, is_good: bool) -> SandboxAccount:
    """Return an account of the sandbox, or one that the person names."""
    known = run.sandbox.good_account if is_good else run.sandbox.bad_account
    account = known or await run.person.account(is_good=is_good)
    if account is None:
        what = "that takes payments" if is_good else "that takes none"
        message = f"no bank account is known {what}"
        raise StepUnavailableError(message)
    return account


def _order(run: StepRun, rail: RailTerms, account: SandboxAccount) -> PayoutOrder:
    amount = run.amount(rail.least_paise)
    return PayoutOrder(
        run.payout, amount, rail.rail, account.account, account.holder, "Certification"
    )


async def _paid_out(run: StepRun, rail: RailTerms) -> StepOutcome:
    """Pay out, wait for the UTR, and send it again: it left once."""
    connector: Any = run.connector
    order = _order(run, rail, await _account(run, is_good=True))
    first = await connector.pay_out(order)
    demand(not isinstance(first, Declined | SentBack), f"it is taken, not {told(first)}")
    answer = await run.until(
        lambda: connector.inquire_payout(order.reference),
        lambda found: isinstance(found, _END),
        PersonTask(Act.WAIT, run.sandbox.hints.get("payout", _WORDS), order.reference),
    )
    if not isinstance(answer, _END):
        message = f"it has not ended: {told(answer)}. Run the step again later"
        raise StepOpenError(message)
    paid = demand_kind(answer, Approved, f"it is paid, not {told(answer)}")
    demand(
        paid.amount == order.amount,
        f"{rupees(order.amount.paise)} left, and the answer says another amount",
    )
    demand(paid.rrn, "a payout that is paid has a UTR")
    again = await connector.pay_out(order)
    demand(
        not isinstance(again, Approved) or again.rrn == paid.rrn,
        f"sent again under one reference it is the same payout, not {told(again)}",
    )
    found = await connector.inquire_payout(order.reference)
    demand(found == paid, f"it is as it was after it was sent again, not {told(found)}")
    moved = MovedAmount(order.reference, order.amount, run.now())
    return StepOutcome(f"{rupees(order.amount.paise)} left once, with a UTR", moved)


async def _not_paid_out(run: StepRun, rail: RailTerms) -> StepOutcome:
    connector: Any = run.connector
    order = _order(run, rail, await _account(run, is_good=False))
    answer = await connector.pay_out(order)
    if not isinstance(answer, _END):
        answer = await run.until(
            lambda: connector.inquire_payout(order.reference),
            lambda found: isinstance(found, _END | NothingThere),
            PersonTask(Act.WAIT, run.sandbox.hints.get("payout-bad", _WORDS), order.reference),
        )
    if isinstance(answer, Unknown | Underway):
        message = f"it has not ended: {told(answer)}. Run the step again later"
        raise StepOpenError(message)
    demand(
        isinstance(answer, Declined | SentBack | NothingThere),
        f"nothing is paid to a bad account, not {told(answer)}",
    )
    return StepOutcome(f"nothing left: {told(answer)}")


async def _pending(run: StepRun, rail: RailTerms) -> StepOutcome:
    connector: Any = run.connector
    account = run.sandbox.pending_account
    if account is None:
        message = "no bank account is known to which a payout stays open"
        raise StepUnavailableError(message)
    order = _order(run, rail, account)
    first = await connector.pay_out(order)
    demand(isinstance(first, Underway | Unknown), f"it is underway, not {told(first)}")
    answer = await run.until(
        lambda: connector.inquire_payout(order.reference),
        lambda found: isinstance(found, _END),
        PersonTask(Act.WAIT, _WORDS, order.reference),
        PENDING_S_MAX,
    )
    demand(isinstance(answer, Underway | Unknown), f"it stays open, not {told(answer)}")
    return StepOutcome(f"open, and neither paid nor declined: {told(answer)}")


async def _balance(run: StepRun) -> StepOutcome:
    connector: Any = run.connector
    answer = await connector.payout_balance()
    demand(isinstance(answer, PayoutBalance), f"the balance comes back, not {told(answer)}")
    return StepOutcome("the balance came back")


def payout_name(rail: RailTerms) -> str:
    """Return the name of the step that pays out by a rail."""
    return f"payout-{rail.rail}"


def payout_steps(connector: PaysOut) -> tuple[CertificationStep, ...]:
    """Return the steps of payouts: one for each rail, and those of other accounts.

    Only the preferred rail has to be tried: RTGS needs more than a bound allows.
    """
    first = connector.payout_rails[0]
    return (
        *(
            CertificationStep(
                payout_name(rail),
                PAYOUTS,
                "paid with a UTR, once, however often it is sent",
                partial(_paid_out, rail=rail),
                optional=rail is not first,
            )
            for rail in connector.payout_rails
        ),
        CertificationStep(
            "payout-bad", PAYOUTS, "declined or sent back", partial(_not_paid_out, rail=first)
        ),
        CertificationStep(
            "payout-pending",
            PAYOUTS,
            "open, neither paid nor declined",
            partial(_pending, rail=first),
            optional=True,
        ),
    )


def balance_step() -> CertificationStep:
    """Return the step of the balance."""
    return CertificationStep("balance", "TellsBalance", "an amount with its time", _balance)


async def _checked(
    run: StepRun, account: SandboxAccount, holder: str
) -> RegisteredName | NotRegistered:
    """Check an account until the provider has ended the check."""
    connector: Any = run.connector
    answer = await connector.check_account(run.check, account.account, holder)
    if isinstance(answer, Unknown):
        answer = await run.until(
            lambda: connector.check_account(run.check, account.account, holder),
            lambda found: not isinstance(found, Unknown),
            PersonTask(Act.WAIT, "The check is asked about.", run.check),
        )
    if isinstance(answer, Unknown):
        message = f"the check has not ended: {told(answer)}. Run the step again later"
        raise StepOpenError(message)
    again = await connector.check_account(run.check, account.account, holder)
    demand(again == answer, "the same check again says the same")
    return answer


async def _good_check(run: StepRun) -> StepOutcome:
    account = await _account(run, is_good=True)
    answer = await _checked(run, account, account.holder)
    holder = demand_kind(answer, RegisteredName, f"its holder comes back, not {told(answer)}")
    demand(holder.name, "the holder has a name")
    return StepOutcome("the holder's name came back")


async def _bad_check(run: StepRun) -> StepOutcome:
    answer = await _checked(run, await _account(run, is_good=False), _ANOTHER)
    nobody = demand_kind(answer, NotRegistered, f"nobody has it, not {told(answer)}")
    return StepOutcome(f"nothing can be paid in: {nobody.fault}")


async def _other_name(run: StepRun) -> StepOutcome:
    account = await _account(run, is_good=True)
    answer = await _checked(run, account, _ANOTHER)
    holder = demand_kind(answer, RegisteredName, f"its holder comes back, not {told(answer)}")
    demand(
        holder.name.casefold() != _ANOTHER.casefold(),
        "the bank's own name of the holder comes back, not the one that was sent",
    )
    score = "" if holder.score is None else f", with a score of {holder.score}"
    return StepOutcome(f"the bank's own name came back{score}")


def check_steps() -> tuple[CertificationStep, ...]:
    """Return the steps of checks of bank accounts."""
    return (
        CertificationStep("check-good", CHECKS, "the holder's name", _good_check),
        CertificationStep("check-bad", CHECKS, "nobody has it", _bad_check),
        CertificationStep(
            "check-other-name",
            CHECKS,
            "the bank's name of the holder, although another one was sent",
            _other_name,
        ),
    )
