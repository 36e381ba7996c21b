"""What prose names is there.

Files, modules and what stands in them, in pages, docstrings and comments.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hundi.infra.settings import SECRETS
from hundi.infra.settings_sources import CREDENTIAL_PREFIX
from tests.docs.examples import ROOT
from tests.house.source import Source, everything, files

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
RECIPES = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("\n## Recipes\n")[1].split("\n## ")[0]
BELOW = ("", "src", "src/hundi", "src/hundi_testbed")
"""Folders from which a path may be told."""
MADE_BY_THE_READER = {"0003_noun.py", "page/templates/_CODE.html"}
OTHERS = {
    "ccavenue.py",
    "models/form.py",
    "scripts/backend-python/webhook_handler.py",
    "paytmchecksum/PaytmChecksum.py",
    "transaction_v2.py",
    "tests/test_client_utility.py",
    "tests/helpers.py",
}
"""Files of other projects, beside whose names their project stands."""
OTHERS_FOLDERS = ("tests/acquirers/phonepe/", "src/hundi/acquirers/phonepe/")
"""Where the files named test_… are those of the acquirer's own kit."""
GROUPS = {"hundi.acquirers", "hundi.commands", "hundi.demo", "hundi.processes", "hundi.registers"}
"""Groups of entry points, which look like modules."""
CREDENTIALS = {f"{CREDENTIAL_PREFIX}{name}" for name in SECRETS}
OF_ACQUIRERS = f"{CREDENTIAL_PREFIX}acquirers.NAME", f"{CREDENTIAL_PREFIX}acquirers.payu.salt"
"""Files of secrets, which look like modules."""
FILES = (".js", ".css", ".toml", ".pot", ".po", ".mo", ".md", ".json", ".target", ".conf")

_FILE = re.compile(r"(?<![\w./:*$~<-])(?:[\w-]+/)*[\w-]+\.py\b(?![\w/-])")
_DOTTED = re.compile(r"(?<![\w./:@$\"-])(?:hundi|hundi_testbed|tests|tools)(?:\.[A-Za-z_]\w*)+")
_ROOMS = "|".join(
    sorted(
        path.name for path in (ROOT / "src" / "hundi").iterdir() if (path / "__init__.py").is_file()
    )
)
_BELOW_HUNDI = re.compile(rf"`((?:{_ROOMS})(?:\.[A-Za-z_]\w*)+)`")
"""In the code the first word is left out; in pages these are columns, too."""
_PLACED = re.compile(r"`([A-Za-z_]\w+)`(?:'s)? (?:in|of) `((?:[\w-]+/)+[\w-]+\.py)`")
_QUOTED = re.compile(r"`([^`]+)`")
_PATH = re.compile(r"(?!\.)[\w./]*(?:/[\w.]+|\.(?:py|md|toml))")
_NAME = re.compile(r"[A-Za-z_]+")


class Prose(NamedTuple):
    """A piece of text that people read. place: its file and line."""

    place: str
    text: str


def of_page(page: Path) -> Iterator[Prose]:
    """Yield the paragraphs of a page outside its examples."""
    text = re.sub(
        r"```.*?```",
        lambda block: "\n" * block[0].count("\n"),
        page.read_text("utf-8"),
        flags=re.DOTALL,
    )
    for part in re.finditer(r"(?:.+\n?)+", text):
        yield Prose(f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, part.start()) + 1}", part[0])


def of_source(source: Source) -> Iterator[Prose]:
    """Yield the docstrings and comments of a file."""
    for line, text in source.prose():
        yield Prose(f"{source.name}:{line}", text)


@cache
def prose() -> tuple[Prose, ...]:
    """Return all that people read."""
    read = [each for page in PAGES for each in of_page(page)]
    return tuple(
        read
        + [
            each
            for source in everything()
            if source.stem != "test_named"
            for each in of_source(source)
        ]
    )


@cache
def ours() -> frozenset[str]:
    """Return the path of each Python file, and every end of it that begins at a folder."""
    paths = [source.name.split("/") for source in (*everything(), *files("examples/**/*.py"))]
    return frozenset("/".join(path[start:]) for path in paths for start in range(len(path)))


def lost_files(piece: Prose) -> list[str]:
    """Return the Python files that a text names and that are nowhere."""
    theirs = piece.place.startswith(OTHERS_FOLDERS)
    named = [
        each[0]
        for each in _FILE.finditer(piece.text)
        if not (theirs and each[0].startswith("test_"))
    ]
    return [each for each in named if each not in ours() | MADE_BY_THE_READER | OTHERS]


@cache
def is_there(dotted: str) -> bool:
    """Return whether a dotted name is a folder or a module, or stands in one."""
    parts = dotted.split(".")
    for folder in (ROOT / "src", ROOT / "src" / "hundi", ROOT):
        for many in range(len(parts), 0, -1):
            path = folder.joinpath(*parts[:many])
            file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            if file.is_file():
                return all(
                    re.search(rf"\b{name}\b", file.read_text("utf-8")) for name in parts[many:]
                )
    return False


def lost_names(piece: Prose) -> list[str]:
    """Return the dotted names that lead nowhere."""
    patterns = (
        (_DOTTED,) if piece.place.partition(":")[0].endswith(".md") else (_DOTTED, _BELOW_HUNDI)
    )
    found = [each[0].strip("`") for pattern in patterns for each in pattern.finditer(piece.text)]
    dotted = [each for each in found if not each.endswith(FILES)]
    others = {*GROUPS, *CREDENTIALS}
    return [
        each
        for each in dotted
        if each not in others and not each.startswith(OF_ACQUIRERS) and not is_there(each)
    ]


def misplaced(piece: Prose) -> list[str]:
    """Return what is said to be in a file, and does not stand there."""
    lost: list[str] = []
    for name, path in _PLACED.findall(" ".join(piece.text.split())):
        found = [(ROOT / folder / path) for folder in BELOW if (ROOT / folder / path).is_file()]
        if found and not re.search(rf"\b{name}\b", found[0].read_text("utf-8")):
            lost.append(f"{name} in {path}")
    return lost


def test_every_file_that_is_named_is_there() -> None:
    assert [(each.place, lost) for each in prose() if (lost := lost_files(each))] == []


def test_every_dotted_name_leads_somewhere() -> None:
    assert [(each.place, lost) for each in prose() if (lost := lost_names(each))] == []


def test_what_is_said_to_be_in_a_file_stands_there() -> None:
    assert [(each.place, lost) for each in prose() if (lost := misplaced(each))] == []
    assert sum(len(_PLACED.findall(each.text)) for each in prose()) > 10, (
        "the pattern still finds what it is for"
    )


def lost_paths(text: str) -> list[str]:
    """Return the quoted paths that lead nowhere, of whichever kind; those of a command, too."""
    words = [word for each in _QUOTED.findall(text) for word in each.split()]
    paths = [each for each in words if _PATH.fullmatch(each) and each not in MADE_BY_THE_READER]
    return [each for each in paths if not any((ROOT / folder / each).exists() for folder in BELOW)]


def lost_words(text: str) -> list[str]:
    """Return the quoted names, such as `TransactionRecord` or `CHANGED`, that stand in no file."""
    source = "\n".join(each.text for each in everything() if each.stem != "test_named")
    names = [
        each for each in _QUOTED.findall(text) if _NAME.fullmatch(each) and each != each.lower()
    ]
    return [each for each in names if not re.search(rf"\b{each}\b", source)]


def test_the_recipes_name_paths_and_names_that_are_there() -> None:
    assert lost_paths(RECIPES) == []
    assert lost_words(RECIPES) == []


def test_what_is_gone_is_found() -> None:
    gone = Prose(
        "docs/a.md:1",
        "See payments/gone.py, kernel/money.py and `hundi.kernel.money.Gone`, hundi.kernel.money.",
    )
    assert lost_files(gone) == ["payments/gone.py"]
    assert lost_names(gone) == ["hundi.kernel.money.Gone"]
    assert misplaced(
        Prose(
            "",
            "`parse_token` in `wire/merchant/refunds.py`, `RESERVED` of `wire/merchant/refunds.py`",
        )
    ) == ["parse_token in wire/merchant/refunds.py"]
    assert lost_paths(
        "`wire/merchant/gone.py`, `tests/gone`, `api/merchant`, `pytest tests/gone.py`"
    ) == [
        "wire/merchant/gone.py",
        "tests/gone",
        "tests/gone.py",
    ]
    assert lost_words("`RecordThatIsGone` and `TransactionRecord`") == ["RecordThatIsGone"]
