"""The form of a lead: every field at its greatest length and beyond, and every choice."""

import pytest

from hundi.wire.partner import leads
from hundi.wire.partner.leads import GROUPS, SIGNATORY, FieldRule

FIELDS = [(group, rule) for group, rules in GROUPS.items() for rule in rules]
FIELDS += [("signatory_info.4", rule) for rule in SIGNATORY]
NAMES = [f"{group}.{rule.name}" for group, rule in FIELDS]


def parsed(group: str, field: str, value: object) -> leads.LeadMessage:
    outer, _, position = group.partition(".")
    inside = {position: {field: value}} if position else {field: value}
    return leads.parse({outer: inside})


def of_length(rule: FieldRule, length: int) -> str:
    if rule.kind == "email":
        return "a" * (length - 5) + "@b.in"
    if rule.kind == "phone":
        return "+91 (987) - 654321 0".ljust(length)[: length - 1] + "0"
    return ("5" if rule.kind == "digits" else "क") * length


@pytest.mark.parametrize(("group", "rule"), FIELDS, ids=NAMES)
def test_a_text_of_the_greatest_length_stands_and_a_longer_one_does_not(
    group: str, rule: FieldRule
) -> None:
    if rule.allowed or rule.kind == "date":
        assert parsed(group, rule.name, "5" * (rule.length_max + 1)).wrong
        return
    longest = parsed(group, rule.name, of_length(rule, rule.length_max))
    assert longest.wrong == ()
    assert len(longest.groups[group][rule.name]) == rule.length_max
    (wrong,) = parsed(group, rule.name, of_length(rule, rule.length_max + 1)).wrong
    assert (wrong.group, wrong.field) == (group, rule.name)


@pytest.mark.parametrize(("group", "rule"), [each for each in FIELDS if each[1].allowed])
def test_one_of_some_words_stands_and_no_other(group: str, rule: FieldRule) -> None:
    for word in rule.allowed:
        assert parsed(group, rule.name, word).wrong == ()
    for other in ("?", rule.allowed[0].lower() + "x", "0"):
        assert parsed(group, rule.name, other).wrong


@pytest.mark.parametrize(("group", "rule"), FIELDS, ids=NAMES)
@pytest.mark.parametrize("value", [True, [], {}, ["x"]])
def test_what_is_no_text_is_named_once(group: str, rule: FieldRule, value: object) -> None:
    (wrong,) = parsed(group, rule.name, value).wrong
    assert (wrong.group, wrong.field, wrong.problem) == (group, rule.name, "text or a number")


@pytest.mark.parametrize(
    ("dob", "right"),
    [
        ("31-01-1980", True),
        ("01-01-1900", True),
        ("31-12-1899", False),
        ("1-1-1980", False),
        ("01-01-0080", False),
        ("30-02-1980", False),
        ("1980-01-31", False),
        ("०१-०१-१९८०", False),
    ],
)
def test_a_date_is_written_in_ten_characters(dob: str, right: bool) -> None:  # noqa: FBT001 (a column)
    assert (parsed("signatory_info.1", "signatory_dob", dob).wrong == ()) is right


def test_up_to_four_signatories_and_no_fifth() -> None:
    signatories = {str(number): {"signatory_name": "Asha"} for number in range(1, 6)}
    assert [each.group for each in leads.parse({"signatory_info": signatories}).wrong] == [
        "signatory_info.5"
    ]
    del signatories["5"]
    assert leads.parse({"signatory_info": signatories}).wrong == ()


def test_what_is_sent_empty_is_told_from_what_is_not_sent() -> None:
    sent = leads.parse(
        {"company_info": {"company_cin": None, "company_name": ""}, "signatory_info": {"2": None}}
    )
    assert sent.groups == {"company_info": {"company_cin": "", "company_name": ""}}
    assert sent.removed == {"signatory_info.2"}


@pytest.mark.parametrize(
    ("group", "rule"), [(group, rule) for group, rule in FIELDS if rule.kind == "words"]
)
def test_no_card_and_no_aadhaar_number_is_kept_of_words(group: str, rule: FieldRule) -> None:
    typed = "of 4111 1111 1111 1111 and 2341 2341 2346"[: rule.length_max]
    message = repr(parsed(group, rule.name, typed))
    assert "4111 1111" not in message
    assert "2341 2341" not in message
    assert "of [card] and [aadhaar]" in message


def test_every_field_that_people_write_freely_is_of_words() -> None:
    """What is not has bounds of its own, or says who somebody is and stays exact."""
    exact = {"company_cin", "business_pan", "business_gstin", "business_pincode", "signatory_pan"}
    exact |= {"bank_account_number", "bank_ifsc_code"}
    assert {rule.name for _, rule in FIELDS if rule.kind == "text" and not rule.allowed} == exact
