"""Schemathesis against the plain interface: never a fault of ours, always what is described."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import httpx
import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from hundi.api.description import plain_document as described
from tests.system.conftest import NewMerchant
from tests.system.plain import PlainServer, order, server_of
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
    response_headers_conformance,
    response_schema_conformance,
)


def _without_security() -> dict[str, Any]:
    """Return the document without its keys: schemathesis would leave them out of some requests."""
    whole = deepcopy(described.document())
    for path in whole["paths"].values():
        for operation in path.values():
            del operation["security"]
    return whole


schema = schemathesis.openapi.from_dict(_without_security())


@pytest.fixture(scope="module")
def tried(gateway: RunningGateway, new_merchant: NewMerchant) -> Iterator[PlainServer]:
    """A server whose calls are tried out."""
    merchant = new_merchant("Tried out plainly", channels="upi_pg_nb_btqr")
    with httpx.Client(trust_env=False, timeout=30) as http:
        yield server_of(gateway, http, merchant, "tried")


def test_the_document_is_served(gateway: RunningGateway, tried: PlainServer) -> None:
    answer = tried.http.get(f"{gateway.base_url}/v1/openapi.json")
    assert (answer.status_code, answer.content) == (200, described.document_json())


@schema.parametrize()
@FEW
def test_whatever_is_sent_the_answer_is_as_described(
    case: schemathesis.Case, gateway: RunningGateway, tried: PlainServer
) -> None:
    key = {"Authorization": f"Bearer {tried.key}"}
    answer = case.call(base_url=gateway.base_url, headers=key)
    case.validate_response(answer, checks=CHECKS)
    assert answer.status_code != 401, "the key is sent with every request"


@schema.parametrize()
@settings(parent=FEW, max_examples=2)
def test_without_a_key_nothing_is_answered(
    case: schemathesis.Case, gateway: RunningGateway
) -> None:
    answer = case.call(base_url=gateway.base_url, headers={"Authorization": "Bearer x"})
    case.validate_response(answer, checks=CHECKS)
    assert answer.status_code in {401, 405}


_CODES = described.document()["components"]["schemas"]["PlainOrderRequest"]["properties"]
_DRAWN = st.fixed_dictionaries(
    {
        "amount_paise": st.integers(1, _CODES["amount_paise"]["maximum"]),
        "note": st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=40),
    },
    optional={
        "capture": st.sampled_from(_CODES["capture"]["enum"]),
        "channels": st.lists(st.sampled_from(_CODES["channels"]["items"]["enum"]), unique=True),
        "currency": st.sampled_from(_CODES["currency"]["enum"]),
    },
)


@FEW
@given(drawn=_DRAWN)
def test_a_described_order_is_made_or_refused_with_its_field(
    drawn: dict[str, Any], tried: PlainServer
) -> None:
    document = described.document()["components"]
    answer = tried.send("POST", "orders", order(new_order_id(), **drawn))
    wanted = "PlainOrder" if answer.status_code == 201 else "ProblemDocument"
    told = answer.json()
    jsonschema.validate(told, {**document["schemas"][wanted], "components": document})
    assert answer.status_code == 201 or told["reason"] == "channel_not_enabled", told
    if answer.status_code == 201:
        assert {name: told[name] for name in ("amount_paise", "note")} == {
            name: drawn[name] for name in ("amount_paise", "note")
        }
