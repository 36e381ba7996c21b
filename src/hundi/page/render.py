"""Turns screens into responses: compiled templates, static files, security headers."""

import json
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from http import HTTPStatus
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from litestar import Response
from markupsafe import Markup

from hundi.api.inbound import Reply
from hundi.instruments.card import RANGES, Problem
from hundi.look import files
from hundi.look.files import Asset, lasting
from hundi.page import assets, colours
from hundi.page.assets import ASSETS, STATIC_PATH, page_headers
from hundi.page.icons import ICONS
from hundi.page.screens import AnyScreen, LinkScreen, MandateScreen, Message, OfferScreen, Summary
from hundi.page.texts import DEFAULT_LANGUAGE, LANGUAGES, OWN_NAMES, Words, fixed_text, speaker

HTML = "text/html"
_HERE = Path(__file__).parent
SHOPS_SCRIPT_S = 300
"""How long browsers keep `hundi.js`, whose name never changes."""
_ACCENT_PREFIX = "accent-"
WITHOUT_SUMMARY = Message | OfferScreen | MandateScreen | LinkScreen
"""Screens of no payment's session."""


def _card_rules(language: str) -> Markup:
    """Return the card rules for the page's script, ready for an attribute: the table and words of the server."""
    say = speaker(language)
    ranges = [[one.first, one.last, one.scheme.value, one.scheme.lengths, one.scheme.cvv_length] for one in RANGES]
    words = {problem.value: say(problem.value) for problem in Problem}
    return Markup.escape(json.dumps({"ranges": ranges, "words": words}, ensure_ascii=False, separators=(",", ":")))


_CONSTANT = re.compile(r'\{\{ (t|icons|assets)\["([^"]+)"\](?:\.(href|integrity))? \}\}')


def _constants_written_in(source: str, language: str) -> str:
    """Return a template with everything that is the same on every page already in place.

    Texts without values, icons and file names are two thirds of what a page prints; written in once, they cost nothing.
    """

    def written(found: re.Match[str]) -> str:
        kind, name, part = found.groups()
        match kind:
            case "t":
                fixed = fixed_text(language, name)
                return found[0] if fixed is None else fixed
            case "icons":
                return ICONS[name]
            case _:
                return getattr(ASSETS[name], part)

    return _CONSTANT.sub(written, source)


_TEMPLATES_FOLDER = _HERE / "templates"
_INCLUDE = re.compile(r'\{% include "([^"]+)" %\}')


def _whole(name: str) -> str:
    """Return a template with its parts written into it: joining them again for every page doubles its cost."""
    return _INCLUDE.sub(lambda found: _whole(found[1]), (_TEMPLATES_FOLDER / name).read_text("utf-8"))


def _switch(language: str) -> Markup:
    """Return a button for each other language: the same on every page, so written once."""
    button = Markup('<button class="link" name="lang" value="{0}" lang="{0}">{1}</button>\n')
    others = [each for each in OWN_NAMES if each in LANGUAGES and each != language]
    return Markup("").join(button.format(each, OWN_NAMES[each]) for each in others)


@cache
def _environment(language: str) -> Environment:
    environment = Environment(
        loader=FunctionLoader(lambda name: _constants_written_in(_whole(name), language)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals.update(
        static_path=STATIC_PATH,
        icons=ICONS,
        card_rules=_card_rules(language),
        language=language,
        switch=_switch(language),
    )
    return environment


@cache
def _template(name: str, language: str) -> Template:
    """Return a compiled template. A process reads a language, and compiles a page in it, when first asked for it."""
    return _environment(language).get_template(name)


for _name in sorted(path.name for path in _TEMPLATES_FOLDER.glob("[!_]*.html")):
    for _language in (DEFAULT_LANGUAGE, "hi"):
        # What most customers read is ready before the first of them comes.
        _template(_name, _language)


def page(  # noqa: PLR0913 (what is shown, and what its headers say)
    template: str,
    screen: AnyScreen,
    language: str,
    *,
    form_targets: Iterable[str] = (),
    referrer: str = "no-referrer",
    status_code: int = 200,
) -> Response[bytes]:
    """Return a screen as a page. form_targets: where its forms lead but to us, see `page_headers`."""
    headers = page_headers(tuple(form_targets), _frames(screen), referrer)
    return Response(_html(template, screen, language), media_type=HTML, headers=headers, status_code=status_code)


def page_reply(
    template: str, screen: AnyScreen, language: str, form_targets: tuple[str, ...] = (), status_code: int = 200
) -> Reply:
    """Return a screen as a page that is sent in front of the framework."""
    return Reply(_html(template, screen, language), status_code, _sent_headers(form_targets, _frames(screen)))


def _frames(screen: AnyScreen) -> tuple[str, ...]:
    """Return the origins whose pages may hold a screen in a frame: those of a session's merchant."""
    return () if isinstance(screen, WITHOUT_SUMMARY) else screen.summary.frames


def packed(answer: Reply) -> Reply:
    """Return a reply with its body compressed."""
    body = files.pack(answer.body, assets.PAGE_LEVEL)
    return Reply(body, answer.status, (*answer.headers, (b"content-encoding", b"gzip")))


def _html(template: str, screen: AnyScreen, language: str) -> bytes:
    values = {} if isinstance(screen, WITHOUT_SUMMARY) else _values(screen.summary)
    return _template(template, language).render(screen=screen, t=Words(language, values)).encode()


@lru_cache(maxsize=256)
def _sent_headers(form_targets: tuple[str, ...], frames: tuple[str, ...]) -> tuple[tuple[bytes, bytes], ...]:
    """Return the headers of a page as they are sent."""
    headers = {**page_headers(form_targets, frames), "content-type": f"{HTML}; charset=utf-8"}
    return tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items())


def _values(summary: Summary) -> dict[str, str]:
    return {"amount": summary.amount, "merchant": summary.merchant, "support": summary.support}


def reply(answer: Response[bytes], request_id: str) -> Reply:
    """Return a page as it is sent in front of the framework."""
    headers = dict(answer.headers) | {"x-request-id": request_id}
    if answer.content:
        headers["content-type"] = f"{answer.media_type}; charset={answer.encoding}"
    sent = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    return Reply(answer.content, answer.status_code or HTTPStatus.OK, sent)


def see(address: str) -> Response[bytes]:
    """Return the answer to a POST that leads to a page of ours: look there, and send it no second time.

    What leads to another site is `checkout.onward`: browsers hold a form's redirects to `form-action`, too.
    """
    return Response(b"", status_code=303, headers={**page_headers(()), "location": address})


def static(name: str, accept_encoding: str = "") -> Response[bytes] | None:
    """Return a static file under its content's name, or an accent's stylesheet; None when missing."""
    asset = assets.at(f"{STATIC_PATH}/{name}")
    if asset is not None:
        return _lasting(asset, accept_encoding)
    colour = "#" + name.removeprefix(_ACCENT_PREFIX).removesuffix(".css")
    if name == f"{_ACCENT_PREFIX}{colour[1:]}.css" and colours.read(colour):
        return _lasting(files.made(colours.stylesheet(colour).encode(), files.CSS), accept_encoding)
    return None


def shops_script() -> Response[bytes]:
    """Return `hundi.js`, which runs on shops' pages, under a name that stays."""
    kept = {"cache-control": f"public, max-age={SHOPS_SCRIPT_S}", "cross-origin-resource-policy": "cross-origin"}
    asset = ASSETS["hundi.js"]
    headers = {**kept, "x-content-type-options": "nosniff"}
    return Response(asset.content, media_type=asset.media_type, headers=headers)


def _lasting(asset: Asset, accept_encoding: str) -> Response[bytes]:
    content, headers = lasting(asset, accept_encoding)
    return Response(content, media_type=asset.media_type, headers=headers)
