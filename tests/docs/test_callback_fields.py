"""Every field of what merchants and partners are told is explained on its page."""

import json
import re
from collections.abc import Iterator

import msgspec
import pytest

from hundi.api.merchant.record import TransactionType
from hundi.wire.merchant.record import TransactionRecord
from hundi.wire.partner.leads import news
from tests.docs.examples import ROOT, blocks
from tests.docs.spec import rows

CALLBACKS = ROOT / "docs" / "callbacks.md"
ENVELOPE = {"status_code", "status", "response_code", "request_id", "event", "message", "data"}
RECORD = "payment-interfaces.md#record"
"""Where the fields of the record are explained."""


def _rows_of(table_of: str, page: str = "callbacks.md") -> list[str]:
    """Return the rows of the table that begins so, without its head."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    return text[text.index(table_of) :].split("\n\n")[0].splitlines()[2:]


def _explained(table_of: str, page: str = "callbacks.md") -> set[str]:
    """Return the names in the first column of the table that begins so."""
    return {
        name
        for row in _rows_of(table_of, page)
        for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }


def _explained_here() -> set[str]:
    """Return the names that the page of callbacks explains, or the table that it links to."""
    record = {name for row in rows(RECORD) for name in re.findall(r"\w+", row[0])}
    return _explained("| Field | Says |") | record


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inside in value.items():
            yield name
            yield from _keys(inside)


EXAMPLES = [block for block in blocks(CALLBACKS) if block.language == "json"]


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_field_of_every_example_is_explained(number: int) -> None:
    shown = set(_keys(json.loads(EXAMPLES[number].text)))
    assert shown
    assert shown - _explained_here() == set()


def test_every_field_of_the_record_and_the_envelope_is_explained() -> None:
    record = {each.encode_name for each in msgspec.structs.fields(TransactionRecord)}
    assert (record | ENVELOPE) - _explained_here() == set()


def test_every_field_of_a_leads_news_is_explained() -> None:
    told = news(event="", affiliate="", lead_id=1, state="", reason="", merchant_id=0, at="")
    assert set(told) == _explained("| Field | Says |", "createlead.md")


def test_every_transaction_type_is_named_wherever_types_are_listed() -> None:
    listed = ", ".join(f"{each} {each.name.lower()}" for each in TransactionType)
    assert [int(row[0]) for row in rows("states-and-codes.md#transaction-types")] == [
        *TransactionType
    ]
    assert f'"""{listed}."""' in (ROOT / "src/hundi/sdk/transaction.py").read_text("utf-8")
    choices = (ROOT / "docs/choices.md").read_text("utf-8")
    assert f"| {', '.join(str(int(each)) for each in TransactionType)} are used |" in choices


def test_a_field_without_a_row_is_found() -> None:
    assert "settled_by" not in _explained_here()
