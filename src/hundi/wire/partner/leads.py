"""Create lead: the encrypted query, and every field's bounds, all errors at once.

See docs/spec/partner-interfaces.md#leads and docs/spec/wire.md#lead-cipher.
"""

import hmac
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from hundi.kernel.masking import masked
from hundi.wire import cipher, fields, kinds
from hundi.wire.codes import Code
from hundi.wire.message import message, sent, write_reply
from hundi.wire.partner import kinds as own
from hundi.wire.partner.envelope import LEADS
from hundi.wire.partner.kinds import YES_NO
from hundi.wire.partner.operation import PartnerOperation
from hundi.wire.strict_json import JsonValue

SIGNATORIES_MAX = 4
LEAD_DIGITS_MAX = 15
TURNOVERS = ("0 - 1L", "1L - 5L", "5L - 25L", "25L - 50L", "50L - 1Cr", "Above 1Cr")
YEAR_MIN = 1900
"""The earliest year of birth of a signatory (docs/spec/partner-interfaces.md#lead-fields)."""
_DIGITS = re.compile(r"[0-9]+\Z")
_DATE = re.compile(r"[0-9]{2}-[0-9]{2}-[0-9]{4}\Z")


@dataclass(frozen=True, slots=True)
class FieldRule:
    """Bounds of one field.

    length_max: the longest accepted; the feature checks the specification's lengths. kind: text,
    words, digits, phone, email or date; numbers of cards and people in words are masked. allowed:
    the only accepted values, if any.
    """

    name: str
    length_max: int
    required: bool = True
    kind: str = "text"
    allowed: tuple[str, ...] = ()


BASIC = (
    FieldRule("fname", 100, kind="words"),
    FieldRule("lname", 100, kind="words"),
    FieldRule("email", 254, kind="email"),
    FieldRule("phone", 20, kind="phone"),
)
COMPANY = (
    FieldRule("company_name", 100, kind="words"),
    FieldRule("company_address", 255, required=False, kind="words"),
    FieldRule("merchant_legal_name", 255, kind="words"),
    FieldRule("company_website", 255, kind="words"),
    FieldRule("company_cin", 21, required=False),
    FieldRule("company_annual_turnover", 10, allowed=TURNOVERS),
)
BUSINESS = (
    FieldRule("business_type", 10, kind="digits", allowed=tuple("12345678")),
    FieldRule("business_category", 10, kind="digits"),
    FieldRule("business_pan", 10),
    FieldRule("business_gstin", 15, required=False),
    FieldRule("business_address", 255, required=False, kind="words"),
    FieldRule("business_city", 100, kind="words"),
    FieldRule("business_pincode", 6, required=False),
    FieldRule("business_state", 100, kind="words"),
    FieldRule("business_country", 100, kind="words"),
)
BANK = (
    FieldRule("bank_account_type", 10, allowed=("C", "S")),
    FieldRule("bank_account_holder_name", 255, kind="words"),
    FieldRule("bank_account_number", 20),
    FieldRule("bank_ifsc_code", 11),
)
SIGNATORY = (
    FieldRule("signatory_name", 100, kind="words"),
    FieldRule("signatory_email", 254, kind="email"),
    FieldRule("signatory_phone", 20, kind="phone"),
    FieldRule("signatory_address", 255, required=False, kind="words"),
    FieldRule("signatory_pep", 10, allowed=YES_NO),
    FieldRule("signatory_dob", 10, kind="date"),
    FieldRule("signatory_pan", 10),
    FieldRule("signatory_primary_contact", 10, allowed=YES_NO),
    FieldRule("signatory_address_proof", 10, allowed=tuple("123456")),
    FieldRule("signatory_pdconsent", 10, allowed=YES_NO),
    FieldRule("signatory_gender", 10, required=False, allowed=("M", "F", "T")),
)
GROUPS: Mapping[str, tuple[FieldRule, ...]] = {
    "basic_info": BASIC,
    "company_info": COMPANY,
    "business_info": BUSINESS,
    "bank_info": BANK,
}
"""Groups and their fields in documented order, before the signatories.

See docs/spec/partner-interfaces.md#lead-fields.
"""
FIELDS = frozenset(rule.name for rules in (*GROUPS.values(), SIGNATORY) for rule in rules)
POSITIONS = tuple(str(number) for number in range(1, SIGNATORIES_MAX + 1))

Groups = dict[str, dict[str, str]]
"""Texts by group and field; signatories as `signatory_info.1` and so on.

"" for a field that was sent empty.
"""
Fields = Mapping[str, JsonValue]


@message(kw_only=False)
class LeadProblem:
    """One unusable field; group is `signatory_info.1` and so on for signatories."""

    group: str = sent(kinds.WORDS)
    field: str = sent(kinds.WORDS)
    problem: str = sent(kinds.WORDS)


@message()
class LeadProblems:
    """Why a lead is refused. error: one sentence. errors: all faults."""

    error: str = sent(kinds.WORDS)
    errors: tuple[LeadProblem, ...] = sent(kinds.objects(LeadProblem))


@message()
class LeadRequest:
    """A sealed lead."""

    query: str = sent(kinds.NAME, meaning="The lead, encrypted")


@message()
class LeadTaken:
    """An accepted lead. notes: points for the reviewer; they refuse nothing."""

    message: str = sent(kinds.WORDS)
    lead_id: int = sent(kinds.WHOLE)
    notes: tuple[str, ...] = sent(own.NOTES)


CREATE = PartnerOperation(
    "leads",
    "createLead",
    "send_lead",
    "Add a lead, or change one. Refusals are plain until the caller is proven, then sealed",
    "partner-interfaces.md#leads",
    ("/ms/leads/api/createlead",),
    LeadRequest,
    LeadTaken,
    "processor key",
    codes=(Code.ENCDATA_UNREADABLE, Code.NO_RECORDS, Code.LEAD_EXISTS, Code.LEAD_CLOSED),
    shape=LEADS,
    body="json",
    ours=("notes",),
)


@dataclass(frozen=True, slots=True)
class LeadMessage:
    """A lead as it was sent.

    removed: groups of signatories that were sent as null. lead_id: of the lead to be updated, 0 for
    a new one.
    """

    groups: Groups
    removed: frozenset[str]
    lead_id: int
    wrong: tuple[LeadProblem, ...]


def key(affiliate: str, secret: str) -> bytes:
    """Return the key of a partner's leads: hex md5 of affiliate, `~:~` and shared secret."""
    return cipher.encryption_key(affiliate, secret)


def checksum_form(
    query: str, values: Fields, given: str, affiliate: str, secret: str
) -> str | None:
    """Return the text of a checksum, `query` or `fields`; None when it fits neither."""
    sent = given.strip().lower().encode("utf-8", "replace")
    texts = {"query": query, "fields": "".join(_leaves(values))}
    made = {
        name: sha256((text + affiliate + secret).encode("utf-8", "replace"))
        for name, text in texts.items()
    }
    fitting = [
        name
        for name, digest in made.items()
        if hmac.compare_digest(digest.hexdigest().encode(), sent)
    ]
    return fitting[0] if fitting else None


def _leaves(values: Fields) -> Iterator[str]:
    for group, rules in GROUPS.items():
        yield from _leaves_of(values.get(group), rules)
    signatories = values.get("signatory_info")
    if isinstance(signatories, dict):
        for position in POSITIONS:
            yield from _leaves_of(signatories.get(position), SIGNATORY)


def _leaves_of(group: JsonValue, rules: tuple[FieldRule, ...]) -> Iterator[str]:
    if isinstance(group, dict):
        for rule in rules:
            yield _text(group.get(rule.name)) or ""


def parse(values: Fields) -> LeadMessage:
    """Return a lead and every error of its form; `missing` finds absent fields."""
    known = {*GROUPS, "signatory_info", "lead_id"}
    wrong = [
        LeadProblem(_shown(name), "", "is no group of a lead")
        for name in values
        if name not in known
    ]
    groups: Groups = {}
    removed: set[str] = set()
    for group, rules in GROUPS.items():
        if group in values:
            groups[group] = _group(values[group], group, rules, wrong)
    signatories = values.get("signatory_info", {})
    if not isinstance(signatories, dict):
        wrong.append(
            LeadProblem("signatory_info", "", "an object of signatories by position, 1 to 4")
        )
        signatories = {}
    for position, each in signatories.items():
        name = f"signatory_info.{_shown(position)[:8]}"
        if position in POSITIONS and each is None:
            removed.add(name)
        elif position in POSITIONS:
            groups[name] = _group(each, name, SIGNATORY, wrong)
        else:
            wrong.append(LeadProblem(name, "", f"positions are 1 to {SIGNATORIES_MAX}"))
    lead_id = _text(values.get("lead_id")) or "0"
    if not _DIGITS.match(lead_id) or len(lead_id) > LEAD_DIGITS_MAX:
        wrong.append(LeadProblem("", "lead_id", "the number of a lead of yours"))
        lead_id = "0"
    if not (groups or removed or wrong):
        wrong.append(LeadProblem("", "", "nothing of a lead was sent"))
    return LeadMessage(groups, frozenset(removed), int(lead_id), tuple(wrong))


_WORDS = {
    rule.name for rules in (*GROUPS.values(), SIGNATORY) for rule in rules if rule.kind == "words"
}


def without_numbers(groups: Groups) -> Groups:
    """Return a lead's groups with numbers of cards and people masked, as `parse` returns them."""
    return {
        group: {name: masked(text) if name in _WORDS else text for name, text in fields_.items()}
        for group, fields_ in groups.items()
    }


def missing(groups: Groups) -> list[LeadProblem]:
    """Return the required fields that a lead lacks."""
    found = [
        LeadProblem(group, rule.name, "is required")
        for group, rules in GROUPS.items()
        for rule in rules
        if rule.required and not groups.get(group, {}).get(rule.name)
    ]
    signatories = [name for name in groups if name.startswith("signatory_info.")]
    if not signatories:
        found.append(LeadProblem("signatory_info", "", "at least one signatory"))
    found += [
        LeadProblem(name, rule.name, "is required")
        for name in sorted(signatories)
        for rule in SIGNATORY
        if rule.required and not groups[name].get(rule.name)
    ]
    return found


def _group(
    found: JsonValue, group: str, rules: tuple[FieldRule, ...], wrong: list[LeadProblem]
) -> dict[str, str]:
    if not isinstance(found, dict):
        wrong.append(LeadProblem(group, "", "an object of fields"))
        return {}
    values: dict[str, str] = {}
    for rule in rules:
        text = _text(found.get(rule.name))
        if text is None:
            wrong.append(LeadProblem(group, rule.name, "text or a number"))
        elif rule.name in found:
            values[rule.name] = masked(text) if rule.kind == "words" else text
            if text and (problem := _problem(rule, text)):
                wrong.append(LeadProblem(group, rule.name, problem))
    known = {rule.name for rule in rules}
    wrong += [
        LeadProblem(group, _shown(name), "is no field of this group")
        for name in found
        if name not in known
    ]
    return values


def _shown(name: str) -> str:
    """Return a name that the sender made up, as a refusal may repeat it."""
    return masked(name)[:32]


def _text(value: JsonValue) -> str | None:
    """Return a value as text: "" for null, None if it is neither text nor a number."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value).strip()


def _problem(rule: FieldRule, text: str) -> str:
    try:
        fields.free_text(text, rule.name, rule.length_max)
        if rule.kind == "phone":
            fields.phone(text, rule.name)
    except fields.FieldError as error:
        return error.allowed
    if rule.allowed and text not in rule.allowed:
        return "one of " + ", ".join(rule.allowed)
    match rule.kind:
        case "digits" if not _DIGITS.match(text):
            return "digits only"
        case "email":
            try:
                fields.email(text, rule.name)
            except fields.FieldError:
                return "an e-mail address"
        case "date" if not _is_date(text):
            return "a date as d-m-Y, such as 31-01-1980"
        case _:
            pass
    return ""


def _is_date(text: str) -> bool:
    try:
        day = datetime.strptime(text, "%d-%m-%Y")  # noqa: DTZ007 (a date of birth has no zone)
    except ValueError:
        return False
    return _DATE.match(text) is not None and day.year >= YEAR_MIN


def failure(code: str, words: str, wrong: tuple[LeadProblem, ...] = ()) -> dict[str, JsonValue]:
    """Return the reply of a refusal."""
    return LEADS.failure(code, words, data=write_reply(LeadProblems(error=words, errors=wrong)))


def news(
    *, event: str, affiliate: str, lead_id: int, state: str, reason: str, merchant_id: int, at: str
) -> dict[str, object]:
    """Return the notification to a partner's server about a lead.

    merchant_id: 0 for none. at: ISO 8601, Indian time.
    """
    return {
        "event": event,
        "affiliate": affiliate,
        "lead_id": lead_id,
        "state": state,
        "reason": reason,
        "merchant_id": str(merchant_id or ""),
        "at": at,
    }


def sentence(wrong: tuple[LeadProblem, ...]) -> str:
    """Return all faults as one sentence."""
    parts = [
        " ".join(filter(None, (each.group, each.field))) + ": " + each.problem for each in wrong
    ]
    return "; ".join(parts)
