"""`hundi payment`: a merchant's payments, and the whole story of one."""

import re
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import check_merchant, run
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, fail, show
from hundi.cli.payment_story import parts_of
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id
from hundi.kernel.states import PaymentState
from hundi.payments.orders.finding import store as finding
from hundi.payments.orders.rules import PaymentView
from hundi.payments.story.actions import story_of

app = typer.Typer(
    help="Payments: what happened to one, from the order to the postings.", no_args_is_help=True
)
LIST_MAX = 1_000
_DAY = "%Y-%m-%d"
_NUMBER = re.compile(r"[0-9]{1,15}\Z")


@app.command("list")
def list_payments(
    merchant_id: MerchantId,
    *,
    state: Annotated[PaymentState | None, typer.Option(help="Only those in this state.")] = None,
    since: Annotated[
        datetime | None, typer.Option(formats=[_DAY], help="From this Indian business day on.")
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(formats=[_DAY], help="Up to this day, which is included.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, max=LIST_MAX, help="How many at most.")] = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List a merchant's payments, newest first; those in the archive are shown one by one only."""
    span = (
        first_id(since.replace(tzinfo=INDIA)) if since else 0,
        first_id(until.replace(tzinfo=INDIA) + timedelta(days=1)) if until else ID_MAX,
    )

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        rows = await finding.select_newest(context.db, merchant_id, state, span, most)
        if not rows:
            await check_merchant(context, merchant_id)
        return [
            {
                "ap_transactionid": str(row["payment_id"]),
                "orderid": row["order_id"],
                "amount_paise": row["amount_paise"],
                "currency": row["currency"],
                "state": row["state"],
                "chmod": row["method"],
                "created": row["created_at"],
            }
            for row in rows
        ]

    show(run(data_dir, act, reading=True), json=json, title="Payments")


@app.command("show")
def show_payment(
    merchant_id: MerchantId,
    reference: Annotated[str, typer.Argument(help="ap_transactionid, order id or RRN.")],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show a payment with its attempts, fees, refunds, disputes, deliveries and postings."""

    async def act(context: OperatorContext) -> dict[str, Any] | None:
        found = await _find(context, merchant_id, reference)
        return None if found is None else parts_of(await story_of(context.db, found))

    story = run(data_dir, act, reading=True)
    if story is None:
        raise fail(
            f"merchant {merchant_id} has no payment with the order id, ap_transactionid or RRN"
            f" {reference!r}"
        )
    if json:
        show(story, json=True)
        return
    for title, part in story.items():
        if part:
            show(part, json=False, title=title.capitalize())


async def _find(context: OperatorContext, merchant_id: int, reference: str) -> PaymentView | None:
    """Look a reference up in each of its possible meanings."""
    by_order = await finding.select_by_references(context.db, merchant_id, reference, None, None)
    if by_order is not None or not _NUMBER.match(reference):
        return by_order
    for named in ((None, None, reference), (None, int(reference), None)):
        found = await finding.select_by_references(context.db, merchant_id, *named)
        if found is not None:
            return found
    return None
