"""What a merchant's fields may hold of cards and identity numbers: free text is masked, identifiers are refused.

The checksum is made over what was sent, so this comes after it. What is kept, shown and sent back is the masked text:
a merchant reads the same in the reply, in the record and in each notification. An order id comes back exactly, so one
that is a card number is refused. See docs/security.md#numbers-in-free-text.
"""

from collections.abc import Mapping
from typing import Any

from hundi.kernel.card_digits import holds_card, masked_text
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.wire.fields import CAMEL_CASE
from hundi.wire.merchant.seamless import HIDDEN

_FREE = (
    *("buyer_firstname", "buyer_lastname", "buyer_address", "buyer_city", "buyer_state", "buyer_country"),
    *("buyer_pincode", "customvar", "custom_var", "description", "note", "name", "wallet", "kittype", "call_type"),
    *("customer_consent", "customer_agent", "tid", "bank_code"),
)
FREE = frozenset((*_FREE, *(CAMEL_CASE[name] for name in _FREE if name in CAMEL_CASE)))
"""Fields of people's own words, as they are spelt in `encdata`."""
IDENTIFIERS = frozenset(
    ("orderid", "link_reference", "UID", "buyer_email", "buyerEmail", "customer_email", "request_id", "client_id")
)
"""Fields that must come back exactly, or that reach somebody only as they are; UPI addresses have their own rule."""
PHONES = frozenset(("buyer_phone", "buyerPhone", "customer_phone"))
"""Phone numbers: one in ten of 13 digits looks like a card, and none of the longer ones that are in use."""
_PHONE_DIGITS_MAX = 13


def without_numbers(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields with their free texts masked. Raises Refused for an identifier that is a card number."""
    for name, value in values.items():
        if isinstance(value, str | int) and _is_refused(name, str(value)):
            raise refuse(RefusalCode.FIELD_INVALID, field=name, received=HIDDEN, allowed="no card number")
    return {name: _kept(value) if name in FREE else value for name, value in values.items()}


def _is_refused(name: str, text: str) -> bool:
    if name in PHONES:
        return sum(map(str.isdigit, text)) > _PHONE_DIGITS_MAX and holds_card(text)
    return name in IDENTIFIERS and holds_card(text)


def _kept(value: object) -> object:
    """Mask text, and a number whose text is one: JSON writes them either way."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return value
    masked = masked_text(str(value))
    return value if masked == str(value) else masked
