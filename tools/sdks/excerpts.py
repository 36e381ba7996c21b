"""Puts parts of the programs in `examples` into pages, as a tab for each language.

A part stands between the lines `[name]` and `[end]` of a program. A page names it where it shows
it: `<!-- plain/create: generated -->`.
"""

import re
from pathlib import Path
from textwrap import dedent

from tools.sdks.sample_languages import LANGUAGES
from tools.sdks.sample_pages import tab

EXAMPLES = Path(__file__).parents[2] / "examples"
ENDINGS = {"curl": "sh", "python": "py", "php": "php", "node": "mjs", "java": "java", "go": "go"}
"""The ending of the program of each language."""
_SHOWN = re.compile(
    r"(<!-- (\w+)/(\w+): generated -->\n).*?(<!-- \2/\3: end -->)", re.DOTALL | re.ASCII
)
_PART = re.compile(
    r"^[ \t]*(?:#|//) \[(\w+)\]\n(.*?)^[ \t]*(?:#|//) \[end\]$", re.DOTALL | re.MULTILINE
)


def program_of(name: str, language: str) -> Path:
    """Return the place of a program in a language. Java names a file by its class."""
    stem = name.capitalize() if language == "java" else name
    return EXAMPLES / name / f"{stem}.{ENDINGS[language]}"


def parts_of(name: str, language: str) -> dict[str, str]:
    """Return the parts of a program, in their order."""
    text = program_of(name, language).read_text("utf-8")
    return {found[1]: dedent(found[2]).strip() for found in _PART.finditer(text)}


def are_in(page: str) -> bool:
    """Return whether a page shows parts of a program."""
    return _SHOWN.search(page) is not None


def rewritten(page: str) -> str:
    """Return a page with every part that it shows, as the programs have it now."""
    return _SHOWN.sub(lambda found: f"{found[1]}\n{_tabs(found[2], found[3])}\n\n{found[4]}", page)


def _tabs(name: str, part: str) -> str:
    return "\n\n".join(tab(each, parts_of(name, each.name)[part]) for each in LANGUAGES)
