"""Authentication of a bearer key, and one plain request from its address to its reply."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Generic

import msgspec

from hundi.api import problems
from hundi.api.context import GatewayContext
from hundi.api.endpoint import EndpointPolicy, sender_address, serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantRequest, record_refusal
from hundi.infra.postgres.database import Beside
from hundi.kernel.clock import world_now
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, Refused, refuse
from hundi.merchants.bearer_keys import actions as bearer_keys
from hundi.merchants.bearer_keys import rules as bearer_rules
from hundi.merchants.directory.api_keys.rules import KeyScope
from hundi.merchants.directory.rules import Merchant, is_listed
from hundi.merchants.idempotency import actions as idempotency
from hundi.merchants.idempotency.actions import KeyTakenError
from hundi.merchants.idempotency.rules import KEY_MAX, IdempotencyKey, content_hash
from hundi.wire import strict_json
from hundi.wire.envelope import OuterEnvelope
from hundi.wire.fields import FieldError
from hundi.wire.forms import UnreadableForm
from hundi.wire.merchant.payments import PaymentRequest
from hundi.wire.operation import Asked, Told
from hundi.wire.parts import Declared, Values
from hundi.wire.plain.operation import PlainOperation, next_of, rows_of
from hundi.wire.plain.values import read_plain, shown_parts, write_plain

_BEARER = "bearer "
_CURSOR = "cursor"
_KEY = "Idempotency-Key"
_TRIES = 3
_JSON = (b"content-type", b"application/json")
_NOT_STORED = (b"cache-control", b"no-store")
_NOT_GUESSED = (b"x-content-type-options", b"nosniff")
_REPLAYED = (b"idempotency-replayed", b"true")


@dataclass(slots=True)
class PlainCall:
    """One request of the plain interface. key: None without an idempotency key.

    replayed: whether its effect was there before.
    """

    context: MerchantRequest
    key: IdempotencyKey | None = None
    replayed: bool = False

    async def once(
        self,
        do: Callable[[Beside | None], Awaitable[tuple[int, Told]]],
        show: Callable[[int], Awaitable[Told]],
    ) -> Told:
        """Do what was requested once under its key, and show the effect when it comes again.

        do: writes the given with its effect, and returns the subject and the answer. show: returns
        the answer about a subject as it is now. Raises Refused.
        """
        if self.key is None:
            return (await do(None))[1]
        db, now = self.context.gateway.db, self.context.now
        for _ in range(_TRIES):
            known = await idempotency.earlier(db, self.key)
            if known is not None:
                self.replayed = True
                return await show(known.subject)
            try:
                subject, told = await do(idempotency.recording(self.key, now))
            except KeyTakenError:
                continue  # the same request at the same moment: the next look finds its effect
            await idempotency.note(db, self.key, subject, now)
            return told
        message = "an idempotency key was taken and not found"
        raise RuntimeError(message)


_OF_ORDERS = {part.name: part.attribute for part in shown_parts(PaymentRequest)}
PlainAct = Callable[[PlainCall, Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class PlainReply:
    """A reply before it is bytes. problem: of a refusal."""

    status: HTTPStatus | int = HTTPStatus.OK
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    replayed: bool = False
    problem: Refusal | None = None


@dataclass(frozen=True, slots=True)
class BearerAuthentication:
    """A bearer key with the scope of an operation. live_only: sandbox merchants are refused."""

    scope: KeyScope
    live_only: bool

    async def authenticate(self, context: MerchantRequest) -> None:
        """Find the key and its merchant, and check the caller's address. Raises Refused."""
        text = _bearer(context.inbound)
        merchant_id = bearer_rules.merchant_named(text)
        if merchant_id is None:
            allowed = "Bearer and a bearer key of this merchant"
            raise refuse(RefusalCode.TOKEN_UNKNOWN, field="Authorization", allowed=allowed)
        gateway, at = context.gateway, world_now()
        merchant = await gateway.directory.get(merchant_id)
        if merchant is None:
            raise refuse(RefusalCode.TOKEN_UNKNOWN)
        context.claimed = merchant
        key = await bearer_keys.proven(gateway.db, gateway.vault, merchant_id, text, at)
        context.claimed = replace(merchant, key=key.as_api_key)
        context.authenticated = True
        networks = merchant.settings.operation_addresses
        address = sender_address(context.inbound, gateway)
        if networks and not is_listed(address, networks):
            detail = f"the merchant's operation_addresses do not hold {address}"
            raise refuse(RefusalCode.SENDER_UNPROVEN, detail=detail)

    async def open(self, context: MerchantRequest) -> None:
        """Check the merchant's state and the key's scope. Raises Refused."""
        merchant = context.sender
        if merchant.suspended:
            raise refuse(RefusalCode.MERCHANT_SUSPENDED)
        key = merchant.key
        if key is None or self.scope not in key.scopes:
            received = f"the key {key.name}, for {', '.join(key.scopes)}" if key else ""
            raise refuse(
                RefusalCode.KEY_OUT_OF_SCOPE,
                field="Authorization",
                received=received,
                allowed=f"a key with the scope {self.scope}",
            )
        if self.live_only and merchant.mode == "sandbox":
            raise refuse(RefusalCode.SANDBOX_MERCHANT)

    def sender_id(self, sender: Merchant) -> str:
        """Return the merchant id."""
        return str(sender.merchant_id)

    async def record(self, context: MerchantRequest, refusal: Refusal | None) -> None:
        """Record a refusal for the merchant's developer."""
        words = problems.log_words
        await record_refusal(context, refusal, proven=True, compared=False, words=words)


@dataclass(frozen=True, slots=True)
class PlainHandler(Generic[Asked, Told]):
    """Answers the requests of one plain operation. act: does what was requested."""

    operation: PlainOperation[Asked, Told]
    act: PlainAct

    async def __call__(
        self, gateway: GatewayContext, inbound: Inbound, placed: Mapping[str, str]
    ) -> Reply:
        """Answer a request. placed: the fields in its address."""

        async def answer(context: MerchantRequest) -> PlainReply:
            return await self._answer(context, placed)

        operation = self.operation
        policy = EndpointPolicy(
            operation.name,
            BearerAuthentication(KeyScope(operation.scope), operation.live_only),
            _refused,
            _reply,
            read_outer=_outer,
        )
        return await serve(gateway, inbound, policy, answer)

    async def _answer(self, context: MerchantRequest, placed: Mapping[str, str]) -> PlainReply:
        operation, listing = self.operation, self.operation.listing
        asked = _asked(operation, context, placed)
        call = PlainCall(context, _key_of(operation, context, asked))
        try:
            told: Declared = await self.act(call, asked)
        except Refused as refused:
            raise Refused(self._in_plain_names(refused.refusal)) from refused
        body = write_plain(told)
        if listing is not None:
            rows = [write_plain(row) for row in rows_of(listing, told)]
            body = {"items": rows, "next_cursor": next_of(listing, told)}
        return PlainReply(operation.status, body, call.replayed)

    def _in_plain_names(self, refusal: Refusal) -> Refusal:
        """Return a refusal whose field has its plain name: actions have the wire's."""
        own = {part.name: part.attribute for part in shown_parts(self.operation.request)}
        names = {**_OF_ORDERS, **own}
        return replace(refusal, field=names.get(refusal.field, refusal.field))


def _bearer(inbound: Inbound) -> str:
    header = inbound.header(b"authorization")
    return header[len(_BEARER) :].strip() if header[: len(_BEARER)].lower() == _BEARER else ""


def _outer(inbound: Inbound, _: bytes) -> OuterEnvelope:
    """Return the claimed sender: the merchant that the bearer key names."""
    named = bearer_rules.merchant_named(_bearer(inbound))
    return OuterEnvelope(merchant_id=str(named) if named else "")


def _asked(
    operation: PlainOperation[Asked, Any], context: MerchantRequest, placed: Mapping[str, str]
) -> Asked:
    """Return a request from its address and its body or query. Raises Refused and FieldError."""
    given = dict(_body(context) if operation.method == "POST" else _query(context))
    for name in placed:
        if name in given:
            raise FieldError(name, "a second time", "only in the address")
    listing = operation.listing
    if listing is None:
        return read_plain(operation.request, {**given, **placed})
    if listing.cursor in given:
        raise FieldError(listing.cursor, "an unknown field", f"the name {_CURSOR}")
    cursor = given.pop(_CURSOR, None)
    paged = given if cursor is None else {**given, listing.cursor: cursor}
    try:
        return read_plain(operation.request, {**paged, **placed})
    except FieldError as wrong:
        if wrong.field != listing.cursor:
            raise
        allowed = "next_cursor of the page before"
        raise FieldError(_CURSOR, wrong.received, allowed) from None


def _query(context: MerchantRequest) -> Values:
    """Return the query's fields. Raises Refused: what is passed over would widen a list."""
    try:
        return context.inbound.query_once()
    except UnreadableForm as error:
        received, allowed = str(error)[:64], "each field once"
        raise refuse(
            RefusalCode.FIELD_INVALID, field="query", received=received, allowed=allowed
        ) from None


def _body(context: MerchantRequest) -> Values:
    kind = context.inbound.header(b"content-type").partition(";")[0].strip().lower()
    if kind not in {"", "application/json"}:
        raise refuse(
            RefusalCode.ENVELOPE_UNREADABLE,
            field="Content-Type",
            received=kind[:64],
            allowed="application/json",
        )
    if not context.body.strip():
        return {}
    try:
        return strict_json.parse(context.body)
    except strict_json.UnreadableJson as error:
        raise refuse(
            RefusalCode.ENVELOPE_UNREADABLE, field="body", received=str(error)[:64], allowed="JSON"
        ) from None


def _key_of(
    operation: PlainOperation[Any, Any], context: MerchantRequest, asked: Declared
) -> IdempotencyKey | None:
    """Return the caller's key of a request. Raises Refused (FIELD_INVALID)."""
    given = context.inbound.header(_KEY.lower().encode())
    if not operation.repeating or not (given or operation.repeating == "required"):
        return None
    is_sound = given.isascii() and given.isprintable() and " " not in given
    if not is_sound or not 0 < len(given) <= KEY_MAX:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field=_KEY,
            received=given[:KEY_MAX],
            allowed=f"1 to {KEY_MAX} printable ASCII characters without a space, new for each"
            " request",
        )
    content = msgspec.json.encode(write_plain(asked))
    hashed = content_hash(operation.name, content)
    return IdempotencyKey(context.sender.merchant_id, given, operation.identity, hashed)


def _refused(_context: MerchantRequest, refusal: Refusal, _: Exception) -> PlainReply:
    return PlainReply(problem=refusal)


def _reply(context: MerchantRequest, answer: PlainReply) -> Reply:
    if answer.problem is not None:
        return problems.reply_of(answer.problem, context.request_id)
    headers = [_JSON, _NOT_STORED, _NOT_GUESSED, (b"x-request-id", context.request_id.encode())]
    if answer.replayed:
        headers.append(_REPLAYED)
    return Reply(msgspec.json.encode(answer.body), answer.status, headers)
