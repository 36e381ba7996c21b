"""The stored explanation of a refused request, by which its developer finds the wrong byte.

It has no secret and no personal data. What was compared with what is stored at the moment of the
refusal, because the message itself is never stored: it may hold a card, and an unreadable one may
hold anything.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from hundi.api import cures
from hundi.api.endpoint import RequestContext
from hundi.instruments.card import holds_number
from hundi.kernel.clock import world_now
from hundi.kernel.masking import masked as numbers_masked
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.merchants.directory.rules import Merchant
from hundi.wire import strict_json
from hundi.wire.merchant import checksum, compare, explain, seamless
from hundi.wire.merchant.compare import ClaimedCredentials, Comparison, difference
from hundi.wire.merchant.mistakes import Part

__all__ = [
    "Comparison",
    "Explained",
    "Part",
    "credentials_of",
    "difference",
    "explanation",
    "holds_card",
    "masked",
]

EXPLAINED_A_MINUTE = 30
"""Refusals of a merchant that one process explains in a minute: each tries hundreds of mistakes."""
BYTES_MAX = 16_384
"""Bytes of one stored explanation."""
_CARD_FIELD = re.compile(r'"(?:card|cvv|pan)[^"]*":', re.IGNORECASE)


class Explained(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stored explanation.

    field, received, allowed: of bad input, a customer's by its shape. found: a mistake in words.
    settings: commands of which each alone would accept the request.
    """

    field: str = ""
    received: str = ""
    allowed: str = ""
    found: str = ""
    settings: tuple[str, ...] = ()
    compared: Comparison | None = None


def explanation(
    context: RequestContext[Merchant],
    merchant: Merchant,
    refusal: Refusal,
    *,
    compared: bool = True,
) -> Mapping[str, Any]:
    """Return the stored explanation of a refused request, ready for a JSON column.

    compared: a message of version 4, which can be compared with what it has to be.
    """
    received = (
        refusal.received if refusal.field in compare.CLEAR else compare.covered(refusal.received)
    )
    settings = cures.commands(merchant.merchant_id, merchant.settings, refusal)
    kept = Explained(refusal.field, received, refusal.allowed, settings=settings)
    if compared and context.gateway.explained.has_room(
        str(merchant.merchant_id), "", EXPLAINED_A_MINUTE, context.now.timestamp()
    ):
        found, comparison = _compared(context, merchant, refusal.code)
        kept = msgspec.structs.replace(kept, found=found, compared=comparison)
    if len(msgspec.json.encode(kept)) > BYTES_MAX:
        kept = msgspec.structs.replace(kept, compared=None)
    return _cleaned(msgspec.to_builtins(kept), _secrets(merchant))


def credentials_of(merchant: Merchant) -> ClaimedCredentials:
    """Return a merchant's own credentials for comparisons."""
    keys = merchant.keys
    return ClaimedCredentials(keys.username, keys.password, keys.secret, keys.client_secret)


def _compared(
    context: RequestContext[Merchant], merchant: Merchant, code: RefusalCode
) -> tuple[str, Comparison | None]:
    """Return the mistake in words and the comparison; "" and None where nothing is compared."""
    outer, credentials = context.outer, credentials_of(merchant)
    if code is RefusalCode.PRIVATEKEY_WRONG and outer.privatekey:
        found = compare.compare_privatekey(outer.privatekey, credentials, str(merchant.merchant_id))
        return found.mistake, found
    if code is RefusalCode.ENCDATA_UNREADABLE:
        _, finding = explain.explain_encdata(outer.encdata, credentials)
        return finding.words, None
    if code is RefusalCode.CHECKSUM_WRONG and outer.checksum and not holds_card(context.values):
        if len(strict_json.compact(dict(context.values))) > compare.TEXT_CHARS_MAX:
            return "the message is too long to be compared here: the envelope lab does it", None
        found = compare.compare_checksum(context.values, outer.checksum, credentials, world_now())
        return found.mistake, found
    return "", None


def holds_card(values: Mapping[str, Any]) -> bool:
    """Return whether a message contains card data, under any field name."""
    text = strict_json.compact(dict(values))
    return (
        values.get("pay_by") == seamless.CARD
        or _CARD_FIELD.search(text) is not None
        or holds_number(text)
    )


def _secrets(merchant: Merchant) -> tuple[str, ...]:
    keys = merchant.keys
    before = (keys.secret_before, keys.client_secret_before, keys.privatekey_before)
    now = (keys.secret, keys.password, keys.client_secret, keys.privatekey, *keys.webhook_keys)
    further = (*(each.secret for each in keys.further), *keys.privatekeys_further)
    return (*now, *further, *filter(None, before))


def masked(merchant: Merchant, text: str) -> str:
    """Mask the merchant's own secrets, and numbers of cards and people.

    Any of them may be in a wrong field.
    """
    for secret in _secrets(merchant):
        text = text.replace(secret, checksum.MASK)
    return numbers_masked(text)


def _cleaned(value: Any, secrets: tuple[str, ...]) -> Any:  # noqa: ANN401 (JSON)
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, checksum.MASK)
        value = numbers_masked(value)
        # PostgreSQL's JSON holds no NUL.
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}")
    if isinstance(value, dict):
        return {name: _cleaned(inner, secrets) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(inner, secrets) for inner in value]
    return value
