"""`hundi payout`: what leaves for bank accounts, released by two people, by call or in a file."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import run
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, fail, show
from hundi.infra.secrets.private_files import write_private
from hundi.kernel.clock import utc_now
from hundi.money.payouts import actions, store
from hundi.money.payouts.files import actions as files
from hundi.money.payouts.files.rules import FILE_BYTES_MAX, FileForm, PayingAccount, ReportForm
from hundi.money.payouts.rails import PayoutChannel, leaves_at
from hundi.money.payouts.rules import PayoutState, PayoutTry

app = typer.Typer(help="Payouts: settled money on its way to bank accounts.", no_args_is_help=True)

PayoutId = Annotated[int, typer.Argument(min=1, max=ID_MAX, help="The payout's id.")]
As = Annotated[str, typer.Option("--as", help="Who does this: a person's name.")]
_LISTED_MAX = 1_000


@app.command("list")
def list_payouts(
    *,
    merchant: Annotated[
        int | None, typer.Option(min=1, max=ID_MAX, help="Of one merchant.")
    ] = None,
    state: Annotated[
        list[PayoutState] | None, typer.Option(help="In these states; several times for more.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List payouts, the newest of all merchants first, or those of one merchant in their order."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        states = [str(each) for each in state or ()]
        return [
            _line(each) for each in await store.listed(context.db, merchant, states, _LISTED_MAX)
        ]

    show(run(data_dir, act, reading=True), json=json, title="Payouts")


@app.command("show")
def show_payout(
    merchant_id: MerchantId, payout_id: PayoutId, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show what happened to a payout, in order."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        payout = await store.select(context.db, merchant_id, payout_id)
        if payout is None:
            raise fail(f"merchant {merchant_id} has no payout {payout_id}")
        events = await store.events_of(context.db, merchant_id, payout_id)
        return _line(payout) | {"code": payout.bank_code, "events": [dict(each) for each in events]}

    found = run(data_dir, act, reading=True)
    show(
        found if json else found["events"], json=json, title=f"Payout {payout_id}: {found['state']}"
    )


@app.command()
def approve(
    merchant_id: MerchantId,
    payout_id: PayoutId,
    *,
    person: As,
    by: Annotated[
        PayoutChannel | None,
        typer.Option(help="How it leaves; the first of the two people says so."),
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Release a payout: the first person proposes it, the second, another person, approves it."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        return _line(
            await actions.approve(context.db, merchant_id, payout_id, person, by, utc_now())
        )

    show(run(data_dir, act), json=json, title="Released")


@app.command()
def retry(
    merchant_id: MerchantId,
    payout_id: PayoutId,
    *,
    person: As,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Propose another payout instead of one that came to nothing, to the account as it is now."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        return _line(await actions.retry(context.db, merchant_id, payout_id, person, utc_now()))

    show(run(data_dir, act), json=json, title="Proposed")


@app.command()
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
            made = await files.again(db, vault, batch, payer)
        else:
            made = await files.export(db, vault, form, payer, person, utc_now())
        if made is None or not made.body:
            left = f"; {made.left} are left, whose cause does not hold: hundi audit" if made else ""
            raise fail(f"no approved payout waits for a file{left}")
        write_private(out, made.body.decode().removesuffix("\n"))
        return {
            "batch": str(made.batch_id),
            "payouts": made.payouts,
            "total_paise": made.paise,
            "left": made.left,
            "file": str(out),
        }

    show(run(data_dir, act), json=json, title="Sent in a file")


@app.command("import")
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
        taken = await files.take(context.db, form, body, utc_now())
        return {
            "changed": taken.changed,
            "unchanged": taken.unchanged,
            "strange": list(taken.strange),
        }

    show(run(data_dir, act), json=json, title="Report taken")


def _line(payout: PayoutTry) -> dict[str, Any]:
    return {
        "merchant_id": str(payout.merchant_id),
        "payout_id": str(payout.payout_id),
        "share_id": str(payout.share_id),
        "beneficiary": payout.beneficiary,
        "account_no": payout.account_no,
        "amount_paise": payout.amount_paise,
        "state": payout.state,
        "by": payout.channel,
        "rail": payout.rail,
        "leaves_at": leaves_at(payout.rail, payout.sent_at or utc_now()),
        "utr": payout.utr,
        "maker": payout.maker,
        "checker": payout.checker,
        "try_no": payout.try_no,
        "since": payout.created_at,
    }
