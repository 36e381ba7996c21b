"""Registered texts: what is refused, and what leaves is exactly the text with its variables."""

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook

from hundi.kernel.records import replace
from hundi.letters.mobile.actions import PROVIDERS
from hundi.letters.mobile.rules import (
    VARIABLE_LENGTH_MAX,
    MessageTemplate,
    MobileMessage,
    ProviderAccount,
    fault_of,
    message_of,
    mobile_number,
)
from hundi.letters.rules import (
    Letter,
    LetterChannel,
    LetterKind,
    LetterState,
    QuietHours,
    SendOutcome,
    SendVerdict,
    quiet_hours_of,
)

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
SMS = MessageTemplate(
    7,
    LetterChannel.SMS,
    LetterKind.RECEIPT,
    "en",
    "1107000000000000001",
    "1101000000000000001",
    "ASHAPY",
    "You paid Rs {#var#} to {#var#}. Order {#var#}.",
    ("amount", "merchant", "order"),
    NOW,
)
WHATSAPP = replace(
    SMS,
    channel=LetterChannel.WHATSAPP,
    template_id="receipt_1",
    registered="You paid {{1}} to {{2}}. Order {{3}}.",
)
LETTER = Letter(
    7,
    217,
    "payment:1:2",
    LetterKind.RECEIPT,
    LetterChannel.SMS,
    0,
    "9876543210",
    "en",
    {"amount": "₹1,499.50", "merchant": "Asha's Sarees", "order": "T-1", "payment": "55"},
    "",
    None,
    LetterState.WAITING,
    NOW,
    NOW,
    1,
    None,
    "",
)
LINK = replace(SMS, kind=LetterKind.LINK, registered="Pay: {#url#}", fields=("link",))
SITE = "https://pay.example.in"


def filled(template: MessageTemplate, **facts: str) -> MobileMessage:
    message = message_of(replace(LETTER, facts={**LETTER.facts, **facts}), template, SITE)
    assert isinstance(message, MobileMessage)
    return message


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("9876543210", "9876543210"),
        ("+91 98765-43210", "9876543210"),
        ("09876543210", "9876543210"),
        ("919876543210", "9876543210"),
        ("1234567890", ""),
        ("+1 987 654 3210", ""),
        ("", ""),
    ],
)
def test_an_indian_mobile_number(text: str, number: str) -> None:
    assert mobile_number(text) == number


def test_what_leaves_is_the_registered_text() -> None:
    assert fault_of(SMS) is None
    message = filled(SMS)
    assert message.text == "You paid Rs 1,499.50 to Asha's Sarees. Order T-1."
    assert message.reference == "letter.7.217"


@given(st.text(min_size=1, max_size=200).filter(lambda text: text.strip().isprintable()))
def test_no_variable_is_longer_than_networks_take(name: str) -> None:
    message = message_of(replace(LETTER, facts={**LETTER.facts, "merchant": name}), SMS, SITE)
    if isinstance(message, MobileMessage):
        assert all(1 <= len(value) <= VARIABLE_LENGTH_MAX for value in message.values)


def test_a_long_fact_fills_variables_that_follow_each_other() -> None:
    wide = replace(SMS, registered="To {#var#}{#var#}.", fields=("merchant", "merchant"))
    assert filled(wide, merchant="a" * 40).values == ("a" * 30, "a" * 10)
    assert filled(wide, merchant="a").text == "To a.."


def test_a_link_leads_to_our_site_and_is_never_cut() -> None:
    path = "/l/" + "x" * 30
    assert filled(LINK, path=path).text == f"Pay: {SITE}{path}"
    assert "variable for link" in _withheld(replace(LINK, registered="Pay: {#var#}"), path=path)
    assert "variable for link" in _withheld(LINK, path="//evil.example/x")


def test_a_link_that_ends_messages_is_for_whatsapp_and_an_order() -> None:
    carrying = replace(
        SMS,
        channel=LetterChannel.WHATSAPP,
        template_id="hundi_receipt",
        registered="Hello from {{1}}. Stop: {{2}}",
        fields=("merchant", "stop"),
    )
    assert fault_of(carrying) is None
    message = message_of(LETTER, carrying, SITE, "/pay/v4/c/7.55.tag.en")
    assert isinstance(message, MobileMessage)
    assert (
        message.text
        == "Hello from Asha's Sarees. Stop: https://pay.example.in/pay/v4/c/7.55.tag.en"
    )
    assert not isinstance(message_of(LETTER, carrying, SITE), MobileMessage)
    assert fault_of(replace(carrying, kind=LetterKind.LINK)) is not None
    assert fault_of(replace(SMS, fields=("amount", "merchant", "stop"))) is not None


def test_a_missing_fact_is_named() -> None:
    assert "variable for order" in _withheld(SMS, order="")


def _withheld(template: MessageTemplate, **facts: str) -> str:
    outcome = message_of(replace(LETTER, facts={**LETTER.facts, **facts}), template, SITE)
    assert isinstance(outcome, SendOutcome)
    assert outcome.verdict is SendVerdict.ABSENT
    return outcome.problem


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"template_id": "1107"}, "template_id"),
        ({"entity_id": ""}, "entity_id"),
        ({"header": "612345"}, "header"),
        ({"registered": "{#var#}"}, "text"),
        ({"registered": "x" * 2001}, "text"),
        ({"registered": "a {#cbn#} {#var#} {#var#}"}, "text"),
        ({"fields": ("amount", "merchant")}, "field"),
        ({"fields": ("amount", "merchant", "date")}, "field"),
        ({"registered": "Rs {#numeric#} {#var#} {#var#}"}, "field"),
        ({"registered": "Rs {#url#} {#var#} {#var#}"}, "field"),
        ({"kind": LetterKind.TRIAL}, "kind"),
    ],
)
def test_a_template_that_no_letter_can_fill_names_its_field(
    change: dict[str, Any], field: str
) -> None:
    fault = fault_of(replace(SMS, **change))
    assert fault is not None
    assert fault.field == field


def test_templates_of_whatsapp_have_names_and_numbers() -> None:
    assert fault_of(WHATSAPP) is None
    for change, field in (
        ({"template_id": "Receipt!"}, "template_id"),
        ({"registered": "a {{1}} {{3}} {{2}}"}, "text"),
    ):
        fault = fault_of(replace(WHATSAPP, **change))
        assert fault is not None
        assert fault.field == field
    assert filled(WHATSAPP, merchant="a" * 60).values[1] == "a" * 60


# --- providers, by what they published ---

ACCOUNT = ProviderAccount("https://api.example", "sid", "key", "whsec_c2VjcmV0")


def test_exotel_gets_the_ids_and_the_text() -> None:
    call = PROVIDERS["exotel"].send(filled(SMS), ACCOUNT, NOW)
    assert call.url == "https://api.example/v1/Accounts/sid/Sms/send"
    form = {name: values[0] for name, values in parse_qs(call.body.decode()).items()}
    assert form == {
        "From": "ASHAPY",
        "To": "+919876543210",
        "Body": "You paid Rs 1,499.50 to Asha's Sarees. Order T-1.",
        "EncodingType": "plain",
        "SmsType": "transactional",
        "DltEntityId": "1101000000000000001",
        "DltTemplateId": "1107000000000000001",
        "CustomField": "letter.7.217",
    }


def test_meta_gets_the_template_and_its_values() -> None:
    call = PROVIDERS["meta"].send(filled(WHATSAPP), ACCOUNT, NOW)
    assert call.url == "https://api.example/sid/messages"
    assert call.headers["authorization"] == "Bearer whsec_c2VjcmV0"
    body = json.loads(call.body)
    assert body["to"] == "919876543210"
    assert body["biz_opaque_callback_data"] == "letter.7.217"
    (part,) = body["template"]["components"]
    assert [each["text"] for each in part["parameters"]] == ["1,499.50", "Asha's Sarees", "T-1"]


def test_a_bridge_can_check_who_calls() -> None:
    call = PROVIDERS["bridge"].send(filled(SMS), ACCOUNT, datetime.now(UTC))
    message = Webhook("whsec_c2VjcmV0").verify(call.body.decode(), dict(call.headers))
    assert message["reference"] == call.headers["webhook-id"] == "letter.7.217"
    assert message["variables"] == ["1,499.50", "Asha's Sarees", "T-1"]


def _meta(code: int) -> bytes:
    return json.dumps({"error": {"code": code, "message": "why"}}).encode()


@pytest.mark.parametrize(
    ("kind", "status", "body", "verdict"),
    [
        ("exotel", 200, b"", SendVerdict.TAKEN),
        ("exotel", 400, b"", SendVerdict.REFUSED),
        ("exotel", 401, b"", SendVerdict.LATER),
        ("exotel", 403, b"", SendVerdict.LATER),
        ("exotel", 429, b"", SendVerdict.LATER),
        ("exotel", 529, b"", SendVerdict.LATER),
        ("meta", 200, b"{}", SendVerdict.TAKEN),
        ("meta", 400, _meta(131026), SendVerdict.BOUNCED),
        ("meta", 400, _meta(131056), SendVerdict.LATER),
        ("meta", 429, _meta(130429), SendVerdict.LATER),
        ("meta", 401, _meta(190), SendVerdict.LATER),
        ("meta", 404, _meta(132001), SendVerdict.REFUSED),
        ("meta", 400, _meta(132015), SendVerdict.LATER),
        ("meta", 400, _meta(100), SendVerdict.REFUSED),
        ("meta", 502, b"<html>", SendVerdict.LATER),
        ("bridge", 204, b"", SendVerdict.TAKEN),
        ("bridge", 410, b'{"problem": "gone"}', SendVerdict.BOUNCED),
        ("bridge", 422, b"[]", SendVerdict.REFUSED),
        ("bridge", 404, b"", SendVerdict.LATER),
        ("bridge", 503, b"", SendVerdict.LATER),
    ],
)
def test_what_an_answer_means(kind: str, status: int, body: bytes, verdict: SendVerdict) -> None:
    assert PROVIDERS[kind].outcome(status, body).verdict is verdict


def test_a_number_in_an_answer_is_masked() -> None:
    outcome = PROVIDERS["bridge"].outcome(422, b'{"problem": "card 4111111111111111"}')
    assert "4111111111111111" not in outcome.problem


# --- quiet hours ---


@pytest.mark.parametrize(
    ("hours", "now", "until"),
    [
        ("21:00-08:00", datetime(2026, 11, 30, 15, 29, tzinfo=UTC), None),
        ("21:00-08:00", datetime(2026, 11, 30, 15, 30, tzinfo=UTC), (1, 2, 30)),
        ("21:00-08:00", datetime(2026, 11, 30, 20, 0, tzinfo=UTC), (1, 2, 30)),
        ("21:00-08:00", datetime(2026, 12, 1, 2, 30, tzinfo=UTC), None),
        ("13:00-14:00", datetime(2026, 12, 1, 8, 0, tzinfo=UTC), (1, 8, 30)),
        ("13:00-14:00", datetime(2026, 12, 1, 9, 0, tzinfo=UTC), None),
    ],
)
def test_quiet_hours_end_in_indian_time(
    hours: str, now: datetime, until: tuple[int, int, int] | None
) -> None:
    quiet = quiet_hours_of(hours)
    assert isinstance(quiet, QuietHours)
    wanted = datetime(2026, 12, *until, tzinfo=UTC) if until else None
    assert quiet.until(now) == wanted


def test_no_hours_are_quiet_where_the_setting_says_never() -> None:
    assert quiet_hours_of("never") is None


def test_an_amount_in_another_currency_fills_no_rupee_text() -> None:
    letter = replace(LETTER, facts={**LETTER.facts, "amount": "USD 1,499.50"})
    outcome = message_of(letter, SMS, "https://pay.example.in")
    assert isinstance(outcome, SendOutcome)
    assert outcome.verdict is SendVerdict.ABSENT
    assert "amount" in outcome.problem


@pytest.mark.parametrize("number", ["+919812345678", "919812345678", "+91 98123 45678"])
def test_no_problem_names_the_number(number: str) -> None:
    outcome = PROVIDERS["bridge"].outcome(
        400, json.dumps({"problem": f"no route to {number}"}).encode()
    )
    assert outcome.problem == "The provider answered 400: no route to this number"
