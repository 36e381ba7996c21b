"""`hundi split`: linked accounts that payments are shared with, and how one payment is shared."""

from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import by_command, check_merchant, run
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, fail, show
from hundi.kernel.clock import utc_now
from hundi.payments.orders.finding import store as finding
from hundi.payments.splits import actions as splits
from hundi.payments.splits import store
from hundi.payments.splits.rules import Shares, reduced

app = typer.Typer(
    help="Splits: linked accounts, and how a payment is shared with them.", no_args_is_help=True
)


@app.command()
def link(
    merchant_id: MerchantId,
    identifier: Annotated[
        str, typer.Argument(help="What splits call it: 1 to 64 of A-Z a-z 0-9 - _ .")
    ],
    name: Annotated[str, typer.Argument(help="Whose account it is.")],
    ifsc: Annotated[str, typer.Argument(help="Its branch, such as HDFC0000001.")],
    *,
    number: Annotated[
        str,
        typer.Option(
            prompt="Account number", hide_input=True, help="Asked for when it is not given."
        ),
    ],
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Link a bank account to a merchant; its number is kept sealed."""

    async def act(context: OperatorContext) -> None:
        await splits.link_account(
            context.db, by_command(context), merchant_id, identifier, name, number, ifsc, utc_now()
        )

    run(data_dir, act)
    show(
        {"merchant_id": str(merchant_id), "identifier": identifier, "state": "open"},
        json=json,
        title="Linked",
    )


@app.command()
def close(
    merchant_id: MerchantId,
    identifier: Annotated[str, typer.Argument()],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Take a linked account out of use: what was shared with it stays, nothing new is."""

    async def act(context: OperatorContext) -> None:
        await splits.close_account(
            context.db, by_command(context), merchant_id, identifier, utc_now()
        )

    run(data_dir, act)
    show(
        {"merchant_id": str(merchant_id), "identifier": identifier, "state": "closed"},
        json=json,
        title="Closed",
    )


@app.command()
def accounts(merchant_id: MerchantId, *, data_dir: DataDir = None, json: Json = False) -> None:
    """List a merchant's linked accounts; of their numbers, the last four digits."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        rows = await store.accounts_of(context.db, merchant_id)
        if not rows:
            await check_merchant(context, merchant_id)
        return [
            {
                "identifier": row["identifier"],
                "name": row["name"],
                "ifsc": row["ifsc"],
                "number": f"…{row['last4']}",
                "ledger_account": row["ledger_account"],
                "state": "closed" if row["closed_at"] else "open",
                "since": row["created_at"],
            }
            for row in rows
        ]

    show(run(data_dir, act, reading=True), json=json, title="Linked accounts")


@app.command("show")
def show_split(
    merchant_id: MerchantId,
    transaction: Annotated[int, typer.Argument(min=1, max=ID_MAX, help="ap_transactionid.")],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show how a payment is shared: as it was configured, and what is due now, after refunds."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        view = await finding.select_by_references(context.db, merchant_id, None, transaction, None)
        if view is None:
            raise fail(f"merchant {merchant_id} has no payment {transaction}")
        rows = [
            row
            for row in await store.splits_of(context.db, merchant_id, transaction)
            if row["replaced_at"] is None
        ]
        if not rows:
            return []
        standing = Shares(rows[0]["primary_paise"], tuple(row["amount_paise"] for row in rows))
        due = reduced(standing, view.payment.remaining.paise)
        primary = _share("primary", "payable", standing.primary_paise, due.primary_paise)
        parts = zip(rows, due.parts_paise, strict=True)
        return [
            primary,
            *(
                _share(row["identifier"], row["ledger_account"], row["amount_paise"], paise)
                for row, paise in parts
            ),
        ]

    show(run(data_dir, act, reading=True), json=json, title="Split")


def _share(identifier: str, account: str, configured: int, due: int) -> dict[str, Any]:
    return {
        "identifier": identifier,
        "ledger_account": account,
        "configured_paise": configured,
        "due_paise": due,
    }
