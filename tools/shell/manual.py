"""Writes the manual page `hundi.1` from the commands."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from hundi.cli.described import Command

_INTRODUCTION = """\
.SH NAME
hundi \\- payment gateway for India
.SH SYNOPSIS
.B hundi
.I COMMAND
.RI [ ARGUMENT ...]
.RI [ OPTION ...]
.br
.B hundi \\-\\-version
.SH DESCRIPTION
Hundi takes payments for merchants: it shows the payment page, asks acquirers, tells merchants,
keeps the books, settles and pays out.
.B hundi serve
runs all of it on one machine, with a PostgreSQL of its own; api, worker and metrics are its
processes alone, for a PostgreSQL of yours. The other commands are an operator's.
.PP
Settings are options, before variables
.RB ( HUNDI_* ),
before credentials (files in the folder that
.B CREDENTIALS_DIRECTORY
names, for secrets), before the file that
.B HUNDI_CONFIG
names;
.B hundi settings
shows them. Every command has
.BR \\-\\-help .
"""
_END = """\
.SH EXIT STATUS
.TP
.B 0
The command succeeded.
.TP
.B 1
Something that it checked is not so; it tells what. A promise of the books that does not hold, for
example.
.TP
.B 2
It could not be carried out. One sentence on standard error says why.
.SH SEE ALSO
The gateway serves its documentation at
.IR /docs/ .
"""


def manual(commands: Sequence[Command], version: str, day: datetime) -> str:
    """Return the page in man's own language. day: of the version."""
    head = f'.TH HUNDI 1 "{day:%Y-%m-%d}" "Hundi {version}" "User Commands"\n'
    # Lines with one long word, such as a list of choices, cannot be stretched to both margins.
    head += ".ad l\n"
    return head + _INTRODUCTION + ".SH COMMANDS\n" + "".join(_sections(commands)) + _END


def _sections(commands: Sequence[Command]) -> Iterator[str]:
    for command in commands:
        if len(command.path) == 1:
            continue
        if command.below:
            if len(command.path) == len(("hundi", "noun")):
                yield f".SS {_text(' '.join(command.path))}\n{_text(command.words)}\n"
            continue
        usage = " ".join((*command.path, *command.arguments))
        yield f".TP\n.B {_text(usage)}\n{_paragraphs(command.text)}"
        if command.options:
            yield ".RS\n"
            for option in command.options:
                shown = _text(option.shown).replace("|", "|\\:")  # where a line may end
                yield f".TP\n.B {shown}\n{_text(' '.join(option.words.split()))}\n"
            yield ".RE\n"


def _paragraphs(text: str) -> str:
    paragraphs = (_text(" ".join(each.split())) for each in text.split("\n\n"))
    return "\n.IP\n".join(paragraphs) + "\n"


def _text(words: str) -> str:
    """Return words so that none is read as a command of the formatter."""
    escaped = words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped
