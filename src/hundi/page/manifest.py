"""The manifest of the payment page: every script it runs, its purpose and its hash; pure.

PCI DSS 4.0.1 asks for it (6.4.3), and for noticing a page that arrives changed (11.6.1).
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from html import unescape
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import msgspec

from hundi.infra.look import files
from hundi.instruments.upi_apps import SCHEMES
from hundi.page import assets
from hundi.page.assets import ASSETS, STATIC_PATH, page_headers
from hundi.page.compiling import TEMPLATES
from hundi.page.icons import ICONS

AUTHORISED: Mapping[str, str] = {
    "framed.js": (
        "in a frame over a registered shop's page: tells that page how the payment ended, and that"
        " the customer pressed Escape"
    ),
    "page.js": "asks how the payment stands and shows it without a reload; counts a QR's time down",
    "card.js": (
        "groups the digits of a card and says at once what is wrong with it; sends nothing anywhere"
    ),
    "onward.js": "takes the customer on to an acquirer's page, by its form or its link",
    "copy.js": "copies an account number, an amount or a reference that the customer presses",
    "result.js": "submits the form that takes the customer back to the shop",
}
"""Every script of the payment page, with its purpose."""
_VERSION = 1
_POLICY = "content-security-policy"
_FORMS_GO_TO = "form-action "
_FRAMES, _NOBODY = "x-frame-options", "frame-ancestors 'none'"
_ANCESTORS = re.compile(r"frame-ancestors ([^;]+)")
_ALWAYS = "page.js"
"""The script of every page with an open payment."""
_ADDRESSES = frozenset({"action", "href", "src", "data-status"})
_TOKEN = re.compile(
    r"<!doctype html>|</[a-z][a-z0-9]*>|(?P<text>[^<>]+)"
    r"|<(?P<name>[a-z][a-z0-9]*)(?P<attributes>(?:\s+[a-zA-Z][a-zA-Z:-]*(?:=\"[^\"<>]*\")?)*)\s*/?>"
)
_ATTRIBUTE = re.compile(r"\s([a-zA-Z][a-zA-Z:-]*)(?:=\"([^\"<>]*)\")?")
_EXPRESSION = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
_WRITTEN = re.compile(r'"( [a-z-]+)"')
"""An attribute that an expression writes, as in `{{ " hidden" if … }}`."""
_OPENING = re.compile(r'<([a-z][a-z0-9]*)((?:[^<>"]|"[^"]*")*)>')
_ACCENT = re.compile(re.escape(STATIC_PATH) + r"/accent-([0-9a-fA-F]{6})\.css")


class Script(msgspec.Struct, frozen=True):
    """A script: its file's name, path, hash (subresource integrity), and its purpose."""

    name: str
    path: str
    integrity: str
    why: str


class PageManifest(msgspec.Struct, frozen=True):
    """Everything that may run on a payment page.

    headers: of every page, without the origins of its forms.
    """

    version: int
    scripts: tuple[Script, ...]
    headers: Mapping[str, str]


def manifest() -> PageManifest:
    """Return the manifest of this version of the page."""
    scripts = tuple(
        Script(name, ASSETS[name].href, ASSETS[name].integrity, why)
        for name, why in sorted(AUTHORISED.items())
    )
    return PageManifest(_VERSION, scripts, dict(sorted(page_headers(()).items())))


def text_of(found: PageManifest) -> bytes:
    """Return the bytes that a signature covers."""
    return b"hundi page manifest\n" + msgspec.json.encode(found, order="sorted")


@cache
def _names() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of all elements and attributes in our templates and icons.

    Of these, only the ones checked below can run or load anything.
    """
    templates = (path.read_text("utf-8") for path in TEMPLATES.glob("*.html"))
    openings = [
        opening
        for text in (*templates, *ICONS.values())
        for opening in _OPENING.findall(
            _EXPRESSION.sub(lambda found: "".join(_WRITTEN.findall(found[0])), text)
        )
    ]
    attributes = {name for _, text in openings for name, _ in _ATTRIBUTE.findall(text)}
    return frozenset(name for name, _ in openings), frozenset(attributes)


class _Tag(NamedTuple):
    """One opening tag: its name, its attributes in order, and the text after it."""

    name: str
    attributes: Sequence[tuple[str, str]]
    behind: str


def faults(
    address: str, headers: Mapping[str, str], page: str, origins: Collection[str]
) -> list[str]:
    """Return in words how a payment page that arrived differs from what we send.

    address: where it was loaded from. headers: as they arrived, names in lower case. origins: of
    the banks and the shop that this page may lead to. The page is parsed by the grammar of our
    templates alone: anything else, even if browsers could read it, is a fault.
    """
    try:
        tags = list(_tags(page))
    except ValueError as error:
        return [*_of_headers(headers, origins), str(error)]
    return [*_of_headers(headers, origins), *_of_tags(address, tags, origins)]


def _tags(page: str) -> Iterator[_Tag]:
    """Yield the opening tags of a page. Raises ValueError if it does not follow our grammar."""
    at, opened = 0, None
    while at < len(page):
        found = _TOKEN.match(page, at)
        if found is None:
            message = (
                f"it is not written as our pages are, from character {at}: {page[at : at + 40]!r}"
            )
            raise ValueError(message)
        at = found.end()
        if found["name"] or found["text"] is None:
            if opened:
                yield opened
            attributes = [
                (name, unescape(value))
                for name, value in _ATTRIBUTE.findall(found["attributes"] or "")
            ]
            opened = _Tag(found["name"], attributes, "") if found["name"] else None
        elif opened:
            opened = opened._replace(behind=found["text"])
    if opened:
        yield opened


def _of_headers(headers: Mapping[str, str], origins: Collection[str]) -> Iterator[str]:
    for name, ours in manifest().headers.items():
        given, wanted = headers.get(name, ""), ours
        if name == _FRAMES and not given and _held_by(headers.get(_POLICY, "")):
            continue
        if name == _POLICY:
            yield from (
                f"{each} may hold it in a frame" for each in _held_by(given) if each not in origins
            )
            given = " ".join(_ANCESTORS.sub(_NOBODY, given).split())
            (given, targets), (wanted, _) = _without_targets(given), _without_targets(ours)
            if not targets:
                yield "nothing says where its forms may go"
            yield from (
                f"its forms may go to {each}"
                for each in targets
                if each not in {"'self'", *origins}
            )
        if given != wanted:
            yield f"the header {name} is {given or 'missing'!r}, not {wanted!r}"


def _held_by(policy: str) -> list[str]:
    """Return the origins whose pages may frame a page, by its content policy."""
    found = _ANCESTORS.search(policy)
    return [each for each in found[1].split() if each != "'none'"] if found else []


def _without_targets(policy: str) -> tuple[str, list[str]]:
    """Return a content policy without its forms' origins, and these origins."""
    parts = policy.split("; ")
    targets = [each for part in parts if part.startswith(_FORMS_GO_TO) for each in part.split()[1:]]
    return "; ".join(part for part in parts if not part.startswith(_FORMS_GO_TO)), targets


def _of_tags(address: str, tags: Sequence[_Tag], origins: Collection[str]) -> Iterator[str]:
    known = {each.path: each for each in manifest().scripts}
    elements, names = _names()
    for tag in tags:
        attributes = dict(tag.attributes)
        if tag.name not in elements:
            yield f"an element <{tag.name}> that we never send"
        if len(attributes) < len(tag.attributes):
            yield f"an attribute of <{tag.name}> stands there twice"
        yield from (
            f"an attribute {name} on <{tag.name}>" for name in attributes if name not in names
        )
        yield from _of_addresses(address, tag.name, attributes, origins)
        match tag.name:
            case "script":
                yield from _of_script(known, attributes, tag.behind)
            case "link":
                yield from _of_link(attributes)
            case "meta" if attributes.get("http-equiv", "refresh") != "refresh":
                yield f"a <meta> for {attributes['http-equiv']}"
            case _:
                pass
    if not any(dict(tag.attributes).get("src") == ASSETS[_ALWAYS].href for tag in tags):
        yield f"{_ALWAYS} is missing: it is no payment page of ours"


def _of_addresses(
    address: str, tag: str, attributes: Mapping[str, str], origins: Collection[str]
) -> Iterator[str]:
    """Yield where an element leads, apart from us, the shop, its banks and banking apps."""
    named = [value for name, value in attributes.items() if name in _ADDRESSES]
    if tag == "meta" and "http-equiv" in attributes:
        named.append(attributes.get("content", "").partition("url=")[2])
    for each in named:
        parts = urlsplit(urljoin(address, each))
        origin = f"{parts.scheme}://{parts.netloc}"
        ours = urlsplit(address)
        if parts.scheme not in SCHEMES and origin not in {
            f"{ours.scheme}://{ours.netloc}",
            *origins,
        }:
            yield f"<{tag}> leads to {origin}"


def _of_script(
    known: Mapping[str, Script], attributes: Mapping[str, str], behind: str
) -> Iterator[str]:
    source = attributes.get("src", "")
    script = known.get(source)
    if not source or behind:
        yield "a script that stands in the page itself"
    elif script is None:
        yield f"a script that nobody authorised: {source}"
    elif attributes.get("integrity") != script.integrity:
        yield f"{script.name} without its integrity"


def _of_link(attributes: Mapping[str, str]) -> Iterator[str]:
    target = attributes.get("href", "")
    ours = assets.at(target)
    if ours is None and accent_of(target) is None:
        yield f"a <link> to {target}"
    elif ours and ours.media_type == files.CSS and attributes.get("integrity") != ours.integrity:
        yield f"{target} without its integrity"


def accent_of(path: str) -> str | None:
    """Return the colour of a stylesheet that is made for a shop, None for any other file."""
    found = _ACCENT.fullmatch(path)
    return f"#{found[1]}" if found else None


def loaded(page: str) -> list[str]:
    """Return the paths of our files that a page loads; none if it does not follow our grammar."""
    try:
        tags = list(_tags(page))
    except ValueError:
        return []
    named = [value for tag in tags for name, value in tag.attributes if name in {"src", "href"}]
    return sorted({each for each in named if each.startswith(STATIC_PATH)})
