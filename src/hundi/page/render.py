"""Turns screens into responses: compiled templates, static files, security headers."""

from collections.abc import Iterable
from functools import lru_cache
from http import HTTPStatus

from litestar import Response

from hundi.api.inbound import Reply
from hundi.infra.look import colours, files
from hundi.infra.look.files import Asset, lasting
from hundi.page import assets, compiling
from hundi.page.assets import ASSETS, STATIC_PATH, page_headers
from hundi.page.payer_screens import FormScreen, MoneyScreen, PayerScreen
from hundi.page.screens import (
    AnyScreen,
    LinkScreen,
    MandateScreen,
    MessageScreen,
    OfferScreen,
    Summary,
)
from hundi.page.texts import Words

HTML = "text/html"
SHOPS_SCRIPT_S = 300
"""How long browsers cache `hundi.js`, whose name never changes."""
_ACCENT_PREFIX = "accent-"
WITHOUT_SUMMARY = (
    MessageScreen | OfferScreen | MandateScreen | LinkScreen | FormScreen | MoneyScreen
)
"""Screens outside a payment's session."""


def page(
    template: str,
    screen: AnyScreen | PayerScreen,
    language: str,
    *,
    form_targets: Iterable[str] = (),
    referrer: str = "no-referrer",
    status_code: int = 200,
) -> Response[bytes]:
    """Return a screen as a page.

    form_targets: where its forms lead, besides us; see `page_headers`.
    """
    headers = page_headers(tuple(form_targets), _frames(screen), referrer)
    return Response(
        _html(template, screen, language), media_type=HTML, headers=headers, status_code=status_code
    )


def page_reply(
    template: str,
    screen: AnyScreen | PayerScreen,
    language: str,
    form_targets: tuple[str, ...] = (),
    status_code: int = 200,
) -> Reply:
    """Return a screen as a page that is sent without the framework."""
    return Reply(
        _html(template, screen, language), status_code, _sent_headers(form_targets, _frames(screen))
    )


def _frames(screen: AnyScreen | PayerScreen) -> tuple[str, ...]:
    """Return the origins whose pages may show a screen in a frame: those of its merchant."""
    return () if isinstance(screen, WITHOUT_SUMMARY) else screen.summary.frames


def packed(answer: Reply) -> Reply:
    """Return a reply with its body compressed."""
    body = files.pack(answer.body, assets.PAGE_LEVEL)
    return Reply(body, answer.status, (*answer.headers, (b"content-encoding", b"gzip")))


def _html(template: str, screen: AnyScreen | PayerScreen, language: str) -> bytes:
    values = {} if isinstance(screen, WITHOUT_SUMMARY) else _values(screen.summary)
    return (
        compiling.template(template, language)
        .render(screen=screen, t=Words(language, values))
        .encode()
    )


@lru_cache(maxsize=256)
def _sent_headers(
    form_targets: tuple[str, ...], frames: tuple[str, ...]
) -> tuple[tuple[bytes, bytes], ...]:
    """Return the headers of a page in the form in which they are sent."""
    headers = {**page_headers(form_targets, frames), "content-type": f"{HTML}; charset=utf-8"}
    return tuple(
        (name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()
    )


def _values(summary: Summary) -> dict[str, str]:
    return {"amount": summary.amount, "merchant": summary.merchant, "support": summary.support}


def reply(answer: Response[bytes], request_id: str) -> Reply:
    """Return a page in the form that is sent without the framework."""
    headers = dict(answer.headers) | {"x-request-id": request_id}
    if answer.content:
        headers["content-type"] = f"{answer.media_type}; charset={answer.encoding}"
    raw_headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()
    ]
    return Reply(answer.content, answer.status_code or HTTPStatus.OK, raw_headers)


def see(address: str) -> Response[bytes]:
    """Return the answer to a POST that leads to a page of ours; a reload does not repeat it.

    Use `checkout.onward` for other sites: browsers apply `form-action` to a form's redirects, too.
    """
    return Response(b"", status_code=303, headers={**page_headers(()), "location": address})


def static(name: str, accept_encoding: str = "") -> Response[bytes] | None:
    """Return a static file by its content's name, or an accent's stylesheet; None if missing."""
    asset = assets.at(f"{STATIC_PATH}/{name}")
    if asset is not None:
        return _lasting(asset, accept_encoding)
    colour = "#" + name.removeprefix(_ACCENT_PREFIX).removesuffix(".css")
    if name == f"{_ACCENT_PREFIX}{colour[1:]}.css" and colours.read(colour):
        return _lasting(files.made(colours.stylesheet(colour).encode(), files.CSS), accept_encoding)
    return None


def shops_script() -> Response[bytes]:
    """Return `hundi.js`, which runs on shops' pages, under its permanent name."""
    headers = {
        "cache-control": f"public, max-age={SHOPS_SCRIPT_S}",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
    }
    asset = ASSETS["hundi.js"]
    return Response(asset.content, media_type=asset.media_type, headers=headers)


def _lasting(asset: Asset, accept_encoding: str) -> Response[bytes]:
    content, headers = lasting(asset, accept_encoding)
    return Response(content, media_type=asset.media_type, headers=headers)
