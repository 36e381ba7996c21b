"""The programs of examples/partner: partners' interfaces in each language, with no library."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.languages.conftest import LANGUAGES
from tests.languages.programs import run
from tests.system import lead_messages
from tests.system.running import RunningGateway
from tests.system.shop import new_order_id

PROGRAMS = ["curl", "python", *LANGUAGES]


@pytest.fixture(scope="module")
def holders(gateway: RunningGateway) -> Iterator[dict[str, dict[str, Any]]]:
    """A holder for each program: one gets a password every 45 seconds at most."""
    people = [each for each in gateway.operate("register", "people") if each["mobile"]]
    return dict(zip(PROGRAMS, people[5:], strict=False))


def given(gateway: RunningGateway, holder: dict[str, Any]) -> dict[str, str]:
    """Return the variables that a partner's program takes."""
    own = gateway.demo["partner"]
    samples = own["samples"]
    return {
        "BASE_URL": gateway.base_url,
        "AFFILIATE": own["affiliate"],
        "API_KEY": own["api_key"],
        "PROCESSOR_KEY": own["processor_key"],
        "PARTNER_SECRET": own["secret"],
        "CARD_TOKEN": own["card_token"],
        "GSTIN": samples["gstin"],
        "ENTITY_ID": samples["entity_id"],
        "MERCID": samples["mercid"],
        "TERMINALID": samples["terminalid"],
        "UNIQUEID": samples["uniqueid"],
        "NAME": holder["name"],
        "AADHAAR": holder["number"],
        "LEAD": json.dumps(lead_messages.lead()),
        "REFERENCE": new_order_id("BILL"),
    }


@pytest.mark.parametrize("language", PROGRAMS)
def test_every_call_is_answered(
    language: str, gateway: RunningGateway, holders: dict[str, dict[str, Any]]
) -> None:
    lines = run("partner", language, given(gateway, holders[language])).splitlines()
    replies = [json.loads(line) for line in lines if line]
    calculator, registration, holder, document, cards, lead, sales, entries = replies
    assert calculator["data"]["total_amount"] == "120300.00"
    assert registration["data"]["sts"] == "Active"
    assert (holder["status"], document["status"]) == (200, "200")
    assert cards["data"][0]["card_no"] == "9999XXXXXXXX0001"
    assert lead["data"]["lead_id"]
    assert isinstance(sales["DATA"], list)
    assert [each["result"] for each in entries["data"]["entries"]] == ["recorded"]
