"""The partners' description against the running gateway.

Never a fault of ours, always what is described.
"""

import json
from typing import Any

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from hundi.api.description import partner_document as described
from hundi.api.description.partner_document import Described
from hundi.api.description.partner_replies import OPENED
from hundi.wire.partner.pos import DETAIL, LISTING
from tests.described import allowed, in_every_form
from tests.system.conftest import NewMerchant, NewPartner
from tests.system.envelopes import Merchant, Sender
from tests.system.identity import CONSENT, begin, finish, otp_of
from tests.system.lead_messages import lead, send
from tests.system.partners import BAAS, PartnerSender
from tests.system.running import RunningGateway
from tests.system.test_cards import details
from tests.system.test_pos_entries import ENTRY, Manager

pytestmark = pytest.mark.usefixtures("books_hold")
FEW = settings(
    max_examples=15, suppress_health_check=list(HealthCheck), deadline=None, derandomize=True
)
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)
DOCUMENT = described.document()
SCHEMAS = DOCUMENT["components"]["schemas"]
schema = schemathesis.openapi.from_dict(in_every_form(DOCUMENT))
OPERATIONS = {each.name: (path, each) for path, each in described.OPERATIONS.items()}
OF_KEYS = {
    each.name: path.removeprefix(BAAS)
    for path, each in OPERATIONS.values()
    if path.startswith(BAAS)
}
OF_ADDRESSES = {each.identity: each.paths[0] for each in (LISTING, DETAIL)}


@pytest.fixture(scope="module")
def manager(gateway: RunningGateway, new_partner: NewPartner, new_merchant: NewMerchant) -> Manager:
    """A partner who may call everything, and who manages a terminal."""
    shop = new_merchant("Described shop", pos_address="127.0.0.0/8")
    found = Manager(
        new_partner(
            "Described", lookups_a_minute=100_000, lookups_a_day=100_000, card_programme="DEMO"
        ),
        shop,
    )
    gateway.operate(
        "pos", "register", shop.merchant_id, "T1", "A", "--manager", found.partner.keys.affiliate
    )
    return found


def call(name: str, message: dict[str, Any], manager: Manager) -> dict[str, Any]:
    """Send a proven message to an operation and return the reply, opened where it is sealed."""
    partner = manager.partner
    if name in OF_KEYS:
        return partner.ask(OF_KEYS[name], message)
    if name == "cardDetails":
        return details(partner, message["entity_id"])
    if name == "createLead":
        return send(partner, message)
    if name == "recordSales":
        return manager.post(json.dumps(message).encode())
    answer = partner.http.post(
        f"{partner.gateway.base_url}/gateway{OF_ADDRESSES[name]}", data=message
    )
    assert answer.status_code == 200
    return answer.json()


def check(operation: Described, reply: dict[str, Any]) -> None:
    """Check that a reply is one of an operation's, and no fault of ours."""
    done = (OPENED,) if operation.name == "createLead" else operation.replies
    refusal = operation.refusal
    wanted = (
        refusal
        if "error_code" in reply
        else {"anyOf": [{"$ref": f"#/components/schemas/{each}"} for each in done]}
    )
    jsonschema.validate(reply, wanted | {"components": {"schemas": SCHEMAS}})
    assert reply.get("error_code") != "999", reply


def test_the_document_is_served_under_every_prefix(gateway: RunningGateway, sender: Sender) -> None:
    for prefix in ("/gateway", "/airpay"):
        answer = sender.http.get(f"{gateway.base_url}{prefix}/ms/openapi.json")
        assert (answer.status_code, answer.json()) == (200, DOCUMENT)
        assert answer.headers["content-type"] == "application/json"


@schema.parametrize()
@FEW
def test_whatever_is_sent_the_answer_is_described(
    case: schemathesis.Case, gateway: RunningGateway
) -> None:
    answer = case.call(base_url=gateway.base_url)
    case.validate_response(answer, checks=CHECKS)


@pytest.mark.parametrize("name", OPERATIONS)
@FEW
@given(data=st.data())
def test_a_proven_message_is_answered_as_described(
    name: str, data: st.DataObject, manager: Manager
) -> None:
    _, operation = OPERATIONS[name]
    requests = ("NewLead", "LeadUpdate") if name == "createLead" else operation.requests
    message = data.draw(st.one_of([allowed(SCHEMAS[each]) for each in requests]))
    if "mercid" in message:
        # Most numbers are nobody's: what is drawn is told of a shop that is there, too.
        message |= data.draw(st.sampled_from([{"mercid": manager.shop.merchant_id}, {}]))
    reply = call(name, message, manager)
    check(operation, reply)
    assert reply.get("error_code") not in {"101", "102", "103", "904"}, reply


def right_messages(manager: Manager, gateway: RunningGateway) -> dict[str, dict[str, Any]]:
    """Return for each operation a message that it takes."""
    samples = gateway.demo["partner"]["samples"]
    asked = {"mercid": manager.shop.merchant_id, "terminalid": "T1", "uniqueid": "4711"}
    return {
        "aadhaarVerification": {
            "name": samples["name"],
            "consentText": CONSENT,
            "aadhaarNo": samples["aadhaar"],
        },
        "gstVerification": {"gstin": samples["gstin"]},
        "gstCalculator": {"cost": "10000", "profit": "500", "gst": "100.50", "same_state": "N"},
        "cardDetails": {"entity_id": samples["entity_id"]},
        "createLead": lead(),
        "recordSales": {
            "mercid": manager.shop.merchant_id,
            "entries": [ENTRY, ENTRY, ENTRY | {"amount": "0.001"}],
        },
        "listSales": asked,
        "showSale": asked | {"uniqueid": "a4711", "referenceid": ENTRY["reference"]},
    }


def test_what_is_done_is_answered_as_described(manager: Manager, gateway: RunningGateway) -> None:
    messages = right_messages(manager, gateway)
    assert {*messages, "aadhaarXml"} == {*OPERATIONS}
    for name, message in messages.items():
        reply = call(name, message, manager)
        assert reply["status"] == 200, reply
        check(OPERATIONS[name][1], reply)


def test_a_document_is_sent_as_described(gateway: RunningGateway, partner: PartnerSender) -> None:
    holder = next(
        each
        for each in gateway.operate("register", "people", "--limit", "300")[-13:]
        if each["mobile"]
    )
    _, operation = OPERATIONS["aadhaarXml"]
    begun = begin(partner, holder)
    assert begun["status"] == "200", begun
    check(operation, begun)
    wrong = finish(
        partner, begun, "000000" if otp_of(gateway, holder["mobile"]) != "000000" else "000001"
    )
    assert wrong["error_code"] == "140"
    check(operation, wrong)
    done = finish(partner, begun, otp_of(gateway, holder["mobile"]))
    assert done["status"] == 200, done
    check(operation, done)


def test_a_sender_without_proof_is_refused_as_described(
    manager: Manager, gateway: RunningGateway, new_merchant: NewMerchant
) -> None:
    nobody = "0" * 10
    stranger: Merchant = new_merchant("Lists nobody")
    for name, message in right_messages(manager, gateway).items():
        path, operation = OPERATIONS[name]
        headers = {each["name"]: nobody for each in operation.headers}
        fields = (
            {"query": nobody}
            if name == "createLead"
            else message | {"mercid": stranger.merchant_id}
        )
        answer = manager.partner.http.post(gateway.base_url + path, json=fields, headers=headers)
        check(operation, answer.json())
        assert answer.json()["error_code"] in {"904", "104", "144"}
