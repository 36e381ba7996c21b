"""`hundi staff mark`: takes over what is older than the marks and the entries that prove it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import by_command, run
from hundi.cli.output import DataDir, Json, show
from hundi.infra.postgres.database import Connection
from hundi.kernel.clock import utc_now
from hundi.money.bank_accounts import actions as bank_accounts
from hundi.money.bank_accounts import store as bank_account_store
from hundi.money.fees import actions as fees
from hundi.money.fees import store as fee_store
from hundi.staff.people import proofs
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

_TAKE_OVER = "take_over"


@dataclass(frozen=True, slots=True)
class _Untold:
    """A row that no entry of the trail tells of. tell: writes one, for the row as it is."""

    merchant_id: int
    what: str
    tell: Callable[[Connection, Who, datetime], Awaitable[object]]


def mark(
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Mark all of them.")] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show whose password or role nothing proves, as after an upgrade; with --yes, mark them all.

    Without a proof nobody signs in, no role counts, and nothing is paid out to an account; merchants and price plans
    are named by the audit. Look at each: whoever wrote it, it holds from then on. It is done once: what has no mark
    later was written by SQL.
    """

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        people = await proofs.unproved(context.db, context.vault)
        rows = await _untold(context)
        if yes and (people or rows):
            now, by = utc_now(), by_command(context)
            await proofs.take_over(context.db, people, by, now)
            async with context.db.transaction() as conn:
                for each in rows:
                    await each.tell(conn, by, now)
        shown = [_person(each) for each in people]
        return shown + [{"who": str(each.merchant_id), "what": each.what} for each in rows]

    show(run(data_dir, act), json=json, title="Marked" if yes else "Without a mark; to mark them: --yes")


def _person(found: proofs.Unproved) -> dict[str, Any]:
    what = ["password and second factor"] if found.password else []
    what += [f"{found.codes} recovery codes"] if found.codes else []
    what += [f"{role} at {place or 'the operator'}" for place, role in found.roles.items()]
    return {"who": f"{found.person.name} <{found.person.email}>", "what": ", ".join(what)}


async def _untold(context: OperatorContext) -> list[_Untold]:
    """Return the merchants, bank accounts and price plans that no entry tells of."""
    db, vault, found = context.db, context.vault, list[_Untold]()
    for merchant in await context.directory.everyone():
        if not await trail.tells_of_merchant(db, merchant.merchant_id):
            what = f"{merchant.name}: {merchant.state}, settings"
            found.append(_Untold(merchant.merchant_id, what, _teller_of_merchant(merchant.merchant_id)))
    for account in await bank_account_store.present(db):
        if not await bank_accounts.is_told(db, vault, account):
            found.append(_Untold(account.merchant_id, _account(account), _teller_of_account(account)))
    for merchant_id, plan_no in await fee_store.numbers(db):
        if not await trail.last_told(db, vault, merchant_id, "fee_plan", str(plan_no)):
            found.append(_Untold(merchant_id, f"price plan {plan_no}", _teller_of_plan(merchant_id, plan_no)))
    return found


def _account(account: bank_accounts.Account) -> str:
    return f"account of {account.beneficiary}: {account.holder}, …{account.last4}, {account.ifsc}, {account.state}"


def _teller_of_merchant(merchant_id: int) -> Callable[[Connection, Who, datetime], Awaitable[object]]:
    async def tell(conn: Connection, by: Who, now: datetime) -> None:
        await trail.told(by, f"merchant.{_TAKE_OVER}", now)(conn, merchant_id)

    return tell


def _teller_of_account(account: bank_accounts.Account) -> Callable[[Connection, Who, datetime], Awaitable[object]]:
    return lambda conn, by, now: bank_accounts.tell(conn, by, _TAKE_OVER, account, now)


def _teller_of_plan(merchant_id: int, plan_no: int) -> Callable[[Connection, Who, datetime], Awaitable[object]]:
    return lambda conn, by, now: fees.tell(conn, by, _TAKE_OVER, merchant_id, plan_no, now)
