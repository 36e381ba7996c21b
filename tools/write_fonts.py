"""Cuts Noto's fonts down to the letters that documents need, into `infra/pdf/fonts`.

`tools/write_fonts.py FOLDER`: where Noto's TrueType files lie, on Debian
`/usr/share/fonts/truetype/noto` of the package fonts-noto-core. Each font keeps its script with all
rules for joining letters, and gets the Latin letters, because a word is drawn by one font. Hints
for low resolutions go. The same files give the same bytes.
"""

import sys
import tempfile
from pathlib import Path

from fontTools.merge import Merger
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from hundi.infra.pdf.fonts import BLOCKS, FOLDER, LATIN

ASCII = range(0x20, 0x7F)
_OF_LATIN = (
    range(0xA0, 0x180),
    range(0x1E00, 0x1F00),
    range(0x2010, 0x2045),
    range(0x20A0, 0x20C0),
)
_OF_ANY = (
    0xA0,
    0xB7,
    0x200B,
    0x2013,
    0x2014,
    0x2018,
    0x2019,
    0x201C,
    0x201D,
    0x2022,
    0x2026,
    0x20B9,
)
_JOINING = (0x964, 0x965, 0x200C, 0x200D, 0x25CC)
_NAME_IDS = [0, 1, 2, 3, 4, 5, 6, 13, 14]
"""Names, copyright and licence stay in the file."""


def cut(source: Path, letters: set[int]) -> TTFont:
    """Return a font with some letters alone."""
    options = Options(layout_features=["*"], hinting=False, notdef_outline=True)
    options.name_IDs = _NAME_IDS
    font = TTFont(source, recalcTimestamp=False)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    return font


def joined(script: TTFont, latin: TTFont) -> TTFont:
    """Return a script's font with Latin letters beside its own."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, name)) for name in ("script.ttf", "latin.ttf")]
        for font, path in zip((script, latin), paths, strict=True):
            font.save(path)
        whole = Merger().merge(paths)
    # The time of the run would change the bytes.
    whole.recalcTimestamp = False
    for name in ("created", "modified"):
        setattr(whole["head"], name, getattr(script["head"], name))
    return whole


def main(folder: Path) -> None:
    """Write every font."""
    FOLDER.mkdir(exist_ok=True)
    every = {*ASCII, *_OF_ANY, *(letter for part in _OF_LATIN for letter in part)}
    cut(folder / f"{LATIN}-Regular.ttf", every).save(FOLDER / f"{LATIN}.ttf")
    for first, name in BLOCKS.items():
        own = {*range(first, first + 0x80), *_JOINING}
        script = cut(folder / f"{name}-Regular.ttf", own)
        latin = cut(
            folder / f"{LATIN}-Regular.ttf", {*ASCII, *_OF_ANY} - set(script.getBestCmap() or ())
        )
        joined(script, latin).save(FOLDER / f"{name}.ttf")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
