"""The partners' description says what the parsers do.

What it allows they take, what lies just outside they refuse.
"""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any, cast
from urllib.parse import urlencode

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hundi.api import interfaces
from hundi.api.addresses import GATEWAY
from hundi.api.description import document as merchants
from hundi.api.description import partner_document as described
from hundi.api.endpoint import BODY_BYTES_MAX
from hundi.api.partner.pos_entries import SIGNED_WITHIN_S
from hundi.kernel.refusals import Refused
from hundi.partners.leads import rules as lead_rules
from hundi.partners.leads.rules import LeadNews
from hundi.partners.pos import rules as pos_rules
from hundi.partners.pos.rules import Kind, Sale
from hundi.wire import strict_json
from hundi.wire.codes import Code
from hundi.wire.envelope import parse_outer
from hundi.wire.fields import FieldError
from hundi.wire.partner import envelope, leads, pos, pos_entries
from hundi.wire.partner.envelope import Parameters, parameters_of
from hundi.wire.partner.operation import KIB_MAX
from hundi.wire.partner.table import OPERATIONS
from tests.described import allowed

TODAY = date(2026, 11, 22)
DOCUMENT = described.document()
SCHEMAS = DOCUMENT["components"]["schemas"]
QUIET = settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
PARSERS: dict[str, Callable[[Parameters], object]] = {
    each.request.__name__: each.asked
    for each in OPERATIONS
    if each not in {leads.CREATE, pos_entries.ENTRIES}
}
RIGHT: dict[str, dict[str, Any]] = {
    "DocumentRequest": {"type": "file", "requestId": "r-1", "otp": "123456", "gateway_txn_id": "1"},
    "HolderRequest": {"name": "Asha Rao", "consentText": "yes", "aadhaarNo": "234123412346"},
    "RegistrationRequest": {"gstin": "27AAPFU0939F1ZV"},
    "CalculationRequest": {"cost": "1", "profit": "1", "gst": "1", "same_state": "Y"},
    "CardsRequest": {"entity_id": "CUST0001"},
    "SalesRequest": {"mercid": "10001", "terminalid": "T1", "uniqueid": "4711"},
    "SaleRequest": {
        "mercid": "10001",
        "terminalid": "T1",
        "uniqueid": "4711",
        "referenceid": "bill-1",
    },
}
ENTRY = {"terminalid": "T1", "reference": "bill-1", "amount": "149.50"}
# Dates that do not exist or are too near, check characters, telephone numbers that are a card's: no
# schema says them.
INSIDE = {"signatory_dob", "business_gstin", "at", "phone", "signatory_phone"}


def standing(name: str) -> dict[str, Any]:
    """Return a component as a schema that stands alone."""
    return {"$ref": f"#/components/schemas/{name}", "components": {"schemas": SCHEMAS}}


def is_valid(message: object, name: str) -> bool:
    return jsonschema.Draft202012Validator(standing(name)).is_valid(message)


def in_json(message: dict[str, Any]) -> Parameters:
    return parameters_of(parse_outer("application/json", json.dumps(message).encode()))


def in_form(message: dict[str, Any]) -> Parameters:
    return parameters_of(
        parse_outer("application/x-www-form-urlencoded", urlencode(message).encode())
    )


def refused(name: str, parameters: Parameters) -> str | None:
    """Return the field that a parser refuses, None when it takes the message."""
    try:
        PARSERS[name](parameters)
    except FieldError as problem:
        return problem.field
    return None


def wrong_of_lead(message: dict[str, Any], *, whole: bool) -> set[str]:
    """Return the fields of a lead that are refused, by its form or by what the feature judges."""
    sent = leads.parse(strict_json.parse(json.dumps(message).encode()))
    found = {each.field or each.group for each in sent.wrong}
    if whole:
        found |= {each.field or each.group for each in leads.missing(sent.groups)}
    groups = lead_rules.merged({}, sent.groups, sent.removed)
    return found | {each.field for each in lead_rules.faults(groups, TODAY, strict_lengths=False)}


def wrong_of_entries(parameters: Parameters) -> set[str]:
    """Return the fields of entries that are refused."""
    found: set[str] = set()
    for read in pos_entries.read_entries(parameters):
        if read.problem is not None:
            found.add(read.problem.field)
        elif (entry := read.entry) is not None:
            mentioned = cast("Kind", entry.kind), entry.edited_paise, entry.table_no, entry.mobile
            told_at = entry.at or datetime(2026, 11, 22, tzinfo=UTC)
            try:
                pos_rules.check_sale(
                    Sale(
                        1,
                        entry.terminal_id,
                        entry.reference,
                        told_at,
                        entry.amount_paise,
                        *mentioned,
                    )
                )
            except Refused as problem:
                found.add(problem.refusal.field)
    return found


def padded(message: Any, name: str = "") -> Iterator[str]:
    """Yield the names of texts with spaces at an end, which count for nothing."""
    match message:
        case dict():
            for key, value in message.items():
                yield from padded(value, key)
        case list():
            for value in message:
                yield from padded(value, name)
        case str() if message != message.strip():
            yield name
        case _:
            pass


def test_the_document_is_sound() -> None:
    assert (DOCUMENT["openapi"], DOCUMENT["info"]["version"]) == ("3.1.0", "1.0.0")
    for schema in SCHEMAS.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert {each["code"] for each in DOCUMENT["x-response-codes"]} == {code.wire for code in Code}
    assert not {*SCHEMAS} & {*merchants.document()["components"]["schemas"]}


def test_every_operation_that_is_mounted_is_described_and_no_other() -> None:
    assert {*interfaces.PARTNERS} == {*OPERATIONS}
    mounted = {GATEWAY + path for each in OPERATIONS for path in each.paths}
    assert set(DOCUMENT["paths"]) == mounted
    assert len({path["post"]["operationId"] for path in DOCUMENT["paths"].values()}) == len(mounted)


def test_no_message_is_forgotten_and_none_is_there_for_nothing() -> None:
    used = {
        name for each in described.OPERATIONS.values() for name in (*each.requests, *each.forms)
    }
    assert used | {"NewLead", "LeadUpdate", "TerminalEntry"} == {*described.REQUESTS}
    assert used == {*PARSERS, "LeadRequest", "EntriesRequest", "EntriesForm"}


def test_the_limits_are_the_endpoints() -> None:
    assert KIB_MAX * 1024 == BODY_BYTES_MAX
    assert (pos.LISTED_MAX, pos.SALE_KINDS) == (pos_rules.LISTED_MAX, pos_rules.KINDS)
    (entries,) = pos_entries.ENTRIES.paths
    headers = {
        each["name"]: each for each in DOCUMENT["paths"][GATEWAY + entries]["post"]["parameters"]
    }
    assert f"at most {SIGNED_WITHIN_S} s from the gateway's" in headers["timestamp"]["description"]


def test_operations_of_one_address_differ_in_messages_alone() -> None:
    for each in described.OPERATIONS.values():
        shared = {
            (
                one.name,
                one.identity,
                one.title,
                one.section,
                one.paths,
                one.proof,
                one.codes,
                one.kib_max,
                one.live,
            )
            for one in each.declared
        }
        assert len(shared) == 1


@pytest.mark.parametrize("name", PARSERS)
@QUIET
@given(data=st.data())
def test_what_the_schema_allows_the_parser_takes(name: str, data: st.DataObject) -> None:
    message = data.draw(allowed(SCHEMAS[name]))
    assert is_valid(message, name)
    for parameters in (in_json(message), in_form(message)):
        field = refused(name, parameters)
        assert field is None or field in padded(message), message


@pytest.mark.parametrize("name", ["NewLead", "LeadUpdate"])
@QUIET
@given(data=st.data())
def test_what_the_schema_allows_a_lead_may_be(name: str, data: st.DataObject) -> None:
    message = data.draw(allowed(SCHEMAS[name]))
    assert is_valid(message, name)
    assert wrong_of_lead(message, whole=name == "NewLead") <= INSIDE | {*padded(message)}


@pytest.mark.parametrize(("name", "sent"), [("EntriesRequest", in_json), ("EntriesForm", in_form)])
@QUIET
@given(data=st.data())
def test_what_the_schema_allows_terminals_may_tell(
    name: str, sent: Callable[[dict[str, Any]], Parameters], data: st.DataObject
) -> None:
    message = data.draw(allowed(SCHEMAS[name]))
    assert is_valid(message, name)
    parameters = sent(message)
    entries = json.loads(parameters.json("entries"))
    assert wrong_of_entries(parameters) <= INSIDE | {*padded(entries)}


@pytest.mark.parametrize("name", PARSERS)
def test_each_required_field_is_demanded(name: str) -> None:
    # A missing Aadhaar number is refused by the feature, which judges its form.
    right = RIGHT.get(name, {"type": "otp"})
    assert refused(name, in_json(right)) is None
    for missing in SCHEMAS[name]["required"]:
        if missing not in right or (name, missing) == ("HolderRequest", "aadhaarNo"):
            continue
        assert (
            refused(
                name, in_json({each: value for each, value in right.items() if each != missing})
            )
            == missing
        )


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("DocumentRequest", "type", "zip"),
        ("DocumentRequest", "requestId", "x" * 65),
        ("DocumentRequest", "requestId", "a b"),
        ("DocumentRequest", "otp", "12345"),
        ("DocumentRequest", "gateway_txn_id", "1" * 16),
        ("HolderRequest", "name", "Ram"),
        ("HolderRequest", "name", "x" * 51),
        ("HolderRequest", "name", "Asha\nRao"),
        ("HolderRequest", "consentText", ""),
        ("HolderRequest", "consentText", "x" * 10_001),
        ("RegistrationRequest", "gstin", ""),
        ("CalculationRequest", "cost", "0.00"),
        ("CalculationRequest", "cost", "1.001"),
        ("CalculationRequest", "profit", "100000"),
        ("CalculationRequest", "gst", "1.00001"),
        ("CalculationRequest", "same_state", "y"),
        ("CardsRequest", "entity_id", "x" * 51),
        ("CardsRequest", "entity_id", "a b"),
        ("SalesRequest", "mercid", "1" * 13),
        ("SalesRequest", "terminalid", "x" * 17),
        ("SalesRequest", "uniqueid", "471"),
        ("SalesRequest", "uniqueid", "a4711"),
        ("SaleRequest", "uniqueid", "a-4711"),
        ("SaleRequest", "referenceid", ""),
        ("SaleRequest", "referenceid", "x" * 65),
    ],
)
def test_what_lies_just_outside_both_refuse(name: str, field: str, value: str) -> None:
    message = RIGHT[name] | {field: value}
    assert is_valid(RIGHT[name], name)
    assert not is_valid(message, name)
    assert refused(name, in_json(message)) == field


@pytest.mark.parametrize(
    ("group", "field", "value"),
    [
        ("basic_info", "fname", "x" * 101),
        ("basic_info", "email", "asha"),
        ("basic_info", "phone", "1234567"),
        ("basic_info", "nickname", "Ash"),
        ("company_info", "company_annual_turnover", "a lot"),
        ("company_info", "company_cin", "U74999"),
        ("business_info", "business_type", "9"),
        ("business_info", "business_category", "565"),
        ("business_info", "business_pan", "AAPFU0000F"),
        ("business_info", "business_pincode", "011001"),
        ("bank_info", "bank_account_number", "1" * 21),
        ("bank_info", "bank_account_type", "c"),
        ("bank_info", "bank_ifsc_code", "x" * 12),
    ],
)
def test_what_lies_just_outside_no_lead_may_be(group: str, field: str, value: str) -> None:
    message = {"lead_id": "1", group: {field: value}}
    assert not is_valid(message, "LeadUpdate")
    assert wrong_of_lead(message, whole=False) == {field}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("terminalid", ""),
        ("reference", "x" * 65),
        ("type", "TIP"),
        ("amount", "0"),
        ("edit_amount", "1.005"),
        ("table", "x" * 21),
        ("at", "2026-11-22T14:05:00"),
        ("tip", "1.00"),
    ],
)
def test_what_lies_just_outside_no_terminal_may_tell(field: str, value: str) -> None:
    right, message = (
        {"mercid": "10001", "entries": [ENTRY | more]} for more in ({}, {field: value})
    )
    assert is_valid(right, "EntriesRequest")
    assert not is_valid(message, "EntriesRequest")
    assert wrong_of_entries(in_json(message)) == {field}


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("GstCalculatorRefused", envelope.STANDARD.failure("904", "words")),
        ("AadhaarXmlRefused", envelope.STANDARD.failure("140", "words")),
        ("AadhaarXmlRefused", envelope.FIRST_OF_XML.failure("140", "words")),
        ("CardDetailsRefused", envelope.CARDS.failure("104", "words")),
        (
            "LeadRefusal",
            leads.failure(
                "110", "words", (leads.LeadProblem("basic_info", "fname", "is required"),)
            ),
        ),
        ("ListSalesRefused", envelope.TERMINALS.failure("144", "words")),
        (
            "LeadNews",
            leads.news(
                event=LeadNews.APPROVED,
                affiliate="AF000001",
                lead_id=1,
                state="approved",
                reason="",
                merchant_id=10001,
                at="2026-11-22T14:05:00+05:30",
            ),
        ),
    ],
)
def test_what_is_sent_is_described(name: str, reply: dict[str, Any]) -> None:
    jsonschema.validate(reply, standing(name))
    for missing in reply:
        assert not is_valid({each: value for each, value in reply.items() if each != missing}, name)
