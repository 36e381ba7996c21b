"""Charts as SVG from the server: shapes alone.

Colours come from the stylesheet, text stands beside.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from hundi.kernel.money import PAISE_PER_RUPEE

WIDTH, HEIGHT = 1000, 200
_GAP = 0.25
"""The empty share of a bar's place."""
_SEEN = 4
"""The height of a bar of 0."""
_LAKH, _CRORE, _THOUSAND = 100_000, 10_000_000, 1_000


@dataclass(frozen=True, slots=True)
class Point:
    """One value: its name, its number, and the number as text.

    more: further cells of its row in the table. href: of the list behind it, "" for none.
    """

    name: str
    number: float
    text: str
    note: str = ""
    more: tuple[str, ...] = ()
    href: str = ""


@dataclass(frozen=True, slots=True)
class ChartMark:
    """Something that happened while a chart's columns came about. place: the column's number."""

    place: int
    at: datetime
    words: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class ComparedColumn:
    """A column beside an earlier one; each from 0 to 1, None for none. title: all in words."""

    part: float | None
    before: float | None
    title: str
    href: str


@dataclass(frozen=True, slots=True)
class Chart:
    """One figure: its title, its bars, and the same values as a table.

    kind: "columns" for times from left to right, "bars" for a list of names. heads: of the table.
    drawn: one picture of all columns, or one bar for each point. most: the value of the highest
    column. key: what the shapes mean. marks: what happened meanwhile.
    """

    title: str
    summary: str
    kind: str
    points: Sequence[Point]
    heads: tuple[str, ...]
    drawn: Markup | Sequence[Markup]
    most: str = ""
    empty: str = ""
    key: str = ""
    marks: Sequence["ChartMark"] = ()


def columns(points: Sequence[Point], mark: str = "") -> Markup:
    """Return upright bars, one for each point, in proportion to the greatest.

    A bar leads to the list behind it, which the keyboard reaches by the table. mark: the class of
    another colour.
    """
    most = max((point.number for point in points), default=0) or 1
    place = WIDTH / max(len(points), 1)
    drawn = list[Markup]()
    for number, point in enumerate(points):
        if point.number <= 0:
            continue
        height = HEIGHT * point.number / most
        bar = Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
            f"bar {mark}".strip(),
            f"{number * place + place * _GAP / 2:.1f}",
            f"{HEIGHT - height:.1f}",
            f"{place * (1 - _GAP):.1f}",
            f"{height:.1f}",
        )
        title = f"{point.name}: {point.text}"
        drawn.append(_leading(bar, number * place, place, title, point.href) if point.href else bar)
    lines = [
        Markup('<line class="rule" x1="0" x2="{}" y1="{}" y2="{}"/>').format(WIDTH, y, y)
        for y in (0.5, HEIGHT / 2, HEIGHT - 0.5)
    ]
    return _framed(lines + drawn, WIDTH, HEIGHT, "columns")


def compared(drawn: Sequence[ComparedColumn], marks: Sequence[ChartMark]) -> Markup:
    """Return upright bars, the earlier value of each as a line across it, and upright lines.

    A bar of 0 is still seen. Each leads to the list behind it, which the keyboard reaches by the
    table.
    """
    place = WIDTH / max(len(drawn), 1)
    pieces = [
        Markup('<line class="rule" x1="0" x2="{}" y1="{}" y2="{}"/>').format(WIDTH, y, y)
        for y in (0.5, HEIGHT / 2, HEIGHT - 0.5)
    ]
    for number, column in enumerate(drawn):
        left = number * place
        shapes = [_upright(left, place, column.part)] if column.part is not None else []
        if column.before is not None:
            y = f"{HEIGHT - HEIGHT * column.before:.1f}"
            shapes.append(
                Markup('<line class="before" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
                    f"{left:.1f}", f"{left + place:.1f}", y, y
                )
            )
        if shapes and column.href:
            pieces.append(_leading(Markup("").join(shapes), left, place, column.title, column.href))
        else:
            pieces += shapes
    for mark in marks:
        x = f"{(mark.place + 0.5) * place:.1f}"
        pieces.append(
            Markup('<line class="change" x1="{}" x2="{}" y1="0" y2="{}"/>').format(x, x, HEIGHT)
        )
    return _framed(pieces, WIDTH, HEIGHT, "columns")


def _leading(shapes: Markup, left: float, place: float, title: str, href: str) -> Markup:
    """Return shapes that lead to a list from the whole height of their place."""
    hit = Markup('<rect class="hit" x="{}" y="0" width="{}" height="{}"/>').format(
        f"{left:.1f}", f"{place:.1f}", HEIGHT
    )
    return Markup('<a href="{}" tabindex="-1"><title>{}</title>{}{}</a>').format(
        href, title, shapes, hit
    )


def _upright(left: float, place: float, part: float) -> Markup:
    height = max(HEIGHT * part, _SEEN)
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        "bar" if part else "bar bad",
        f"{left + place * _GAP / 2:.1f}",
        f"{HEIGHT - height:.1f}",
        f"{place * (1 - _GAP):.1f}",
        f"{height:.1f}",
    )


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
