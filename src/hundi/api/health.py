"""Health and metrics of this process."""

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import NotFoundException
from prometheus_client import CONTENT_TYPE_LATEST

from hundi.api.endpoint import sender_address
from hundi.api.inbound import Inbound
from hundi.doctor.site.rules import PROOF_HEADER, PROOF_PURPOSE, SeenCaller, is_proof
from hundi.infra.monitoring import machine
from hundi.infra.monitoring.readings import MetricReadings
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.merchants.directory.rules import is_listed

if TYPE_CHECKING:
    from hundi.api.context import GatewayContext


async def live() -> Response[bytes]:
    """Answer 200 while the process runs."""
    return Response(b'{"status":"live"}', media_type="application/json")


async def ready(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Answer 200 when the database answers and earlier wake-ups arrived here, else 503."""
    gateway: GatewayContext = request.app.state.gateway
    try:
        await gateway.db.fetchval("SELECT 1")
        await gateway.db.catch_up()
    except Exception:  # noqa: BLE001 (whatever keeps the database from answering, we are not ready)
        return Response(
            b'{"status":"waiting for the database"}', media_type="application/json", status_code=503
        )
    return Response(b'{"status":"ready"}', media_type="application/json")


async def metrics(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Answer with this machine's counters in Prometheus's format.

    404 for a caller that is not in `metrics_from`.
    """
    gateway: GatewayContext = request.app.state.gateway
    if not is_listed(
        sender_address(Inbound(request.scope, request.receive), gateway),
        gateway.settings.metrics_from,
    ):
        raise NotFoundException
    return await _answered(gateway.db, request.app.state.readings)


async def metrics_alone(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Answer as `metrics` does, on a port of its own; no proxy is trusted there."""
    state, client = request.app.state, request.client
    if client is None or not is_listed(client.host, state.metrics_from):
        raise NotFoundException
    return await _answered(state.db, state.readings)


async def seen(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Answer with how this request arrived, to whoever proves to hold our keys; else 404.

    The doctor sees by it what a proxy in between changes.
    """
    gateway: GatewayContext = request.app.state.gateway
    if not is_proof(request.headers.get(PROOF_HEADER, ""), gateway.vault.derive_all(PROOF_PURPOSE)):
        raise NotFoundException
    inbound = Inbound(request.scope, request.receive)
    caller = SeenCaller(
        host=request.headers.get("host", ""),
        peer=inbound.peer,
        forwarded=inbound.last_of(b"x-forwarded-for"),
        is_believed=bool(sender_address(inbound, gateway)),
    )
    return Response(msgspec.json.encode(caller), media_type="application/json")


async def _answered(db: Database, readings: MetricReadings) -> Response[bytes]:
    page = await asyncio.to_thread(machine.exposition, await readings.read(db, utc_now()))
    return Response(page, media_type=CONTENT_TYPE_LATEST)
