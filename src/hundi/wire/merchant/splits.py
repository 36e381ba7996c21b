"""Split settlement: how a transaction is shared, in two forms, and its reply.

See docs/spec/payment-interfaces.md#split and docs/spec/payment-interfaces.md#split-flat.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, cast

from hundi.wire import fields, kinds
from hundi.wire.fields import FieldError
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation
from hundi.wire.parts import FieldKind
from hundi.wire.strict_json import JsonValue, compact

PARTS_MAX = 50
"""Linked accounts of one split (docs/spec/payment-interfaces.md#split)."""
REQUEST_ID_DIGITS_MAX = 15
WHOLE = 100_00
"""100.00 per cent in hundredths of a per cent."""
CONFIGURED, REPLACED = "configured", "replaced"
"""`status` of a split: it is the current one, or a later request has replaced it."""
Texts = tuple[str, ...]
_TRANSACTION_ID, _IDENTIFIERS, _VALUES = "TRANSACTION_ID", "OTHER_IDENTIFIERS", "SPLIT_VALUES"
_PRIMARY_IDENTIFIER, _PRIMARY_VALUE = "PRIACCT_IDENTIFIER", "PRIACCT_SPLIT_VALUE"
_TOKEN = "TOKEN"  # noqa: S105 (the name of a field)
_ZERO = re.compile(r"0{1,10}(?:\.0{1,2})?\Z")


class SplitType(StrEnum):
    """The unit of a split's values."""

    PERCENTAGE = "percentage"
    """Shares that add up to exactly 100.00."""
    ABSOLUTE = "absolute"
    """Amounts that add up to the captured amount less refunds."""


# Per cents with two places are written like amounts; hundredths are to one what paise are to the
# other.
_SHARE = kinds.described(kinds.AMOUNT, "A per cent or an amount, above zero")
_PRIMARY = FieldKind(
    # All may go to linked accounts: the one place where a zero is an amount.
    lambda text, name: 0 if _ZERO.match(text) else fields.paise_from_text(text, name),
    lambda value, name: kinds.AMOUNT.write(value, name) if value else "0.00",
    {
        "type": "string",
        "description": "The merchant's own share",
        "pattern": r"^[0-9]{1,10}(\.[0-9]{1,2})?$",
        "examples": ["20.00", "0"],
    },
)
IDENTIFIER = kinds.written(
    fields.order_id, "A linked account of the merchant", r"^[A-Za-z0-9_.-]{1,64}$", "WEAVER-7"
)
MERCHANT_ID = kinds.written(
    lambda text, name: fields.digits(text, name, 12),
    "Numeric merchant identifier",
    r"^[0-9]{1,12}$",
    "10001",
)
_REQUEST_ID = kinds.written(
    lambda text, name: fields.digits(text, name, REQUEST_ID_DIGITS_MAX),
    "The merchant's own id: the same again changes nothing",
    rf"^[0-9]{{1,{REQUEST_ID_DIGITS_MAX}}}$",
    "1001",
)
_TYPE = FieldKind(
    lambda text, name: SplitType(fields.one_of(text.lower(), name, tuple(SplitType))),
    lambda kind, _: kind.value,
    kinds.one_of(*SplitType).schema,
)


@message(kw_only=False)
class SplitPart:
    """One linked account's share. value: paise, or hundredths of a per cent; above zero."""

    identifier: str = sent(IDENTIFIER)
    value: int = sent(_SHARE)


_PAIR = "identifier and value"


def _listed(value: object, name: str) -> tuple[SplitPart, ...]:
    """Refuse what is no list of pairs; the pairs themselves are read one by one."""
    if not isinstance(value, list):
        sent_text = compact(cast("JsonValue", value))
        raise FieldError(name, sent_text, f"an array of objects with {_PAIR}")
    for each in cast("list[JsonValue]", value):
        if not isinstance(each, dict):
            raise FieldError(name, compact(each), f"an object with {_PAIR}")
    _demand_few(len(cast("list[JsonValue]", value)), name)
    return ()


def _demand_few(count: int, name: str) -> None:
    if not 1 <= count <= PARTS_MAX:
        raise FieldError(name, f"{count} parts", f"1 to {PARTS_MAX} parts")


_PARTS = FieldKind(
    _listed,
    kinds.objects(SplitPart).write,
    kinds.objects(SplitPart).schema | {"minItems": 1, "maxItems": PARTS_MAX},
    "objects",
    SplitPart,
    absent=f"an array of objects with {_PAIR}",
)


def _demand_whole(
    asked: "SplitRequest | FlatSplitRequest", identifier: str, whole: str, primary: str
) -> None:
    """Raise FieldError for a split that does not divide exactly the whole.

    identifier, whole, primary: the form's names of the accounts, their shares, and the merchant's
    share.
    """
    named = [part.identifier for part in asked.parts]
    if asked.primary_identifier:
        named.append(asked.primary_identifier)
    twice = next((each for each in named if named.count(each) > 1), None)
    if twice is not None:
        raise FieldError(identifier, twice, "each linked account once")
    total = asked.primary_value + sum(part.value for part in asked.parts)
    if asked.type is SplitType.PERCENTAGE and total != WHOLE:
        received = f"{fields.text_from_paise(total)} in all"
        allowed = f"percentages that add up to 100.00 together with {primary}"
        raise FieldError(whole, received, allowed)


def _check(asked: "SplitRequest") -> None:
    _demand_whole(asked, "identifier", "splits", "primary_split_value")


@message(check=_check)
class SplitRequest:
    """How a transaction is shared.

    Percentages add up to 100.00, amounts to the captured amount less refunds.
    """

    transaction_id: str = sent(kinds.TRANSACTION_ID, "ap_transactionid")
    rrn: str = sent(kinds.RRN, default="")
    request_id: str = sent(_REQUEST_ID, "split_request_id")
    type: SplitType = sent(_TYPE, "split_type", "What the values are")
    primary_value: int = sent(_PRIMARY, "primary_split_value")
    parts: tuple[SplitPart, ...] = sent(_PARTS, "splits")

    @property
    def primary_identifier(self) -> str:
        """None: this form has no name for the merchant's own share."""
        return ""


def _joined(meaning: str, pattern: str, each: FieldKind[Any], like: str) -> FieldKind[Texts]:
    """Return the kind of texts joined by |, as they were sent."""

    def read(text: str, name: str) -> Texts:
        texts = tuple(text.split("|"))
        for one in texts:
            _ = each.read(one, name)
        return texts

    schema = kinds.written(kinds.WORDS.read, meaning, pattern, like).schema
    return FieldKind(read, lambda texts, _: "|".join(texts), schema)


def _check_flat(asked: "FlatSplitRequest") -> None:
    if len(asked.identifiers) != len(asked.values):
        allowed = f"{len(asked.identifiers)} values separated by |, as many as {_IDENTIFIERS}"
        raise FieldError(_VALUES, "|".join(asked.values), allowed)
    _demand_few(len(asked.values), _VALUES)
    _demand_whole(asked, _IDENTIFIERS, _VALUES, _PRIMARY_VALUE)


@message(check=_check_flat)
class FlatSplitRequest:
    """The same, unencrypted.

    Its proof is the header Api-Key (the API secret) and TOKEN, hex HMAC-SHA256 of privatekey and
    TRANSACTION_ID under the API secret.
    """

    merchant_id: str = sent(MERCHANT_ID)
    transaction_id: str = sent(kinds.TRANSACTION_ID, _TRANSACTION_ID)
    rrn: str = sent(kinds.RRN, "RRN", default="")
    request_id: str = sent(_REQUEST_ID, "SPLIT_REQUEST_ID")
    type: SplitType = sent(
        _TYPE, "SPLIT_TYPE", "percentage when missing", default=SplitType.PERCENTAGE
    )
    primary_identifier: str = sent(
        IDENTIFIER, _PRIMARY_IDENTIFIER, "The merchant id, or primary", default=""
    )
    primary_value: int = sent(_PRIMARY, _PRIMARY_VALUE)
    identifiers: Texts = sent(
        _joined(
            "Linked accounts, joined by |",
            r"^[A-Za-z0-9_.-]+(\|[A-Za-z0-9_.-]+)*$",
            IDENTIFIER,
            "A|B",
        ),
        _IDENTIFIERS,
    )
    values: Texts = sent(
        _joined("As many values, joined by |", r"^[0-9.]+(\|[0-9.]+)*$", _SHARE, "30.00|50.00"),
        _VALUES,
    )
    token: str = sent(
        kinds.written(kinds.WORDS.read, "Hex", r"^[0-9a-f]{64}$"), _TOKEN, hidden=True
    )

    @property
    def parts(self) -> tuple[SplitPart, ...]:
        """The linked accounts' shares."""
        shares = (_SHARE.read(value, _VALUES) for value in self.values)
        return tuple(map(SplitPart, self.identifiers, shares))


def is_flat(values: Mapping[str, str]) -> bool:
    """Return whether the outer fields of a request are the flat form."""
    return _TRANSACTION_ID in values


def primary_identifier(values: Mapping[str, str]) -> str:
    """Return the merchant id of the flat form's own share, "" where it is no number."""
    named = values.get(_PRIMARY_IDENTIFIER, "").strip()
    return named if named.isascii() and named.isdigit() else ""


def flat_token(privatekey: str, transaction_id: str, api_secret: str) -> str:
    """Return TOKEN of the flat form.

    It is the hex HMAC-SHA256 of privatekey and TRANSACTION_ID under the API secret.
    """
    return hmac.new(
        api_secret.encode(), f"{privatekey}{transaction_id}".encode(), hashlib.sha256
    ).hexdigest()


def flat_token_matches(
    values: Mapping[str, str], privatekey: str, api_secret: str, api_key: str
) -> bool:
    """Return whether the flat form comes from the merchant, compared in constant time.

    values: the outer fields. privatekey, api_secret: the merchant's. api_key: the header `Api-Key`
    as sent.
    """
    expected = flat_token(privatekey, values.get(_TRANSACTION_ID, ""), api_secret)
    # Both are always compared, so that the time does not show which of them is wrong.
    keys = hmac.compare_digest(api_secret.encode(), api_key.encode("utf-8", "replace"))
    tokens = hmac.compare_digest(
        expected.encode(), values.get(_TOKEN, "").lower().encode("utf-8", "replace")
    )
    return keys and tokens


@message(kw_only=False)
class SplitShare:
    """One linked account's share of the transaction. amount: decimal text with two places."""

    identifier: str = sent(kinds.WORDS)
    amount_paise: int = sent(kinds.MONEY, "amount")


@message()
class SplitData:
    """The current split.

    primary_amount: what stays with the merchant, paise left by rounding included.
    """

    request_id: str = sent(kinds.WORDS, "split_request_id")
    status: str = sent(kinds.WORDS)
    transaction_id: str = sent(kinds.WORDS, "ap_transactionid")
    primary_paise: int = sent(kinds.MONEY, "primary_amount")
    shares: tuple[SplitShare, ...] = sent(kinds.objects(SplitShare), "splits")


SPLIT: Operation[SplitRequest | FlatSplitRequest, SplitData] = Operation(
    "split",
    "split",
    "split",
    "Configure split settlement",
    "payment-interfaces.md#split",
    ("transaction_level_split_config_api.php",),
    SplitRequest,
    SplitData,
    "manage",
    root="/neft/split_payout/",
    proofs=("privatekey",),
    plain=FlatSplitRequest,
    by_hand=True,
    echoes=("split_request_id", "ap_transactionid"),
    body="json",
)
