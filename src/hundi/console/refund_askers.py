"""Who asked for a refund, and the reason that they typed: for those who may see the refund."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from asyncpg import Record

from hundi.console.queries import refunds as queries
from hundi.infra.postgres.database import Queries
from hundi.kernel.states import RefundCause

OF_APPROVAL, OF_FORM = "approval-", "console-"
"""Prefixes of request ids for refunds asked for here, by two people or one.

Refused from merchants' servers.
"""


@dataclass(frozen=True, slots=True)
class RefundAsker:
    """Who asked for a refund here, and the reason that they typed."""

    person: str
    reason: str = ""


async def askers_of(
    source: Queries, merchant_id: int, payment_id: int
) -> tuple[dict[str, RefundAsker], dict[int, Record]]:
    """Return who asked for each refund, by its key or number, and each request, by its number."""
    whose = merchant_id, payment_id
    requests = {row["approval_id"]: row for row in await queries.requests_of(source, *whose)}
    alone: dict[str, RefundAsker] = {}
    for row in await queries.makers_of(source, *whose):
        detail = msgspec.json.decode(row["detail"])
        alone[str(detail.get("refund", ""))] = RefundAsker(row["person"], detail.get("reason", ""))
    both = {
        f"{OF_APPROVAL}{number}": RefundAsker(f"{row['maker']} and {row['checker']}", row["reason"])
        for number, row in requests.items()
    }
    return alone | both, requests


def asked_by(
    cause: str, refund_id: int, request_id: str, askers: Mapping[str, RefundAsker]
) -> RefundAsker:
    """Return who asked for a refund: a person, the merchant's server or the gateway itself."""
    if cause != RefundCause.MERCHANT:
        return RefundAsker("the gateway itself: the order could not keep the money")
    asker = askers.get(str(refund_id)) or askers.get(request_id)
    by_server = f"your server, request {request_id}" if request_id else "your server"
    return asker or RefundAsker(by_server)


async def asker_of(source: Queries, row: Record) -> RefundAsker:
    """Return who asked for a refund. row: as `queries.select` reads it."""
    askers, _ = await askers_of(source, row["merchant_id"], row["payment_id"])
    return asked_by(row["cause"], row["refund_id"], row["request_id"], askers)
