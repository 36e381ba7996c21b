"""Reads a page of the console as people do, and finds what is no word for them."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

_SILENT = frozenset({"code", "pre", "script", "style", "textarea", "svg", "title", "blockquote"})
"""Elements whose text is code, a message as it was sent, or not read at all."""
_VOID = frozenset({"br", "img", "input", "link", "meta", "hr"})
_INLINE = frozenset({"b", "strong", "em", "span", "ins", "del"})
_BEGINS = frozenset(
    {
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "button",
        "summary",
        "label",
        "legend",
        "option",
        "th",
        "caption",
        "tag",
    }
)
"""Elements whose text begins a sentence or a name."""
_NAMES = ("eNACH",)
"""Names that begin small by themselves."""
_MARK = "▪"
"""Stands for code within a sentence."""
_ONE_OF_MANY = re.compile(r"(?<![\d.,:-])\b1 (?!less|lakh)([a-z]{2,}(?<!s)s)\b")
_RAW = re.compile(r"(?<![\w@/.-])[a-z]+(?:_[a-z0-9]+)+(?![\w@-])")
_TWICE = re.compile(r"\b([a-z]{2,}) \1\b", re.IGNORECASE)
_LOWER = re.compile(r"(?<![.\d])[.!?] [a-z]\w*")
_ISO_DAY = re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")
_ABBREVIATIONS = re.compile(r"\b(?:e\.g|i\.e|etc|vs|No)\. ")


class _Reader(HTMLParser):
    """Collects the texts of blocks, each as it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[str, str]] = []
        self._open: list[str] = []
        self._text: list[str] = []
        self._block = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _VOID:
            return
        if tag == "code":
            self._text.append(_MARK)
        is_tag = tag == "span" and given.get("class", "").startswith("tag")
        is_name = tag == "th" and given.get("scope") != "col"
        kind = "tag" if is_tag else "name" if is_name else tag
        if kind not in _INLINE | _SILENT:
            self._end()
            self._block = kind
        self._open.append(kind)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID or not self._open:
            return
        if self._open.pop() not in _INLINE | _SILENT:
            self._end()
            self._block = ""

    def handle_data(self, data: str) -> None:
        if not _SILENT & set(self._open):
            self._text.append(data)

    def _end(self) -> None:
        text = " ".join("".join(self._text).split())
        if text.strip(_MARK + " "):
            self.said.append((self._block, text))
        self._text.clear()


def texts_of(html: str) -> list[tuple[str, str]]:
    """Return the texts of a page's content, each with the element that it stands in."""
    reader = _Reader()
    reader.feed(html[html.index("<main") :])
    reader.close()
    return reader.said


def faults_of(html: str) -> Iterator[str]:
    """Find raw codes, one of many, doubled words, days of programs, and small beginnings."""
    for element, text in texts_of(html):
        plain = _ABBREVIATIONS.sub("", text)
        patterns = (_RAW, _ONE_OF_MANY, _TWICE, _LOWER, _ISO_DAY)
        for pattern in patterns[element == "option" :]:
            yield from (f"{found[0]!r} in {text[:160]!r}" for found in pattern.finditer(plain))
        if "-₹" in text:
            yield f"a hyphen before ₹ in {text[:160]!r}"
        if element in _BEGINS and text[:1].islower() and not text.startswith(_NAMES):
            yield f"{element} begins small: {text[:160]!r}"
