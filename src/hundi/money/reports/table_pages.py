"""Draws a report of many lines as PDF: the same report gives the same bytes."""

from collections.abc import Collection, Sequence

from hundi.infra.pdf.drawing import drawn, gap, heading, listed, text
from hundi.kernel.money import MINUS, group_indian


def table_pdf(
    title: str,
    facts: Sequence[str],
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    amounts: Collection[str],
) -> bytes:
    """Return a report of any kind as PDF, its pages numbered and lying on their side.

    facts: sentences below the title. amounts: the names of the columns with amounts in rupees.
    """
    is_money = [name in amounts for name in head]
    names = [name.replace("_", " ") for name in head]
    lines = [
        [_grouped(each) if money else each for money, each in zip(is_money, row, strict=True)]
        for row in rows
    ]
    parts = [heading(title), *map(text, facts), gap(6), listed(names, lines, is_money)]
    return drawn(title, parts, lying=True)


def _grouped(text: str) -> str:
    """Return an amount such as `-149900.50` as people in India read it, "" for none."""
    if not text:
        return ""
    whole, _, rest = text.removeprefix("-").partition(".")
    return f"{MINUS if text.startswith('-') else ''}{group_indian(int(whole))}.{rest}"
