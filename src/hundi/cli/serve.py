"""`hundi serve`: runs the whole gateway as one process group that leaves no process behind."""

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import IO, Annotated, Any, cast
from urllib.parse import urlsplit

import msgspec
import typer

from hundi.cli.environments import environments, mailbox_socket, phones
from hundi.cli.output import DataDir, Json
from hundi.cli.parts import MIGRATED
from hundi.infra import plugins
from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.embedded.server import EmbeddedPostgres
from hundi.infra.errors import OperatorError
from hundi.infra.monitoring.folder import empty_folder
from hundi.infra.postgres.roles import DATABASE, SIMBANK_DATABASE, DatabaseRole
from hundi.infra.processes import (
    DRAIN_S,
    PYTHON,
    ProcessGroup,
    end_with_parent,
    leave_no_core,
    leaving_when_asked,
    say,
)
from hundi.infra.secrets.private_files import write_private
from hundi.infra.settings import ACQUIRER_KEY_FILE, DEMO_FILE, Settings, load_settings
from hundi.infra.sockets import listen, listen_each

NO_ACQUIRER = (
    "no acquirer is configured, so nobody can pay but by accounts that were added (hundi acquirer"
    " list). "
    "Add one (docs/acquirer-accounts.md), or start with --demo to try everything on a simulated"
    " bank."
)
NO_TLS = (
    "%s is reached without TLS: cards, passwords and keys cross the network readable. "
    "Put a proxy that speaks TLS in front and set HUNDI_BASE_URL to its https:// address "
    "(docs/proxy.md)."
)
HISTORY_DAYS_MAX = 60
_READY_S_MAX = 60.0
_ANSWER_S_MAX = 2.0
_STATUS_LINE_BYTES = 32
_POLL_S = 0.03
_ACQUIRER_KEY_BYTES = 32
_OTHERS_AND_GROUP = 0o077


def serve(
    *,
    demo: Annotated[
        bool | None,
        typer.Option("--demo", help="With demo merchants, a simulated bank and a shop."),
    ] = None,
    history: Annotated[
        int,
        typer.Option(
            min=0,
            max=HISTORY_DAYS_MAX,
            help="Fill an empty demo with the business of so many days.",
        ),
    ] = 0,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on (default 127.0.0.1).")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on (default 8080).")] = None,
    data_dir: DataDir = None,
    workers: Annotated[int | None, typer.Option(help="API processes (default 1).")] = None,
    simbank_port: Annotated[
        int | None, typer.Option(help="The simulated bank's port (default: port + 1).")
    ] = None,
    face: Annotated[
        str | None, typer.Option(help="The demo's bank: bank, aggregator or aggregator_direct.")
    ] = None,
    json: Json = False,
) -> None:
    """Start everything on this machine and stay until told to stop (Ctrl-C or SIGTERM)."""
    began = time.perf_counter()
    of_bank = {"simbank_port": simbank_port, "simbank_face": face}
    settings = load_settings(
        demo=demo, host=host, port=port, data_dir=data_dir, workers=workers, **of_bank
    )
    if settings.demo:
        plugins.check_demo()
    leave_no_core()
    # Logs and the shop's orders hold customers' data: other users may read none of our files.
    os.umask(_OTHERS_AND_GROUP)
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    with leaving_when_asked(), ExitStack() as stack:
        sockets = _Sockets.opened(settings, stack)
        postgres = _start_postgres(settings, stack)
        own = postgres if settings.database_url is None else None
        settings = _complete(settings, postgres)
        told = environments(settings, own)
        empty_folder(settings.data_dir)
        group = ProcessGroup(os.environ, say)
        stack.callback(group.stop, DRAIN_S)
        # Before the children end: nobody is let into a queue that no child serves any more.
        for each in sockets.gateway:
            stack.callback(each.close)
        past = _demo_history(settings, history, stack)
        waited_for = past if past is not None and past.wanted else None
        document = _prepare(told, group, sockets, waited_for)
        for each in sockets.gateway:
            group.start("api", [*PYTHON, "api"], each, told["api"] | _told(waited_for))
        if sockets.metrics is not None:
            group.start("metrics", [*PYTHON, "metrics"], sockets.metrics, told["api"])
        _await_ready(settings, group)
        if document:
            write_private(settings.data_dir / DEMO_FILE, document)
        _show(settings, time.perf_counter() - began, json=json)
        for warning in _warnings(settings):
            say(warning)
        if waited_for is None:
            group.stay(partial(_revive, postgres))
            return
        waited_for.start(told["history"])

        def watch() -> None:
            _revive(postgres)
            waited_for.tend()

        group.stay(watch)


@dataclass(frozen=True, slots=True)
class _Sockets:
    """The sockets that children serve on; they outlive each child."""

    gateway: list[socket.socket]
    simbank: socket.socket | None
    metrics: socket.socket | None

    @classmethod
    def opened(cls, settings: Settings, stack: ExitStack) -> "_Sockets":
        gateway = listen_each(settings.host, settings.port, settings.workers)
        return cls(
            [stack.enter_context(each) for each in gateway],
            stack.enter_context(listen(settings.host, settings.simbank_port, "HUNDI_SIMBANK_PORT"))
            if settings.demo
            else None,
            stack.enter_context(listen(settings.host, settings.metrics_port, "HUNDI_METRICS_PORT"))
            if settings.metrics_port
            else None,
        )


def _warnings(settings: Settings) -> Iterator[str]:
    """Yield the warnings for an operator who wants to go live."""
    if not settings.acquirers and not settings.acquirer_key:
        yield NO_ACQUIRER
    for address in dict.fromkeys((settings.base_url, settings.payment_page_url)):
        if not settings.demo and not address.startswith("https://"):
            yield NO_TLS % address


# --- what must be there before the first child ---


def _demo_history(settings: Settings, days: int, stack: ExitStack) -> plugins.DemoHistory | None:
    if not settings.demo or not days:
        return None
    past = plugins.demo_history()(settings.data_dir, days)
    stack.callback(past.stop)
    return past


def _start_postgres(settings: Settings, stack: ExitStack) -> EmbeddedPostgres | None:
    databases = [] if settings.database_url else [DATABASE]
    if settings.demo and not settings.simbank_database_url:
        databases.append(SIMBANK_DATABASE)
    return (
        stack.enter_context(embedded_postgres.start(settings.data_dir, databases=databases))
        if databases
        else None
    )


def _complete(settings: Settings, postgres: EmbeddedPostgres | None) -> Settings:
    """Fill in the settings that only a supervisor knows.

    These are the databases' addresses, and of a demo the key that gateway and bank share, and the
    socket of its mailbox.
    """
    changes: dict[str, Any] = {"acquirer_key": settings.acquirer_key}
    if postgres is not None:
        changes["database_url"] = settings.database_url or postgres.url(
            DATABASE, DatabaseRole.GATEWAY
        )
        if settings.demo:
            changes["simbank_database_url"] = settings.simbank_database_url or postgres.url(
                SIMBANK_DATABASE
            )
    if settings.demo and not settings.acquirer_key:
        path = settings.data_dir / ACQUIRER_KEY_FILE
        if not path.exists():
            write_private(path, secrets.token_hex(_ACQUIRER_KEY_BYTES))
        changes["acquirer_key"] = path.read_text().strip()
    if settings.demo:
        changes["smtp_socket"] = mailbox_socket(settings)
        changes |= phones(settings, changes["acquirer_key"])
    return msgspec.structs.replace(settings, **changes)


# --- starting ---


def _prepare(
    told: Mapping[str, dict[str, str]],
    group: ProcessGroup,
    sockets: "_Sockets",
    past: plugins.DemoHistory | None,
) -> str:
    """Migrate, start each child as soon as it can work, and return the content of `demo.json`.

    The first child migrates, so that this lasting process loads neither the migrations nor the
    gateway.
    """
    preparing = subprocess.Popen(  # noqa: S603 (our own arguments)
        [*PYTHON, "prepare"],
        env=told["prepare"] | _told(past),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
        preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 (takes no lock)
    )
    with preparing:
        try:
            document = _follow(preparing, told, group, sockets, past)
        except BaseException:
            preparing.kill()
            raise
    if preparing.returncode != 0:
        message = "the gateway could not be prepared; the lines above say why"
        raise OperatorError(message)
    return document


def _told(past: plugins.DemoHistory | None) -> dict[str, str]:
    """Return the environment variables of a child beside a history in the making."""
    return {} if past is None else past.told


def _follow(
    preparing: subprocess.Popen[str],
    told: Mapping[str, dict[str, str]],
    group: ProcessGroup,
    sockets: "_Sockets",
    past: plugins.DemoHistory | None,
) -> str:
    """Start whatever needs only the schema once it exists, and return the first child's output.

    past: a history made beside them. Until it is complete, the worker works on the present, and the
    bank delays its later work.
    """
    output = cast("IO[str]", preparing.stdout)
    if output.readline().strip() == MIGRATED:
        group.start("worker", [*PYTHON, "worker"], environment=told["worker"] | _told(past))
        if sockets.simbank is not None:
            held = {} if past is None else past.bank_told
            environment = told["simbank"] | held
            group.start("simbank", [*PYTHON, "simbank"], sockets.simbank, environment)
    return output.read().strip()


def _await_ready(settings: Settings, group: ProcessGroup) -> None:
    """Wait until every server answers."""
    waiting = {settings.port: "/health/ready"}
    if settings.demo:
        waiting[settings.simbank_port] = "/control/dial"
    if settings.metrics_port:
        waiting[settings.metrics_port] = "/health/live"
    host = (
        urlsplit(settings.base_url).hostname
        if settings.host in {"0.0.0.0", "::"}  # noqa: S104 (recognised, not bound)
        else settings.host
    )
    give_up = time.monotonic() + _READY_S_MAX
    while waiting:
        group.tend()
        waiting = {
            port: path for port, path in waiting.items() if not _answers(str(host), port, path)
        }
        if waiting and time.monotonic() > give_up:
            ports = ", ".join(map(str, waiting))
            message = (
                f"not ready after {_READY_S_MAX:.0f} s: no good answer from port {ports}; the"
                " lines above say why"
            )
            raise OperatorError(message)
        time.sleep(_POLL_S)


def _answers(host: str, port: int, path: str) -> bool:
    """Ask without an HTTP library, which would stay in this process's memory."""
    with (
        suppress(OSError),
        socket.create_connection((host, port), timeout=_ANSWER_S_MAX) as connection,
    ):
        connection.sendall(f"GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
        return connection.recv(_STATUS_LINE_BYTES).startswith((b"HTTP/1.0 200", b"HTTP/1.1 200"))
    return False


# --- running ---


def _revive(postgres: EmbeddedPostgres | None) -> None:
    if postgres is not None:
        postgres.keep_running(say)


def _show(settings: Settings, took_s: float, *, json: bool) -> None:
    """Print all addresses, from a process of its own: Rich would stay in this one's memory."""
    sys.stdout.flush()
    if json:
        sys.stdout.write(
            msgspec.json.encode({"ready_after_s": round(took_s, 3)} | _places(settings)).decode()
            + "\n"
        )
        sys.stdout.flush()
        return
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        return
    try:
        _print_addresses(settings, took_s)
    finally:
        os._exit(0)


def _places(settings: Settings) -> dict[str, str]:
    """Return the addresses by name, for scripts."""
    places = {"base_url": settings.base_url, "payment_page_url": settings.payment_page_url}
    if settings.docs_dir is not None:
        places["docs_url"] = f"{settings.base_url}/docs/"
    if settings.demo:
        places |= {
            "shop_url": f"{settings.base_url}/demo-shop/",
            "simbank_url": settings.simbank_url,
            "console_url": _signed_in(settings),
            "demo_file": str(settings.data_dir / DEMO_FILE),
        }
    return places


def _signed_in(settings: Settings) -> str:
    """Return the one-time link that signs a demo's person in, for ten minutes."""
    return msgspec.json.decode((settings.data_dir / DEMO_FILE).read_bytes())["console"][
        "signed_in_url"
    ]


def _print_addresses(settings: Settings, took_s: float) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(
        title=f"Hundi is ready after {took_s:.1f} s",
        title_justify="left",
        show_header=False,
        title_style="bold",
    )
    words = {
        "shop_url": "Demo shop: start here",
        "base_url": "Gateway",
        "simbank_url": "Simulated bank",
        "demo_file": "Keys of the demo merchants",
        "docs_url": "Documentation",
    }
    places = _places(settings)
    for name in (each for each in words if each in places):
        table.add_row(words[name], places[name])
    table.add_row("Stop", "Ctrl-C")
    Console(file=sys.stdout).print(table)
    if settings.demo:
        # A line of its own: in a narrow window the table would break the link.
        sys.stdout.write(f"Console, signed in once, for ten minutes: {places['console_url']}\n")
    sys.stdout.flush()
