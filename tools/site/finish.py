"""What the builder cannot do: our style sheet, scripts and index instead of the stock theme's."""

import hashlib
import json
import re
import shutil
from pathlib import Path

from tools.site.links import without_files
from tools.site.look import stylesheet
from tools.site.search import packed, sections

STATIC = Path(__file__).parent / "static"
_TOKENS = "src/hundi/infra/look/tokens.css"
_MARK = "src/hundi/console/static/mark.svg"
_STOCK = ("assets", "search.json", "sitemap.xml")
"""What the builder writes for its own theme, or for sites whose address it knows."""
_ASSET = re.compile(r'(="[^"]*assets/[\w.]+)"')
"""Asked for with the digest of all, so that no browser takes what it kept of a version before."""
_HEADING = re.compile(r'<(h[23]) id="([^"]+)">(.*?)</\1>', re.DOTALL)
_CHOICE = re.compile(
    r'<input [^>]*name="__tabbed_\d+"[^>]*/><label for="__tabbed_[\d_]+">(.*?)</label>'
)
_NO_HEAD = re.compile(r"<thead>\s*<tr>\s*(<th></th>\s*)+</tr>\s*</thead>")
_PLACE = re.compile(r'(?:<p>)?<a id="([^"]+)"></a>(?:</p>)?')
"""A place that links lead to, which is no link itself; alone in a paragraph, or in a sentence."""
_LONG = re.compile(r"(?<!</span>)<code>([^<\s]{24,})</code>")
"""Paths mostly: they may break after each `/`, so that a table need not scroll for one."""
_TAG = re.compile(r"<[^>]+>")


def finish(site: Path, root: Path) -> None:
    """Change the built pages, and put ours in the place of what the stock theme brought.

    site: the folder of built pages. root: the project's.
    Raises BrokenLinksError for a link that leads nowhere.
    """
    index = packed(sections(json.loads((site / "search.json").read_text("utf-8"))["items"]))
    for name in _STOCK:
        stock = site / name
        shutil.rmtree(stock) if stock.is_dir() else stock.unlink()
    assets = site / "assets"
    shutil.copytree(STATIC, assets)
    shutil.copyfile(root / _MARK, assets / "mark.svg")
    own = (STATIC / "site.css").read_text("utf-8")
    (assets / "site.css").write_text(stylesheet((root / _TOKENS).read_text("utf-8"), own), "utf-8")
    (assets / "search.index").write_bytes(index)
    version = _digest(assets)
    for path in site.rglob("*.html"):
        page = path.parent.relative_to(site).as_posix()
        shown = without_files(finished(path.read_text("utf-8")), page, site, root)
        path.write_text(_ASSET.sub(rf'\1?v={version}"', shown), "utf-8")


def _digest(assets: Path) -> str:
    files = sorted(assets.iterdir())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:8]


def finished(html: str) -> str:
    """Return a page whose headings have named links, and whose wide tables scroll by themselves.

    Samples in several languages stand one below the other; `site.js` makes tabs of them.
    """
    html = _HEADING.sub(_linked, html)
    html = _PLACE.sub(_placed, html)
    html = _CHOICE.sub(r'<p class="language">\1</p>', html)
    html = _LONG.sub(lambda match: match[0].replace("/", "/<wbr>").replace("</<wbr>", "</"), html)
    html = _NO_HEAD.sub("", html).replace("<th></th>", "<td></td>")
    html = html.replace("<table>", '<div class="scroll"><table>').replace(
        "</table>", "</table></div>"
    )
    return html.replace("<img alt=", '<img loading="lazy" alt=')


def _placed(match: re.Match[str]) -> str:
    alone = match[0].startswith("<p>") and match[0].endswith("</p>")
    if alone:
        return f'<div class="place" id="{match[1]}"></div>'
    return match[0].replace(f'<a id="{match[1]}"></a>', f'<span id="{match[1]}"></span>')


def _linked(match: re.Match[str]) -> str:
    name, anchor, content = match.groups()
    words = _TAG.sub("", content).replace('"', "&quot;")
    return (
        f'<div class="heading"><{name} id="{anchor}">{content}</{name}>'
        f'<a href="#{anchor}" aria-label="Link to: {words}">#</a></div>'
    )
