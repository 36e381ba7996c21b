"""Operations of kits of versions 3 and 2, read and answered in their old forms.

What they do is done by the operations of version 4 (docs/old-kits.md#operations).
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

import msgspec

from hundi.api import replies
from hundi.api.endpoint import BODY_BYTES_MAX, EndpointPolicy, Handler, json_reply, serve
from hundi.api.inbound import Reply
from hundi.api.merchant import refund, upi, upi_address, verify
from hundi.api.merchant.endpoint import EVERYTHING, MerchantRequest, Proof, sealed_reply
from hundi.api.merchant.kits import KitAuthentication, KitMessage, is_served, with_key
from hundi.api.merchant.operations import Answer, Ready
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, refuse
from hundi.wire import cipher
from hundi.wire.merchant import kit_checksums, old_kits
from hundi.wire.merchant.old_kits import (
    KIT_GENERATE,
    KIT_REFUND,
    KIT_VALIDATE,
    KIT_VERIFY,
    KitOperation,
)
from hundi.wire.merchant.refunds import RefundRequest
from hundi.wire.merchant.upi_address import ValidateVpaRequest
from hundi.wire.merchant.verify import VerifyRequest
from hundi.wire.message import read_request, write_reply
from hundi.wire.operation import Told
from hundi.wire.strict_json import JsonValue, compact

_XML = (b"content-type", b"application/xml; charset=utf-8")


def _read_verify(context: MerchantRequest) -> KitMessage:
    sent = {**context.outer.extra, kit_checksums.MERCHANT: context.outer.merchant_id}
    fields = {name: sent.get(name, "") for name in KIT_VERIFY.joined}
    texts = kit_checksums.joined_texts(fields, KIT_VERIFY.joined)
    return KitMessage(KIT_VERIFY.renamed(context.outer.extra), texts)


def _read_refund(context: MerchantRequest) -> KitMessage:
    outer = context.outer
    values, _ = old_kits.refund_values(outer.extra)
    return KitMessage(values, old_kits.refund_texts(outer.merchant_id, outer.extra, context.body))


def _read_sealed(kit: KitOperation, context: MerchantRequest) -> KitMessage:
    opened = _opened(context)
    if opened is None:
        raise refuse(RefusalCode.ENCDATA_UNREADABLE)
    values = opened.values
    context.claimed = with_key(context.sender, opened.proof)
    texts = {
        name: value if isinstance(value, str) else "" if value is None else compact(value)
        for name, value in values.items()
    }
    whole = {kit_checksums.MERCHANT_SEALED: context.outer.merchant_id} | texts
    return KitMessage(values, kit_checksums.joined_texts(whole, kit.joined, texts))


class OpenedSeal(NamedTuple):
    """A sealed message: its key, its fields, and the secret that the key is made of."""

    key: bytes
    values: dict[str, JsonValue]
    proof: Proof


def _opened(context: MerchantRequest) -> OpenedSeal | None:
    """Return what a kit has sealed, None for what no secret of the merchant opens.

    The key is made of the API secret alone, which no browser has (docs/old-kits.md#proof).
    """
    keys = context.sender.keys
    secrets: list[tuple[str, Proof]] = [(keys.secret, EVERYTHING)]
    if keys.secret_before:
        secrets.append((keys.secret_before, EVERYTHING))
    for secret, proof in (*secrets, *((each.secret, each) for each in keys.further)):
        key = cipher.key_of_secret(secret)
        try:
            return OpenedSeal(key, cipher.open_json(key, context.outer.encdata), proof)
        except cipher.UnreadableCipher:
            continue
    return None


def _data(answer: Answer[Told]) -> Told:
    """Return the data of an answer that was made for this call alone."""
    assert not isinstance(answer.data, Ready), "only lists are written once for many callers"
    return answer.data


async def _verified(context: MerchantRequest) -> Reply:
    told = await verify.verify(context, read_request(VerifyRequest, context.values))
    settings, mode = context.sender.settings, context.sender.mode
    fields = old_kits.kit_form(
        _data(told), context.request_id, mode=mode, left_out=settings.left_out
    )
    return _transaction(context, {"TRANSACTION": fields})


def _transaction(context: MerchantRequest, told: Mapping[str, object]) -> Reply:
    """Return a reply of verify: JSON where `Accept` names it, else XML."""
    if "application/json" in context.inbound.header(b"accept").lower():
        return json_reply(context, msgspec.json.encode(told))
    reply = json_reply(context, old_kits.xml(told))
    return replace(reply, headers=(_XML, *tuple(reply.headers)[1:]))


def _not_verified(context: MerchantRequest, refusal: Refusal) -> Reply:
    words, code = replies.words(refusal), replies.CODE_OF[refusal.code].wire
    if refusal.code is RefusalCode.NO_RECORDS:
        found = {"TRANSACTIONSTATUS": code, "MESSAGE": words}
        return _transaction(context, {"TRANSACTION": found})
    told = {"status": "400", "response_code": code, "message": words}
    return _transaction(context, {**told, "request_id": context.request_id})


async def _refunded(context: MerchantRequest) -> Reply:
    told = await refund.refund(context, read_request(RefundRequest, context.values))
    _, is_array = old_kits.refund_values(context.outer.extra)
    if is_array:
        merchant_id = str(context.sender.merchant_id)
        array = old_kits.refund_array(merchant_id, told.message, _data(told))
        return json_reply(context, msgspec.json.encode(array))
    return sealed_reply(
        context, replies.success(write_reply(_data(told)), told.message, context.request_id)
    )


def _not_refunded(context: MerchantRequest, refusal: Refusal) -> Reply:
    return sealed_reply(context, replies.refused(refusal, context.request_id))


async def _generated(context: MerchantRequest) -> Reply:
    told = await upi.generate(context, upi.read(context))
    return _sealed(context, "200", told.message, old_kits.qr_reply(_data(told)))


async def _validated(context: MerchantRequest) -> Reply:
    told = await upi_address.validate(context, read_request(ValidateVpaRequest, context.values))
    return _sealed(context, "200", told.message, write_reply(_data(told)))


def _sealed(context: MerchantRequest, status: str, message: str, data: object) -> Reply:
    """Return a reply whose data are sealed with the key of the request, "" where none opens it."""
    opened = _opened(context) if context.authenticated else None
    sealed = cipher.seal(opened.key, msgspec.json.encode(data)) if opened else ""
    envelope = {"status": status, "message": message, "data": sealed}
    return json_reply(context, msgspec.json.encode(envelope))


def _not_sealed(context: MerchantRequest, refusal: Refusal) -> Reply:
    told = {
        "status": 400,
        "message": replies.words(refusal),
        "response_code": replies.CODE_OF[refusal.code].wire,
        "request_id": context.request_id,
    }
    return _sealed(context, "400", replies.words(refusal), told)


def _unserved(context: MerchantRequest) -> Reply:
    """Return the reply of an address that nobody serves: so these are, without the setting."""
    stray = Refusal(
        RefusalCode.ENVELOPE_UNREADABLE,
        "address",
        context.inbound.path,
        "an interface's address",
    )
    body = msgspec.json.encode(replies.refused(stray, context.request_id))
    return replace(json_reply(context, body), status=HTTPStatus.NOT_FOUND)


def serving(
    authentication: KitAuthentication,
    act: Callable[[MerchantRequest], Awaitable[Reply]],
    refused: Callable[[MerchantRequest, Refusal], Reply],
    body_bytes_max: int = BODY_BYTES_MAX,
) -> Handler:
    """Return the handler of an operation of old kits. refused: the reply to a served merchant."""

    def encode_refusal(context: MerchantRequest, refusal: Refusal, _: Exception) -> Reply:
        return refused(context, refusal) if is_served(context) else _unserved(context)

    policy = EndpointPolicy(
        authentication.kit.name,
        authentication,
        encode_refusal,
        lambda _, reply: reply,
        body_bytes_max=body_bytes_max,
    )
    return partial(serve, policy=policy, act=act)


HANDLERS: Mapping[KitOperation, Handler] = {
    KIT_VERIFY: serving(
        KitAuthentication(KIT_VERIFY, _read_verify, live_only=True), _verified, _not_verified
    ),
    KIT_REFUND: serving(
        KitAuthentication(KIT_REFUND, _read_refund),
        _refunded,
        _not_refunded,
        refund.BODY_BYTES_MAX,
    ),
    KIT_VALIDATE: serving(
        KitAuthentication(KIT_VALIDATE, partial(_read_sealed, KIT_VALIDATE)),
        _validated,
        _not_sealed,
    ),
    KIT_GENERATE: serving(
        KitAuthentication(KIT_GENERATE, partial(_read_sealed, KIT_GENERATE)),
        _generated,
        _not_sealed,
    ),
}
