"""`hundi subscription`: mandates that customers approved, their debits, and stopping them."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import check_merchant, run
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, fail, show
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.kernel.states import Actor, SubscriptionState
from hundi.payments.subscriptions import actions
from hundi.payments.subscriptions.rules import Debit, Subscription, notice_due, planned_at

app = typer.Typer(
    help="Subscriptions: mandates, their debits, and stopping them.", no_args_is_help=True
)
SubscriptionId = Annotated[
    int, typer.Argument(min=1, max=ID_MAX, help="ap_transactionid of the order that registered it.")
]
_Act = Callable[[Database, int, int, Actor, datetime], Awaitable[Subscription]]


@app.command("list")
def list_subscriptions(
    merchant_id: MerchantId,
    *,
    state: Annotated[
        SubscriptionState | None, typer.Option(help="Only those in this state.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List a merchant's subscriptions, newest first."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        await check_merchant(context, merchant_id)
        found = await actions.list_of(context.db, merchant_id, state, None)
        return [_shown(each) for each in found]

    show(run(data_dir, act, reading=True), json=json, title="Subscriptions")


@app.command("show")
def show_subscription(
    merchant_id: MerchantId,
    subscription_id: SubscriptionId,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show a subscription and its latest debits."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        found = await actions.find(context.db, merchant_id, subscription_id)
        if found is None:
            raise fail(f"merchant {merchant_id} has no subscription {subscription_id}")
        return _shown(found.subscription, found.debits) | {
            "debits": [_debit(each) for each in found.debits]
        }

    story = run(data_dir, act, reading=True)
    if json:
        show(story, json=True)
        return
    debits = story.pop("debits")
    show(story, json=False, title="Subscription")
    show(debits, json=False, title="Debits")


@app.command()
def pause(
    merchant_id: MerchantId,
    subscription_id: SubscriptionId,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Pause a subscription: no debit is announced or made."""
    _do(actions.pause, merchant_id, subscription_id, data_dir, json=json)


@app.command()
def resume(
    merchant_id: MerchantId,
    subscription_id: SubscriptionId,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Resume a paused subscription."""
    _do(actions.resume, merchant_id, subscription_id, data_dir, json=json)


@app.command()
def cancel(
    merchant_id: MerchantId,
    subscription_id: SubscriptionId,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Cancel a subscription for good; its mandate is then ended at the bank."""
    _do(actions.cancel, merchant_id, subscription_id, data_dir, json=json)


def _do(
    act: _Act, merchant_id: int, subscription_id: int, data_dir: str | None, *, json: bool
) -> None:
    async def do(context: OperatorContext) -> dict[str, Any]:
        return _shown(
            await act(context.db, merchant_id, subscription_id, Actor.OPERATOR, utc_now())
        )

    show(run(data_dir, do), json=json, title="Subscription")


def _shown(subscription: Subscription, debits: tuple[Debit, ...] = ()) -> dict[str, Any]:
    planned = [each.planned_at for each in debits if each.state == "announced"]
    if subscription.state is SubscriptionState.ACTIVE and notice_due(
        subscription, subscription.next_period
    ):
        planned.append(planned_at(subscription, subscription.next_period))
    return {
        "subscription_id": str(subscription.subscription_id),
        "orderid": subscription.order_id,
        "state": subscription.state,
        "amount_paise": subscription.amount.paise,
        "most_paise": subscription.max_paise,
        "every": f"{subscription.frequency} {subscription.period}",
        "debits_in_all": subscription.debits_max or "no end",
        "next_debit_at": min(planned, default=None),
        "channel": subscription.channel,
        "umrn": subscription.umrn,
        "payer": subscription.payer,
        "since": subscription.created_at,
    }


def _debit(debit: Debit) -> dict[str, Any]:
    return {
        "period": debit.period_no,
        "due_at": debit.planned_at,
        "state": debit.state,
        "amount_paise": debit.amount.paise,
        "tries": debit.tries,
        "payment_id": str(debit.payment_id) if debit.payment_id else None,
    }
