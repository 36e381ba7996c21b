"""`hundi archive`: moves old payments to the archive, and writes its months to sealed files."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from hundi.cli.context import telling_left_out
from hundi.cli.output import DataDir, Json, check_data, fail, show
from hundi.gateway.bootstrap import open_operator_database
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.archive_files import export_month, read_lines
from hundi.infra.secrets.sealed_stream import SealedFileError
from hundi.infra.secrets.vault import known_keys
from hundi.infra.settings import Settings, load_settings
from hundi.kernel.clock import utc_now
from hundi.payments.archive import actions
from hundi.payments.archive.actions import Progress
from hundi.payments.archive.rules import ArchivePolicy, ArchiveRun

app = typer.Typer(
    help="Move payments that ended long ago into the archive; write months of it to sealed files."
)


@app.callback(invoke_without_command=True)
def archive(
    context: typer.Context,
    *,
    export: Annotated[
        Path | None,
        typer.Option(
            help="A folder for a sealed file of each month of the archive; made if missing."
        ),
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Move what ended long ago, as HUNDI_ARCHIVE_AFTER_DAYS says, while payments go on.

    Stop it whenever you like: the next run goes on where it was.
    """
    if context.invoked_subcommand is not None:
        return
    settings = load_settings(data_dir=data_dir)
    check_data(settings)
    if export is not None:
        export.mkdir(parents=True, exist_ok=True)
    result = asyncio.run(_archive(settings, export, quiet=json))
    show(result, json=json, title="Archive")


@app.command("read")
def read(
    file: Annotated[Path, typer.Argument(help="A file that `hundi archive --export` wrote.")],
    *,
    data_dir: DataDir = None,
) -> None:
    """Print the payments of an exported month, a line of JSON each.

    Needs the key file and no database.
    """
    keys = known_keys(load_settings(data_dir=data_dir))
    try:
        for piece in read_lines(file, keys):
            sys.stdout.buffer.write(piece)
    except (OSError, SealedFileError) as error:
        raise fail(f"{file} cannot be read: {error}") from error


async def _archive(settings: Settings, export: Path | None, *, quiet: bool) -> dict[str, object]:
    # Twice the longest statement: none that began before an order id was marked still runs.
    policy = ArchivePolicy(
        timedelta(days=settings.archive_after_days),
        timedelta(milliseconds=2 * settings.statement_timeout_ms),
    )
    async with open_operator_database(settings) as db:
        with _progress(quiet=quiet) as progress, telling_left_out():
            outcome = await actions.archive(db, policy, utc_now(), progress)
        result: dict[str, object] = {"moved": outcome.moved, "left": outcome.left}
        months = await actions.months(db)
        result["months"] = ", ".join(
            f"{month:%Y-%m}: {month_state.payments:,}" for month, month_state in months.items()
        )
        if export is not None:
            result["written"] = await _export(db, settings, export)
    return result


async def _export(db: Database, settings: Settings, folder: Path) -> int:
    """Write each month that changed since its file was written; return their number."""
    keys, written = known_keys(settings), 0
    for month, month_state in (await actions.months(db)).items():
        written += await export_month(folder, month, month_state, actions.lines(db, month), keys)
    return written


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Progress]:
    """Yield a callback that shows one changing line on a terminal, and nothing elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _doing, _done: None
        return

    def words(doing: str, done: ArchiveRun) -> str:
        return f"{doing}: {done.moved:,} moved, {done.left:,} left where they are"

    with console.status("archive") as status:
        yield lambda doing, done: status.update(words(doing, done))
