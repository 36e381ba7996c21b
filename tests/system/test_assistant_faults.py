"""What a confused or misled assistant sends: refused in our words, and no fault of the gateway."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from hundi.assistants.calls import TOOLS
from hundi.assistants.tools import schema_of
from tests.system.assistants import HttpDesk, ToolAnswer, open_desk
from tests.system.running import RunningGateway
from tests.system.test_assistants import ALL, OWNER, new_key
from tests.system.test_console_payments import place

__all__ = ["place"]

STRANGE: tuple[Any, ...] = ("a\0b", "9999-12-31", 10**15 - 1, 10**30, ["a"])
USUAL = {
    "amount_paise": 100,
    "ap_transactionid": 1,
    "description": "Tea",
    "dispute_id": 1,
    "proposal_id": 1,
    "reason": "why",
    "reference": "none",
    "settlement": "none",
    "webhook_id": "none",
}


@pytest.fixture(scope="module")
def desk(gateway: RunningGateway) -> Iterator[HttpDesk]:
    with open_desk(gateway) as running:
        yield running


def strange_calls(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Return calls of a tool, each with one value that no honest assistant sends."""
    schema = schema_of(TOOLS[name].parameter_class)
    usual = {field: USUAL[field] for field in schema.get("required", [])}
    return [(name, {**usual, field: value}) for field in schema["properties"] for value in STRANGE]


def answers_to(desk: HttpDesk, gateway: RunningGateway, place: str, name: str) -> list[ToolAnswer]:
    """Make all strange calls of a tool with keys of its own: each makes 60 a minute at most."""
    calls, answers = strange_calls(name), list[ToolAnswer]()
    for first in range(0, len(calls), 60):
        made = new_key(gateway, place, OWNER, *ALL)
        answers += desk.answers(made["key"], *calls[first : first + 60])
        gateway.operate("mcp", "key", "revoke", made["key_id"], "--merchant", place)
    return answers


@pytest.mark.parametrize("name", TOOLS)
def test_whatever_an_assistant_sends_is_no_fault(
    gateway: RunningGateway, desk: HttpDesk, place: str, name: str
) -> None:
    answers = answers_to(desk, gateway, place, name)
    assert [each for each in answers if "could not answer" in each.words] == []
    assert not any("byte sequence" in each.words for each in answers)


def test_who_decides_reads_no_hidden_character_of_an_assistants_reason(
    gateway: RunningGateway, desk: HttpDesk, place: str
) -> None:
    made = new_key(gateway, place, OWNER, *ALL)
    wanted = {"amount_paise": 4_321, "description": "Tea", "reason": "a \u202eb\u2066\nc\x1b[2J"}
    (link,) = desk.answers(made["key"], ("propose_link", wanted))
    read = "SELECT reason FROM approvals WHERE merchant_id = $1 AND approval_id = $2"
    reason = gateway.value(read, int(place), int(link.values["proposal_id"]))
    assert reason == "Proposed by an assistant: a b c [2J"


def test_no_connection_waits_for_what_the_server_never_sends(
    gateway: RunningGateway, desk: HttpDesk, place: str
) -> None:
    made = new_key(gateway, place, OWNER, "payments.read")
    headers = {
        "authorization": f"Bearer {made['key']}",
        "accept": "text/event-stream, application/json",
    }
    for method in ("GET", "DELETE", "PUT"):
        answer = httpx.request(method, desk.url, headers=headers, trust_env=False, timeout=30)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
