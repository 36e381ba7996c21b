"""Schemathesis and described messages against the running gateway: never a fault of ours, always what is described."""

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

from hundi.api.description import document as described
from tests.described import allowed
from tests.system.envelopes import Merchant, Sender, json_body
from tests.system.running import RunningGateway

pytestmark = [pytest.mark.usefixtures("books_hold"), pytest.mark.timeout(180)]
FEW = settings(max_examples=15, suppress_health_check=list(HealthCheck), deadline=None, derandomize=True)
CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
schema = schemathesis.openapi.from_dict(described.document()).include(path_regex="^/gateway")
OPERATIONS = {name: each for name, each in described.operations().items() if name != "issueToken"}


@pytest.fixture(scope="module")
def tried(new_merchant: Any) -> Merchant:
    """A merchant whose calls are tried out."""
    return new_merchant("Tried out", channels="upi_pg_nb_ppc_emi_btqr", multiple_partial_refunds="on")


def test_the_document_is_served_under_every_prefix(gateway: RunningGateway, sender: Sender) -> None:
    for prefix in ("/gateway", "/airpay"):
        answer = sender.http.get(f"{gateway.base_url}{prefix}/pay/v4/openapi.json")
        assert (answer.status_code, answer.json()) == (200, described.document())


@schema.parametrize()
@FEW
def test_whatever_is_sent_the_answer_is_an_envelope(case: schemathesis.Case, gateway: RunningGateway) -> None:
    answer = case.call(base_url=gateway.base_url)
    case.validate_response(answer, checks=CHECKS)


@pytest.mark.parametrize("name", OPERATIONS)
@FEW
@given(data=st.data())
def test_an_authentic_message_is_answered_as_described(
    name: str, data: st.DataObject, sender: Sender, tried: Merchant
) -> None:
    path, request, reply_data = OPERATIONS[name]
    component = described.document()["components"]["schemas"][request]
    message = data.draw(allowed(component))
    query = {} if name == "split" else {"token": sender.token(tried)}
    reply = sender.post(path, json_body(tried.envelope(message)), tried, **query)
    assert reply.status == 200
    wanted = reply_data if reply.envelope["status"] == "success" else "Failure"
    told = reply.data if reply.envelope["status"] == "success" else reply.envelope
    jsonschema.validate(told, described.validator_schema(wanted))
    assert reply.code != "999", reply.envelope
