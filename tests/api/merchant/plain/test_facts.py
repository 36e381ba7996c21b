"""Each event in the standard form is what the plain interface's description says."""

import json

import jsonschema
import pytest

from hundi.api.description import plain_document
from hundi.api.merchant.ipn import rendered
from hundi.kernel.events import Kind
from tests.api.merchant.test_ipn import ABOUT, UNPAID, facts
from tests.page.views import NOW, merchant


@pytest.mark.parametrize("kind", [*UNPAID, *ABOUT])
def test_an_event_is_as_described_and_says_what_it_is_about(kind: Kind) -> None:
    shop = merchant(events=tuple(Kind), notification_form="standard")
    sent = rendered(shop, facts(kind), "ipn_7_215000000000001_9", kind, NOW)
    event = json.loads(sent.body)
    document = plain_document.document()["components"]
    jsonschema.validate(event, {**document["schemas"]["PlainEvent"], "components": document})
    assert (sent.content_type, event["id"]) == ("application/json", "ipn_7_215000000000001_9")
    assert event["type"] == kind
    about = {name for name in ("refund", "dispute", "subscription") if event["data"][name]}
    named = {{"mandate": "subscription"}.get(name, name) for name in ABOUT.get(kind, {})}
    assert about == named
    assert bool(event["data"]["excess_paise"]) is (kind is Kind.EXCESS_PAYMENT)
