"""The one place in which the console decides who may do what: each route names what it needs.

How a page is added: write handlers in a file of its own, list them as `ROUTES`, and add the file to
`PAGES` of `routing.py` and its noun to `navigation.py`.

    async def show(visit: Visit) -> Response[Any]:
        rows = await queries.select_page(visit.db, visit.merchant_id, visit.query.get("state", ""))
        return visit.page("payments.html", "Payments", rows=rows)

    ROUTES = (
        Route("GET", "payments", show, Permission.PAYMENTS_SEE), Route("POST",
        "payments/{payment_id:int}/refund", refund, Permission.REFUNDS_MAKE, fresh=True),
    )

Paths are below `/console/<place>/`, where the place is a merchant's id or `all`, the operator's
look across merchants. `fresh=True` asks for a second factor of the last quarter of an hour, in
place: for acts that move money. A form has `{% include "_token.html" %}` in it, else it is refused.
After a form: `visit.see("payments", said="…")`.
"""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlsplit

import structlog
from asyncpg import InsufficientPrivilegeError
from litestar import Response
from litestar.exceptions import ClientException, HTTPException

from hundi.api.endpoint import caller_address
from hundi.api.inbound import Inbound
from hundi.api.replies import CODE_OF
from hundi.console import cookies, render
from hundi.console.assets import PREFIX
from hundi.console.visits import (
    ALL,
    BODY_BYTES_MAX,
    NUL,
    WORDS,
    WRITE_ONLY,
    Access,
    AnyRequest,
    ConsoleVisit,
    Place,
)
from hundi.infra.postgres.looks import NodeLostError, left_out
from hundi.kernel.clock import utc_now, world_now
from hundi.kernel.ids import request_reference
from hundi.kernel.masking import masked
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, Refused
from hundi.merchants.directory.twins import store as twins
from hundi.staff.people import store as people
from hundi.staff.people.proofs.actions import role_at
from hundi.staff.people.rules import OPERATOR, OPERATORS, Permission, may
from hundi.staff.sign_in.actions import Caller, form_token

if TYPE_CHECKING:
    from hundi.api.context import GatewayContext

SIGN_IN = PREFIX + "sign-in"
_TOKEN_FIELD, _AGAIN_FIELD = "form_token", "again_code"
_NODE_LOST = (
    "Part of the database does not answer, and what it has is needed here. Try again in a minute."
)
_PRESENT = ("current",)
"""Fields for passwords, present and new: no page carries them back."""
_ROLE = (
    "Nothing was done. The operator sets HUNDI_CONSOLE_DATABASE_URL (operations, roles of the"
    " database)."
)
_log = structlog.get_logger(__name__)


Handler = Callable[[ConsoleVisit], Awaitable[Response[Any]]]


@dataclass(frozen=True, slots=True)
class ConsoleRoute:
    """An address of the console and what it needs.

    path: below the place; for an Access of ANYBODY or SIGNED_IN below `/console/`. at: the places
    that serve it. fresh: whether it needs a second factor of the last quarter of an hour.
    body_bytes_max: of its form. with_token: whether its form carries the session's token; False
    where there is no session yet.
    """

    method: Literal["GET", "POST"]
    path: str
    handler: Handler
    needs: Permission | Access
    fresh: bool = False
    at: Literal["merchant", "all", "both"] = "merchant"
    body_bytes_max: int = BODY_BYTES_MAX
    with_token: bool = True

    @property
    def address(self) -> str:
        """Return the address in the framework's form."""
        own = self.needs in {Access.ANYBODY, Access.SIGNED_IN}
        return PREFIX + self.path if own else f"{PREFIX}{{place:str}}/{self.path}"


class _NotHereError(Exception):
    """An answer to send instead of the page."""

    def __init__(self, answer: Response[Any]) -> None:
        super().__init__()
        self.answer = answer


async def answer(route: ConsoleRoute, request: AnyRequest) -> Response[Any]:
    """Answer a request of a route, or refuse it."""
    gateway: GatewayContext = request.app.state.gateway.for_console()
    token, browser = cookies.shown(gateway, request.cookies)
    inbound = Inbound(request.scope, request.receive)
    caller = Caller(
        caller_address(inbound, gateway), request.headers.get("user-agent", ""), browser
    )
    visit = ConsoleVisit(gateway, request, caller, utc_now(), token=token)
    try:
        with left_out():
            visit = await _admitted(route, visit)
            response = await route.handler(visit)
    except _NotHereError as instead:
        response = instead.answer
    except HTTPException as problem:
        response = message(
            visit, "This could not be read", "Nothing was done.", problem.status_code
        )
    except Refused as refused:
        response = _refused(visit, refused.refusal)
    except InsufficientPrivilegeError as problem:
        _log.error("console_lacks_a_right", path=route.path, problem=str(problem))
        response = message(visit, "This needs the console's own role of the database", _ROLE, 503)
    except NodeLostError:
        response = message(visit, "This cannot be reached now", _NODE_LOST, 503)
    except Exception as problem:  # noqa: BLE001 (a fault of ours is logged with its trace, and answered with a page)
        reference = request_reference()
        _log.error("console_failed", request_id=reference, path=route.path, exc_info=problem)
        response = message(
            visit,
            "Something went wrong here",
            f"Nothing more was done. Our reference is {reference}.",
            500,
        )
    response.headers.setdefault("x-request-id", request_reference())
    return response


def message(visit: ConsoleVisit, title: str, words: str, status_code: int) -> Response[Any]:
    """Return a page with one message."""
    return visit.page("message.html", title, status_code, words=words)


def _refused(visit: ConsoleVisit, refusal: Refusal) -> Response[Any]:
    """Return a page with the reason of a refusal, in the words of the interfaces."""
    if refusal.code is RefusalCode.NO_RECORDS:
        return message(visit, "Not found", "There is nothing of this kind here.", 404)
    status = 429 if refusal.code is RefusalCode.TOO_MANY_REQUESTS else 409
    return message(visit, "This was refused", refusal_words(refusal), status)


def refusal_words(refusal: Refusal) -> str:
    """Return the reason of a refusal: the wire's words, the field and the allowed values."""
    parts = [CODE_OF[refusal.code].words]
    if refusal.field:
        parts.append(
            f"{refusal.field} was {refusal.received!r}" if refusal.received else refusal.field
        )
    if refusal.allowed:
        parts.append(f"allowed: {refusal.allowed}")
    return "; ".join(parts) + "."


# --- letting in ---


async def _admitted(route: ConsoleRoute, visit: ConsoleVisit) -> ConsoleVisit:
    """Return the visit with person, place and form. Raises _NotHereError."""
    if route.method == "POST":
        _check_same_site(visit)
    if any(NUL in text for text in (*visit.query.values(), *map(str, visit.params.values()))):
        raise ClientException
    visit = await _with_person(route, visit)
    if route.needs not in {Access.ANYBODY, Access.SIGNED_IN}:
        visit = await _with_place(route, visit)
    if route.method == "GET":
        return visit
    form = {
        name: text
        for name, text in (await visit.request.form()).multi_items()
        if isinstance(text, str)
    }
    if any(NUL in text for text in form.values()):
        raise ClientException
    visit = replace(
        visit, form={name: masked(text) if name in WORDS else text for name, text in form.items()}
    )
    if route.with_token:
        token = form.get(_TOKEN_FIELD, "")
        if not visit.token or not hmac.compare_digest(
            token.encode(), form_token(visit.token).encode()
        ):
            raise _NotHereError(
                message(
                    visit, "This form is old", "Go back, reload the page and send it again.", 403
                )
            )
    if route.fresh:
        visit = await _with_fresh_factor(visit)
    return visit


def _check_same_site(visit: ConsoleVisit) -> None:
    """Refuse a form of another site; the form's token is the second check."""
    headers = visit.request.headers
    site, origin = headers.get("sec-fetch-site", ""), headers.get("origin", "")
    # Compare also with the public address: a proxy in front may send another Host.
    ours = {headers.get("host", ""), urlsplit(visit.gateway.settings.base_url).netloc}
    foreign = site not in {"", "same-origin", "none"} or (
        origin and origin != "null" and urlsplit(origin).netloc not in ours
    )
    if foreign or (origin == "null" and site != "same-origin"):
        _log.warning("form_of_another_site", site=(origin or site)[:100])
        raise _NotHereError(
            message(visit, "This form came from another site", "Nothing was done.", 403)
        )


async def _with_person(route: ConsoleRoute, visit: ConsoleVisit) -> ConsoleVisit:
    session = await visit.gateway.sign_in.find(visit.token)
    person = await people.select(visit.db, session.person_id) if session else None
    if session and person and session.stage == "complete" and person.state == "active":
        return replace(visit, signed=(person, session))
    if route.needs is Access.ANYBODY:
        return visit
    here = visit.request.url.path
    at_start = here.rstrip("/") == PREFIX.rstrip("/")
    back = f"?next={quote(here)}" if route.method == "GET" and not at_start else ""
    raise _NotHereError(render.see(SIGN_IN + back))


async def _with_place(route: ConsoleRoute, visit: ConsoleVisit) -> ConsoleVisit:
    place = await place_of(visit, str(visit.params["place"]))
    served = place is not None and route.at in {"both", "merchant" if place.merchant else "all"}
    if place is None or not served:
        # The answer is the same for an unknown merchant and for another person's.
        raise _NotHereError(
            message(visit, "Not found", "There is no such page, or not for you.", 404)
        )
    if isinstance(route.needs, Permission) and not may(place.role, route.needs):
        words = (
            f"Your role here ({place.role}) does not include this. An owner can change it under"
            " People."
        )
        raise _NotHereError(message(visit, "Not for your role", words, 403))
    if route.method == "GET":
        place = replace(place, twin_id=await _twin_of(visit, place))
        place = replace(place, has_others=await _has_others(visit, place))
    return replace(visit, place=place)


async def _twin_of(visit: ConsoleVisit, place: Place) -> int | None:
    """Return the other merchant of a pair, None where the person has no role there."""
    if place.merchant is None:
        return None
    twin_id = await twins.twin_of(visit.db, place.merchant.merchant_id)
    # Who has a role everywhere has one there: this request has proved it already.
    is_there = twin_id and (place.role in OPERATORS or await place_of(visit, str(twin_id)))
    return twin_id if is_there else None


async def _has_others(visit: ConsoleVisit, place: Place) -> bool:
    """Return whether a person has another place; a place that cannot be asked counts as one."""
    if place.twin_id is not None or (place.merchant and place.role in OPERATORS):
        return True
    try:
        return len(await people.memberships_of(visit.db, visit.person.person_id)) > 1
    except NodeLostError:
        return True


async def place_of(visit: ConsoleVisit, name: str) -> Place | None:
    """Return a place by its name in addresses, None where the person has no role."""
    at = partial(role_at, visit.db, visit.gateway.vault, person_id=visit.person.person_id)
    if name == ALL:
        operator = await at(OPERATOR)
        return Place(None, operator) if operator else None
    if not (name.isascii() and name.isdigit() and len(name) < 16):  # noqa: PLR2004 (our ids have 15 digits at most)
        return None
    # The operator's place may be on another node, so it is read only where there is no role here.
    role = (await at(int(name)) if int(name) else None) or await at(OPERATOR)
    merchant = await visit.gateway.directory.get(int(name)) if role else None
    return Place(merchant, role) if merchant and role else None


async def _with_fresh_factor(visit: ConsoleVisit) -> ConsoleVisit:
    """Ask for the second factor in place, keeping the form, unless it is recent."""
    if visit.session.is_fresh(world_now()):
        return visit
    code = visit.form.get(_AGAIN_FIELD, "")
    refusal = await visit.gateway.sign_in.show_factor(visit.session, code) if code else None
    if code and refusal is None:
        return visit
    fields = [
        name
        for name, text in visit.form.items()
        if name not in {_AGAIN_FIELD, _TOKEN_FIELD} and (text or not name.startswith(WRITE_ONLY))
    ]
    secrets = [name for name in fields if _is_secret(name)]
    fields_carried = {name: visit.form[name] for name in fields if name not in secrets}
    title = "Confirm that it is you"
    raise _NotHereError(
        visit.page(
            "again.html",
            title,
            kept=fields_carried,
            secrets={name: name.removeprefix(WRITE_ONLY) for name in secrets},
            present=_PRESENT,
            fault=refusal or "",
        )
    )


def _is_secret(name: str) -> bool:
    return name in _PRESENT or name.startswith(WRITE_ONLY) or "password" in name
