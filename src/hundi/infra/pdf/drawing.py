"""Draws documents: texts of any script, tables, pictures. The same parts give the same bytes."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.colors import Color, HexColor, grey
from reportlab.lib.enums import TA_LEFT, TA_RIGHT
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable, Image, LongTable, Paragraph, SimpleDocTemplate, Spacer

from hundi.infra.pdf.fonts import DRAWING, LATIN, letters_of, renew, runs

MARGIN = 18 * mm
_PADDING = 6
"""What the library leaves free around a page's content, in points."""
WIDTH = A4[0] - 2 * (MARGIN + _PADDING)
"""The width of everything on a page, in points."""
INK, QUIET, LINE = HexColor("#1c1b22"), HexColor("#5c5a66"), HexColor("#d9d7e0")
_WORD_LENGTH_MAX = 40
_CELL_SIZE, _CELL_SIZE_MIN, _CELL_PADDING = 7, 4.5, 3
_COLUMN_MAX = 150
"""Of a list's widest column, in points; longer texts take several lines."""
_LEADING = 1.4
"""Between two lines, as a part of the size: vowel signs stand above and below the letters."""


def text(
    words: str, size: float = 10, *, colour: Color = INK, right: bool = False, rigid: bool = False
) -> Paragraph:
    """Return a paragraph.

    size: of its letters, in points. rigid: lines break at any letter, as they do within Latin words
    that no line can hold.
    """
    letters_of(LATIN)
    rigid |= _is_latin(words) and any(len(word) > _WORD_LENGTH_MAX for word in words.split())
    style = ParagraphStyle(
        "text",
        fontName=LATIN,
        fontSize=size,
        leading=size * _LEADING,
        textColor=colour,
        alignment=TA_RIGHT if right else TA_LEFT,
        wordWrap="CJK" if rigid else None,
        shaping=not rigid,
    )
    parts = (
        f'<font name="{font}">{escape(part)}</font>' if font != LATIN else escape(part)
        for font, part in runs(words)
    )
    return Paragraph("".join(parts).replace("\n", "<br/>"), style)


def heading(words: str) -> Paragraph:
    """Return the heading of a document."""
    return text(words, 18)


def gap(millimetres: float) -> Spacer:
    """Return empty space between two parts."""
    return Spacer(1, millimetres * mm)


def picture(content: bytes, width: float, height: float) -> Image:
    """Return a PNG or JPEG within a width and height in points, its sides in their proportion."""
    return Image(BytesIO(content), width, height, kind="proportional", hAlign="LEFT")


def grid(
    rows: Sequence[Sequence[str]],
    widths: Sequence[float],
    *,
    head: bool = True,
    small: bool = False,
) -> LongTable:
    """Return a table with lines around each cell. head: its first row is that of every page."""
    size = 6 if small else 9
    cells = [[text(each, size, rigid=_is_latin(each)) for each in row] for row in rows]
    return _table(
        cells,
        widths,
        [("GRID", (0, 0), (-1, -1), 0.25, grey), ("VALIGN", (0, 0), (-1, -1), "TOP")],
        head=head,
    )


def ruled(
    rows: Sequence[Sequence[Flowable | Sequence[Flowable]]], widths: Sequence[float]
) -> LongTable:
    """Return a table with a hairline between its rows, as wide as the page."""
    style = [
        ("LINEBELOW", (0, 0), (-1, -2), 0.5, LINE),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (0, -1), 0),
        ("RIGHTPADDING", (-1, 0), (-1, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), 5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
    ]
    return _table(rows, widths, style, head=False)


def listed(
    head: Sequence[str], rows: Sequence[Sequence[str]], is_money: Sequence[bool]
) -> LongTable:
    """Return a table of many rows for a page that lies on its side.

    Its columns are as wide as their texts ask, and their letters so small that no word or amount is
    broken. is_money: which columns stand at the right.
    """
    letters_of(LATIN)
    size, widths = _widths([head, *rows])
    style: list[Any] = [
        ("LINEBELOW", (0, 0), (-1, -1), 0.25, LINE),
        ("LINEBELOW", (0, 0), (-1, 0), 0.75, INK),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), _CELL_PADDING),
        ("RIGHTPADDING", (0, 0), (-1, -1), _CELL_PADDING),
        ("FONT", (0, 0), (-1, -1), LATIN, size),
    ]
    style += [("ALIGN", (at, 0), (at, -1), "RIGHT") for at, money in enumerate(is_money) if money]
    cells = [
        [_fitted(*cell, size) for cell in zip(row, widths, is_money, strict=True)]
        for row in (head, *rows)
    ]
    return _table(cells, widths, style, head=True)


def _widths(rows: Sequence[Sequence[str]]) -> tuple[float, list[float]]:
    """Return the size of letters and the widths of columns, all of them as the page is.

    Each is as wide as its longest text asks; where that is too wide, no less than its longest word.
    """
    columns = [list({row[place] for row in rows}) for place in range(len(rows[0]))]
    words = [max((_longest(each) for each in column), key=_length) for column in columns]
    room = landscape(A4)[0] - 2 * (MARGIN + _PADDING)
    padding = 3 * _CELL_PADDING
    least_of_all = sum(min(_length(word), _COLUMN_MAX) for word in words)
    shrunk = min(1.0, (room - padding * len(words)) / least_of_all) if least_of_all else 1.0
    size = max(_CELL_SIZE * shrunk, _CELL_SIZE_MIN)
    least = [min(_length(word, size), _COLUMN_MAX) + padding for word in words]
    wanted = [
        min(max(_length(each, size) for each in column), _COLUMN_MAX) + padding
        for column in columns
    ]
    if sum(wanted) <= room or sum(least) >= room:
        basis = wanted if sum(wanted) <= room else least
        return size, [room * width / sum(basis) for width in basis]
    share = (room - sum(least)) / (sum(wanted) - sum(least))
    return size, [low + share * (high - low) for low, high in zip(least, wanted, strict=True)]


def _longest(words: str) -> str:
    return max(words.split(), key=len, default="")


def _length(words: str, size: float = _CELL_SIZE) -> float:
    return stringWidth(words, LATIN, size)


def _fitted(words: str, width: float, is_money: bool, size: float) -> str | Paragraph:  # noqa: FBT001 (of a column)
    """Return a cell: a text that fits into its column, or a paragraph, which costs much more."""
    if _is_latin(words) and _length(words, size) + 2 * _CELL_PADDING <= width:
        return "".join(part for _, part in runs(words))
    return text(words, size, right=is_money)


def _table(
    rows: Sequence[Any], widths: Sequence[float], style: Sequence[Any], *, head: bool
) -> LongTable:
    table = LongTable(list(rows), colWidths=list(widths), repeatRows=1 if head else 0)
    table.setStyle(style)
    return table


def _is_latin(words: str) -> bool:
    return all(font == LATIN for font, _ in runs(words))


def drawn(title: str, parts: Sequence[Flowable], *, lying: bool = False) -> bytes:
    """Return a document of A4 pages as PDF.

    title: what its window shows. lying: the pages lie on their side, and are numbered.
    """
    file = BytesIO()
    # Without its clock and its random numbers the library draws the same bytes again.
    document = SimpleDocTemplate(
        file,
        pagesize=landscape(A4) if lying else A4,
        title=title,
        invariant=1,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN,
    )
    with DRAWING:
        renew()
        numbered: dict[str, Any] = (
            {"onFirstPage": _numbered, "onLaterPages": _numbered} if lying else {}
        )
        document.build(list(parts), **numbered)
    return file.getvalue()


def _numbered(canvas: Any, document: Any) -> None:  # noqa: ANN401 (of the library)
    """Write the number of a page at its foot."""
    canvas.setFont(LATIN, _CELL_SIZE)
    canvas.drawRightString(document.pagesize[0] - MARGIN, 10 * mm, f"Page {document.page}")
