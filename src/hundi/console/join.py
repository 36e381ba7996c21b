"""A one-time link, to choose a password and a second factor when invited or after a reset."""

from typing import Any

from litestar import Response
from markupsafe import Markup

from hundi.console.assets import PREFIX
from hundi.console.cookies import with_session
from hundi.console.guard import ConsoleRoute
from hundi.console.visits import Access, ConsoleVisit
from hundi.infra.secrets.vault import VaultError
from hundi.instruments import qr
from hundi.kernel.clock import world_now
from hundi.staff.people import actions, store
from hundi.staff.people.factors import actions as factors
from hundi.staff.people.links import actions as links
from hundi.staff.people.rules import Person
from hundi.staff.sign_in.actions import step_of_code, uri_of

_PURPOSE = "staff-totp-offered"
_ISSUER = "Hundi"
_OVER = "It was used, or is older than it may be. Ask the person who sent it for another one."


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Ask for a password and a first code of the second factor."""
    person = await _invited(visit)
    if person is None:
        return visit.page("message.html", "This link is over", 404, words=_OVER)
    return _asked(visit, person, factors.new_totp_secret())


async def _invited(visit: ConsoleVisit) -> Person | None:
    row = await links.find_link(visit.db, visit.gateway.vault, visit.params["link"])
    is_invited = row is not None and row["purpose"] in {"invitation", "reset"}
    return await store.select(visit.db, row["person_id"]) if row and is_invited else None


def _asked(
    visit: ConsoleVisit, person: Person, secret: str, fault: str = "", status_code: int = 200
) -> Response[Any]:
    # Not cached: only this browser may see the picture of the secret.
    drawn = qr.svg.__wrapped__(uri_of(secret, person.email, _ISSUER)).decode()
    return visit.page(
        "join.html",
        f"Welcome, {person.name}",
        status_code,
        invited=person,
        qr=Markup(drawn),  # noqa: S704 (drawn by us)
        secret=" ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
        sealed=visit.gateway.vault.seal(secret.encode(), f"{_PURPOSE} {person.person_id}").hex(),
        fault=fault,
    )


async def accept(visit: ConsoleVisit) -> Response[Any]:
    """Save the password and the second factor, and show the recovery codes."""
    person = await _invited(visit)
    if person is None:
        return visit.page("message.html", "This link is over", 404, words=_OVER)
    secret = _secret(visit, person)
    password = visit.form.get("password", "")
    step = step_of_code(secret, "".join(visit.form.get("code", "").split()), world_now())
    fault = await actions.fault_of(password, person)
    if fault is not None:
        return _asked(visit, person, secret, fault, 409)
    if password != visit.form.get("password_again", ""):
        return _asked(visit, person, secret, "The two passwords differ.", 409)
    if step is None:
        return _asked(
            visit, person, secret, "The code does not fit. Is the telephone's clock right?", 409
        )
    chosen = actions.Chosen(password, secret, step)
    enrolment = await actions.accept(
        visit.db,
        visit.gateway.vault,
        visit.gateway.sign_in.passwords,
        visit.params["link"],
        chosen,
        visit.now,
        visit.caller.network,
    )
    if enrolment is None:
        return visit.page("message.html", "This link is over", 404, words=_OVER)
    active, codes = enrolment
    await visit.gateway.sign_in.end_others(active.person_id)
    signed = await visit.gateway.sign_in.complete(active, visit.caller, "the invitation")
    page = visit.page("codes.html", "Your recovery codes", codes=codes, onward=PREFIX)
    return with_session(visit.gateway, page, signed)


def _secret(visit: ConsoleVisit, person: Person) -> str:
    """Return the secret that the page offered.

    Instead of a foreign one, return a fresh secret that no code fits.
    """
    try:
        offered = bytes.fromhex(visit.form.get("offered", ""))
        return visit.gateway.vault.open(offered, f"{_PURPOSE} {person.person_id}").decode()
    except (ValueError, VaultError):
        return factors.new_totp_secret()


ROUTES = (
    ConsoleRoute("GET", "join/{link:str}", show, Access.ANYBODY),
    ConsoleRoute("POST", "join/{link:str}", accept, Access.ANYBODY, with_token=False),
)
