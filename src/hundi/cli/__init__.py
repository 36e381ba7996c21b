"""The command line: `hundi NOUN VERB`.

A command's module is loaded when it is called, so that every command starts fast.
"""

import errno
import gc
import sys
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from hundi.infra import plugins
from hundi.infra.errors import OperatorError
from hundi.verbs.table import NOUNS

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from typer import Typer

VERBS = "verbs"
"""The module of the commands made from verbs."""
_COMMANDS = {
    "serve": (
        "serve",
        (
            "Start everything on this machine: database, gateway, worker and, for a demo, a bank"
            " and a shop."
        ),
    ),
    "merchant": (VERBS, NOUNS["merchant"]),
    "payment": (VERBS, NOUNS["payment"]),
    "delivery": (VERBS, NOUNS["delivery"]),
    "route": (VERBS, NOUNS["route"]),
    "risk": (VERBS, NOUNS["risk"]),
    "review": (VERBS, NOUNS["review"]),
    "acquirer": (VERBS, NOUNS["acquirer"]),
    "status": (VERBS, NOUNS["status"]),
    "reconcile": (VERBS, NOUNS["reconcile"]),
    "refusal": (VERBS, NOUNS["refusal"]),
    "link": (VERBS, NOUNS["link"]),
    "subscription": (VERBS, NOUNS["subscription"]),
    "dispute": (VERBS, NOUNS["dispute"]),
    "complaint": (VERBS, NOUNS["complaint"]),
    "split": (VERBS, NOUNS["split"]),
    "fee": (VERBS, NOUNS["fee"]),
    "calendar": (VERBS, NOUNS["calendar"]),
    "report": (VERBS, NOUNS["report"]),
    "settlement": (VERBS, NOUNS["settlement"]),
    "bank-account": (VERBS, NOUNS["bank-account"]),
    "payout": (VERBS, NOUNS["payout"]),
    "staff": (VERBS, NOUNS["staff"]),
    "mcp": (VERBS, NOUNS["mcp"]),
    "partner": (VERBS, NOUNS["partner"]),
    "card": ("card", "Cards of a partner's programme: issue, lock, block, replace."),
    "lead": (VERBS, NOUNS["lead"]),
    "letter": (VERBS, NOUNS["letter"]),
    "template": (VERBS, NOUNS["template"]),
    "consent": (VERBS, NOUNS["consent"]),
    "pos": (VERBS, NOUNS["pos"]),
    "register": ("register", "The simulated registers of businesses, holders and cards."),
    "client": ("client", "Existing clients: which kind one is, by a message of it."),
    "call": ("call", "Call the gateway as a merchant: each operation once, and its reply."),
    "listen": (
        "listen",
        "Print a merchant's notifications, and send them on to a server of this machine.",
    ),
    "audit": ("audit", "Check every promise of the books; show what to keep elsewhere."),
    "page": (
        "page",
        "The payment page: its scripts, signed, and whether it arrives as it is sent.",
    ),
    "envelope": ("envelope", "Open, seal and explain encrypted messages."),
    "keys": ("keys", "The keys that secrets are sealed with."),
    "archive": (
        "archive",
        "Move payments that ended long ago; write months of them to sealed files.",
    ),
    "scrub": (
        "scrub",
        (
            "Look for card and Aadhaar numbers that were kept before they were masked; mask them"
            " with --apply."
        ),
    ),
    "backup": (
        "backup",
        "Copy the embedded database, sealed; with --follow, keep its log as well.",
    ),
    "restore": ("backup", "Make a database from a backup, as it was at a moment."),
    "doctor": ("doctor", "Look at an installation, change nothing, and say what to do."),
    "settings": ("settings", "Show every setting, secrets masked."),
    "api": ("parts", "Serve the interfaces and the payment page alone."),
    "worker": ("parts", "Run the later work alone."),
    "metrics": ("parts", "Serve the counters of this machine's processes on a port of their own."),
    "migrate": ("parts", "Bring the database to the newest schema, and its roles to their rights."),
    "database": (
        "database",
        "The database alone: run it, with a standby; its roles on a server of your own.",
    ),
}
"""Command → (module, words).

The module has a Typer `app` of several verbs, or one function of the command's name.
"""

_PARTS = {"api", "worker", "metrics", "migrate", "prepare"}
_COMPLETION = ("--install-completion", "--show-completion")
_CANNOT = 2


def main() -> None:
    """Run one command and exit: status 0 when it succeeded, 2 when it could not be carried out."""
    arguments = sys.argv[1:]
    try:
        _check_text(arguments)
        if arguments == ["--version"]:
            sys.stdout.write(f"hundi {version('hundi')}\n")
            return
        name = arguments[0] if arguments else ""
        if name in _COMPLETION:
            from hundi.cli import completions

            sys.stdout.write(completions.answer(arguments[1:], installs=name == _COMPLETION[0]))
            return
        if "--help" in arguments or not _ran_as_process(name, arguments[1:]):
            _loaded(name)()
    except OperatorError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(_CANNOT)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("hundi"):
            raise
        sys.stderr.write(
            f"{error.name} is not installed: this command needs the extra hundi[server]\n"
        )
        sys.exit(_CANNOT)
    except OSError as error:
        words = _words_of(error)
        if not words:
            raise
        sys.stderr.write(f"{words}\n")
        sys.exit(_CANNOT)


def _words_of(error: OSError) -> str:
    """Return what to do about a file that cannot be used, "" for any other error."""
    place = f"{error.filename}: " if error.filename else ""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return f"{place}the disk is full: make room there, then run this again"
    if place and error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return f"{place}{error.strerror}: run this as the user who may use it, or give it to them"
    return ""


def _loaded(name: str) -> "Typer":
    """Return the application of a command, for which nobody looked for garbage: all of it stays."""
    gc.disable()
    loaded = application(name)
    gc.freeze()
    gc.enable()
    return loaded


def _ran_as_process(name: str, options: list[str]) -> bool:
    """Run a process of a gateway until it ends; return False for any other command.

    Processes read settings, not options. Without Typer each is 8 MB and 0.1 s lighter; without
    Rich, which structlog loads for coloured tracebacks, 3 MB and 0.1 s more.
    """
    process = None if name in _COMMANDS else plugins.process(name)
    if name not in _PARTS and process is None:
        return False
    sys.modules["rich"] = None  # pyright: ignore[reportArgumentType]
    parts = import_module("hundi.cli.parts")
    called_with = parts.place(name, options)
    (process or getattr(parts, name))(**called_with)
    return True


def _check_text(arguments: list[str]) -> None:
    """Raise OperatorError for an argument that is no text in UTF-8."""
    for each in arguments:
        try:
            each.encode()
        except UnicodeEncodeError:
            message = f"{each!r} is no text in UTF-8"
            raise OperatorError(message) from None


def application(name: str = "") -> "Typer":
    """Return the Typer application with the named command, or with all for the help page."""
    from typer import Typer

    root = Typer(
        name="hundi",
        help=(
            "A payment gateway for India. `hundi --version` tells which, and `hundi"
            " --install-completion bash` (or zsh, fish) has your shell complete its commands."
        ),
        no_args_is_help=True,
        # Older releases of typer show local variables, with secrets, in each traceback.
        pretty_exceptions_show_locals=False,
        # Typer's own asks the gateway at each Tab, which takes a second.
        add_completion=False,
    )

    @root.callback()
    def nouns() -> None:
        """Keep the name of a single command, and keep log lines out of its output."""
        try:
            from hundi.infra import logs
        except ModuleNotFoundError:
            return  # without the extra `server` nothing writes logs
        logs.configure_command()

    others = {} if name in _COMMANDS else plugins.commands()
    names = {*_COMMANDS, *others}
    plugins.check_command(name)
    for command in [name] if name in names else [*_COMMANDS, *others]:
        try:
            words, verbs = _own(command) if command in _COMMANDS else _other(others[command])
        except ModuleNotFoundError:
            if name in names:
                raise
            continue
        if isinstance(verbs, Typer):
            root.add_typer(verbs, name=command, help=words)
        else:
            root.command(command, help=words)(verbs)
    return root


def _own(command: str) -> tuple[str, Any]:
    """Return the help of a gateway's command, and its function or application."""
    name, words = _COMMANDS[command]
    module = import_module(f"hundi.cli.{name}")
    if name == VERBS:
        return words, module.app_of(command)
    return words, getattr(module, "app", None) or getattr(module, command)


def _other(point: "EntryPoint") -> tuple[str, Any]:
    """Return the same of another distribution's command; its words are its own first line."""
    verbs = point.load()
    info = getattr(verbs, "info", None)
    words = (verbs.__doc__ or "") if info is None else info.help
    return words.partition("\n")[0], verbs
