"""Results for people: a table where every word fits whole, else one line for each value."""

import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hundi.verbs.results import in_rupees, text_of

_EDGES = 3
"""Width of a column's edge and of the spaces around its words.

The table's last edge is one more.
"""
_INDENT = "  "


def draw(result: Mapping[str, Any] | Sequence[Mapping[str, Any]], title: str) -> None:
    """Print an object as two columns, several as a table, or as lists on a narrow terminal."""
    console = Console(markup=False, emoji=False, highlight=False)
    if isinstance(result, Mapping):
        entries = [in_rupees(result)]
        head, rows = ["", ""], [[str(name), text_of(value)] for name, value in entries[0].items()]
    else:
        entries = [in_rupees(each) for each in result]
        head = list(entries[0]) if entries else ["nothing yet"]
        rows = [[text_of(entry[name]) for name in head] for entry in entries]
    widths = _widths([head, *rows], console.width - 1)
    if widths is None:
        _list(entries, title, console.width)
        return
    table = Table(title=title or None, title_justify="left", show_header=any(head))
    for name, width in zip(head, widths, strict=True):
        table.add_column(
            Text(name), width=width, style="" if any(head) or table.columns else "bold"
        )
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def _widths(rows: list[list[str]], room: int) -> list[int] | None:
    """Return the width of each column; None when the longest words do not fit."""
    columns = list(zip(*rows, strict=True))
    widths = [
        max((cell_len(word) for cell in column for word in cell.split()), default=0)
        for column in columns
    ]
    spare = room - sum(widths) - _EDGES * len(columns)
    if spare < 0:
        return None
    widest = [
        max((cell_len(line) for cell in column for line in cell.split("\n")), default=0)
        for column in columns
    ]
    # Narrow columns get their width first, so that as few columns as possible break lines.
    for index in sorted(range(len(columns)), key=lambda each: widest[each] - widths[each]):
        more = min(spare, widest[index] - widths[index])
        widths[index] += more
        spare -= more
    return widths


def _list(entries: list[Mapping[str, Any]], title: str, width: int) -> None:
    """Print objects below each other.

    A word longer than a line stays whole: the terminal breaks it.
    """
    blocks = [
        "\n".join(_line(str(name), text_of(value), width) for name, value in entry.items())
        for entry in entries
    ]
    sys.stdout.write("\n\n".join([title, *blocks] if title else blocks) + "\n")


def _line(name: str, value: str, width: int) -> str:
    line = f"{name}: {value}".rstrip()
    if "\n" not in value and cell_len(line) <= width:
        return line
    wrapped = [
        piece
        for each in value.split("\n")
        for piece in textwrap.wrap(
            each,
            width,
            initial_indent=_INDENT,
            subsequent_indent=_INDENT,
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]
    return "\n".join([f"{name}:", *wrapped])
