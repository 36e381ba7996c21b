"""The addresses of the status page; everybody may read them, and caches keep them."""

from typing import Any

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.types import ControllerRouterHandler

from hundi.api.status.board import KEPT_S, StatusBoard
from hundi.api.status.page import ASSETS, HEADERS, STATIC_PATH
from hundi.infra.look.files import Asset, lasting, takes_packed

PAGE, DOCUMENT = "/status", "/status.json"
_KEPT = {"cache-control": f"public, max-age={KEPT_S}", "vary": "accept-encoding"}
_OF_DOCUMENT = {
    # Shops' own pages may read it from browsers.
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
}
_BY_HREF = {asset.href: asset for asset in ASSETS.values()}
AnyRequest = Request[Any, Any, Any]


async def page(request: AnyRequest) -> Response[bytes]:
    """Show the status, also while the database does not answer (decision 0075)."""
    return _sent((await _board(request).files()).page, request, HEADERS)


async def document(request: AnyRequest) -> Response[bytes]:
    """Answer with the status as JSON."""
    return _sent((await _board(request).files()).document, request, _OF_DOCUMENT)


async def static_file(request: AnyRequest) -> Response[bytes]:
    """Return the page's stylesheet or icon by the name of its content."""
    asset = _BY_HREF.get(f"{STATIC_PATH}/{request.path_params['name']}")
    if asset is None:
        raise NotFoundException
    content, headers = lasting(asset, request.headers.get("accept-encoding", ""))
    return Response(content, media_type=asset.media_type, headers=headers)


def routes() -> list[ControllerRouterHandler]:
    """Return the routes of the page."""
    return [
        get(PAGE)(page),
        get(DOCUMENT)(document),
        get(f"{STATIC_PATH}/{{name:str}}")(static_file),
    ]


def _board(request: AnyRequest) -> StatusBoard:
    return request.app.state.status_board


def _sent(file: Asset, request: AnyRequest, own: dict[str, str]) -> Response[bytes]:
    is_packed = takes_packed(request.headers.get("accept-encoding", ""))
    headers = {**own, **_KEPT, **({"content-encoding": "gzip"} if is_packed else {})}
    content = file.packed if is_packed else file.content
    return Response(content, media_type=file.media_type, headers=headers)
