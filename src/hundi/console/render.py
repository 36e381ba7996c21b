"""Pages of the console: compiled templates with the headers that every page has."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import Response

from hundi.console.assets import ASSETS, BY_HREF, HEADERS, STATIC_PATH
from hundi.console.icons import ICONS
from hundi.infra.look.files import lasting
from hundi.kernel.clock import for_people
from hundi.kernel.money import Money, shown

HTML = "text/html"


def _rupees(paise: int, currency: str = "INR") -> str:
    return shown(Money(paise, currency))


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_ENVIRONMENT.globals.update(assets=ASSETS, icons=ICONS)
_ENVIRONMENT.filters.update(moment=for_people, money=_rupees)


def page(template: str, values: Mapping[str, Any], status_code: int = 200) -> Response[Any]:
    """Return a template as a page."""
    html = _ENVIRONMENT.get_template(template).render(values)
    return Response(html.encode(), media_type=HTML, headers=dict(HEADERS), status_code=status_code)


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
