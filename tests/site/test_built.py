"""Every page of the built site: its bytes, its links, their words, and nothing of elsewhere.

`make docs` builds it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import lxml.html

from tests.house.source import ROOT

PAGE_BYTES_MAX = 200_000
"""What a first visit loads: page, style sheet, scripts and pictures, not compressed.

Pictures count whether they are loaded late or not; letters are the system's. The index of the
search comes when somebody searches.
"""
INDEX_BYTES_MAX = 600_000
_LOADED = "//link/@href | //script/@src | //img/@src | //source/@srcset"
_FILE_NAME = re.compile(r"[\w./-]+\.(md|html)")


def _pages(site: Path) -> Iterator[tuple[str, lxml.html.HtmlElement]]:
    """Yield the address of each page as the gateway serves it, and what it holds."""
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix().removesuffix("index.html")
        yield f"/docs/{name}", lxml.html.fromstring(path.read_text("utf-8"))


def _file(site: Path, address: str) -> Path:
    path = site / unquote(urlsplit(address).path).removeprefix("/docs/")
    return path / "index.html" if path.is_dir() else path


def test_every_page_is_light(site: Path) -> None:
    heavy: dict[str, int] = {}
    for address, page in _pages(site):
        loaded = {address, *(urljoin(address, each) for each in page.xpath(_LOADED))}
        sizes = sum(_file(site, each).stat().st_size for each in loaded)
        if sizes > PAGE_BYTES_MAX:
            heavy[address] = sizes
    assert heavy == {}


def test_the_searchs_index_is_bounded(site: Path) -> None:
    assert 0 < (site / "assets" / "search.index").stat().st_size < INDEX_BYTES_MAX


def test_every_link_leads_to_a_page_and_a_place_on_it(site: Path) -> None:
    pages = dict(_pages(site))
    places = {address: set(page.xpath("//@id")) for address, page in pages.items()}
    lost: list[str] = []
    for address, page in pages.items():
        for link in page.xpath("//a/@href"):
            target, anchor = urldefrag(urljoin(address, link))
            if target.startswith(("http:", "https:", "mailto:")):
                continue
            known = places.get(target)
            if known is None or (anchor and unquote(anchor) not in known):
                lost.append(f"{address}: {link}")
    assert lost == []


def test_no_link_is_named_like_a_file_of_the_documentation(site: Path) -> None:
    named = [
        f"{address}: {link.text_content()}"
        for address, page in _pages(site)
        for link in page.xpath("//a")
        if _FILE_NAME.fullmatch(link.text_content().strip())
    ]
    assert named == []


def test_nothing_comes_from_another_host_or_stands_in_the_page(site: Path) -> None:
    """The gateway's policy would refuse it, and a machine without internet would miss it."""
    for address, page in _pages(site):
        assert [each for each in page.xpath(_LOADED) if "//" in each] == [], address
        assert page.xpath("//@style | //style | //script[not(@src)]") == [], address
        assert [each for each in page.xpath("//@*") if each.startswith("javascript:")] == []


def test_scripts_and_styles_are_asked_for_anew_after_a_change(site: Path) -> None:
    addresses = {each for _, page in _pages(site) for each in page.xpath(_LOADED)}
    assert len({urlsplit(each).query for each in addresses}) == 1
    assert all(re.fullmatch("v=[0-9a-f]{8}", urlsplit(each).query) for each in addresses)


def test_nothing_of_the_stock_theme_is_left(site: Path) -> None:
    names = {path.name for path in (site / "assets").iterdir()}
    own = {path.name for path in (ROOT / "tools" / "site" / "static").iterdir()}
    assert names == own | {"mark.svg", "search.index"}
    assert not (site / "search.json").exists()


def test_every_page_but_decisions_is_in_the_menu(site: Path) -> None:
    pages = dict(_pages(site))
    menu = {urljoin("/docs/", each) for each in pages["/docs/"].xpath("//*[@id='pages']//a/@href")}
    hidden = {each for each in pages if not each.startswith("/docs/decisions/")} - menu
    assert hidden == {"/docs/404.html"}


def test_samples_of_all_pages_name_their_languages(site: Path) -> None:
    """What `site.js` makes tabs of: a name, then its samples, for each language."""
    sets = [each for _, page in _pages(site) for each in page.xpath("//*[@class='tabbed-set']")]
    assert len(sets) > 20
    for each in sets:
        kinds = [child.get("class") for child in each]
        assert kinds == ["language", "tabbed-content"] * (len(kinds) // 2)
        assert len({label.text_content() for label in each[::2]}) == len(kinds) // 2 > 1
