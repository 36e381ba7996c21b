"""Numbers of cards and people typed into every text of the partners' interfaces.

Nothing of them is kept or shown.

The fields come from the interfaces' own description, so that a new one is tried without anybody
thinking of it.
"""

import copy
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from hundi.api.description import partner_document as described
from tests.system.conftest import NewMerchant, NewPartner
from tests.system.lead_messages import lead, send
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway
from tests.system.test_canaries import dumped
from tests.system.test_partner_description import OPERATIONS, call
from tests.system.test_pos_entries import ENTRY, Manager

pytestmark = pytest.mark.usefixtures("books_hold")
CARD, AMEX, AADHAAR = "4532987610345214", "378284610293841", "983214065774"
GROUPED, AADHAAR_GROUPED = "4532 9876 1034 5214", "9832 1406 5774"
NUMBERS = (CARD, AMEX, AADHAAR, GROUPED, AADHAAR_GROUPED, GROUPED.replace(" ", "-"))
TYPED = (
    *NUMBERS,
    f"pay {GROUPED} or {AADHAAR_GROUPED}",
    f"https://shop.example/{CARD}/",
    f"{CARD}@shop.example",
)
SCHEMAS = described.document()["components"]["schemas"]
Place = tuple[str | int, ...]
_PHONE = "twelve digits may be a telephone number with its country's code"
_REFERENCE = (
    "one of twenty references of so many digits has the form of a card's number, and a sale is"
    " found by it"
)
EXACT: dict[tuple[str, str, str], str] = {
    **{(name, "phone", AADHAAR): _PHONE for name in ("NewLead", "LeadUpdate")},
    **{(name, "signatory_phone", AADHAAR): _PHONE for name in ("NewLead", "LeadUpdate")},
    **{(name, "phone", AADHAAR_GROUPED): _PHONE for name in ("NewLead", "LeadUpdate")},
    **{(name, "signatory_phone", AADHAAR_GROUPED): _PHONE for name in ("NewLead", "LeadUpdate")},
    **{
        ("EntriesRequest", "reference", text): _REFERENCE
        for text in (CARD, AMEX, AADHAAR, *TYPED[-2:])
    },
    **{
        ("EntriesRequest", "terminalid", text): "a terminal's name comes back as sent"
        for text in (CARD, AMEX, AADHAAR)
    },
}
"""What is not typed: message, field and text, with the reason why it would stay."""
NEVER_TAKEN = {
    ("HolderRequest", "name"): "nobody has such a name",
    ("SaleRequest", "referenceid"): "no sale has such a reference",
    ("EntriesRequest", "reference"): "a reference is kept as it came, or refused",
}
"""Texts of any form that are refused with a number in them, and why."""


def texts_of(schema: dict[str, Any], place: Place = ()) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the place of each text in a message that a schema allows, with its schema."""
    if "$ref" in schema:
        schema = SCHEMAS[schema["$ref"].rpartition("/")[2]]
    for each in schema.get("anyOf", ()):
        yield from texts_of(each, place)
    if schema.get("type") == "array":
        yield from texts_of(schema["items"], (*place, 0))
    elif schema.get("type") == "object":
        for name, inner in schema["properties"].items():
            yield from texts_of(inner, (*place, name))
    elif schema.get("type") == "string":
        yield place, schema


def with_text(message: dict[str, Any], place: Place, text: str) -> dict[str, Any]:
    """Return a copy of a message with one text replaced."""
    changed: Any = copy.deepcopy(message)
    inside = changed
    for step in place[:-1]:
        inside = inside[step] if isinstance(step, int) else inside.setdefault(step, {})
    inside[place[-1]] = text
    return changed


def is_free(schema: dict[str, Any]) -> bool:
    """Return whether a field takes any text that is not too long."""
    return schema.get("maxLength", 0) >= len(CARD) and "enum" not in schema


@dataclass
class Typed:
    """What was typed where: messages and fields, how often they were taken, and every answer."""

    free: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    taken: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    answers: list[str] = field(default_factory=list[str])
    leads: set[str] = field(default_factory=set[str])


@pytest.fixture(scope="module")
def manager(gateway: RunningGateway, new_partner: NewPartner, new_merchant: NewMerchant) -> Manager:
    """A partner who may call everything, and who manages a terminal."""
    shop = new_merchant("Numbers shop", pos_address="127.0.0.0/8")
    limits = {"lookups_a_minute": 100_000, "lookups_a_day": 100_000, "calls_a_minute": 100_000}
    found = Manager(new_partner("Numbers", card_programme="DEMO", **limits), shop)
    gateway.operate(
        "pos", "register", shop.merchant_id, "T1", "A", "--manager", found.partner.keys.affiliate
    )
    return found


def messages(manager: Manager, gateway: RunningGateway) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return for each message of the interfaces its operation, and one that is taken."""
    samples = gateway.demo["partner"]["samples"]
    asked = {"mercid": manager.shop.merchant_id, "terminalid": "T1", "uniqueid": "4711"}
    entries = {"mercid": manager.shop.merchant_id, "entries": [ENTRY]}
    known = send(manager.partner, lead())["data"]["lead_id"]
    return {
        "OtpRequest": ("aadhaarXml", {"type": "otp", "aadhaarNo": samples["aadhaar"]}),
        "DocumentRequest": (
            "aadhaarXml",
            {"type": "file", "requestId": "none", "otp": "123456", "gateway_txn_id": "1"},
        ),
        "HolderRequest": (
            "aadhaarVerification",
            {"name": samples["name"], "consentText": "I agree.", "aadhaarNo": samples["aadhaar"]},
        ),
        "RegistrationRequest": ("gstVerification", {"gstin": samples["gstin"]}),
        "CalculationRequest": (
            "gstCalculator",
            {"cost": "1.00", "profit": "5", "gst": "18", "same_state": "N"},
        ),
        "CardsRequest": ("cardDetails", {"entity_id": samples["entity_id"]}),
        "NewLead": ("createLead", lead()),
        "LeadUpdate": ("createLead", {"lead_id": known}),
        "EntriesRequest": ("recordSales", entries),
        "SalesRequest": ("listSales", asked),
        "SaleRequest": ("showSale", asked | {"referenceid": ENTRY["reference"]}),
    }


@pytest.fixture(scope="module")
def typed(manager: Manager, gateway: RunningGateway) -> Typed:
    """Type each number into each text of each message, proven and not, and around it."""
    found = Typed()
    for name, (operation, base) in messages(manager, gateway).items():
        for place, schema in texts_of(SCHEMAS[name]):
            last = str(place[-1])
            if is_free(schema):
                found.free.add((name, last))
            for text in TYPED:
                if (name, last, text) in EXACT:
                    continue
                message = lead() if name == "NewLead" else base
                reply = call(operation, with_text(message, place, text), manager)
                found.answers.append(json.dumps(reply, ensure_ascii=False))
                found.taken[name, last] += was_taken(reply)
                if operation == "createLead" and was_taken(reply):
                    found.leads.add(str(reply["data"]["lead_id"]))
        for text in NUMBERS:
            reply = call(operation, base | {f"of {text}": text}, manager)
            found.answers.append(json.dumps(reply, ensure_ascii=False))
        around(manager.partner, operation, base, found)
    return found


def was_taken(reply: dict[str, Any]) -> bool:
    """Return whether a message was taken, and its entry with it where it has one."""
    data = reply.get("data")
    return reply["status"] in {200, "200"} and not (isinstance(data, dict) and data.get("refused"))


def around(partner: PartnerSender, operation: str, base: dict[str, Any], found: Typed) -> None:
    """Type the numbers into headers, addresses and broken messages, without any proof."""
    path, known = OPERATIONS[operation]
    url = partner.gateway.base_url + path
    for text in NUMBERS:
        for header in known.headers:
            headers = {"affiliate": partner.keys.affiliate} | {header["name"]: text}
            found.answers.append(partner.http.post(url, json=base, headers=headers).text)
        for answer in (
            partner.http.post(f"{url}?card={text}", json=base),
            partner.http.post(f"{url}/{text}", json=base),
            partner.http.post(url, content=f"card={text}", headers={"content-type": "text/plain"}),
            partner.http.post(url, content=f'{{"{text}": {text}'.encode()),
            partner.http.post(url, json={"query": text, "entries": [text, {text: text}]}),
        ):
            found.answers.append(answer.text)


def seen_in(text: str) -> list[str]:
    """Return the numbers that stand in a text."""
    return [each for each in NUMBERS if each in text]


def test_no_answer_repeats_a_number(typed: Typed) -> None:
    assert [each for each in typed.answers if seen_in(each)] == []


def test_no_table_keeps_a_number(gateway: RunningGateway, typed: Typed) -> None:
    books = dumped(gateway, "hundi")
    assert [row for row in books.split("\n") if seen_in(row)] == []
    assert "[card]" in books


def test_no_log_line_holds_a_number(gateway: RunningGateway, typed: Typed) -> None:
    assert [line for line in gateway.logged().split("\n") if seen_in(line)] == []


def test_what_is_sealed_and_shown_to_the_operator_holds_none(
    gateway: RunningGateway, manager: Manager, typed: Typed
) -> None:
    affiliate = manager.partner.keys.affiliate
    shown = {
        each: json.dumps(gateway.operate("lead", "show", affiliate, each)) for each in typed.leads
    }
    assert len(shown) > 50
    assert {each for each, text in shown.items() if seen_in(text)} == set()
    consents = gateway.operate("partner", "consents", affiliate, "--limit", "1000")
    assert len(consents) > 10
    assert seen_in(json.dumps(consents)) == []
    assert "[card]" in json.dumps(consents)
    assert (
        seen_in(json.dumps(gateway.operate("partner", "calls", affiliate, "--limit", "1000"))) == []
    )


def test_every_text_of_any_form_was_taken_with_a_number(typed: Typed) -> None:
    """What was refused for another reason would have proved nothing."""
    assert {each for each in typed.free if not typed.taken[each]} == set(NEVER_TAKEN)
    assert {"name", "consentText", "company_name", "company_website", "table"} <= {
        name for _, name in typed.free
    }


def test_every_message_of_the_description_was_tried(
    manager: Manager, gateway: RunningGateway
) -> None:
    requests = {name for _, operation in OPERATIONS.values() for name in operation.requests}
    assert {*messages(manager, gateway)} == requests - {"LeadRequest"} | {"NewLead", "LeadUpdate"}


def test_a_field_that_is_new_is_tried() -> None:
    grown = copy.deepcopy(SCHEMAS["EntriesRequest"])
    grown["properties"]["remark"] = {"type": "string", "maxLength": 100}
    places = dict(texts_of(grown))
    assert ("remark",) in places
    assert ("entries", 0, "table") in places
    assert is_free(places["remark",])


def test_a_number_that_was_kept_is_found(
    gateway: RunningGateway, manager: Manager, typed: Typed
) -> None:
    planted = "UPDATE pos_terminals SET label = $2 WHERE merchant_id = $1"
    gateway.rows(planted, manager.shop.number, f"Asha {CARD}")
    assert seen_in(dumped(gateway, "hundi")) == [CARD]
    gateway.rows(planted, manager.shop.number, "A")
