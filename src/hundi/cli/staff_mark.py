"""`hundi staff mark`: marks rows that are older than the marks and entries that prove rows."""

from typing import Annotated, Any

import typer

from hundi.cli.context import by_command, run
from hundi.cli.output import DataDir, Json, show
from hundi.gateway import upgrades
from hundi.gateway.bootstrap import OperatorContext
from hundi.kernel.clock import utc_now
from hundi.staff.people.proofs import actions as proofs
from hundi.staff.people.proofs.actions import UnprovedPerson


def mark(
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Mark what is shown.")] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show what nothing proves, as after an upgrade; with --yes, mark it.

    People, merchants, their secrets, bank and linked accounts, price plans, settlement terms,
    partners and accounts at acquirers: without a proof nobody signs in, no role counts, nothing is
    paid out to an account, and the audit names the row. Look at each: whoever wrote it, it holds
    from then on. It is done once: what has no mark later was written by SQL.
    """

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        people = await proofs.unproved(context.db, context.vault)
        rows = await upgrades.unproved_rows(context.db, context.vault)
        if yes:
            rows = await upgrades.take_over(
                context.db, people, rows, by_command(context), utc_now()
            )
        rows_shown = [
            {"who": str(row.merchant_id or "the operator"), "what": row.what} for row in rows
        ]
        return [_line(person) for person in people] + rows_shown

    show(
        run(data_dir, act),
        json=json,
        title="Marked" if yes else "Without a mark; to mark them: --yes",
    )


def _line(person: UnprovedPerson) -> dict[str, Any]:
    what = ["password and second factor"] if person.password else []
    what += [f"{person.codes} recovery codes"] if person.codes else []
    what += [f"{role} at {place or 'the operator'}" for place, role in person.roles.items()]
    return {"who": f"{person.person.name} <{person.person.email}>", "what": ", ".join(what)}


COMMANDS = {"mark": mark}
"""The command beside the verbs of `hundi staff`."""
