"""`hundi client`: names the kind of a shop's client by a message that was recorded."""

import json
import re
import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from hundi.cli import browser_copies
from hundi.merchants.directory.clients.detection import rules
from hundi.merchants.directory.clients.detection.rules import (
    ClientSign,
    RecordedAnswer,
    RecordedRequest,
)
from hundi.wire import envelope
from hundi.wire.merchant.old_kits import KIT_OPERATIONS, START

app = typer.Typer(help="Existing clients: which kind one is.", no_args_is_help=True)

STDIN = "-"
_REQUEST = re.compile(r"[A-Z]+ (\S+)(?: HTTP/[0-9.]+)?\s*\Z")
_ANSWER = re.compile(r"HTTP/[0-9.]+ ([0-9]{3})\b")
_OLD_ENDINGS = tuple(path for kit in (START, *KIT_OPERATIONS) for path in kit.paths)
_OLD_NAMES = frozenset(name for kit in KIT_OPERATIONS for name in kit.names) | {"transactions"}
"""Fields that only operations of old kits have outside `encdata`."""
_PRIVATE = re.compile(r"[^\s@/]+@[^\s@/]+|[0-9a-fA-F]{16,}|(?=[\w+=-]*[0-9])[\w+=-]{16,}", re.ASCII)
"""Addresses of people, and texts that could be a key, a token or a number of a card."""


@app.callback()
def noun() -> None:
    """Tell the kinds of existing clients apart."""


@app.command()
def detect(
    file: Annotated[
        Path,
        typer.Argument(
            help="A recorded request of the client, or its answer to a notification, with or"
            " without the HTTP head, or what a browser gives of it: a HAR file, a copy as a curl"
            " command, a copy as fetch; - for standard input."
        ),
    ] = Path(STDIN),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,  # noqa: FBT002 (typer turns it into a flag)
) -> None:
    """Name a client's kind and settings, with the reasons. Exit code 1 when nothing is known."""
    try:
        text = sys.stdin.read() if str(file) == STDIN else file.read_text("utf-8", "replace")
    except OSError as error:
        typer.echo(f"{file} cannot be read: {error.strerror}", err=True)
        raise typer.Exit(2) from None
    what, signs = _first_signs(browser_copies.messages_of(text))
    kinds, commands = rules.kinds_of(signs), rules.commands_of(signs)
    if as_json:
        reasons = [_masked(sign.reason) for sign in signs]
        told = {"read": what, "kinds": kinds, "settings": commands, "reasons": reasons}
        typer.echo(json.dumps(told, ensure_ascii=False))
    else:
        typer.echo(f"read as: {what}")
        typer.echo(f"kind: {' and '.join(kinds) or 'none that is known'}")
        typer.echo("\n".join(f"because {_masked(sign.reason)}" for sign in signs) or _nothing())
        typer.echo("\n".join(f"run: {command}" for command in commands), nl=bool(commands))
    if not kinds:
        raise typer.Exit(1)


def _masked(reason: str) -> str:
    return _PRIVATE.sub("***", reason)


def _first_signs(messages: list[str]) -> tuple[str, tuple[ClientSign, ...]]:
    """Return what was read and shown by the first message of which a kind is known."""
    if len(messages) == 1:
        return _signs(messages[0])
    for number, message in enumerate(messages, 1):
        _, signs = _signs(message)
        if rules.kinds_of(signs):
            return f"request {number} of {len(messages)} that have a body", signs
    return f"{len(messages)} requests that have a body", ()


def _signs(text: str) -> tuple[str, tuple[ClientSign, ...]]:
    """Return what a text was read as, and what it shows."""
    first, _, _ = text.lstrip().partition("\n")
    head, body = _parted(text.lstrip())
    answered = _ANSWER.match(first)
    if answered:
        return "an answer", rules.of_answer(RecordedAnswer(int(answered[1]), body))
    posted = _REQUEST.match(first.strip())
    path = urlsplit(posted[1]).path if posted else ""
    try:
        outer = envelope.parse_outer(_content_type(head) if posted else "", body.strip().encode())
    except envelope.UnreadableEnvelope:
        outer = envelope.OuterEnvelope()
    if not posted and not (
        outer.merchant_id and (outer.privatekey or outer.encdata or outer.extra)
    ):
        return "an answer", rules.of_answer(RecordedAnswer(0, text))
    return "a request", rules.of_request(_recorded(path, outer))


def _recorded(path: str, outer: envelope.OuterEnvelope) -> RecordedRequest:
    fields = {**outer.extra, "mercid": outer.merchant_id, "checksum": outer.checksum}
    is_old = path.endswith(_OLD_ENDINGS) or path.endswith(START.paths[0].rstrip("/"))
    if not path:
        is_old = not outer.privatekey if outer.encdata else bool(_OLD_NAMES & {*fields})
    return RecordedRequest(path, is_old, bool(outer.encdata), fields)


def _parted(text: str) -> tuple[str, str]:
    """Return head and body of a recorded message; one without a head is all body."""
    first, _, _ = text.partition("\n")
    if not (_ANSWER.match(first) or _REQUEST.match(first.strip())):
        return "", text
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    return head, body


def _content_type(head: str) -> str:
    return next(
        (
            line.partition(":")[2].strip()
            for line in head.splitlines()
            if line.lower().startswith("content-type:")
        ),
        "",
    )


def _nothing() -> str:
    return (
        "because it shows nothing that sets kinds apart. A handler may answer 200 to what it could"
        " not read: `hundi delivery show` prints each try, docs/clients.md what its code shows."
    )
