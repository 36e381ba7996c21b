"""`hundi payout export`, `import`: payouts in a bank's own files."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hundi.cli.context import run
from hundi.cli.output import ID_MAX, DataDir, Json, fail, show
from hundi.gateway.bootstrap import OperatorContext
from hundi.infra.secrets.private_files import write_private
from hundi.kernel.clock import utc_now
from hundi.money.payouts.files import actions as files
from hundi.money.payouts.files.rules import FILE_BYTES_MAX, FileForm, PayingAccount, ReportForm

As = Annotated[str, typer.Option("--as", help="Who does this: a person's name.")]


def export(
    out: Annotated[
        Path, typer.Argument(help="Where the file is written; only its owner can read it.")
    ],
    *,
    person: As,
    form: Annotated[FileForm, typer.Option("--format", help="What the bank takes.")] = FileForm.CSV,
    batch: Annotated[
        int | None, typer.Option(min=1, max=ID_MAX, help="Write this file again, to the byte.")
    ] = None,
    from_name: Annotated[str, typer.Option(help="Whose account payouts leave from.")] = "",
    from_account: Annotated[str, typer.Option(help="Its number.")] = "",
    from_ifsc: Annotated[str, typer.Option(help="Its branch.")] = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Send the approved payouts of a bank that leave by file, and write that file."""
    payer = PayingAccount(from_name, from_account, from_ifsc)

    async def act(context: OperatorContext) -> dict[str, Any]:
        db, vault = context.db, context.vault
        if batch is not None:
            files.check(payer, person)
            payout_file = await files.again(db, vault, batch, payer)
        else:
            payout_file = await files.export(
                db, vault, form, payer, person, utc_now(), begun=_say_number
            )
        if payout_file is None or not payout_file.body:
            left = (
                f"; {payout_file.left} are left, whose cause does not hold: hundi audit"
                if payout_file
                else ""
            )
            raise fail(f"no approved payout waits for a file{left}")
        write_private(out, payout_file.body.decode().removesuffix("\n"))
        return {
            "batch": str(payout_file.batch_id),
            "payouts": payout_file.payouts,
            "total_paise": payout_file.paise,
            "left": payout_file.left,
            "file": str(out),
        }

    show(run(data_dir, act), json=json, title="Sent in a file")


def _say_number(batch_id: int) -> None:
    """Say a file's number while nothing is sent, for one who has to write it again."""
    typer.echo(f"file {batch_id} begins; if this breaks off, give --batch {batch_id}", err=True)


def import_report(
    report: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="What the bank gave back.")
    ],
    *,
    person: As,
    form: Annotated[
        ReportForm, typer.Option("--format", help="What it looks like.")
    ] = ReportForm.CSV,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Take a bank's report: UTRs, refusals and returns. The same report again changes nothing."""
    if report.stat().st_size > FILE_BYTES_MAX:
        raise fail(f"{report} has more than {FILE_BYTES_MAX} bytes")
    body = report.read_bytes()

    async def act(context: OperatorContext) -> dict[str, Any]:
        files.check(PayingAccount(), person)
        outcome = await files.take(context.db, form, body, utc_now())
        return {
            "changed": outcome.changed,
            "unchanged": outcome.unchanged,
            "strange": list(outcome.strange),
        }

    show(run(data_dir, act), json=json, title="Report taken")


COMMANDS = {"export": export, "import": import_report}
"""Commands that read or write a bank's files."""
