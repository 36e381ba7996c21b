"""Signing in and out: password, then the second factor; and the demo's one-time link."""

from typing import Any
from urllib.parse import quote

from litestar import Response

from hundi.console import render
from hundi.console.assets import PREFIX
from hundi.console.cookies import with_session, without_session
from hundi.console.guard import SIGN_IN, ConsoleRoute
from hundi.console.visits import Access, AnyRequest, ConsoleVisit
from hundi.kernel.clock import world_now
from hundi.staff.people import store as people
from hundi.staff.people.factors.actions import hash_of
from hundi.staff.people.links import store as links
from hundi.staff.people.links.actions import find_link
from hundi.staff.sign_in.actions import SignInRefusal
from hundi.staff.sign_in.passkeys import actions as passkeys

_CODE = SIGN_IN + "/code"
_NEXT_LENGTH_MAX = 500


def bare(request: AnyRequest, title: str) -> dict[str, Any]:
    """Return the values of a page for a visitor who is not signed in."""
    return {"title": title, "here": request.url.path, "form_token": "", "notice": ""}


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Ask for e-mail address and password."""
    return _asked(visit)


def _asked(visit: ConsoleVisit, fault: str = "", status_code: int = 200) -> Response[Any]:
    next_ = _next(visit.query.get("next", "") or visit.form.get("next", ""))
    email = visit.form.get("email", "")[:254]
    site = passkeys.site_of(visit.gateway.settings, visit.host)
    options, offered = passkeys.sign_in_options(site, visit.gateway.vault) if site else ("", "")
    return visit.page(
        "sign_in.html",
        "Sign in",
        status_code,
        fault=fault,
        email=email,
        next=next_,
        options=options,
        offered=offered,
    )


def _next(address: str) -> str:
    """Return the address after signing in: one of the console, "" for any other."""
    inside = (
        address.startswith(PREFIX)
        and "//" not in address
        and "\\" not in address
        and address.isprintable()
    )
    return address if inside and len(address) <= _NEXT_LENGTH_MAX else ""


async def begin(visit: ConsoleVisit) -> Response[Any]:
    """Check e-mail address and password."""
    email, password = visit.form.get("email", ""), visit.form.get("password", "")
    signed = await visit.gateway.sign_in.try_password(email, password, visit.caller)
    if isinstance(signed, SignInRefusal):
        return _asked(visit, signed, 429 if signed is SignInRefusal.WAIT else 403)
    next_ = _next(visit.form.get("next", ""))
    await _end_before(visit)
    return with_session(
        visit.gateway, render.see(f"{_CODE}?next={quote(next_)}" if next_ else _CODE), signed
    )


async def _end_before(visit: ConsoleVisit) -> None:
    """End the browser's previous session, of any person: a new one begins."""
    before = await visit.gateway.sign_in.find(visit.token)
    if before is not None:
        await visit.gateway.sign_in.end(before.session_hash, before.person_id)


async def take_passkey(visit: ConsoleVisit) -> Response[Any]:
    """Check a passkey, which is both factors, and begin the session."""
    visit.gateway.sign_in.count(visit.caller)
    site = passkeys.site_of(visit.gateway.settings, visit.host)
    offered, answer = visit.form.get("offered", ""), visit.form.get("credential", "")
    person = (
        await passkeys.person_shown(visit.db, visit.gateway.vault, site, offered, answer)
        if site and answer
        else None
    )
    if person is None:
        return _asked(visit, "This passkey is not known here, or the page was old. Try again.", 403)
    await _end_before(visit)
    signed = await visit.gateway.sign_in.complete(person, visit.caller, "passkey")
    return with_session(
        visit.gateway, render.see(_next(visit.form.get("next", "")) or PREFIX), signed
    )


async def show_code(visit: ConsoleVisit) -> Response[Any]:
    """Ask for the second factor."""
    session = await visit.gateway.sign_in.find(visit.token)
    if session is None:
        return render.see(SIGN_IN)
    return _code_asked(visit)


def _code_asked(visit: ConsoleVisit, fault: str = "", status_code: int = 200) -> Response[Any]:
    next_ = _next(visit.query.get("next", "") or visit.form.get("next", ""))
    return visit.page("code.html", "Second factor", status_code, fault=fault, next=next_)


async def take_code(visit: ConsoleVisit) -> Response[Any]:
    """Check the second factor, and begin the session."""
    session = await visit.gateway.sign_in.find(visit.token)
    if session is None:
        return render.see(SIGN_IN)
    signed = await visit.gateway.sign_in.try_code(session, visit.form.get("code", ""), visit.caller)
    if signed is SignInRefusal.OVER:
        return _asked(visit, signed, 403)
    if isinstance(signed, SignInRefusal):
        return _code_asked(visit, signed, 429 if signed is SignInRefusal.WAIT else 403)
    return with_session(
        visit.gateway, render.see(_next(visit.form.get("next", "")) or PREFIX), signed
    )


async def sign_out(visit: ConsoleVisit) -> Response[Any]:
    """End this session."""
    await visit.gateway.sign_in.end(visit.session.session_hash, visit.person.person_id)
    return without_session(visit.gateway, render.see(SIGN_IN + "?said=signed_out"))


async def take_demo_link(visit: ConsoleVisit) -> Response[Any]:
    """Begin a session by the printed link of a demo; it works once, and only in a demo."""
    link = visit.params["link"]
    row = await find_link(visit.db, visit.gateway.vault, link)
    used = None
    if row and row["purpose"] == "demo" and visit.gateway.settings.demo:
        used = await links.use(visit.db, hash_of(link), world_now())
    person = await people.select(visit.db, used["person_id"]) if used else None
    if person is None or person.state != "active":
        words = (
            "This link was used, or is older than ten minutes. Sign in, or start the demo again"
            " for another."
        )
        return visit.page("message.html", "This link is over", 404, words=words)
    signed = await visit.gateway.sign_in.complete(person, visit.caller, "the demo's link")
    return with_session(visit.gateway, render.see(PREFIX), signed)


ROUTES = (
    ConsoleRoute("GET", "sign-in", show, Access.ANYBODY),
    ConsoleRoute("POST", "sign-in", begin, Access.ANYBODY, with_token=False),
    ConsoleRoute("POST", "sign-in/passkey", take_passkey, Access.ANYBODY, with_token=False),
    ConsoleRoute("GET", "sign-in/code", show_code, Access.ANYBODY),
    ConsoleRoute("POST", "sign-in/code", take_code, Access.ANYBODY),
    ConsoleRoute("POST", "sign-out", sign_out, Access.SIGNED_IN),
    ConsoleRoute("GET", "demo/{link:str}", take_demo_link, Access.ANYBODY),
)
