"""The split settlement message in its two forms, and its reply.

See docs/spec/payment-interfaces.md#split and docs/spec/payment-interfaces.md#split-flat.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

import msgspec

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.merchant.values import Values, refuse_page_fields, required, text
from hundi.wire.strict_json import JsonValue, compact

PARTS_MAX = 50
"""Linked accounts of one split (docs/spec/payment-interfaces.md#split)."""
REQUEST_ID_DIGITS_MAX = 15
WHOLE = 100_00
"""100.00 per cent in hundredths of a per cent."""
CONFIGURED, REPLACED = "configured", "replaced"
"""`status` of a split: it stands, or a later request has taken its place."""
_OWN_FIELDS = "ap_transactionid, rrn, split_request_id, split_type, primary_split_value, splits"


class SplitType(StrEnum):
    """What the values of a split are."""

    PERCENTAGE = "percentage"
    """Shares that add up to exactly 100.00."""
    ABSOLUTE = "absolute"
    """Amounts that add up to the captured amount less refunds."""


@dataclass(frozen=True, slots=True)
class SplitPart:
    """What one linked account gets. value: paise, or hundredths of a per cent; above zero."""

    identifier: str
    value: int


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """How a transaction is to be split.

    rrn: must be that of the transaction; "" when not sent. primary_value: what stays with the
    merchant, zero or more, in the unit of the parts. primary_identifier: "" in the encrypted form,
    which does not have it. The sum of percentages is checked here, the sum of amounts by whoever
    knows the payment.
    """

    ap_transactionid: str
    request_id: str
    type: SplitType
    primary_value: int
    parts: tuple[SplitPart, ...]
    rrn: str = ""
    primary_identifier: str = ""


@dataclass(frozen=True, slots=True)
class _Names:
    """How one form spells the fields, for reading and for errors."""

    transaction_id: str
    rrn: str
    request_id: str
    type: str
    primary: str
    identifiers: str
    values: str


_INNER = _Names(
    "ap_transactionid",
    "rrn",
    "split_request_id",
    "split_type",
    "primary_split_value",
    "identifier",
    "value",
)
_FLAT = _Names(
    "TRANSACTION_ID",
    "RRN",
    "SPLIT_REQUEST_ID",
    "SPLIT_TYPE",
    "PRIACCT_SPLIT_VALUE",
    "OTHER_IDENTIFIERS",
    "SPLIT_VALUES",
)
_PRIMARY_IDENTIFIER = "PRIACCT_IDENTIFIER"
_ZERO = re.compile(r"0{1,10}(?:\.0{1,2})?\Z")
_TOKEN = "TOKEN"  # noqa: S105 (the name of a field)


def parse_split(values: Values) -> SplitRequest:
    """Return the split of the encrypted form. Raises FieldError."""
    refuse_page_fields(values, _OWN_FIELDS)
    kind = SplitType(
        fields.one_of(required(values, "split_type").lower(), "split_type", tuple(SplitType))
    )
    sent = values.get("splits")
    if not isinstance(sent, list):
        received = "" if sent is None else compact(sent)
        raise FieldError("splits", received, "an array of objects with identifier and value")
    pairs = [_pair(each) for each in sent]
    return _split(values, _INNER, kind, pairs, "splits")


def parse_flat_split(values: Mapping[str, str]) -> SplitRequest:
    """Return the split of the flat form, whose fields stand unencrypted in the body.

    Raises FieldError.

    Without SPLIT_TYPE the values are percentages: the form's own fields have no type. `flat_token`
    proves the sender.
    """
    refuse_page_fields(values, "the fields of the flat form")
    kind = SplitType(
        fields.one_of(
            text(values, "SPLIT_TYPE").lower() or SplitType.PERCENTAGE,
            "SPLIT_TYPE",
            tuple(SplitType),
        )
    )
    identifiers = required(values, _FLAT.identifiers).split("|")
    shares = required(values, _FLAT.values).split("|")
    if len(identifiers) != len(shares):
        allowed = f"{len(identifiers)} values separated by |, as many as {_FLAT.identifiers}"
        raise FieldError(_FLAT.values, "|".join(shares), allowed)
    return _split(values, _FLAT, kind, list(zip(identifiers, shares, strict=True)), _FLAT.values)


def is_flat(values: Mapping[str, str]) -> bool:
    """Return whether the outer fields of a request are the flat form."""
    return _FLAT.transaction_id in values


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
    expected = flat_token(privatekey, values.get(_FLAT.transaction_id, ""), api_secret)
    # Both are always compared, so that the time says nothing about which of them is wrong.
    keys = hmac.compare_digest(api_secret.encode(), api_key.encode("utf-8", "replace"))
    tokens = hmac.compare_digest(
        expected.encode(), values.get(_TOKEN, "").lower().encode("utf-8", "replace")
    )
    return keys and tokens


def _split(
    values: Values, names: _Names, kind: SplitType, pairs: list[tuple[str, str]], whole: str
) -> SplitRequest:
    if not 1 <= len(pairs) <= PARTS_MAX:
        raise FieldError(whole, f"{len(pairs)} parts", f"1 to {PARTS_MAX} parts")
    parts = tuple(
        SplitPart(fields.order_id(identifier, names.identifiers), _share(value, names.values))
        for identifier, value in pairs
    )
    identifiers = [part.identifier for part in parts]
    primary_identifier = text(values, _PRIMARY_IDENTIFIER) if names is _FLAT else ""
    if primary_identifier:
        identifiers.append(fields.order_id(primary_identifier, _PRIMARY_IDENTIFIER))
    twice = next((each for each in identifiers if identifiers.count(each) > 1), None)
    if twice is not None:
        raise FieldError(names.identifiers, twice, "each linked account once")
    primary_value = _primary(required(values, names.primary), names.primary)
    total = primary_value + sum(part.value for part in parts)
    if kind is SplitType.PERCENTAGE and total != WHOLE:
        received = f"{fields.text_from_paise(total)} in all"
        raise FieldError(
            whole, received, f"percentages that add up to 100.00 together with {names.primary}"
        )
    return SplitRequest(
        ap_transactionid=fields.digits(
            required(values, names.transaction_id), names.transaction_id
        ),
        request_id=fields.digits(
            required(values, names.request_id), names.request_id, REQUEST_ID_DIGITS_MAX
        ),
        type=kind,
        primary_value=primary_value,
        parts=parts,
        rrn=fields.free_text(text(values, names.rrn), names.rrn, fields.RRN_MAX),
        primary_identifier=primary_identifier,
    )


def _pair(sent: JsonValue) -> tuple[str, str]:
    if not isinstance(sent, dict):
        raise FieldError("splits", compact(sent), "an object with identifier and value")
    return required(sent, _INNER.identifiers), required(sent, _INNER.values)


def _share(written: str, name: str) -> int:
    # Per cents with two places are written like amounts; hundredths are to one what paise are to
    # the other.
    return fields.paise_from_text(written, name)


def _primary(written: str, name: str) -> int:
    # All may go to linked accounts: the one place where a zero is an amount.
    return 0 if _ZERO.match(written) else fields.paise_from_text(written, name)


class SplitShare(msgspec.Struct, frozen=True):
    """What one linked account gets of the transaction. amount: decimal text with two places."""

    identifier: str
    amount: str


class SplitData(msgspec.Struct, frozen=True, kw_only=True):
    """A split as it stands. primary_amount.

    What stays with the merchant, paise left by rounding included.
    """

    split_request_id: str
    status: str
    ap_transactionid: str
    primary_amount: str
    splits: list[SplitShare]


def split_data(
    asked: SplitRequest, primary_paise: int, shares_paise: Iterable[int], status: str = CONFIGURED
) -> dict[str, object]:
    """Return `data` of the reply. shares_paise: in the order of the parts."""
    shares = zip(asked.parts, shares_paise, strict=True)
    data = SplitData(
        split_request_id=asked.request_id,
        status=status,
        ap_transactionid=asked.ap_transactionid,
        primary_amount=fields.text_from_paise(primary_paise),
        splits=[
            SplitShare(part.identifier, fields.text_from_paise(paise)) for part, paise in shares
        ],
    )
    return cast("dict[str, object]", msgspec.to_builtins(data))
