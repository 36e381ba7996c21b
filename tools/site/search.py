"""The index of the site's search: every section once, compressed, fetched by who searches."""

import gzip
import html
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

_TAG = re.compile(r"<[^>]+>")
_GAPS = re.compile(r"\s+")

Section = tuple[str, str, str, str]
"""Address in the site, title, title of the page, text."""


def sections(items: Iterable[Mapping[str, Any]]) -> list[Section]:
    """Return the sections that the builder lists, page by page, each with the title of its page.

    items: of its `search.json`. A page is called as in the menu; one that is not there as its first
    heading, which is its first item.
    """
    listed: list[Section] = []
    pages: dict[str, str] = {}
    for item in items:
        title = _plain(item["title"])
        called = item["path"][-1] if item["path"] else title
        page = pages.setdefault(item["location"].partition("#")[0], called)
        listed.append((item["location"], title, page, _plain(item["text"])))
    return sorted(listed, key=lambda section: section[0].partition("#")[0])


def packed(listed: Iterable[Section]) -> bytes:
    """Return the index as its file has it: JSON in gzip, the same bytes for the same sections."""
    written = json.dumps(list(listed), ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(written.encode(), mtime=0)


def _plain(text: str) -> str:
    return _GAPS.sub(" ", html.unescape(_TAG.sub("", text))).strip()
