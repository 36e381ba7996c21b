"""`hundi bank-account`: where merchants and their linked accounts are paid out to."""

from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import by_command, check_merchant, run
from hundi.cli.output import DataDir, Json, MerchantId, fail, show
from hundi.kernel.clock import utc_now
from hundi.masking import masked
from hundi.money.bank_accounts import actions, store
from hundi.money.bank_accounts.rules import PRIMARY, PayoutAccount
from hundi.money.payouts.actions import hold_back

app = typer.Typer(
    help="Bank accounts that are paid out to, and whose they are.", no_args_is_help=True
)

Beneficiary = Annotated[str, typer.Option(help="`primary`, or the identifier of a linked account.")]
As = Annotated[str, typer.Option("--as", help="Who does this: a person's name.")]


@app.command()
def add(
    merchant_id: MerchantId,
    *,
    person: As,
    beneficiary: Beneficiary = PRIMARY,
    holder: Annotated[
        str,
        typer.Option(
            parser=masked, help="Whose account it is; of a linked account, as it was linked."
        ),
    ] = "",
    ifsc: Annotated[str, typer.Option(help="Its branch, such as HDFC0000001.")] = "",
    number: Annotated[str, typer.Option(help="Its number; asked for when it is not given.")] = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Add or change an account, and have its bank asked whose it is.

    What was not sent to the account before is held back.
    """
    if beneficiary == PRIMARY and not number:
        number = typer.prompt("Account number", hide_input=True)
    given = (holder, number, ifsc)

    async def act(context: OperatorContext) -> dict[str, Any]:
        who = merchant_id, beneficiary, given, person, by_command(context)
        return _line(await actions.add(context.db, *who, utc_now(), replaced=hold_back))

    show(run(data_dir, act), json=json, title="Added")


@app.command("list")
def list_accounts(merchant_id: MerchantId, *, data_dir: DataDir = None, json: Json = False) -> None:
    """List every version of a merchant's accounts; of their numbers, the last four characters."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        accounts = await store.of_merchant(context.db, merchant_id)
        if not accounts:
            await check_merchant(context, merchant_id)
        return [_line(each) for each in accounts]

    show(run(data_dir, act, reading=True), json=json, title="Bank accounts")


@app.command()
def verify(
    merchant_id: MerchantId,
    *,
    beneficiary: Beneficiary = PRIMARY,
    accept_name: Annotated[
        bool, typer.Option(help="Let a name that differs pass: a second person, --as.")
    ] = False,
    person: Annotated[str, typer.Option("--as", help="Who lets the name pass.")] = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Ask an account's bank again whose it is, or let its name pass."""
    if accept_name and not person:
        raise fail("--accept-name needs --as NAME, of another person than who added the account")

    async def act(context: OperatorContext) -> dict[str, Any]:
        whose, by = (context.db, merchant_id, beneficiary), by_command(context)
        if accept_name:
            return _line(await actions.accept_name(*whose, person, by, utc_now()))
        return _line(await actions.verify_again(*whose, by, utc_now()))

    show(run(data_dir, act), json=json, title="Account")


def _line(account: PayoutAccount) -> dict[str, Any]:
    return {
        "beneficiary": account.beneficiary,
        "account_no": account.account_no,
        "holder": account.holder,
        "number": f"…{account.last4}",
        "ifsc": account.ifsc,
        "state": account.state,
        "registered_name": account.registered_name,
        "added_by": account.added_by,
        "accepted_by": account.accepted_by,
        "since": account.added_at,
        "replaced_at": account.replaced_at,
    }
