"""The gateway's web application: API, payment page and, in demo mode, the demo shop."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import structlog
from litestar import Litestar, Request, Response, get
from litestar.exceptions import HTTPException
from litestar.types import ControllerRouterHandler, Scope

from hundi.api import addresses, headers, health
from hundi.api.context import GatewayContext
from hundi.api.description import document, partner_document, plain_document
from hundi.api.interfaces import Interfaces, Pages
from hundi.api.status import routing as status
from hundi.api.status.board import StatusBoard
from hundi.console import routing as console
from hundi.console.assets import PREFIX as CONSOLE
from hundi.doctor.site.rules import SEEN_ADDRESS
from hundi.gateway import documentation
from hundi.gateway.bootstrap import open_configured_database, open_gateway
from hundi.infra import logs, plugins
from hundi.infra.demo_clock import actions as demo_clock
from hundi.infra.monitoring import traces
from hundi.infra.monitoring.machine import started
from hundi.infra.monitoring.readings import MetricReadings
from hundi.infra.settings import Settings, load_settings
from hundi.page import initiate
from hundi.page import routing as page
from hundi.page.compiling import compile_for_most

Opening = Callable[[Settings], AbstractAsyncContextManager[GatewayContext]]
AnyRequest = Request[Any, Any, Any]
_log = structlog.get_logger(__name__)


def build() -> Interfaces:
    """Return the application with the settings of the environment (the server's factory)."""
    settings = load_settings()
    logs.configure(settings.log_level)
    started("api")
    traces.start(settings.traces_to, "api")
    compile_for_most()
    return build_with(settings)


def build_metrics() -> Litestar:
    """Return the application with only health and metrics, for a port of its own."""
    settings = load_settings()
    logs.configure(settings.log_level)
    started("metrics")

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        async with await open_configured_database(settings, pool_size=1) as db:
            app.state.db, app.state.metrics_from = db, settings.metrics_from
            app.state.readings = MetricReadings.of(settings)
            if settings.demo:
                await demo_clock.follow(db)
            yield

    return Litestar(
        route_handlers=[get("/health/live")(health.live), get("/metrics")(health.metrics_alone)],
        lifespan=[lifespan],
        openapi_config=None,
        logging_config=None,
        debug=False,
        pdb_on_exception=False,
    )


def build_with(settings: Settings, opening: Opening = open_gateway) -> Interfaces:
    """Return the application with given settings.

    opening: opens the gateway's parts at its start.
    """

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        async with opening(settings) as gateway:
            app.state.gateway, app.state.readings = gateway, MetricReadings.of(settings)
            app.state.status_board = StatusBoard(gateway.db, gateway.connectors, settings.base_url)
            yield
        await traces.stop()

    behind = Litestar(
        route_handlers=_routes(settings),
        lifespan=[lifespan],
        openapi_config=None,
        logging_config=None,
        # Otherwise variables of the environment decide, and a fault would show its trace to the
        # caller.
        debug=False,
        pdb_on_exception=False,
        request_max_body_size=None,
        after_exception=[_log_fault],
        exception_handlers={HTTPException: _stray},
    )
    start = addresses.page(settings.path_aliases)
    return Interfaces(
        behind,
        settings.path_aliases,
        Pages(
            dict.fromkeys(start, initiate.initiate)
            | dict.fromkeys(addresses.old_page(settings.path_aliases), initiate.initiate_by_kit),
            page.session_page,
            page.too_many,
        ),
        headers.for_addresses(settings.base_url, settings.payment_page_url),
    )


def _stray(request: AnyRequest, problem: HTTPException) -> Response[Any]:
    """Return the answer for an unknown address; the console has a page of its own for it."""
    at_console = request.url.path.startswith(CONSOLE)
    return console.stray(request, problem) if at_console else page.stray(request, problem)


async def _log_fault(problem: Exception, scope: Scope) -> None:
    """Log an unhandled error, without the names of payments, mandates or offers in its address."""
    if not isinstance(problem, (HTTPException, *page.EXPECTED)):
        _log.error("request_failed", path=addresses.loggable(str(scope["path"])), exc_info=problem)


def _routes(settings: Settings) -> list[ControllerRouterHandler]:
    aliases = settings.path_aliases
    routes: list[ControllerRouterHandler] = [
        get("/health/live")(health.live),
        get("/health/ready")(health.ready),
        get(SEEN_ADDRESS)(health.seen),
        *([] if settings.metrics_port else [get("/metrics")(health.metrics)]),
        *(status.routes() if settings.status_page else []),
        get(addresses.description(aliases))(_description),
        get(addresses.partner_description(aliases))(_partner_description),
        get(addresses.PLAIN_DESCRIPTION)(_plain_description),
        page.routes(addresses.page(aliases), addresses.old_page(aliases)),
        console.routes(),
    ]
    if settings.docs_dir is not None:
        routes.append(documentation.router(settings.docs_dir.absolute()))
    if settings.demo:
        routes.append(plugins.demo_shop()(settings))
    return routes


async def _description() -> Response[bytes]:
    """Return the OpenAPI description of the payment interface."""
    return Response(document.document_json(), media_type="application/json")


async def _partner_description() -> Response[bytes]:
    """Return the OpenAPI description of the partners' interfaces."""
    return Response(partner_document.document_json(), media_type="application/json")


async def _plain_description() -> Response[bytes]:
    """Return the OpenAPI description of the plain interface."""
    return Response(plain_document.document_json(), media_type="application/json")
