"""What a lead is, which state may follow which, and notes for the reviewer; pure.

See docs/spec/states-and-codes.md#lead-states and docs/spec/partner-interfaces.md#lead-update.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

import msgspec

from hundi.kernel import registrations

Groups = dict[str, dict[str, str]]
"""Texts by group and field; signatories as `signatory_info.1` and so on."""
SIGNATORY = "signatory_info."
AGE_YEARS_MIN = 18
_DATE = "%d-%m-%Y"
_WEBSITE = re.compile(r"(https?://)?[A-Za-z0-9.-]+\.[A-Za-z]{2,}(/[!-~]*)?\Z")
_HOLDERS = {"1": "C", "7": "C", "2": "F", "8": "F", "3": "P", "4": "ABT", "5": "T"}
"""The letters for the holder in the PAN of each business type (docs/spec/domain.md#pan)."""
_COMPANIES = {"1": ("PTC", "OPC"), "7": ("PLC",)}
SPECIFIED_LENGTHS: Mapping[str, int] = {
    "fname": 20,
    "lname": 20,
    "email": 25,
    "phone": 10,
    "company_name": 10,
    "company_address": 30,
    "merchant_legal_name": 20,
    "company_website": 30,
    "business_address": 30,
    "business_city": 20,
    "business_state": 20,
    "business_country": 20,
    "bank_account_holder_name": 20,
    "signatory_name": 20,
    "signatory_email": 20,
    "signatory_phone": 10,
    "signatory_address": 25,
}
"""Fields for which the specification's length is too short for real businesses.

Longer is a note, or refused.

See docs/spec/partner-interfaces.md#lead-lengths.
"""
_MOBILES = "phone", "signatory_phone"


class LeadState(StrEnum):
    """The state of a lead."""

    LEAD = "lead"
    """Sent by the partner, who may still change it."""
    REVIEW = "review"
    """The operator reviews it."""
    APPROVED = "approved"
    """It has become a merchant."""
    REJECTED = "rejected"
    """It does not become a merchant; the business may send another."""


MOVES: dict[LeadState, frozenset[LeadState]] = {
    LeadState.LEAD: frozenset({LeadState.REVIEW, LeadState.REJECTED}),
    LeadState.REVIEW: frozenset({LeadState.LEAD, LeadState.APPROVED, LeadState.REJECTED}),
    LeadState.APPROVED: frozenset(),
    LeadState.REJECTED: frozenset(),
}
"""The operator's transitions; a partner's update brings a lead back to `lead`."""
OPEN = frozenset({LeadState.LEAD, LeadState.REVIEW})


class LeadNews(StrEnum):
    """The events that a partner's server is notified of: each comes with a delivery."""

    UNDER_REVIEW = "lead_review"
    """Somebody of the operator looks at the lead."""
    RETURNED = "lead_returned"
    """The lead is the partner's again, who has to change what the reason says."""
    APPROVED = "lead_approved"
    """The lead has become a merchant."""
    REJECTED = "lead_rejected"
    """The lead will not become a merchant."""


NEWS_OF = {each.removeprefix("lead_"): each for each in LeadNews}
"""The news of a lead's event, by the event's kind.

The partner's own acts are no news to it.
"""


class LeadFacts(msgspec.Struct, frozen=True):
    """The facts of a lead at an event, as its notification says them. merchant_id: 0 for none."""

    affiliate: str
    state: str
    reason: str = ""
    merchant_id: int = 0


class Content(msgspec.Struct, frozen=True):
    """The contents of a lead as they are sealed."""

    groups: Groups

    def __repr__(self) -> str:
        """Hide everything: this value reaches tracebacks."""
        return "Content(****)"

    def field(self, group: str, name: str) -> str:
        """Return one text, "" for none."""
        return self.groups.get(group, {}).get(name, "")


@dataclass(frozen=True, slots=True)
class Lead:
    """A lead in its current state. became_merchant: 0 until it is approved."""

    affiliate: str
    lead_id: int
    state: LeadState
    content: Content
    notes: tuple[str, ...]
    became_merchant: int
    revision: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class LeadFault:
    """One field with an impossible value."""

    group: str
    field: str
    problem: str


def merged(before: Groups, sent: Groups, removed: frozenset[str]) -> Groups:
    """Return a lead's groups after an update.

    A sent field replaces the stored one, even by empty.
    """
    return {
        group: {
            name: text
            for name, text in (before.get(group, {}) | sent.get(group, {})).items()
            if text
        }
        for group in sorted(before.keys() | sent.keys())
        if group not in removed
    }


def faults(groups: Groups, today: date, *, strict_lengths: bool) -> list[LeadFault]:
    """Return the impossible fields: malformed registrations, and signatories who are children.

    strict_lengths: whether a text longer than specified is a fault, too.
    """
    judged = [
        ("company_info", "company_cin", registrations.cin_fault),
        ("business_info", "business_pan", registrations.pan_fault),
        ("business_info", "business_gstin", registrations.gstin_fault),
        ("business_info", "business_pincode", registrations.pin_code_fault),
    ]
    signatories = sorted(name for name in groups if name.startswith(SIGNATORY))
    judged += [(name, "signatory_pan", registrations.pan_fault) for name in signatories]
    wrong = [
        LeadFault(group, field, problem)
        for group, field, judge in judged
        if (text := groups.get(group, {}).get(field)) and (problem := judge(text))
    ]
    category = groups.get("business_info", {}).get("business_category", "")
    if category and len(category) != 4:  # noqa: PLR2004 (digits of a merchant category code)
        wrong.append(
            LeadFault("business_info", "business_category", "a merchant category code, four digits")
        )
    for name in signatories:
        born = groups[name].get("signatory_dob", "")
        if born and _age(born, today) < AGE_YEARS_MIN:
            wrong.append(
                LeadFault(
                    name, "signatory_dob", f"a date of birth at least {AGE_YEARS_MIN} years ago"
                )
            )
    return wrong + _beyond_specification(groups) if strict_lengths else wrong


def _beyond_specification(groups: Groups) -> list[LeadFault]:
    """Return the fields that are longer than specified, and telephones that are not mobile."""
    wrong: list[LeadFault] = []
    for group in sorted(groups):
        for field, text in groups[group].items():
            if field in _MOBILES and (problem := registrations.mobile_fault(text)):
                wrong.append(LeadFault(group, field, problem))
            elif len(text) > SPECIFIED_LENGTHS.get(field, len(text)):
                wrong.append(
                    LeadFault(group, field, f"at most {SPECIFIED_LENGTHS[field]} characters")
                )
    return wrong


def _age(born: str, today: date) -> int:
    try:
        day = datetime.strptime(born, _DATE).date()  # noqa: DTZ007 (a date of birth has no zone)
    except ValueError:
        return AGE_YEARS_MIN  # the message's parser checks its form
    return today.year - day.year - ((today.month, today.day) < (day.month, day.day))


def notes(content: Content) -> tuple[str, ...]:
    """Return contradictions for the reviewer; they refuse nothing."""
    pan, gstin = (
        content.field("business_info", "business_pan"),
        content.field("business_info", "business_gstin"),
    )
    kind, cin = (
        content.field("business_info", "business_type"),
        content.field("company_info", "company_cin"),
    )
    sentences: list[str] = []
    if kind in _HOLDERS and registrations.pan_holder(pan) not in _HOLDERS[kind]:
        sentences.append("business_pan is not of the kind of holder that business_type says")
    if gstin and registrations.pan_of(gstin) != pan:
        sentences.append("business_gstin holds another PAN than business_pan")
    if cin and registrations.cin_kind(cin) not in _COMPANIES.get(
        kind, (registrations.cin_kind(cin),)
    ):
        sentences.append("company_cin is of another kind of company than business_type says")
    if registrations.ifsc_fault(content.field("bank_info", "bank_ifsc_code")):
        sentences.append("bank_ifsc_code is not written as an IFSC is")
    website = content.field("company_info", "company_website")
    if website and not _WEBSITE.match(website):
        sentences.append("company_website is not written as an address of a site is")
    contacts = [
        name for name in content.groups if content.field(name, "signatory_primary_contact") == "Y"
    ]
    if len(contacts) != 1:
        sentences.append("there should be one primary contact among the signatories")
    if any(content.field(name, "signatory_pep") == "Y" for name in content.groups):
        sentences.append("a signatory is politically exposed")
    if any(content.field(name, "signatory_pdconsent") == "N" for name in content.groups):
        sentences.append("a signatory has not consented to the storage of personal data")
    sentences += [
        f"{each.group} {each.field}: the specification has {each.problem}"
        for each in _beyond_specification(content.groups)
    ]
    return tuple(sentences)
