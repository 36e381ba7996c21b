"""Pages of the console: compiled templates with the headers that every page has."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import Response
from markupsafe import Markup, escape

from hundi.console.assets import ASSETS, BY_HREF, HEADERS, STATIC_PATH
from hundi.console.icons import ICONS
from hundi.infra.look.files import lasting
from hundi.kernel.clock import for_people, to_the_second
from hundi.kernel.money import Money, shown

HTML = "text/html"


def _rupees(paise: int, currency: str = "INR") -> str:
    return shown(Money(paise, currency))


_CODE = re.compile(
    r"(?<![\w@/.-])[a-z]+(?:_[a-z0-9]+)+(?![\w@-])|(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])"
)
"""Names of programs and days of files within a sentence."""


def _coded(text: str) -> Markup:
    """Return a text in which names of programs look like code."""
    return Markup(_CODE.sub(lambda found: f"<code>{found[0]}</code>", str(escape(text))))  # noqa: S704 (escaped before)


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_ENVIRONMENT.globals.update(assets=ASSETS, icons=ICONS)
_ENVIRONMENT.filters.update(moment=for_people, second=to_the_second, money=_rupees, coded=_coded)


def page(template: str, values: Mapping[str, Any], status_code: int = 200) -> Response[Any]:
    """Return a template as a page."""
    html = _ENVIRONMENT.get_template(template).render(values)
    return Response(html.encode(), media_type=HTML, headers=dict(HEADERS), status_code=status_code)


def as_text_file(text: str) -> str:
    """Return the address of a link that saves a text as a file, without a request."""
    return f"data:text/plain;charset=utf-8,{quote(text)}"


def see(address: str) -> Response[Any]:
    """Return the answer to a form: a redirect (303), so that reload and back never repeat it."""
    return Response(b"", status_code=303, headers={**HEADERS, "location": address})


def static(name: str, accept_encoding: str) -> Response[Any] | None:
    """Return a static file by the name of its content; None for an unknown name."""
    asset = BY_HREF.get(f"{STATIC_PATH}/{name}")
    if asset is None:
        return None
    content, headers = lasting(asset, accept_encoding)
    return Response(content, media_type=asset.media_type, headers=headers)
