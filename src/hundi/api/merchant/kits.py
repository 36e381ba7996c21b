"""Authentication of kits of versions 3 and 2, and the form with which they begin a payment.

A merchant's setting serves them at their old addresses (docs/old-kits.md).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hundi.api.endpoint import sender_address
from hundi.api.merchant import explained
from hundi.api.merchant.endpoint import (
    MerchantRequest,
    Proof,
    check_domain,
    check_scope,
    count_checksum,
    named_merchant,
    privatekey_hint,
    proof_of,
    record_refusal,
)
from hundi.kernel.clock import world_now
from hundi.kernel.masking import masked_json
from hundi.kernel.records import replace
from hundi.kernel.refusals import Cure, Refusal, RefusalCode, refuse
from hundi.merchants.directory.api_keys.rules import ApiKey, KeyScope
from hundi.merchants.directory.rules import Merchant
from hundi.wire.merchant import checksum, kit_checksums, old_kits
from hundi.wire.merchant.kit_checksums import KitSecrets
from hundi.wire.merchant.old_kits import START, KitOperation
from hundi.wire.strict_json import JsonValue

_MD5_CHARACTERS = 32
_DAYS = "taken are the days of India and of UTC, an hour early or late"


@dataclass(frozen=True, slots=True)
class KitMessage:
    """The fields of a kit's request, and what its checksum may join."""

    values: Mapping[str, JsonValue]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KitAuthentication:
    """The demands on what an old kit sends.

    read: returns the fields of an authenticated request; raises FieldError and Refused. live_only:
    sandbox merchants are refused. from_browser: a customer's browser sends it.
    """

    kit: KitOperation
    read: Callable[[MerchantRequest], KitMessage]
    live_only: bool = False
    from_browser: bool = False

    async def authenticate(self, context: MerchantRequest) -> None:
        """Find the merchant and its setting, then check the privatekey and the network.

        Raises Refused.
        """
        merchant = context.claimed = await named_merchant(context, context.outer.merchant_id)
        if not is_served(context):
            version = "2" if len(context.outer.checksum.strip()) == _MD5_CHARACTERS else "3"
            raise refuse(
                RefusalCode.ENVELOPE_UNREADABLE,
                field="address",
                received=context.inbound.path,
                allowed="an address of version 4",
                detail="the form of an old kit, which this merchant has not chosen to be served",
                cures=(Cure("kit_versions", version),),
            )
        given = context.outer.privatekey or context.outer.extra.get("private_key", "")
        if given or not self.kit.sealed:
            proof = proof_of(merchant, given)
            if proof is None:
                detail = privatekey_hint(merchant, given)
                raise refuse(RefusalCode.PRIVATEKEY_WRONG, detail=detail)
            context.claimed = with_key(merchant, proof)
        context.authenticated = True
        if not self.from_browser:
            at, address = world_now(), sender_address(context.inbound, context.gateway)
            await context.gateway.tokens.check_sender(merchant, None, address, at)

    async def open(self, context: MerchantRequest) -> None:
        """Read the fields and verify their checksum, then check the merchant's state.

        Raises Refused and FieldError.
        """
        message = self.read(context)
        context.values = message.values
        _check_checksum(context, message, self.kit)
        if context.sender.suspended:
            raise refuse(RefusalCode.MERCHANT_SUSPENDED)
        check_scope(context.sender.key, KeyScope(self.kit.operation.scope))
        if self.live_only and context.sender.mode == "sandbox":
            raise refuse(RefusalCode.SANDBOX_MERCHANT)
        check_domain(context, context.sender)

    def sender_id(self, sender: Merchant) -> str:
        """Return the merchant id."""
        return str(sender.merchant_id)

    async def record(self, context: MerchantRequest, refusal: Refusal | None) -> None:
        """Record a refusal for the merchant's developer."""
        await record_refusal(context, refusal, proven=not self.kit.sealed, compared=False)


def is_served(context: MerchantRequest) -> bool:
    """Return whether the named merchant has chosen that old kits are served."""
    return context.claimed is not None and bool(context.claimed.settings.kit_versions)


def with_key(merchant: Merchant, proof: Proof) -> Merchant:
    """Return a merchant whose call carries a further key, or the first."""
    return replace(merchant, key=proof) if isinstance(proof, ApiKey) else merchant


def _check_checksum(context: MerchantRequest, message: KitMessage, kit: KitOperation) -> None:
    """Raise Refused (CHECKSUM_WRONG) unless a served version gives the checksum of today."""
    merchant, given, now = context.sender, context.outer.checksum, world_now()
    if not given:
        if kit.checksum:
            allowed = "required on this operation"
            raise refuse(RefusalCode.CHECKSUM_WRONG, field="checksum", allowed=allowed)
        return
    keys, served = merchant.keys, merchant.settings.kit_versions
    secrets = KitSecrets(
        keys.username, keys.password, context.outer.privatekey.strip().lower() or keys.privatekey
    )
    # Operations have the checksum of version 3 alone.
    versions = kit_checksums.VERSIONS if kit is START else ("3",)
    verdict = kit_checksums.verdict(message.texts, given, now, secrets, versions)
    if verdict is not None and verdict.day and (kit is not START or verdict.version in served):
        count_checksum(context.endpoint, f"kit-{verdict.version}-{verdict.day}")
        return
    cures: tuple[Cure, ...] = ()
    if verdict is None:
        detail = _expected(context, message, secrets)
    elif not verdict.day:
        days = sorted({day.isoformat() for day in checksum.accepted_days(now).values()})
        detail = f"it is the checksum of {verdict.dated}; {_DAYS}: {' and '.join(days)}"
    else:
        detail = f"it is the checksum of version {verdict.version}, which is not served"
        cures = (Cure("kit_versions", verdict.version),)
    raise refuse(RefusalCode.CHECKSUM_WRONG, detail=detail, cures=cures)


def _expected(context: MerchantRequest, message: KitMessage, secrets: KitSecrets) -> str:
    """Return the received checksum and each right one, for the merchant's developer."""
    first = f"you sent {context.outer.checksum[:80]}"
    if explained.holds_card(message.values) or masked_json(message.values) != message.values:
        return f"{first}\nthe message has fields of a card, so nothing of it is kept"
    (_, day), *_ = checksum.accepted_days(world_now()).items()
    lines = [
        f"version {version}: {kit_checksums.VERSIONS[version](text, day, secrets)} over"
        f" {text[:400]!r} and {day}"
        for version in context.sender.settings.kit_versions
        for text in message.texts
    ]
    return "\n".join([first, *lines])


def read_start(context: MerchantRequest) -> KitMessage:
    """Return the order in a kit's form. Raises Refused and FieldError.

    No address of its own counts but the merchant's registered ones.
    """
    sent = dict(context.outer.extra)
    for name, value in (
        ("token", context.inbound.query("token") or sent.get("token", "")),
        ("encdata", context.outer.encdata),
    ):
        if value:
            raise refuse(
                RefusalCode.FIELD_INVALID,
                field=name,
                received="a field of version 4",
                allowed="none in the plain form of an old kit: version 4 has an address of its own",
            )
    wanted, settings = old_kits.return_address(sent), context.sender.settings
    if wanted and wanted not in {settings.success_url, settings.failure_url}:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="ReturnURL",
            received=wanted[:64],
            allowed="an address that the merchant has registered for customers who come back",
        )
    values = old_kits.order_values(sent)
    joined: dict[str, JsonValue] = {**sent, "txnsubtype": values.get("txnsubtype", "")}
    return KitMessage({**values}, kit_checksums.order_texts(joined))


AUTHENTICATION = KitAuthentication(START, read_start, from_browser=True)
"""Of the form that begins a payment."""
