"""Schemathesis and described messages against the running gateway.

Never a fault of ours, always what is described.
"""

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
from hundi.wire.merchant.token import ISSUE
from tests.described import allowed, in_every_form
from tests.system.browser import read_screen
from tests.system.envelopes import PAGE, Merchant, Sender, form, json_body, order, v4
from tests.system.running import RunningGateway
from tests.system.shop import new_order_id

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
schema = schemathesis.openapi.from_dict(in_every_form(described.document())).include(
    path_regex="^/gateway"
)
OPERATIONS = described.operations()


@pytest.fixture(scope="module")
def tried(new_merchant: Any) -> Merchant:
    """A merchant whose calls are tried out."""
    return new_merchant(
        "Tried out", channels="upi_pg_nb_ppc_emi_btqr", multiple_partial_refunds="on"
    )


def test_the_document_is_served_under_every_prefix(gateway: RunningGateway, sender: Sender) -> None:
    for prefix in ("/gateway", "/airpay"):
        answer = sender.http.get(f"{gateway.base_url}{prefix}/pay/v4/openapi.json")
        assert (answer.status_code, answer.content) == (200, described.document_json())


@schema.parametrize()
@FEW
def test_whatever_is_sent_the_answer_is_an_envelope(
    case: schemathesis.Case, gateway: RunningGateway
) -> None:
    answer = case.call(base_url=gateway.base_url)
    case.validate_response(answer, checks=CHECKS)


@pytest.mark.parametrize("name", OPERATIONS)
@FEW
@given(data=st.data())
def test_an_authentic_message_is_answered_as_described(
    name: str, data: st.DataObject, sender: Sender, tried: Merchant
) -> None:
    operation = OPERATIONS[name]
    component = described.document()["components"]["schemas"][operation.request.__name__]
    message = data.draw(allowed(component))
    if operation is ISSUE:
        # Nobody's secrets are among what is drawn: the right ones go with every other message.
        message |= data.draw(st.sampled_from([tried.token_request, {}]))
    query = {"token": sender.token(tried)} if "token" in operation.proofs else {}
    reply = sender.post(operation.address, json_body(tried.envelope(message)), tried, **query)
    assert reply.status == 200
    wanted = operation.reply.__name__ if reply.envelope["status"] == "success" else "Failure"
    told = reply.data if reply.envelope["status"] == "success" else reply.envelope
    jsonschema.validate(told, described.validator_schema(wanted))
    assert reply.code != "999", reply.envelope


@FEW
@given(data=st.data())
def test_an_authentic_order_opens_a_page_or_is_refused_with_a_code(
    data: st.DataObject, sender: Sender, tried: Merchant
) -> None:
    message = data.draw(allowed(described.document()["components"]["schemas"]["PaymentRequest"]))
    # Most of what is drawn is no order of ours; what is must open.
    message |= data.draw(st.sampled_from([order(new_order_id()), {}]))
    outer = form(tried.envelope(message, checksum=v4(message)))
    answer = sender.raw(PAGE, outer, token=sender.token(tried))
    if answer.status_code == 303:
        assert (
            read_screen(sender.http.get(sender.base_url + answer.headers["location"])).status == 200
        )
    else:
        assert read_screen(answer).codes[0] in {"103", "110", "113"}, message
