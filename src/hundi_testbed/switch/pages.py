"""The page of the books, the same as JSON, and the tests' switches for troubles."""

from html import escape
from typing import Any

from aiohttp import web

from hundi_testbed.switch.server import Host

_SWITCHES = {"refuse_sign_on": bool, "silent": bool, "deaf": bool, "cut_next": int, "late_s": float}
_COLUMNS = (
    "trace",
    "rrn",
    "kind",
    "state",
    "paise",
    "moved",
    "refunded",
    "asked",
    "reversals",
    "last4",
)


def build(host: Host) -> web.Application:
    """Return the application of a switch."""

    async def books(_request: web.Request) -> web.Response:
        return web.json_response(host.books.shown() | {"heard": host.counts.types})

    async def page(_request: web.Request) -> web.Response:
        return web.Response(text=_page(host.books.shown()), content_type="text/html")

    async def trouble(request: web.Request) -> web.Response:
        request_values = await request.json()
        for name, kind in _SWITCHES.items():
            if name in request_values:
                setattr(host.terms, name, kind(request_values[name]))
        if request_values.get("drop_lines"):
            host.drop_lines()
        return web.json_response({name: getattr(host.terms, name) for name in _SWITCHES})

    application = web.Application()
    application.add_routes(
        [web.get("/", page), web.get("/books", books), web.post("/trouble", trouble)]
    )
    return application


def _page(books: dict[str, Any]) -> str:
    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(str(row[name]))}</td>" for name in _COLUMNS) + "</tr>"
        for row in books["entries"]
    )
    total = f"{books['net_paise']} paise in all"
    return (
        "<!doctype html><title>Simulated"
        f" switch</title><table><tr>{head}</tr>{rows}</table><p>{total}</p>"
    )
