"""The addresses of the console: each is a `Route` behind the guard."""

from collections.abc import Sequence
from types import ModuleType

from litestar import Response, Router, get
from litestar.exceptions import HTTPException, NotFoundException
from litestar.handlers import HTTPRouteHandler

from hundi.console import (
    acquirer_forms,
    acquirer_money,
    acquirers,
    across,
    agreements,
    approvals,
    channels,
    deliveries,
    disputes,
    doctor,
    guard,
    home,
    integration,
    join,
    keys,
    lab,
    leads,
    links,
    merchants,
    payment_acts,
    payments,
    payout_plans,
    payouts,
    people,
    reconciliation,
    refund_form,
    refunds,
    render,
    requests,
    reviews,
    routing_plans,
    settlements,
    sign_in,
    subscriptions,
    terminals,
    trail,
    verb_pages,
    you,
)
from hundi.console.assets import STATIC_PATH
from hundi.console.guard import ConsoleRoute
from hundi.console.visits import AnyRequest

PAGES: Sequence[ModuleType] = (
    sign_in,
    join,
    you,
    home,
    payments,
    payment_acts,
    refund_form,
    links,
    refunds,
    disputes,
    subscriptions,
    deliveries,
    terminals,
    leads,
    channels,
    acquirers,
    acquirer_forms,
    acquirer_money,
    routing_plans,
    settlements,
    payouts,
    payout_plans,
    requests,
    lab,
    keys,
    integration,
    agreements,
    merchants,
    across,
    reviews,
    reconciliation,
    approvals,
    people,
    trail,
    doctor,
    verb_pages,
)
"""One file for each subject; each lists its `ROUTES`."""


def all_routes() -> list[ConsoleRoute]:
    """Return every route of the console."""
    return [route for module in PAGES for route in module.ROUTES]


def _served(route: ConsoleRoute) -> HTTPRouteHandler:
    async def answer(request: AnyRequest) -> Response[bytes]:
        return await guard.answer(route, request)

    status = 200 if route.method == "GET" else 303
    path = route.address if route.address == "/console/" else route.address.rstrip("/")
    handler = HTTPRouteHandler(
        path,
        http_method=route.method,
        status_code=status,
        request_max_body_size=route.body_bytes_max,
    )
    return handler(answer)


async def _static_file(request: AnyRequest) -> Response[bytes]:
    """Return a stylesheet, script or picture by the name of its content."""
    response = render.static(
        request.path_params["name"], request.headers.get("accept-encoding", "")
    )
    if response is None:
        raise NotFoundException
    return response


def routes() -> Router:
    """Return the console's handlers."""
    static = get(f"{STATIC_PATH}/{{name:str}}")(_static_file)
    return Router("/", route_handlers=[static, *(_served(route) for route in all_routes())])


def stray(request: AnyRequest, problem: HTTPException) -> Response[bytes]:
    """Return a page for an unknown address of the console."""
    return render.page(
        "outside_message.html", sign_in.bare(request, "Not found"), problem.status_code
    )
