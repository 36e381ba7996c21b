"""Authentication of merchants: id, token and privatekey, and only then `encdata` and its checksum.

Authentication comes before decryption, and all failures after decryption look alike, so that no
reply helps a guesser.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any, Literal

from prometheus_client import Counter

from hundi.api import replies
from hundi.api.endpoint import (
    BODY_BYTES_MAX,
    EndpointPolicy,
    RequestContext,
    json_reply,
    same_refusal,
    sender_address,
)
from hundi.api.inbound import Reply
from hundi.api.merchant import explained
from hundi.infra.monitoring.counters import CHECKSUMS
from hundi.kernel.clock import world_now
from hundi.kernel.masking import masked_json
from hundi.kernel.records import replace
from hundi.kernel.refusals import Cure, Refusal, RefusalCode, Refused, refuse
from hundi.merchants.access import actions as access
from hundi.merchants.access.rules import IssuedToken, TokenScope
from hundi.merchants.directory.api_keys.rules import ApiKey, KeyScope
from hundi.merchants.directory.rules import Merchant
from hundi.wire import cipher, fields
from hundi.wire.codes import Code
from hundi.wire.envelope import wrap_reply
from hundi.wire.merchant import checksum, privatekey
from hundi.wire.message import refuse_reply
from hundi.wire.parts import text_in

MERCHANT_ID_DIGITS_MAX = 12
TEXTS_KEPT_MAX = 12


Envelope = dict[str, object]
MerchantRequest = RequestContext[Merchant]
MerchantEndpoint = EndpointPolicy[Merchant, Envelope]


EVERYTHING: Literal["everything"] = "everything"
Proof = ApiKey | Literal["everything"]
"""The key that proves a merchant's request.

A further one, or the first, which may do everything.
"""

_FROM_A_BROWSER = {RefusalCode.SENDER_UNPROVEN, RefusalCode.TOKEN_NOT_FOR_PAGE}
"""Refusals of senders that have only what customers' browsers are given."""


@dataclass(frozen=True, slots=True)
class FlatForm:
    """A body whose fields are unencrypted.

    is_one: recognises the form. claimed: returns the merchant id if it is elsewhere than in
    `merchant_id`, or "". proven_by: returns the key that proves the request is its claimed
    merchant's, or None.
    """

    is_one: Callable[[MerchantRequest], bool]
    claimed: Callable[[MerchantRequest], str]
    proven_by: Callable[[MerchantRequest, Merchant], Proof | None]


@dataclass(frozen=True, slots=True)
class MerchantAuthentication:
    """One endpoint's demands on merchants.

    scope: the purpose that a further API secret needs; None where no API secret counts. token:
    required; an operation's is checked whenever it is sent. privatekey: required (if_sent: checked
    when there is one). checksum: required; it is verified whenever it is sent. live_only: sandbox
    merchants are refused. operation: no browser may have sent it. payment_page: a browser sends it;
    there the mobile kits' checksum counts. flat: the form of a body without `encdata`, where there
    is one.
    """

    scope: KeyScope | None
    token: bool = True
    privatekey: Literal["required", "if_sent", "ignored"] = "required"
    checksum: bool = False
    live_only: bool = False
    operation: bool = True
    payment_page: bool = False
    flat: FlatForm | None = None

    async def authenticate(self, context: MerchantRequest) -> None:
        """Find the merchant, then check its token and its privatekey. Raises Refused."""
        flat = self._flat_form(context)
        named = context.outer.merchant_id or (flat.claimed(context) if flat is not None else "")
        merchant = context.claimed = await named_merchant(context, named)
        if flat is None and not context.outer.encdata:
            raise refuse(
                RefusalCode.ENVELOPE_UNREADABLE,
                field="encdata",
                allowed="the encrypted JSON payload",
            )
        token = await self._checked_token(context, merchant)
        if flat is None:
            key = self._key_of_privatekey(merchant, context.outer.privatekey)
        else:
            key = flat.proven_by(context, merchant)
        if key is None:
            raise refuse(
                RefusalCode.PRIVATEKEY_WRONG, detail="Api-Key or TOKEN is wrong or missing"
            )
        if isinstance(key, ApiKey):
            merchant = context.claimed = replace(merchant, key=key)
        # Token issuance has no proof but the cipher: its replies are sealed for whoever can open
        # them.
        context.authenticated = True
        if self.payment_page:
            if token is not None and token.scope is TokenScope.OPERATIONS:
                raise refuse(RefusalCode.TOKEN_NOT_FOR_PAGE)
        elif flat is None and self.operation:
            at, address = world_now(), sender_address(context.inbound, context.gateway)
            await context.gateway.tokens.check_sender(merchant, token, address, at)

    async def open(self, context: MerchantRequest) -> None:
        """Decrypt `encdata` and verify its checksum, then check the merchant's state.

        Raises Refused.
        """
        merchant, is_sealed = context.sender, self._flat_form(context) is None
        if is_sealed:
            context.values = _decrypted(context, merchant)
            self._check_checksum(context, merchant)
            refuse_reply(context.values)
        # Last: token issuance has no other proof than the cipher, and a stranger learns nothing
        # about the merchant.
        if merchant.suspended:
            raise refuse(RefusalCode.MERCHANT_SUSPENDED)
        check_scope(merchant.key, self.scope)
        if self.live_only and merchant.mode == "sandbox":
            raise refuse(RefusalCode.SANDBOX_MERCHANT)
        if is_sealed:
            check_domain(context, merchant)

    def sender_id(self, sender: Merchant) -> str:
        """Return the merchant id."""
        return str(sender.merchant_id)

    async def record(self, context: MerchantRequest, refusal: Refusal | None) -> None:
        """Record a refusal, without the merchant's secrets, for the merchant's developer."""
        proven = self.privatekey != "ignored"
        await record_refusal(context, refusal, proven=proven)

    def _flat_form(self, context: MerchantRequest) -> FlatForm | None:
        return self.flat if self.flat is not None and self.flat.is_one(context) else None

    async def _checked_token(
        self, context: MerchantRequest, merchant: Merchant
    ) -> IssuedToken | None:
        """Return the request's token, None where the operation has none and none was sent.

        Raises Refused.
        """
        token, at = context.inbound.query("token"), world_now()
        if not self.token and not (self.operation and token):
            return None
        try:
            return await context.gateway.tokens.check(merchant.merchant_id, token, at)
        except Refused:
            # Whoever has the right privatekey can open a sealed reply, and some clients read
            # nothing else.
            given = context.outer.privatekey
            context.authenticated = proof_of(merchant, given) is not None
            raise

    def _key_of_privatekey(self, merchant: Merchant, given: str) -> Proof:
        wanted = self.privatekey == "required" or (self.privatekey == "if_sent" and given)
        if not wanted:
            return EVERYTHING
        proof = proof_of(merchant, given)
        if proof is None:
            raise refuse(RefusalCode.PRIVATEKEY_WRONG, detail=privatekey_hint(merchant, given))
        return proof

    def _check_checksum(self, context: MerchantRequest, merchant: Merchant) -> None:
        given, keys = context.outer.checksum, merchant.keys
        if not given:
            if self.checksum:
                raise refuse(
                    RefusalCode.CHECKSUM_WRONG,
                    field="checksum",
                    allowed="required on this operation",
                )
            return
        form = checksum.match(
            context.values,
            given,
            world_now(),
            username=keys.username,
            password=keys.password,
            payment_page=self.payment_page,
        )
        if form is None:
            detail = _expected_checksums(context.values, given, world_now())
            raise refuse(RefusalCode.CHECKSUM_WRONG, detail=detail)
        count_checksum(context.endpoint, form)


async def record_refusal(
    context: MerchantRequest,
    refusal: Refusal | None,
    *,
    proven: bool,
    compared: bool = True,
    words: Callable[[Refusal], str] = replies.words,
) -> None:
    """Record a refusal, without the merchant's secrets, for the merchant's developer.

    proven: an authenticated sender has shown a secret. compared: the request is one of version 4,
    whose parts are compared with what they have to be. words: those of its interface.
    """
    merchant = context.claimed
    if refusal is None or merchant is None:
        return
    await access.keep_refusal(
        context.gateway.db,
        merchant.merchant_id,
        context.request_id,
        context.endpoint,
        replace(refusal, detail=explained.masked(merchant, refusal.detail)),
        explained.masked(merchant, words(refusal)),
        context.address,
        context.now,
        proven=context.authenticated and proven and refusal.code not in _FROM_A_BROWSER,
        explained=explained.explanation(context, merchant, refusal, compared=compared),
    )


def count_checksum(endpoint: str, form: str) -> None:
    """Count a checksum that was right, by its form."""
    _counter(endpoint, form).inc()


@cache
def _counter(endpoint: str, form: str) -> Counter:
    return CHECKSUMS.labels(endpoint, form)


def refused(context: MerchantRequest, refusal: Refusal, _: Exception) -> Envelope:
    """Return the envelope of a refusal."""
    return replies.refused(refusal, context.request_id)


def sealed_reply(context: MerchantRequest, envelope: Envelope) -> Reply:
    """Return the envelope in the merchant's `reply_format`.

    It is plain while the merchant is not authenticated, and for a sender whose own message shows
    that it has another key: some clients prefer `response` whenever it is there.
    """
    other_key = envelope["response_code"] == Code.ENCDATA_UNREADABLE.wire
    if not context.authenticated or other_key:
        return json_reply(context, wrap_reply("plain", "", envelope, None))
    merchant = context.sender
    reply_format, merchant_id = merchant.settings.reply_format, str(merchant.merchant_id)
    return json_reply(
        context, wrap_reply(reply_format, merchant_id, envelope, merchant.keys.encryption_key)
    )


def merchant_endpoint(
    name: str,
    authentication: MerchantAuthentication | KeyScope,
    *,
    encode_refusal: Callable[[MerchantRequest, Refusal, Exception], Envelope] = refused,
    on_refusal: Callable[[MerchantRequest, Refusal], Awaitable[Refusal]] = same_refusal,
    body_bytes_max: int = BODY_BYTES_MAX,
) -> MerchantEndpoint:
    """Return the policy of an endpoint that merchants call, with the outer envelope.

    authentication: a scope alone means token and privatekey, as most endpoints demand them.
    """
    if isinstance(authentication, KeyScope):
        authentication = MerchantAuthentication(authentication)
    return EndpointPolicy(
        name, authentication, encode_refusal, sealed_reply, on_refusal, body_bytes_max
    )


async def named_merchant(context: MerchantRequest, named: str) -> Merchant:
    """Return the merchant that a request names. Raises Refused (MERCHANT_UNKNOWN)."""
    if not named:
        raise refuse(
            RefusalCode.ENVELOPE_UNREADABLE, field="merchant_id", allowed="the numeric merchant id"
        )
    given = named.strip()
    known = None
    if given.isascii() and given.isdigit() and len(given) <= MERCHANT_ID_DIGITS_MAX:
        known = await context.gateway.directory.get(int(given))
    if known is None:
        raise refuse(RefusalCode.MERCHANT_UNKNOWN, field="merchant_id", received=given[:32])
    return known


def check_domain(context: MerchantRequest, merchant: Merchant) -> None:
    """Refuse a domain that the merchant has not registered.

    Raises Refused (DOMAIN_NOT_REGISTERED).
    """
    sent = context.outer.mer_dom or text_in(context.values, "mer_dom")
    registered = {fields.origin_of(each) for each in merchant.settings.domains}
    if not sent or not registered:
        return
    claimed = fields.origin(sent)
    if claimed not in registered:
        allowed = ", ".join(sorted(registered))
        code, cures = RefusalCode.DOMAIN_NOT_REGISTERED, (Cure("domains", claimed),)
        raise refuse(code, field="mer_dom", received=claimed, allowed=allowed, cures=cures)


def proof_of(merchant: Merchant, given: str) -> Proof | None:
    """Return the merchant's key that made a privatekey.

    After a rotation the previous API secret stays valid for a while.
    """
    keys = merchant.keys
    # Each is compared, so that the time shows nothing.
    matches = [privatekey.matches(each, given) for each in keys.privatekeys]
    further = [privatekey.matches(each, given) for each in keys.privatekeys_further]
    if any(matches):
        return EVERYTHING
    return keys.further[further.index(True)] if any(further) else None


def check_scope(key: ApiKey | None, wanted: KeyScope | None) -> None:
    """Raise Refused (KEY_OUT_OF_SCOPE) for a key that was made for other operations."""
    if key is not None and wanted not in key.scopes:
        allowed = f"a key with the scope {wanted}" if wanted else "the first API secret"
        received = f"the key {key.name}, for {', '.join(key.scopes)}"
        raise refuse(
            RefusalCode.KEY_OUT_OF_SCOPE, field="privatekey", received=received, allowed=allowed
        )


def privatekey_hint(merchant: Merchant, given: str) -> str:
    """Return what is wrong with a privatekey, for the merchant's developer."""
    if not given:
        return "privatekey is missing"
    keys = merchant.keys
    mistaken = {
        "the OAuth client secret in place of the API secret": (
            keys.client_secret,
            keys.username,
            keys.password,
        ),
        "username and password swapped": (keys.secret, keys.password, keys.username),
        "the merchant id in place of the username": (
            keys.secret,
            str(merchant.merchant_id),
            keys.password,
        ),
    }
    for mistake, parts in mistaken.items():
        if privatekey.matches(privatekey.derive(*parts), given):
            return f"privatekey was made with {mistake}"
    return "privatekey is not sha256(API secret @ username :|: password)"


def _decrypted(context: MerchantRequest, merchant: Merchant) -> Mapping[str, Any]:
    try:
        return cipher.open_json(merchant.keys.encryption_key, context.outer.encdata)
    except cipher.UnreadableCipher:
        raise refuse(RefusalCode.ENCDATA_UNREADABLE) from None


def _expected_checksums(values: Mapping[str, Any], given: str, now: datetime) -> str:
    """Return the received checksum and each right one, for the merchant's developer."""
    lines = [f"you sent {given[:80]}"]
    if explained.holds_card(values) or masked_json(values) != values:
        return f"{lines[0]}\nthe message has fields of a card, so nothing of it is kept"
    lines += [
        f"{each.form}: {each.value} over {each.text[:400]!r}"
        for each in islice(checksum.canonical_texts(values, now), TEXTS_KEPT_MAX)
    ]
    return "\n".join(lines)
