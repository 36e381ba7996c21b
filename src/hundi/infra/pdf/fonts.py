"""The fonts of documents: a font for each script, and which one draws a letter.

They are parts of Noto Sans under the SIL Open Font License (`fonts/OFL.txt`), which
`tools/write_fonts.py` cuts; nothing is fetched from anywhere
(docs/decisions/0090-dates-and-documents-in-ten-languages.md).
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

FOLDER = Path(__file__).parent / "fonts"
LATIN = "NotoSans"
BLOCKS = {
    0x0900: "NotoSansDevanagari",
    0x0980: "NotoSansBengali",
    0x0A00: "NotoSansGurmukhi",
    0x0A80: "NotoSansGujarati",
    0x0B80: "NotoSansTamil",
    0x0C00: "NotoSansTelugu",
    0x0C80: "NotoSansKannada",
    0x0D00: "NotoSansMalayalam",
}
"""The font of a script, by the first of its 128 places in Unicode; each has Latin letters, too."""
_BLOCK = 0x80
_STOPS, _STOPS_BLOCK = frozenset("\u0964\u0965"), 0x0900
"""Full stops of all scripts, which stand among Devanagari's letters."""
_PARTS = re.compile(r"\s+|\S+")
_UNKNOWN = "?"
DRAWING = RLock()
"""A font notes the letters of the document that is drawn: one document at a time."""


def known(name: str) -> None:
    """Make a font known to the library, as it is in its file."""
    pdfmetrics.registerFont(TTFont(name, FOLDER / f"{name}.ttf"))


def renew() -> None:
    """Forget what earlier documents noted in the fonts: only then a document has the same bytes."""
    for name in {LATIN, *BLOCKS.values()} & {*pdfmetrics.getRegisteredFontNames()}:
        known(name)


@cache
def letters_of(name: str) -> frozenset[int]:
    """Return the letters that a font has."""
    with DRAWING:
        known(name)
    font: Any = pdfmetrics.getFont(name)
    return frozenset(font.face.charToGlyph)


_STAND_INS = str.maketrans({"\N{MINUS SIGN}": "\N{EN DASH}"})
"""Signs that no font has, by one that looks alike."""


def runs(text: str) -> Iterator[tuple[str, str]]:
    """Yield (font, part) for each word and each space between words.

    The library joins the letters of a word by the rules of one font: that of the first letter of
    another script than Latin. A letter that this font lacks is a question mark.
    """
    for part in _PARTS.findall(text.translate(_STAND_INS)):
        scripts = [BLOCKS.get(ord(each) // _BLOCK * _BLOCK) for each in part if each not in _STOPS]
        # A stop behind figures alone is drawn by the script in whose block it stands.
        otherwise = LATIN if _STOPS.isdisjoint(part) else BLOCKS[_STOPS_BLOCK]
        font = next(filter(None, scripts), otherwise)
        letters = letters_of(font)
        yield (
            font,
            part
            if part.isspace()
            else "".join(each if ord(each) in letters else _UNKNOWN for each in part),
        )


def has_letters(text: str) -> bool:
    """Return whether a text can be drawn without question marks for letters."""
    return "".join(part for _, part in runs(text)) == text.translate(_STAND_INS)
