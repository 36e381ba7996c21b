"""The manifest of the payment page: every script it runs, why, and what it must hash to; pure.

PCI DSS 4.0.1 asks for it (6.4.3), and for noticing when a page arrives otherwise (11.6.1).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import msgspec

from hundi.page import assets
from hundi.page.assets import ASSETS, STATIC_PATH, page_headers

AUTHORISED: Mapping[str, str] = {
    "page.js": "asks how the payment stands and shows it without a reload; counts a QR's time down",
    "card.js": "groups the digits of a card and says at once what is wrong with it; sends nothing anywhere",
    "result.js": "submits the form that takes the customer back to the shop",
}
"""Every script of the payment page, and what the page needs it for."""
FORM_TARGET = re.compile(r"'self'|https?://[A-Za-z0-9.\-\[\]:]+\Z")
_VERSION = 1
_POLICY = "content-security-policy"
_FORMS_GO_TO = "form-action "
_ACTIVE = frozenset({"base", "embed", "frame", "iframe", "object", "applet", "portal"})
"""Elements that bring in what no manifest lists."""


class Script(msgspec.Struct, frozen=True):
    """A script: its file's name, its path, its hash (subresource integrity), and why it is there."""

    name: str
    path: str
    integrity: str
    why: str


class Manifest(msgspec.Struct, frozen=True):
    """All that may run on a payment page.

    headers: as every page has them, but for the origins that its forms go to.
    """

    version: int
    scripts: tuple[Script, ...]
    headers: Mapping[str, str]


def manifest() -> Manifest:
    """Return the manifest of this version of the page."""
    scripts = tuple(
        Script(name, ASSETS[name].href, ASSETS[name].integrity, why) for name, why in sorted(AUTHORISED.items())
    )
    return Manifest(_VERSION, scripts, dict(sorted(page_headers(()).items())))


def text_of(found: Manifest) -> bytes:
    """Return the bytes that a signature is over."""
    return b"hundi page manifest\n" + msgspec.json.encode(found, order="sorted")


class _Page(HTMLParser):
    """What of a page could run something, or send something away."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def faults(address: str, headers: Mapping[str, str], page: str) -> list[str]:
    """Return in words how a payment page that arrived differs from what we send.

    address: where it was loaded from. headers: as they arrived, names in lower case.
    """
    return [*_of_headers(headers), *_of_page(address, page)]


def _of_headers(headers: Mapping[str, str]) -> Iterator[str]:
    for name, ours in manifest().headers.items():
        given, wanted = headers.get(name, ""), ours
        if name == _POLICY:
            (given, targets), (wanted, _) = _without_targets(given), _without_targets(ours)
            yield from (f"its forms may go to {each}" for each in targets if not FORM_TARGET.match(each))
        if given != wanted:
            yield f"the header {name} is {given or 'missing'!r}, not {wanted!r}"


def _without_targets(policy: str) -> tuple[str, list[str]]:
    """Return a content policy without the origins of its forms, and these."""
    parts = policy.split("; ")
    targets = [each for part in parts if part.startswith(_FORMS_GO_TO) for each in part.split()[1:]]
    return "; ".join(part for part in parts if not part.startswith(_FORMS_GO_TO)), targets


def _of_page(address: str, page: str) -> Iterator[str]:
    known = {each.path: each for each in manifest().scripts}
    for tag, attributes in _Page(page).found:
        if tag == "script":
            yield from _of_script(known, attributes)
        elif tag in _ACTIVE:
            yield f"an element <{tag}> that we never send"
        for name, value in attributes.items():
            if name.startswith("on"):
                yield f"an attribute {name} on <{tag}>"
            if value.strip().lower().startswith("javascript:"):
                yield f"a script in the address of <{tag}>"
        if tag == "link":
            yield from _of_link(address, attributes)


def _of_script(known: Mapping[str, Script], attributes: Mapping[str, str]) -> Iterator[str]:
    source = attributes.get("src", "")
    script = known.get(source)
    if not source:
        yield "a script that stands in the page itself"
    elif script is None:
        yield f"a script that nobody authorised: {source}"
    elif attributes.get("integrity") != script.integrity:
        yield f"{script.name} without its integrity"


def _of_link(address: str, attributes: Mapping[str, str]) -> Iterator[str]:
    target = attributes.get("href", "")
    ours = assets.at(target)
    if urlsplit(urljoin(address, target)).netloc != urlsplit(address).netloc:
        yield f"a <link> to {target}"
    elif ours and ours.media_type == assets.CSS and attributes.get("integrity") != ours.integrity:
        yield f"{target} without its integrity"


def loaded(page: str) -> list[str]:
    """Return the paths of the files of ours that a page loads."""
    named = [attributes.get("src") or attributes.get("href", "") for _, attributes in _Page(page).found]
    return sorted({each for each in named if each.startswith(STATIC_PATH)})
