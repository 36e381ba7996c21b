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
    brand,
    channels,
    complaints,
    customer_erasures,
    customer_files,
    customers,
    deliveries,
    disputes,
    doctor,
    endpoints,
    guard,
    home,
    integration,
    join,
    keys,
    lab,
    leads,
    letter_choices,
    letters,
    link_files,
    link_page,
    links,
    merchants,
    methods,
    payment_acts,
    payments,
    payout_list,
    payout_plans,
    payouts,
    people,
    price_plans,
    reconciliation,
    refund_form,
    refunds,
    render,
    reports,
    requests,
    reviews,
    risk_form_pages,
    routing_form_pages,
    routing_plans,
    saved_filters,
    settings_pages,
    settlements,
    several,
    sign_in,
    statements,
    subscriptions,
    success,
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
    success,
    payments,
    payment_acts,
    refund_form,
    several,
    links,
    link_files,
    link_page,
    refunds,
    disputes,
    complaints,
    subscriptions,
    customers,
    customer_files,
    customer_erasures,
    deliveries,
    letter_choices,
    letters,
    terminals,
    leads,
    channels,
    acquirers,
    acquirer_forms,
    acquirer_money,
    routing_form_pages,
    routing_plans,
    settlements,
    reports,
    payout_list,
    payouts,
    payout_plans,
    requests,
    lab,
    keys,
    brand,
    integration,
    settings_pages,
    methods,
    endpoints,
    agreements,
    price_plans,
    merchants,
    across,
    reviews,
    risk_form_pages,
    reconciliation,
    statements,
    approvals,
    people,
    saved_filters,
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
