"""`hundi delivery`: notifications of merchants and partners, and sending them again."""

from typing import Annotated, Any, Literal

import typer
from asyncpg import Record

from hundi.bootstrap import OperatorContext
from hundi.cli.context import check_merchant, partner_of, run
from hundi.cli.output import ID_MAX, DataDir, Json, fail, show
from hundi.kernel.clock import for_people, utc_now
from hundi.kernel.ids import partner_of_recipient, recipient_of_partner
from hundi.kernel.refusals import RefusalCode
from hundi.notifications import actions
from hundi.notifications.rules import (
    DeliveryKey,
    DeliveryOutcome,
    DeliveryState,
    DeliveryStatus,
    parse_webhook_id,
)
from hundi.notifications.status import store as status_store
from hundi.partners.directory.rules import is_affiliate
from hundi.payments.archive import store as archive
from hundi.payments.orders.finding import store as finding
from hundi.payments.story import actions as story

app = typer.Typer(
    help="Deliveries: notifications to merchants' and partners' servers, and sending them again.",
    no_args_is_help=True,
)

SHOWN_MAX = 50
_REDIRECT = 3
_WEBHOOK_ID_HELP = (
    "The webhook id, such as ipn_10001_217000000000001_3 or lead_AF000001_217000000000001_2."
)


@app.command("list")
def list_deliveries(
    recipient: Annotated[
        str, typer.Argument(help="The merchant's id, or a partner's affiliate code.")
    ],
    *,
    state: Annotated[DeliveryState | None, typer.Option(help="Only those in this state.")] = None,
    payment: Annotated[
        int | None,
        typer.Option(
            min=1, max=ID_MAX, help="Only those of this payment (ap_transactionid) or lead."
        ),
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List the deliveries of a merchant or partner, newest first, and failing endpoints."""
    number = _recipient(recipient)

    async def act(context: OperatorContext) -> tuple[list[dict[str, Any]], str]:
        found = await status_store.newest(
            context.db, number, state=state, payment_id=payment, limit=SHOWN_MAX
        )
        if not found:
            await _check_recipient(context, number)
        payments = {each.key.payment_id for each in found} if number > 0 else set[int]()
        orders = await finding.amounts_of(context.db, number, payments)
        return [_row(each, orders.get(each.key.payment_id)) for each in found], await _failing(
            context, number
        )

    rows, failing = run(data_dir, act, reading=True)
    show(rows, json=json, title="Deliveries")
    if failing:
        typer.echo(failing, err=True)


@app.command("show")
def show_delivery(
    webhook_id: Annotated[str, typer.Argument(help=_WEBHOOK_ID_HELP)],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show every try of one delivery.

    It says when it was made and how it was answered, with the first 2 kB of the answer.
    """
    key = _key(webhook_id)

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        if await status_store.status_of(context.db, key) is not None:
            tries = await status_store.tries_of(context.db, key)
        else:
            told = await story.told_of(context.db, (key.merchant_id, key.payment_id))
            (found,) = [each for each in told if each.key == key] or [None]
            if found is None:
                raise fail(_unknown(webhook_id))
            tries = found.tries
        return [
            {
                "try": each.attempt_no,
                "at": each.at,
                "url": each.outcome.url,
                "status": each.outcome.status,
                "ms": each.outcome.latency_ms,
                "delivered": _delivered_by(each.outcome),
                "problem": each.outcome.problem,
                "answer": each.outcome.answer,
            }
            for each in tries
        ]

    show(run(data_dir, act, reading=True), json=json, title=f"Tries of {webhook_id}")


def _delivered_by(outcome: DeliveryOutcome) -> str:
    """Return what kind of answer delivered it; a try that did not deliver has a problem."""
    if outcome.problem or outcome.status is None:
        return "no"
    return "by a redirect" if outcome.status // 100 == _REDIRECT else "by 2xx"


@app.command()
def replay(
    webhook_id: Annotated[str, typer.Argument(help=_WEBHOOK_ID_HELP)] = "",
    *,
    merchant: Annotated[
        str, typer.Option(help="Replay all of this merchant's, or partner's, that are in --state.")
    ] = "",
    state: Annotated[
        Literal["exhausted", "no_endpoint"], typer.Option(help="With --merchant.")
    ] = "exhausted",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Send one delivery again, or all of a merchant that were given up.

    The webhook id stays the same.
    """
    if bool(webhook_id) == bool(merchant):
        raise fail("give either a webhook id or --merchant")

    async def act(context: OperatorContext) -> int:
        if not merchant:
            key = _key(webhook_id)
            await archive.recall(context.db, key.merchant_id, key.payment_id)
            await actions.replay(context.db, key, utc_now())
            return 1
        replayed = await actions.replay_all(
            context.db, _recipient(merchant), DeliveryState(state), utc_now()
        )
        if not replayed:
            await _check_recipient(context, _recipient(merchant))
        return replayed

    told = {
        RefusalCode.NO_RECORDS: _unknown(webhook_id),
        RefusalCode.STATE_FORBIDS: f"{webhook_id} is being sent at this moment",
    }
    show({"replayed": run(data_dir, act, told)}, json=json)


def _recipient(text: str) -> int:
    """Return the number under which a merchant or a partner is told."""
    if text.isdecimal() and len(text) <= len(str(ID_MAX)) and 0 < int(text) <= ID_MAX:
        return int(text)
    if is_affiliate(text):
        return recipient_of_partner(text)
    raise fail(f"{text!r} is neither a merchant's id nor an affiliate code")


async def _check_recipient(context: OperatorContext, number: int) -> None:
    """Exit unless there is a merchant or a partner of this number."""
    if affiliate := partner_of_recipient(number):
        await partner_of(context, affiliate)
    else:
        await check_merchant(context, number)


def _unknown(webhook_id: str) -> str:
    return f"there is no delivery {webhook_id}"


def _key(webhook_id: str) -> DeliveryKey:
    key = parse_webhook_id(webhook_id)
    if key is None or key.merchant_id > ID_MAX:
        raise fail(f"{webhook_id!r} is no webhook id; they look like ipn_10001_217000000000001_3")
    return key


def _row(status: DeliveryStatus, order: Record | None) -> dict[str, Any]:
    """Return a delivery for the list. order: of its payment; None for news of a lead."""
    waits = status.state in {DeliveryState.WAITING, DeliveryState.SENDING}
    named = (
        {
            "orderid": order["order_id"],
            "amount_paise": order["amount_paise"],
            "currency": order["currency"],
        }
        if order
        else {"orderid": "", "amount_paise": None, "currency": ""}
    )
    return {
        "webhook_id": status.key.webhook_id,
        **named,
        "event": status.kind,
        "state": status.state,
        "created": status.created_at,
        "next": status.due_at if waits else "",
        "tries": status.tries,
        "last_status": status.last_status,
        "last_problem": status.last_problem,
    }


async def _failing(context: OperatorContext, merchant_id: int) -> str:
    """Return a sentence about a merchant's failing endpoint, or ""."""
    for each in await status_store.failing_endpoints(context.db):
        if each.merchant_id == merchant_id:
            since, probe_at = for_people(each.since), for_people(each.probe_at)
            return (
                f"The endpoint has been failing since {since} ({each.problem}); it is probed next"
                f" at {probe_at}."
            )
    return ""
