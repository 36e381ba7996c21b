"""Charts as SVG from the server: shapes alone.

Colours come from the stylesheet, text stands beside.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from hundi.kernel.money import PAISE_PER_RUPEE

WIDTH, HEIGHT = 1000, 200
_GAP = 0.25
"""The empty share of a bar's place."""
_LAKH, _CRORE, _THOUSAND = 100_000, 10_000_000, 1_000


@dataclass(frozen=True, slots=True)
class Point:
    """One value: its name, its number, and the number as text."""

    name: str
    number: float
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """One figure: its title, its bars, and the same values as a table.

    kind: "columns" for times from left to right, "bars" for a list of names. heads: of the table.
    drawn: one picture of all columns, or one bar for each point. most: the value of the highest
    column.
    """

    title: str
    summary: str
    kind: str
    points: Sequence[Point]
    heads: tuple[str, ...]
    drawn: Markup | Sequence[Markup]
    most: str = ""
    empty: str = ""


def columns(values: Sequence[float], mark: str = "") -> Markup:
    """Return upright bars, one for each value, in proportion to the greatest.

    mark: the class of another colour.
    """
    most, place = max((*values, 0)) or 1, WIDTH / max(len(values), 1)
    drawn = [
        Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
            f"bar {mark}".strip(),
            f"{number * place + place * _GAP / 2:.1f}",
            f"{HEIGHT - HEIGHT * value / most:.1f}",
            f"{place * (1 - _GAP):.1f}",
            f"{HEIGHT * value / most:.1f}",
        )
        for number, value in enumerate(values)
        if value > 0
    ]
    lines = [
        Markup('<line class="rule" x1="0" x2="{}" y1="{}" y2="{}"/>').format(WIDTH, y, y)
        for y in (0.5, HEIGHT / 2, HEIGHT - 0.5)
    ]
    return _framed(lines + drawn, WIDTH, HEIGHT, "columns")


def bar(part: float, mark: str = "") -> Markup:
    """Return one horizontal bar that fills a part, 0 to 1, of its place."""
    back = Markup('<rect class="place" x="0" y="0" width="100" height="10"/>')
    front = Markup('<rect class="{}" x="0" y="0" width="{}" height="10"/>').format(
        f"bar {mark}".strip(), f"{100 * min(max(part, 0), 1):.1f}"
    )
    return _framed([back, front], 100, 10, "lying")


def _framed(pieces: Sequence[Markup], width: int, height: int, name: str) -> Markup:
    frame = (
        '<svg class="{}" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true"'
        ' focusable="false">{}</svg>'
    )
    return Markup(frame).format(name, width, height, Markup("").join(pieces))  # noqa: S704 (text of this file alone)


def short(paise: int) -> str:
    """Return a short form of an amount: ₹950, ₹12.4k, ₹3.1L, ₹2.0Cr."""
    rupees = paise / PAISE_PER_RUPEE
    for least, letter in ((_CRORE, "Cr"), (_LAKH, "L"), (_THOUSAND, "k")):
        if abs(rupees) >= least:
            return f"₹{rupees / least:.1f}{letter}"
    return f"₹{rupees:.0f}"
