"""The fields of the SDKs' transaction, by watching what the Python SDK makes of a record."""

from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from typing import Any, get_type_hints

from hundi.sdk import transaction
from hundi.sdk.errors import HundiError
from hundi.sdk.transaction import Transaction
from hundi.wire.merchant.record import TransactionRecord
from tools.sdks.shapes import FieldModel

_SAMPLE = {
    "amount": "1.00",
    "transaction_status": "200",
    "transaction_type": "320",
}
_CHANGES = ("7", "7.77", "02-01-2026 03:04:05", "1")


def record_fields() -> tuple[FieldModel, ...]:
    """Return the fields of a transaction in their order, with the name each is read from."""
    sources = dict(_sources())
    hints = get_type_hints(Transaction)
    return tuple(_field(each.name, sources[each.name], hints) for each in fields(Transaction))


def _sources() -> Iterator[tuple[str, str]]:
    """Yield each attribute with the record's field that changes it."""
    before = transaction.read(_SAMPLE)
    for wire in TransactionRecord.__struct_fields__:
        for value in _CHANGES:
            try:
                after = transaction.read(_SAMPLE | {wire: value})
            except HundiError:
                continue
            for each in fields(Transaction):
                if getattr(before, each.name) != getattr(after, each.name):
                    yield each.name, wire


def _field(name: str, wire: str, hints: dict[str, Any]) -> FieldModel:
    hint = hints[name]
    if name == "amount_paise":
        return FieldModel(name, wire, "paise", "amount")
    if hint is int:
        is_money = name.endswith("_paise")
        return FieldModel(
            name, wire, "paise" if is_money else "whole", "sum" if is_money else "integer"
        )
    if hint is bool:
        return FieldModel(name, wire, "flag", "is_one")
    if datetime in getattr(hint, "__args__", ()):
        return FieldModel(name, wire, "moment", "record_time", nullable=True)
    usual = getattr(transaction.read(_SAMPLE), name)
    if usual and wire not in _SAMPLE:
        return FieldModel(name, wire, "text", "words_or", (usual,))
    return FieldModel(name, wire, "text", "words")
