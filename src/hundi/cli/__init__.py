"""The command line: `hundi NOUN VERB`.

A command's module is loaded when it is called, so that every command starts fast.
"""

import sys
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

from hundi.infra.errors import OperatorError

if TYPE_CHECKING:
    from typer import Typer

_COMMANDS = {
    "serve": (
        "serve",
        (
            "Start everything on this machine: database, gateway, worker and, for a demo, a bank"
            " and a shop."
        ),
    ),
    "merchant": ("merchant", "Merchants: who may take payments, with which secrets and settings."),
    "payment": ("payment", "Payments: what happened to one, from the order to the postings."),
    "delivery": (
        "delivery",
        "Deliveries: notifications to merchants' servers, and sending them again.",
    ),
    "route": ("route", "Routing: which acquirer takes a payment: show, try on past payments, set."),
    "risk": ("risk", "Risk rules: show, check, try on past payments, publish."),
    "review": ("review", "Payments that a risk rule holds: list, release, reject."),
    "acquirer": (
        "acquirer",
        "Accounts at acquirers: add, rotate and disable them, and what to try before money moves.",
    ),
    "reconcile": (
        "reconcile",
        "Statements against the books: import, what differs, corrections by two people.",
    ),
    "refusal": ("refusal", "Refused requests: the exact reason, for the merchant's developer."),
    "link": ("link", "Payment links: amounts that are paid at an address of their own."),
    "subscription": ("subscription", "Subscriptions: mandates, their debits, and stopping them."),
    "dispute": ("dispute", "Disputes: what customers' banks want back, and what is answered."),
    "split": ("split", "Splits: linked accounts, and how a payment is shared with them."),
    "fee": ("fee", "Fees: merchants' price plans, and what a payment costs."),
    "calendar": ("calendar", "The days on which banks settle, for each centre."),
    "report": ("report", "Reports: extracts of the books, for merchants and accountants."),
    "settlement": ("settlement", "Settlements: what merchants are owed, day by day."),
    "bank-account": (
        "bank_account",
        "Bank accounts that merchants are paid out to, and whose they are.",
    ),
    "payout": ("payout", "Payouts: settled money to bank accounts, released by two people."),
    "staff": ("staff", "People of the console: invite, list, roles, remove, reset, sessions."),
    "partner": (
        "partner",
        "Partners: who may call the auxiliary interfaces, and what they called.",
    ),
    "card": ("card", "Cards of a partner's programme: issue, lock, block, replace."),
    "lead": ("lead", "Leads: businesses that want to become merchants."),
    "pos": ("pos", "Terminals in merchants' shops, and what was sold through them."),
    "register": ("register", "The simulated registers of businesses, holders and cards."),
    "call": ("call", "Call the gateway as a merchant: each operation once, and its reply."),
    "listen": (
        "listen",
        "Print a merchant's notifications, and send them on to a server of this machine.",
    ),
    "audit": ("audit", "Check every promise of the books; show what to keep elsewhere."),
    "simulate": (
        "simulate",
        "Live through hours of faults by a seed, and audit the money independently.",
    ),
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
    "settings": ("settings", "Show every setting, secrets masked."),
    "api": ("parts", "Serve the interfaces and the payment page alone."),
    "worker": ("parts", "Run the later work alone."),
    "metrics": ("parts", "Serve the counters of this machine's processes on a port of their own."),
    "simbank": ("parts", "Run the simulated bank network alone."),
    "migrate": ("parts", "Bring the database to the newest schema, and its roles to their rights."),
    "database": (
        "database",
        "The database alone: run it, with a standby; its roles on a server of your own.",
    ),
}
"""Command → (module, words).

The module has a Typer `app` of several verbs, or one function of the command's name.
"""

_PARTS = {"api", "worker", "metrics", "simbank", "migrate", "prepare", "history"}
_CANNOT = 2


def main() -> None:
    """Run one command and exit: status 0 when it succeeded, 2 when it could not be carried out."""
    arguments = sys.argv[1:]
    try:
        _check_text(arguments)
        if arguments == ["--version"]:
            sys.stdout.write(f"hundi {version('hundi')}\n")
            return
        if arguments and arguments[0] in _PARTS and "--help" not in arguments:
            # The parts of a running gateway take settings: without Typer each of them is 8 MB and
            # 0.1 s lighter, and 3 MB and 0.1 s more without Rich, which structlog would load for
            # coloured tracebacks that no part prints.
            sys.modules["rich"] = None  # pyright: ignore[reportArgumentType]
            parts = import_module("hundi.cli.parts")
            called_with = parts.place(arguments[0], arguments[1:])
            getattr(parts, arguments[0])(**called_with)
        else:
            application(arguments[0] if arguments else "")()
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


def _check_text(arguments: list[str]) -> None:
    """Raise OperatorError for an argument that is no text: no database or message could hold it."""
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
        help="A payment gateway for India. `hundi --version` tells which.",
        no_args_is_help=True,
        add_completion=False,
        # Older releases of it show them with each traceback: secrets that were typed in are among
        # them.
        pretty_exceptions_show_locals=False,
    )

    @root.callback()
    def nouns() -> None:
        """Keep the name of a command that is loaded alone, and log lines out of its output."""
        try:
            from hundi.infra import logs
        except ModuleNotFoundError:
            return  # without the extra `server` there is nothing that logs
        logs.configure_command()

    for command in [name] if name in _COMMANDS else _COMMANDS:
        module_name, words = _COMMANDS[command]
        try:
            module = import_module(f"hundi.cli.{module_name}")
        except ModuleNotFoundError:
            if name in _COMMANDS:
                raise
            continue
        verbs = getattr(module, "app", None)
        if verbs is None:
            root.command(command, help=words)(getattr(module, command))
        else:
            root.add_typer(verbs, name=command, help=words)
    return root
