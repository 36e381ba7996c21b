"""The acts of the trail in words, from the names that entries have."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from hundi.console.lists import words

_DEEDS: Mapping[str, str] = {
    "accept": "Accepted",
    "accept_papers": "Accepted the papers of",
    "add": "Added",
    "add_passkey": "Added a passkey:",
    "agree": "Agreed",
    "approve": "Approved",
    "ask": "Asked for",
    "begin": "Started",
    "cancel": "Cancelled",
    "capture": "Captured",
    "certify": "Certified",
    "change": "Changed",
    "change_role": "Changed the role of",
    "check": "Checked",
    "close": "Closed",
    "contest": "Contested",
    "disable": "Disabled",
    "enable": "Enabled",
    "end": "Ended",
    "end_all": "Ended all of",
    "end_key": "Ended the older key of",
    "evidence": "Added to",
    "fetch": "Took away",
    "export": "Took away a file of",
    "export_evidence": "Took away a document of",
    "export_paper": "Took away a paper of",
    "invite": "Invited",
    "link": "Linked",
    "make": "Made",
    "note": "Wrote a note about",
    "pair": "Paired",
    "part": "Ended the pair of",
    "party_end": "Ended the party of",
    "pause": "Paused",
    "party_set": "Named the party of",
    "plan": "Published the plan of",
    "propose": "Proposed",
    "publish": "Published",
    "read": "Read",
    "read_paper": "Read a paper of",
    "refund": "Refunded",
    "refund_ask": "Asked for a refund of",
    "refuse": "Refused",
    "register": "Registered",
    "reject": "Rejected",
    "rejected": "Rejected",
    "released": "Released",
    "remove": "Removed",
    "remove_passkey": "Removed a passkey:",
    "replay": "Sent again",
    "resend": "Sent again the news of",
    "reset": "Reset",
    "resume": "Resumed",
    "retire": "Retired",
    "retry": "Tried again",
    "return": "Returned",
    "reveal": "Looked at the personal data of",
    "review": "Reviewed",
    "rotate": "Replaced",
    "run": "Made",
    "save": "Saved",
    "schedule": "Scheduled",
    "schedule_end": "Ended the schedule of",
    "seed": "Filled",
    "sell": "Noted a sale at",
    "send": "Sent",
    "set": "Changed",
    "set_terms": "Set the terms of",
    "suspend": "Suspended",
    "switch": "Turned on or off",
    "take_over": "Took over",
    "test": "Tested",
    "verify": "Verified",
    "void": "Voided",
    "withdraw": "Withdrew",
    "work": "Worked on",
}
"""What was done, by the second part of an act's name."""
_WHOLE: Mapping[str, str] = {
    "bank_account.paper": "Added a paper of a bank account",
    "assistant_key.revoke": "Ended the key of an assistant",
    "dispute.remove_evidence": "Removed a document from a dispute",
    "complaint.answer": "Answered a payer's complaint",
    "letter.resend": "Sent a letter again",
    "link.import": "Made links of a file",
    "link.reminded": "Noted a reminder of a link",
    "reconciliation.import": "Imported a statement",
    "reconciliation.upload": "Uploaded a statement",
    "report.party": "Named a party of invoices",
    "session.begin": "Signed in",
    "session.end": "Signed out",
    "person.invite": "Invited",
    "person.accept": "Joined",
    "person.change_password": "Changed the password",
    "person.renew": "Made a new link for",
    "person.renew_codes": "Made new recovery codes",
    "person.remove": "Removed from this place",
    "person.end": "Ended everywhere, for good",
    "status.hide": "Hid a part of the status page",
    "status.incident": "Announced an incident",
    "status.maintenance": "Announced maintenance",
    "status.name": "Named a part of the status page",
}
"""Acts that are said in other words than noun and deed."""
_NOUNS: Mapping[str, str] = {
    "approval": "a request",
    "calendar": "the bank days",
    "fee_plan": "a price plan",
    "filter": "a view of a list",
    "keys": "keys",
    "reconciliation": "a difference",
    "routing": "a routing plan",
}


def act_words(act: str) -> str:
    """Return an act of the trail for people: `Refunded a payment`."""
    if act in _WHOLE:
        return _WHOLE[act]
    noun, _, deed = act.partition(".")
    if deed not in _DEEDS:
        return words(act.replace(".", ": "))
    said = words(noun)
    lower = said if said[:2].isupper() else said[:1].lower() + said[1:]
    article = "an" if lower[:1] in "aeiou" else "a"
    return f"{_DEEDS[deed]} {_NOUNS.get(noun) or f'{article} {lower}'}"


_PROOFS = ("sha256", "before")
"""Ends of names of digests: the audit compares them, and the file of the trail has them."""
_OF_PROGRAMS = frozenset({"link", "generation", "made_by", "heads", "root", "form"})
"""What an entry keeps for the audit or for a form that is sent twice."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d\Z")
_CODE = re.compile(r"[a-z]+(?:_[a-z0-9]+)+\Z")
_ID = re.compile(r"ipn_\w+\Z")


def detail_words(detail: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what an entry says beside its act: names and values in words, without digests."""
    for name, value in detail.items():
        if name not in _OF_PROGRAMS and not name.endswith(_PROOFS):
            yield words(name), ", ".join(map(_value, _parts(name, value)))


def _parts(name: str, value: object) -> list[object]:
    if isinstance(value, list):
        return value
    return [*value.split()] if name == "events" and isinstance(value, str) else [value]


def _value(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    text = str(value)
    if _DAY.match(text):
        return f"{date.fromisoformat(text):%-d %b %Y}"
    return words(text) if _CODE.match(text) and not _ID.match(text) else text
