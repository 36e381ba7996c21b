"""Serves the declared operations of partners: reads the request, acts, and writes the reply."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from hundi.api.endpoint import EndpointPolicy, Handler, RequestContext, serve
from hundi.api.partner.endpoint import (
    Answer,
    PartnerAuthentication,
    PartnerRequest,
    Prove,
    by_headers,
    partner_endpoint,
    refused_as,
)
from hundi.wire.partner.operation import Asked, PartnerOperation, Told
from hundi.wire.parts import names

Sender = TypeVar("Sender")


def serving(
    operation: PartnerOperation[Asked, Told],
    act: Callable[[PartnerRequest, Asked], Awaitable[Told]],
    prove: Prove = by_headers,
) -> Handler:
    """Return the handler of an operation's requests.

    act: does what a proven partner requested; raises Refused. prove: finds the partner and checks
    its keys.
    """
    policy = partner_endpoint(
        operation.name,
        PartnerAuthentication(names(operation.request), prove),
        encode_refusal=refused_as(operation.shape.failure),
        body_bytes_max=operation.kib_max * 1024,
    )
    return serving_by(policy, operation, act)


def serving_by(
    policy: EndpointPolicy[Sender, Answer],
    operation: PartnerOperation[Asked, Told],
    act: Callable[[RequestContext[Sender], Asked], Awaitable[Told]],
) -> Handler:
    """Return the same for callers of another policy."""

    async def answer(context: RequestContext[Any]) -> Answer:
        return operation.answer(await act(context, operation.asked(context.parameters)))

    return partial(serve, policy=policy, act=answer)
