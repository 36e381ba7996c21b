"""Payouts of settled money to bank accounts, released by two people."""

from datetime import date
from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.clock import utc_now
from hundi.money.payouts import actions, store
from hundi.money.payouts.balances import store as balances
from hundi.money.payouts.cancellations.actions import cancel as cancel_payout
from hundi.money.payouts.fees import store as fees
from hundi.money.payouts.rails.rules import PayoutChannel, leaves_at
from hundi.money.payouts.rules import PayoutState, PayoutTry
from hundi.money.reports.rules import DaySpan
from hundi.staff.people.rules import Permission
from hundi.verbs import payout_plan
from hundi.verbs.context import VerbContext, VerbProblemError, money
from hundi.verbs.parameters import ID_MAX, MerchantId, NoParameters, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

LISTED_MAX, REASON_MAX = 1_000, 150
PROPOSE = "payout.propose"
"""The name in the trail of the act of the first of the two people."""
_SCREEN = "across/payouts/{merchant_id:int}/{payout_id:int}"
PayoutId = Annotated[int, Meta(ge=1, le=ID_MAX, description="The payout's id.")]
As = Annotated[
    str,
    Meta(description="Who does this: a person's name."),
    ParameterHints(by="name", option="--as", signs=True),
]


class PayoutsToList(VerbParameters, frozen=True, kw_only=True):
    """Filters of a list of payouts."""

    merchant: (
        Annotated[int, Meta(ge=1, le=ID_MAX, description="Only payouts of this merchant.")] | None
    ) = None
    state: Annotated[
        list[PayoutState] | None,
        Meta(description="Only payouts in this state; repeat for several."),
    ] = None


class NamedPayout(VerbParameters, frozen=True, kw_only=True):
    """One payout."""

    merchant_id: MerchantId
    payout_id: PayoutId


class PayoutToApprove(NamedPayout, frozen=True, kw_only=True):
    """A payout to propose or to approve."""

    person: As
    by: Annotated[
        PayoutChannel | None,
        Meta(description="How it is sent; the first of the two people chooses."),
    ] = None


class PayoutToRetry(NamedPayout, frozen=True, kw_only=True):
    """A failed payout to replace."""

    person: As
    by: Annotated[
        PayoutChannel | None,
        Meta(description="How the new one is sent (default: as the one before)."),
    ] = None


class PayoutToCancel(NamedPayout, frozen=True, kw_only=True):
    """A payout to take back before it leaves."""

    person: As
    reason: Annotated[
        str,
        Meta(min_length=1, max_length=REASON_MAX, description="The reason, for its events."),
        ParameterHints(masked=True),
    ]


class FeesToSum(VerbParameters, frozen=True, kw_only=True):
    """Days of fees."""

    since: Annotated[date, Meta(description="From this Indian business day on.")]
    until: Annotated[date, Meta(description="Up to this day, which is included.")]


@verb("payout list", Permission.MONEY_SEE, at="all", screen="across/payouts", title="Payouts")
async def list_of(context: VerbContext, parameters: PayoutsToList) -> Result:
    """List payouts, the newest of all merchants first, or those of one merchant in their order."""
    states = [str(state) for state in parameters.state or ()]
    payouts = await store.listed(context.db, parameters.merchant, states, LISTED_MAX)
    return [_line(payout) for payout in payouts]


@verb(
    "payout show",
    Permission.MONEY_SEE,
    at="all",
    screen=_SCREEN,
    title="Payout {payout_id}: {state}",
    drawn=lambda result: result["events"],
)
async def show(context: VerbContext, parameters: NamedPayout) -> Result:
    """Show what happened to a payout, in order."""
    payout_key = parameters.merchant_id, parameters.payout_id
    payout = await store.select(context.db, *payout_key)
    if payout is None:
        message = f"merchant {parameters.merchant_id} has no payout {parameters.payout_id}"
        raise VerbProblemError(message)
    events = [dict(event) for event in await store.events_of(context.db, *payout_key)]
    said = {
        "code": payout.bank_code,
        "message": payout.bank_message,
        "wait_reason": payout.wait_reason,
    }
    taken = [
        {"kind": fee.kind, "fee_paise": fee.fee_paise, "tax_paise": fee.tax_paise, "at": fee.at}
        for fee in await fees.of_payout(context.db, *payout_key)
    ]
    return _line(payout) | said | {"fees": taken, "events": events}


@verb("payout balances", Permission.MONEY_SEE, at="all", title="Balances")
async def show_balances(context: VerbContext, _: NoParameters) -> Result:
    """Show what each provider holds to pay out from, and what waits to leave."""
    known = await balances.select_all(context.db)
    payouts, paise = await balances.waiting(context.db)
    return [
        {
            "provider": balance.connector,
            "available_paise": balance.available_paise,
            "left_paise": balance.left_paise,
            "counted_at": balance.counted_at,
            "read_at": balance.read_at,
            "decides": balance.is_fresh(context.now),
            "waiting": payouts,
            "waiting_paise": paise,
        }
        for balance in known
    ]


@verb("payout fees", Permission.MONEY_SEE, at="all", title="Fees of payouts")
async def show_fees(context: VerbContext, parameters: FeesToSum) -> Result:
    """Show what each provider took for payouts in some days, and what it gave back."""
    days = DaySpan(parameters.since, parameters.until)
    if fault := days.fault():
        raise VerbProblemError(fault)
    return [
        {
            "provider": row["connector"],
            "payouts": row["payouts"],
            "fee_paise": row["fee_paise"],
            "tax_paise": row["tax_paise"],
            "given_back_paise": row["back_paise"],
        }
        for row in await fees.of_providers(context.db, days.begins, days.ends)
    ]


@verb(
    "payout approve",
    Permission.PAYOUTS_RELEASE,
    at="all",
    trail="payout.approve",
    screen=f"{_SCREEN}/release",
    title="Released",
)
async def approve(context: VerbContext, parameters: PayoutToApprove) -> Result:
    """Release a payout: the first person proposes it, the second, another person, approves it."""
    payout_key = parameters.merchant_id, parameters.payout_id
    payout = await store.select(context.db, *payout_key)
    proposes = payout is not None and payout.state is PayoutState.PREPARED
    recorded = context.named(PROPOSE if proposes else context.trail).recording(
        *payout_key, amount=money(payout.amount_paise) if payout else ""
    )
    return _line(
        await actions.approve(
            context.db, *payout_key, parameters.person, parameters.by, context.now, payout, recorded
        )
    )


@verb(
    "payout retry",
    Permission.PAYOUTS_RELEASE,
    at="all",
    trail=PROPOSE,
    screen=f"{_SCREEN}/retry",
    title="Proposed",
    notice=("payout_retried", "Proposed anew. Another person approves it."),
)
async def retry(context: VerbContext, parameters: PayoutToRetry) -> Result:
    """Propose a new payout in place of a failed one, to the present account."""
    payout_key = parameters.merchant_id, parameters.payout_id
    recorded = context.recording(parameters.merchant_id, instead_of=str(parameters.payout_id))
    said = (parameters.person, context.now, recorded, parameters.by)
    return _line(await actions.retry(context.db, *payout_key, *said))


@verb(
    "payout cancel",
    Permission.PAYOUTS_RELEASE,
    at="all",
    trail="payout.cancel",
    screen=f"{_SCREEN}/cancel",
    title="Cancelled",
    notice=("payout_cancelled", "Cancelled. Nothing left, and its share is owed again."),
)
async def cancel(context: VerbContext, parameters: PayoutToCancel) -> Result:
    """Take a payout back that has not left.

    Its share is owed again: a person retries it, by the plan then in force or in a file, and two
    release it.
    """
    payout_key = parameters.merchant_id, parameters.payout_id
    recorded = context.recording(*payout_key, reason=parameters.reason)
    said = (parameters.person, parameters.reason, context.now, recorded)
    return _line(await cancel_payout(context.db, *payout_key, *said))


def _line(payout: PayoutTry) -> dict[str, Any]:
    return {
        "merchant_id": str(payout.merchant_id),
        "payout_id": str(payout.payout_id),
        "share_id": str(payout.share_id),
        "beneficiary": payout.beneficiary,
        "account_no": payout.account_no,
        "amount_paise": payout.amount_paise,
        "state": payout.state,
        "by": payout.channel,
        "rail": payout.sent_rail or payout.rail,
        "provider": payout.provider,
        "leaves_at": leaves_at(payout.rail, payout.sent_at or utc_now()),
        "batch": str(payout.batch_id or ""),
        "utr": payout.paid_utr,
        "maker": payout.maker,
        "checker": payout.checker,
        "try_no": payout.try_no,
        "since": payout.created_at,
    }


GROUPS = {"plan": "The plan that chooses the provider of a payout."}
VERBS = (list_of, show, show_balances, show_fees, approve, retry, cancel, *payout_plan.VERBS)
