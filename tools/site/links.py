"""Links of built pages: those that leave the site for the project's folder, and broken ones."""

import posixpath
import re
from pathlib import Path

_LINK = re.compile(r'<a href="([^"#:]+)(#[^"]*)?"[^>]*>(.*?)</a>', re.DOTALL)


class BrokenLinksError(Exception):
    """Links that lead to no page of the site and to no file of the project."""


def without_files(html: str, page: str, site: Path, root: Path) -> str:
    """Return a page without its links to files of the project, which no site has: their words stay.

    page: its folder in the site, such as `spec/wire`, or "." for the first. site: the folder of
    built pages. root: the project's, in whose `docs` the pages are written.
    Raises BrokenLinksError for a link that leads nowhere.
    """
    broken: list[str] = []

    def led(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", page, match[1])).lstrip("/")
        if f"{target}/".startswith("docs/") and (site / target.removeprefix("docs")[1:]).exists():
            return match[0]
        if not (root / target).exists():
            broken.append(match[1])
        return match[3]

    shown = _LINK.sub(led, html)
    if broken:
        message = f"docs/{page}: links to no page and no file: {', '.join(broken)}"
        raise BrokenLinksError(message)
    return shown
