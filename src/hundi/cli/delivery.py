"""`hundi delivery`: what merchants' servers were told, what they answered, and telling them once more."""

import asyncio
from typing import Annotated, Any, Literal

import typer

from hundi.bootstrap import Office, open_office
from hundi.cli.output import DataDir, Json, fail, show
from hundi.infra.settings import load_settings
from hundi.kernel.clock import for_people, utc_now
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.notifications import actions, store
from hundi.notifications.rules import DeliveryKey, DeliveryState, DeliveryStatus, parse_webhook_id

app = typer.Typer(help="Deliveries: notifications to merchants' servers, and sending them again.", no_args_is_help=True)

SHOWN_MAX = 50
_WEBHOOK_ID_HELP = "The webhook id, such as ipn_10001_217000000000001_3."


@app.command("list")
def list_deliveries(
    merchant_id: Annotated[int, typer.Argument()],
    *,
    state: Annotated[DeliveryState | None, typer.Option(help="Only those in this state.")] = None,
    payment: Annotated[int | None, typer.Option(help="Only those of this payment (ap_transactionid).")] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List a merchant's deliveries, newest first, and say when its endpoint is failing."""

    async def within() -> tuple[list[dict[str, Any]], str]:
        async with open_office(load_settings(data_dir=data_dir)) as office:
            found = await store.newest(office.db, merchant_id, state=state, payment_id=payment, limit=SHOWN_MAX)
            return [_row(each) for each in found], await _failing(office, merchant_id)

    rows, failing = asyncio.run(within())
    show(rows, json=json, title="Deliveries")
    if failing:
        typer.echo(failing, err=True)


@app.command("show")
def show_delivery(
    webhook_id: Annotated[str, typer.Argument(help=_WEBHOOK_ID_HELP)], *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show every try of one delivery: when, how it was answered, and the first 2 kB of the answer."""
    key = _key(webhook_id)

    async def within() -> list[dict[str, Any]]:
        async with open_office(load_settings(data_dir=data_dir)) as office:
            return [
                {
                    "try": each.attempt_no,
                    "at": for_people(each.at),
                    "url": each.outcome.url,
                    "status": each.outcome.status,
                    "ms": each.outcome.latency_ms,
                    "problem": each.outcome.problem,
                    "answer": each.outcome.answer,
                }
                for each in await store.tries_of(office.db, key)
            ]

    show(asyncio.run(within()), json=json, title=f"Tries of {webhook_id}")


@app.command()
def replay(
    webhook_id: Annotated[str, typer.Argument(help=_WEBHOOK_ID_HELP)] = "",
    *,
    merchant: Annotated[int | None, typer.Option(help="Replay all of this merchant's that are in --state.")] = None,
    state: Annotated[Literal["exhausted", "no_endpoint"], typer.Option(help="With --merchant.")] = "exhausted",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Send one delivery again, or all of a merchant that were given up; the webhook id stays the same."""
    if bool(webhook_id) == (merchant is not None):
        raise fail("give either a webhook id or --merchant")

    async def within() -> int:
        async with open_office(load_settings(data_dir=data_dir)) as office:
            if merchant is not None:
                return await actions.replay_all(office.db, merchant, DeliveryState(state), utc_now())
            await actions.replay(office.db, _key(webhook_id), utc_now())
            return 1

    try:
        replayed = asyncio.run(within())
    except Refused as refused:
        if refused.refusal.code is RefusalCode.NO_RECORDS:
            raise fail(f"there is no delivery {webhook_id}") from None
        raise fail(f"{webhook_id} is being sent at this moment") from None
    show({"replayed": replayed}, json=json)


def _key(webhook_id: str) -> DeliveryKey:
    key = parse_webhook_id(webhook_id)
    if key is None:
        raise fail(f"{webhook_id!r} is no webhook id; they look like ipn_10001_217000000000001_3")
    return key


def _row(status: DeliveryStatus) -> dict[str, Any]:
    waits = status.state in {DeliveryState.WAITING, DeliveryState.SENDING}
    return {
        "webhook_id": status.key.webhook_id,
        "event": status.kind,
        "state": status.state,
        "created": for_people(status.created_at),
        "next": for_people(status.due_at) if waits else "",
        "tries": status.tries,
        "last_status": status.last_status,
        "last_problem": status.last_problem,
    }


async def _failing(office: Office, merchant_id: int) -> str:
    """Return a sentence about a merchant's failing endpoint, or ""."""
    for each in await store.failing_endpoints(office.db):
        if each.merchant_id == merchant_id:
            since, probe_at = for_people(each.since), for_people(each.probe_at)
            return f"The endpoint has been failing since {since} ({each.problem}); it is probed next at {probe_at}."
    return ""
