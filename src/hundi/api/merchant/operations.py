"""Serves the operations declared in `wire`: reads the request, acts, and writes the reply."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic

import msgspec

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import BODY_BYTES_MAX, same_refusal, serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import (
    Envelope,
    MerchantAuthentication,
    MerchantEndpoint,
    MerchantRequest,
    merchant_endpoint,
    refused,
)
from hundi.kernel.refusals import Refusal
from hundi.merchants.directory.api_keys.rules import KeyScope
from hundi.wire.message import read_request, write_reply
from hundi.wire.operation import Asked, Operation, Told


@dataclass(frozen=True, slots=True)
class Ready(Generic[Told]):
    """A reply that was written once for many callers; `wire.envelope.ready` encodes it."""

    encoded: msgspec.Raw


@dataclass(frozen=True, slots=True)
class Answer(Generic[Told]):
    """The result of an operation. message: the sentence for a person."""

    data: Told | Ready[Told]
    message: str


def authentication_of(operation: Operation[Any, Any]) -> MerchantAuthentication:
    """Return an operation's demands on merchants: its declared scope and proofs."""
    return MerchantAuthentication(
        KeyScope(operation.scope),
        token="token" in operation.proofs,
        privatekey="required" if "privatekey" in operation.proofs else "if_sent",
        checksum="checksum" in operation.proofs,
    )


@dataclass(frozen=True, slots=True)
class ServedOperation(Generic[Asked, Told]):
    """The handler of an operation's requests.

    act: does what an authenticated merchant requested, in whichever form it came; raises Refused.
    read: returns the request where more than its own fields decide; raises Refused and FieldError.
    """

    operation: Operation[Asked, Told]
    act: Callable[[MerchantRequest, Asked], Awaitable[Answer[Told]]]
    policy: MerchantEndpoint
    read: Callable[[MerchantRequest], Asked] | None

    async def __call__(self, gateway: GatewayContext, inbound: Inbound) -> Reply:
        """Answer a request."""
        return await serve(gateway, inbound, self.policy, self._answer)

    async def _answer(self, context: MerchantRequest) -> Envelope:
        read, request = self.read, self.operation.request
        asked = read(context) if read else read_request(request, context.values)
        told = await self.act(context, asked)
        data = told.data.encoded if isinstance(told.data, Ready) else write_reply(told.data)
        return replies.success(data, told.message, context.request_id)


def serving(
    operation: Operation[Asked, Told],
    act: Callable[[MerchantRequest, Asked], Awaitable[Answer[Told]]],
    *,
    read: Callable[[MerchantRequest], Asked] | None = None,
    authentication: MerchantAuthentication | None = None,
    encode_refusal: Callable[[MerchantRequest, Refusal, Exception], Envelope] = refused,
    on_refusal: Callable[[MerchantRequest, Refusal], Awaitable[Refusal]] = same_refusal,
    body_bytes_max: int = BODY_BYTES_MAX,
) -> ServedOperation[Asked, Told]:
    """Return the handler of an operation's requests.

    act, read: as of ServedOperation. authentication: where it is more than the operation's proofs
    and scope. encode_refusal, on_refusal: as of `merchant_endpoint`.
    """
    policy = merchant_endpoint(
        operation.name,
        authentication or authentication_of(operation),
        encode_refusal=encode_refusal,
        on_refusal=on_refusal,
        body_bytes_max=body_bytes_max,
    )
    return ServedOperation(operation, act, policy, read)
