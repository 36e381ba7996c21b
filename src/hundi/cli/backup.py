"""`hundi backup` and `hundi restore`: sealed copies of the embedded database."""

import asyncio
import signal
import threading
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from hundi.cli.output import DataDir, Json, check_data, fail, show
from hundi.cli.progress import bar
from hundi.infra.demo_clock import actions as demo_clock
from hundi.infra.embedded import backups, restores
from hundi.infra.embedded.backups import CopiedServer
from hundi.infra.embedded.server import reach
from hundi.infra.postgres.database import open_database
from hundi.infra.postgres.migrate import is_current
from hundi.infra.postgres.roles import DATABASE, DatabaseRole
from hundi.infra.secrets.private_files import mark
from hundi.infra.secrets.vault import known_keys
from hundi.infra.settings import LAST_BACKUP_FILE, Settings, load_settings
from hundi.kernel.clock import utc_now
from hundi.money.audit import actions as audits

_BROKEN = 1
_OWN_SERVER = (
    "HUNDI_DATABASE_URL names a server of your own: back it up with its own tools"
    " (docs/database.md#backups)"
)


def backup(
    target: Annotated[
        Path, typer.Argument(help="A folder on another machine's disk; it is made if missing.")
    ],
    *,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow", help="Stay, and keep the log in the target up to date, until told to stop."
        ),
    ] = False,
    every: Annotated[
        float,
        typer.Option(
            min=0.5,
            max=3600,
            help="Seconds between two looks at the segment that is being written.",
        ),
    ] = 30.0,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Copy the running database, sealed.

    With --follow, keep the log since, for restores to any moment.
    """
    settings = _settings_of(data_dir)
    check_data(settings)
    keys = known_keys(settings)
    with reach(settings.data_dir, DATABASE):
        server = CopiedServer(settings.data_dir)
        if follow:
            stop = threading.Event()
            for word in (signal.SIGTERM, signal.SIGINT):
                signal.signal(word, lambda _number, _frame: stop.set())
            count = backups.follow(server, target, keys, every, stop)
            show({"segments": count, "target": str(target)}, json=json, title="Log followed")
            return
        with bar("copying", quiet=json) as move:
            base = backups.make_base(server, target, keys, partial(move, "copying"))
    for folder in (target, settings.data_dir):
        mark(folder / LAST_BACKUP_FILE)
    show(
        {"name": base.name, "bytes": base.bytes, "sha256": base.sha256, "key_id": base.key_id},
        json=json,
        title="Backup",
    )


def restore(
    source: Annotated[Path, typer.Argument(help="The folder that `hundi backup` wrote.")],
    *,
    to: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S%z"],
            help=(
                "The last moment that counts, such as 2026-11-22T15:04:05+05:30; without it, all"
                " there is."
            ),
        ),
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make the database of a new data directory from a backup, and audit it.

    Nothing is migrated.
    """
    settings = _settings_of(data_dir)
    keys = known_keys(settings)
    with (
        bar("restoring", quiet=json) as move,
        restores.restored(
            source, settings.data_dir, to, keys, partial(move, "restoring")
        ) as server,
    ):
        state = asyncio.run(_look(server.url(DATABASE), server.url(DATABASE, DatabaseRole.AUDIT)))
    show(
        {"restored": restores.choose(source, to).name, "to": _text(to), **state},
        json=json,
        title="Restored",
    )
    if state["holds"] == "no":
        raise typer.Exit(_BROKEN)


async def _look(owner_url: str, audit_url: str) -> dict[str, Any]:
    """Return the last moment of the restored database, and whether its books hold.

    Only the newest schema can be audited.
    """
    async with await open_database(owner_url, pool_size=1) as db:
        last = await restores.last_commit(db)
    state = {"last_commit": _text(last)}
    if not await is_current(owner_url):
        return state | {"holds": "not audited", "next": "hundi migrate, then hundi audit"}
    async with await open_database(audit_url, pool_size=2) as db:
        await demo_clock.read(db)
        report = await audits.audit(db, (), utc_now())
    broken = [each.violation for each in report.checked if each.count]
    return state | {
        "holds": "yes" if report.holds else "no",
        "broken": ", ".join(broken),
        "payments": report.figures.get("payments", 0),
        "next": (
            "start it, then hundi audit: it compares with the acquirers' books, which know what"
            " came later"
        ),
    }


def _settings_of(data_dir: str | None) -> Settings:
    settings = load_settings(data_dir=data_dir)
    if settings.database_url is not None:
        raise fail(_OWN_SERVER)
    return settings


def _text(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone(UTC).isoformat()
