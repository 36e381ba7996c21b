"""The handlers of the plain interface: each operation's act, and the request to it."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from hundi.api import problems
from hundi.api.context import GatewayContext
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant import disputes, links, settlements
from hundi.api.merchant.operations import ServedOperation
from hundi.api.merchant.plain import events, orders, refunds
from hundi.api.merchant.plain.endpoint import PlainAct, PlainCall, PlainHandler
from hundi.infra.postgres.database import Beside
from hundi.kernel.ids import request_reference
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.wire.merchant.links import STATUS as LINK_STATUS
from hundi.wire.merchant.links import LinkName, NewPaymentLink, PaymentLink
from hundi.wire.plain.operation import PlainOperation
from hundi.wire.plain.table import CREATE_LINK, OPERATIONS, operation_at

_ADDRESS_MAX = 100


async def _create_link(call: PlainCall, asked: NewPaymentLink) -> PaymentLink:
    context = call.context

    async def do(beside: Beside | None) -> tuple[int, Any]:
        link = (await links.create(context, asked, beside)).data
        assert isinstance(link, PaymentLink), "a link is written for its caller"
        return int(link.link_id), link

    async def show(link_id: int) -> Any:  # noqa: ANN401 (a PaymentLink)
        found = LinkName(link_id=str(link_id))
        return (await links.HANDLERS[LINK_STATUS].act(context, found)).data

    return await call.once(do, show)


_SERVED: Mapping[str, ServedOperation[Any, Any]] = {
    operation.identity: handler
    for room in (links, settlements, disputes)
    for operation, handler in room.HANDLERS.items()
}


def _act_of(operation: PlainOperation[Any, Any]) -> PlainAct:
    """Return the act of an operation that the payment interface has, too."""
    served = _SERVED[operation.identity]

    async def act(call: PlainCall, asked: object) -> object:
        return (await served.act(call.context, asked)).data

    return act


_OWN: Mapping[PlainOperation[Any, Any], PlainAct] = {
    **orders.ACTS,
    **refunds.ACTS,
    **events.ACTS,
    CREATE_LINK: _create_link,
}
HANDLERS: Mapping[PlainOperation[Any, Any], PlainHandler[Any, Any]] = {
    operation: PlainHandler(operation, _OWN.get(operation) or _act_of(operation))
    for operations in OPERATIONS.values()
    for operation in operations
}


async def answer(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Answer a request below the plain interface's address."""
    operation, placed, methods = operation_at(inbound.method, inbound.path)
    if operation is not None:
        return await HANDLERS[operation](gateway, inbound, placed)
    if not methods:
        refusal = Refusal(
            RefusalCode.NO_RECORDS,
            "address",
            inbound.path[:_ADDRESS_MAX],
            "an address of the plain interface",
        )
        return problems.reply_of(refusal, request_reference(), HTTPStatus.NOT_FOUND)
    allowed = ", ".join(methods)
    refusal = Refusal(RefusalCode.ENVELOPE_UNREADABLE, "method", inbound.method[:16], allowed)
    reply = problems.reply_of(refusal, request_reference(), HTTPStatus.METHOD_NOT_ALLOWED)
    return Reply(reply.body, reply.status, (*reply.headers, (b"allow", allowed.encode())))
