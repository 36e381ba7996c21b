"""The description says what the parsers do.

What it allows they take, what lies just outside they refuse.
"""

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hundi.api import interfaces
from hundi.api.addresses import PAGE
from hundi.api.description import document as described
from hundi.api.description import partner_document
from hundi.api.merchant import seamless
from hundi.wire.codes import Code
from hundi.wire.fields import FieldError
from hundi.wire.merchant import payments, refunds, splits
from hundi.wire.merchant.payments import CAMEL_CASE, INITIATE
from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.message import read_request
from tests.described import allowed

ROOT = Path(__file__).parents[2]
TODAY = date(2026, 11, 21)
MESSAGES = {
    each.__name__: each
    for operation in (INITIATE, *OPERATIONS)
    for each in (operation.request, operation.plain)
    if each
}
PARSERS: dict[str, Callable[[dict[str, Any]], object]] = {
    name: partial(read_request, each) for name, each in MESSAGES.items()
}
WITH_MORE = {"RefundRequest", "SplitRequest", "FlatSplitRequest"}
"""Messages whose schema allows more: not what is inside a text, nor what has to add up."""
# Bounds that join several fields, or that look inside a text, no schema says: what the parser may
# still refuse.
JOINED = {"currency_code", "iso_currency", "mer_dom", "chmod"}
DOCUMENT = described.document()
QUIET = settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)


def fields_of(name: str) -> dict[str, Any]:
    return DOCUMENT["components"]["schemas"][name]["properties"]


def test_the_document_is_sound_and_says_its_version() -> None:
    assert (DOCUMENT["openapi"], DOCUMENT["info"]["version"]) == ("3.1.0", "4.0.0")
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert {each["code"] for each in DOCUMENT["x-response-codes"]} == {code.wire for code in Code}


def test_every_operation_that_is_mounted_is_described_and_no_other() -> None:
    assert [*described.operations().values()] == [*OPERATIONS]
    assert {*interfaces.MERCHANTS} == {*OPERATIONS}
    assert {each.address for each in OPERATIONS} | {PAGE[0]} == {*DOCUMENT["paths"]}


@pytest.mark.parametrize(
    "whole", [DOCUMENT, partner_document.document()], ids=["payment", "partner"]
)
def test_every_operation_says_what_it_is_about(whole: dict[str, Any]) -> None:
    tags = {each["name"]: each for each in whole["tags"]}
    told = {tag for path in whole["paths"].values() for tag in path["post"]["tags"]}
    assert told == {*tags}
    for each in tags.values():
        page = each["externalDocs"]["url"].removeprefix("/docs/").removesuffix("/")
        assert (ROOT / "docs" / f"{page}.md").is_file(), each
    for path, item in whole["paths"].items():
        assert item["post"]["description"].strip(), path
        assert len(item["post"]["requestBody"]["content"]) == 1, (
            f"{path}: one type of body, so that generators agree"
        )


def arrays(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema of an array within a part of a document."""
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from arrays(each)
    if isinstance(part, dict) and part.get("type") == "array":
        yield part


@pytest.mark.parametrize(
    "whole", [DOCUMENT, partner_document.document()], ids=["payment", "partner"]
)
def test_every_array_says_what_it_holds(whole: dict[str, Any]) -> None:
    assert [each for each in arrays(whole) if "items" not in each] == []


def refusal(name: str, message: dict[str, Any]) -> str | None:
    """Return the field that a parser refuses, None when it takes the message."""
    try:
        PARSERS[name](message)
    except FieldError as refused:
        return refused.field
    return None


@pytest.mark.parametrize("name", sorted(PARSERS.keys() - WITH_MORE))
@QUIET
@given(data=st.data())
def test_what_the_schema_allows_the_parser_takes(name: str, data: st.DataObject) -> None:
    schema = DOCUMENT["components"]["schemas"][name]
    message = data.draw(allowed(schema))
    refused = refusal(name, message)
    assert refused is None or refused in JOINED or any(map(is_blank, said_as(message, refused)))


def is_blank(text: str) -> bool:
    return not text.strip()


def said_as(message: dict[str, Any], field: str) -> Iterator[str]:
    """Yield the values of a field, in the message and in the rows of its lists."""
    yield message.get(field, "")
    for value in message.values():
        for row in value if isinstance(value, list) else ():
            yield from said_as(row, field)


@pytest.mark.parametrize("name", ["PaymentRequest", "GenerateOrderRequest"])
def test_a_paying_account_is_named_whole_or_not_at_all(name: str) -> None:
    schema = DOCUMENT["components"]["schemas"][name] | {"required": []}
    account = {"upi_tpv_account": "50100012345678", "upi_tpv_ifsc": "HDFC0000001"}
    assert jsonschema.Draft202012Validator(schema).is_valid(account)
    for name_sent, value in account.items():
        half = {name_sent: value}
        assert not jsonschema.Draft202012Validator(schema).is_valid(half)
        with pytest.raises(FieldError) as refused:
            read_request(payments.PayerAccount, half)
        assert {name_sent, refused.value.field} == {*account}


class Read(dict[str, Any]):
    """A message that keeps which of its fields were looked at."""

    def __init__(self, message: dict[str, Any]) -> None:
        super().__init__(message)
        self.names: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.names.add(key)
        return super().get(key, default)


OLDER = {*CAMEL_CASE.values(), "currency", "isocurrency", "custom_var", "customer_vpa", "amount"}
"""Spellings of older clients, which no new one is to use."""
NOT_USED = {"wallet", "kittype", "vpa", "call_type", "customer_consent", "tid", "merchant_id"}
"""Read because clients send them; nothing depends on them."""
NO_SAVED_CARD = {"SeamlessRequest": {"UID", "token"}}
"""Read with every order, and not used where the customer is not on the page."""


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize("subtype", ["2", "12"])
def test_every_field_that_is_read_is_described(name: str, subtype: str) -> None:
    parse = PARSERS[name]
    message = {
        "orderid": "ORD-1", "amount": "1.00", "currency_code": "356", "iso_currency": "INR",
        "pay_by": "pg",
        "buyer_email": "asha@example.in", "buyer_phone": "9876543210", "buyer_firstname": "Asha",
        "buyer_lastname": "R",
        "sb_period": "M", "sb_amount": "1.00", "sb_nextrundate": "12/11/2026",
        "sb_recurringcount": "12",
        "sb_frequency": "1", "card_number": "1", "card_expiry": "1", "card_cvv": "1",
        "vpa": "asha@hundi",
        "client_id": "c", "client_secret": "s", "merchant_id": "1",
        "grant_type": "client_credentials",
        "ap_transactionid": "1", "UID": "asha", "token": "card_1",
        "upi_tpv_account": "50100012345678",
        "upi_tpv_ifsc": "HDFC0000001", "settlement_id": "1",
        "split_request_id": "1", "split_type": "percentage", "primary_split_value": "70",
        "splits": [{"identifier": "V", "value": "30"}],
        "TRANSACTION_ID": "1", "SPLIT_REQUEST_ID": "1",
        "PRIACCT_SPLIT_VALUE": "70", "OTHER_IDENTIFIERS": "V", "SPLIT_VALUES": "30", "TOKEN": "ab",
        "transactions": "W3siYXBfdHJhbnNhY3Rpb25pZCI6IjEifV0=",
        "dispute_id": "1", "content": "JVBERi0x", "link_id": "1", "link_reference": "L-1",
        "description": "Sarees",
    }  # fmt: skip
    described_fields = set(fields_of(name))
    read = Read(
        {field: value for field, value in message.items() if field in described_fields | NOT_USED}
    )
    if "txnsubtype" in described_fields and not (name == "SeamlessRequest" and subtype == "12"):
        read["txnsubtype"] = subtype
    if name == "VerifyRequest":
        read = Read({"orderid": "ORD-1"})
    parse(read)
    assert read.names or name == "OwnTerms", "a parser reads something"
    assert (
        read.names - described_fields - OLDER - NOT_USED - NO_SAVED_CARD.get(name, set()) == set()
    )


@pytest.mark.parametrize("name", PARSERS)
def test_each_required_field_is_demanded(name: str) -> None:
    required = DOCUMENT["components"]["schemas"][name]["required"]
    for missing in required:
        message = {each: "1" for each in required if each != missing}
        with pytest.raises(FieldError):
            PARSERS[name](message)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("GenerateOrderRequest", "orderid", "x" * 65),
        ("GenerateOrderRequest", "orderid", "a b"),
        ("GenerateOrderRequest", "amount", "0.00"),
        ("GenerateOrderRequest", "amount", "1.001"),
        ("GenerateOrderRequest", "amount", "10000000000"),
        ("GenerateOrderRequest", "customvar", "x" * 4097),
        ("GenerateOrderRequest", "buyer_firstname", "x" * 101),
        ("GenerateOrderRequest", "buyer_address", "x" * 256),
        ("GenerateOrderRequest", "buyer_city", "a\nb"),
        ("GenerateOrderRequest", "buyer_phone", "1234567"),
        ("CaptureRequest", "ap_transactionid", "1" * 21),
        ("CaptureRequest", "amount", ""),
        ("ValidateVpaRequest", "vpa", "a@hundi"),
        ("ValidateVpaRequest", "vpa", "asha@1x"),
        ("BanksRequest", "chmod", "zz"),
        ("VerifyRequest", "orderid", "x" * 65),
        ("VerifyRequest", "rrn", "x" * 36),
        ("TokenRequest", "client_id", "x" * 21),
        ("TokenRequest", "client_secret", "x" * 201),
        ("TokenRequest", "grant_type", "password"),
    ],
)
def test_what_lies_just_outside_both_refuse(name: str, field: str, value: str) -> None:
    assert not jsonschema.Draft202012Validator(fields_of(name)[field]).is_valid(value)
    right = {"orderid": "ORD-1", "amount": "1.00", "ap_transactionid": "1", "vpa": "asha@hundi"}
    right |= {
        "client_id": "c",
        "client_secret": "s",
        "merchant_id": "1",
        "grant_type": "client_credentials",
    }
    wanted = {each: right[each] for each in DOCUMENT["components"]["schemas"][name]["required"]}
    with pytest.raises(FieldError) as refused:
        PARSERS[name](wanted | {field: value})
    assert refused.value.field == field


def test_a_seamless_payment_is_described_with_the_kinds_that_begin() -> None:
    assert {*fields_of("SeamlessRequest")["txnsubtype"]["enum"]} == {*seamless.KINDS}


def test_the_batch_and_the_split_have_their_parsers_bounds() -> None:
    items = fields_of("RefundRequest")["transactions"]["contentSchema"]
    assert (items["minItems"], items["maxItems"]) == (1, refunds.ITEMS_MAX)
    parts = fields_of("SplitRequest")["splits"]
    assert (parts["minItems"], parts["maxItems"]) == (1, splits.PARTS_MAX)
