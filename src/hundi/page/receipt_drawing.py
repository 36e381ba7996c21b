"""Draws a receipt as PDF: the same receipt gives the same bytes."""

from collections.abc import Iterator

from reportlab.platypus import Flowable

from hundi.infra.pdf.drawing import QUIET, WIDTH, drawn, gap, picture, ruled, text
from hundi.infra.pdf.fonts import has_letters
from hundi.page.receipt import Line, Receipt
from hundi.page.texts import Say

LOGO_WIDTH, LOGO_HEIGHT = 160.0, 48.0
"""The largest logo, in points."""
_LABELS = 0.36
"""The part of the width that labels take."""
_SUMS = 0.68
_TOTAL_SIZE = 13


def receipt_pdf(receipt: Receipt, say: Say) -> bytes:
    """Return a receipt as a document. A last sentence says if a letter could not be drawn."""
    return drawn(f"{receipt.title} · {receipt.payee[0]}", list(_parts(receipt, say)))


def _parts(receipt: Receipt, say: Say) -> Iterator[Flowable]:
    if receipt.logo:
        yield picture(receipt.logo, LOGO_WIDTH, LOGO_HEIGHT)
        yield gap(4)
    name, *details = receipt.payee
    yield ruled(
        [
            [
                [text(name, 16), *(text(line, 9, colour=QUIET) for line in details)],
                [text(receipt.title, 16, right=True),
                 text(receipt.when, 9, colour=QUIET, right=True)],
            ]
        ],
        (WIDTH * 0.6, WIDTH * 0.4),
    )  # fmt: skip
    yield gap(8)
    yield ruled(
        [[text(label, 9, colour=QUIET), text(value)] for label, value in receipt.facts],
        (WIDTH * _LABELS, WIDTH * (1 - _LABELS)),
    )
    yield gap(8)
    if receipt.items:
        yield _amounts(receipt.items)
        yield gap(4)
    yield _amounts(receipt.sums, total=True)
    notes = list(receipt.notes)
    if not all(map(has_letters, receipt.texts)):
        notes.append(say("receipt_letters"))
    yield gap(8)
    for note in notes:
        yield text(note, 8, colour=QUIET)
        yield gap(1)


def _amounts(lines: tuple[Line, ...], *, total: bool = False) -> Flowable:
    size = [_TOTAL_SIZE if total and place == len(lines) - 1 else 10 for place in range(len(lines))]
    return ruled(
        [
            [text(label, points), text(amount, points, right=True)]
            for (label, amount), points in zip(lines, size, strict=True)
        ],
        (WIDTH * _SUMS, WIDTH * (1 - _SUMS)),
    )
