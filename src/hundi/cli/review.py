"""`hundi review`: payments that a risk rule holds, and what becomes of them."""

import getpass
from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import run
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, show
from hundi.kernel.clock import utc_now
from hundi.masking import masked
from hundi.payments.reviews import actions as reviews
from hundi.payments.reviews import store
from hundi.payments.reviews.rules import Decision, Reviewed

LISTED_MAX = 500
app = typer.Typer(
    help="Payments that a risk rule holds: list, release, reject.", no_args_is_help=True
)

Transaction = Annotated[int, typer.Argument(min=1, max=ID_MAX, help="ap_transactionid.")]
Reason = Annotated[str, typer.Option(parser=masked, help="Why: kept with the payment.")]
By = Annotated[str, typer.Option(help="Who decides (default: the user of this machine).")]


@app.command("list")
def list_waiting(*, data_dir: DataDir = None, json: Json = False) -> None:
    """List the payments that wait for a review, oldest first."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        return [
            {
                "merchant_id": str(row["merchant_id"]),
                "ap_transactionid": str(row["payment_id"]),
                "orderid": row["order_id"],
                "amount_paise": row["amount_paise"],
                "currency": row["currency"],
                "method": row["method"],
                "money": row["state"],
                "since": row["settled_at"],
                "rule": row["rule"],
                "because": row["because"],
            }
            for row in await store.select_waiting(context.db, LISTED_MAX)
        ]

    show(run(data_dir, act, reading=True), json=json, title="To review")


@app.command()
def release(
    merchant_id: MerchantId,
    transaction: Transaction,
    *,
    reason: Reason,
    by: By = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Release a payment: it is paid or authorised, and its merchant is told."""
    _decide(
        merchant_id,
        transaction,
        Reviewed(Decision.RELEASED, reason, by or getpass.getuser()),
        data_dir,
        json=json,
    )


@app.command()
def reject(
    merchant_id: MerchantId,
    transaction: Transaction,
    *,
    reason: Reason,
    by: By = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Reject a payment: what was paid is refunded, what was authorised is voided."""
    _decide(
        merchant_id,
        transaction,
        Reviewed(Decision.REJECTED, reason, by or getpass.getuser()),
        data_dir,
        json=json,
    )


def _decide(
    merchant_id: int, transaction: int, reviewed: Reviewed, data_dir: str | None, *, json: bool
) -> None:
    async def act(context: OperatorContext) -> dict[str, Any]:
        after = await reviews.decide(context.db, merchant_id, transaction, reviewed, utc_now())
        return {
            "merchant_id": str(merchant_id),
            "ap_transactionid": str(transaction),
            "state": after.payment.state,
            "decision": reviewed.decision,
            "reason": reviewed.reason,
            "by": reviewed.decided_by,
        }

    show(run(data_dir, act), json=json, title="Reviewed")
