"""What about a lead people should look at, and what an update keeps."""

from datetime import date

from hundi.partners.leads import rules
from hundi.partners.leads.rules import Content

TODAY = date(2026, 11, 21)


def groups(**changes: str) -> rules.Groups:
    business = {"business_type": "1", "business_pan": "AAPCU0939F", "business_category": "5651"}
    return {
        "company_info": {"company_cin": "U74999MH2016PTC123456"},
        "business_info": business | changes,
        "bank_info": {"bank_ifsc_code": "HDFC0000001"},
        "signatory_info.1": {"signatory_primary_contact": "Y", "signatory_dob": "21-11-2008"},
    }


def test_what_fits_together_leaves_no_note() -> None:
    assert rules.notes(Content(groups())) == ()
    assert rules.faults(groups(), TODAY, strict_lengths=True) == []


def test_a_pan_of_another_kind_and_another_gstin_are_noted() -> None:
    assert rules.notes(Content(groups(business_type="3"))) == (
        "business_pan is not of the kind of holder that business_type says",
    )
    assert rules.notes(Content(groups(business_gstin="27AAPFU0939F1ZV"))) == (
        "business_gstin holds another PAN than business_pan",
    )


def test_who_is_eighteen_today_may_sign_and_who_is_tomorrow_may_not() -> None:
    young = groups()
    young["signatory_info.1"]["signatory_dob"] = "22-11-2008"
    assert [each.field for each in rules.faults(young, TODAY, strict_lengths=False)] == [
        "signatory_dob"
    ]


def test_a_real_business_is_noted_and_a_strict_partner_refused() -> None:
    real = groups()
    real["basic_info"] = {"fname": "x" * 20, "lname": "x" * 21, "phone": "+91 20 2612 3456"}
    real["signatory_info.1"]["signatory_phone"] = "9876543210"
    assert rules.faults(real, TODAY, strict_lengths=False) == []
    assert rules.notes(Content(real)) == (
        "basic_info lname: the specification has at most 20 characters",
        "basic_info phone: the specification has 10 digits, the first of them 6 to 9",
    )
    strict = rules.faults(real, TODAY, strict_lengths=True)
    assert [(each.group, each.field) for each in strict] == [
        ("basic_info", "lname"),
        ("basic_info", "phone"),
    ]


def test_an_update_keeps_what_it_does_not_send() -> None:
    merged = rules.merged(
        {"a": {"x": "1", "y": "2"}, "b": {"z": "3"}, "d": {"v": "6"}},
        {"a": {"y": "4", "x": ""}, "c": {"w": "5"}},
        frozenset({"d"}),
    )
    assert merged == {"a": {"y": "4"}, "b": {"z": "3"}, "c": {"w": "5"}}


def test_nothing_follows_an_end() -> None:
    for end in (rules.LeadState.APPROVED, rules.LeadState.REJECTED):
        assert rules.MOVES[end] == frozenset()
        assert end not in rules.OPEN
