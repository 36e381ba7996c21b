"""PayU's chargebacks: their meaning, and the proof of a webhook about one; pure.

Sources: docs.payu.in, "Read Chargeback API", "Accept/Contest Chargeback API", "Read Reasons API"
and "Webhooks for Chargeback"; see docs/payu.md#disputes.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time
from hmac import compare_digest
from typing import Any

from hundi.acquirers.calls.aggregators import (
    object_of,
    objects_of,
    paise_of,
    read_object,
    text_of,
    whole_of,
)
from hundi.acquirers.calls.dispute_phases import standing_of_other
from hundi.acquirers.calls.form_hashes import hash_of
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.payu import rules
from hundi.acquirers.port.answers import NothingThere
from hundi.acquirers.port.disputes import DisputeWord, PhaseName, Standing
from hundi.kernel.clock import INDIA
from hundi.kernel.money import Money
from hundi.kernel.states import DisputePhase

SIGNATURES = ("x-payu-dispute-webhook-signature-v1", "x-payu-dispute-webhook-signature-v2")
SIGNED = ("txn_id", "cb_amount", "cb_id", "cb_type", "cb_status")
OTHERS = "Others"
ACCEPTING = "accept"
_STANDINGS = {
    "new": Standing.OPEN,
    "pendingresponse": Standing.OPEN,
    "insufficientdocument": Standing.OPEN,
    "pendingdocreview": Standing.UNDER_REVIEW,
    "submittedtobank": Standing.UNDER_REVIEW,
    "closedmerchantfavour": Standing.WON,
    "closedcustomerfavour": Standing.LOST,
    "closedunderfraudliability": Standing.LOST,
}
"""By the letters of a status; one list says "Closed in Customer favour", another has no "in"."""
_PHASES = {
    "retrieval": DisputePhase.RETRIEVAL,
    "prearb": DisputePhase.PRE_ARBITRATION,
    "arbitration": DisputePhase.ARBITRATION,
}
"""How the types of the later phases begin; every other type is a chargeback."""
_CASE = re.compile(r"(?P<payment>[0-9]{1,20}|[0-9]+-[0-9]+)-(?P<number>[0-9]{1,20})\Z")
_PAYU_ID = re.compile(r"[0-9]{1,20}\Z")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = re.compile(r"([0-9]{1,2})-([A-Z][a-z]{2})-([0-9]{4})\Z")


def parts_of(case: str) -> tuple[str, str] | None:
    """Return the payment and the chargeback that a case names; None for another form.

    The payment is PayU's number of it, or our reference.
    """
    match = _CASE.match(case)
    return (match["payment"], match["number"]) if match else None


def is_payu_id(text: str) -> bool:
    """Return whether a text is PayU's number of a payment."""
    return bool(_PAYU_ID.match(text))


def entries(answer: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the chargebacks of an answer, which has one of them or a list; None for neither."""
    data = answer.get("data")
    listed = objects_of(data) if isinstance(data, list) else [object_of(data)]
    if isinstance(data, list) and len(listed) != len(data):
        return None
    found = [object_of(each.get("attributes")) if each else None for each in listed]
    return None if None in found else [each for each in found if each is not None]


def pages_of(answer: Mapping[str, Any]) -> int:
    """Return how many pages a list has; 1 where it does not say."""
    meta = object_of(answer.get("meta")) or {}
    return whole_of((object_of(meta.get("pagination")) or {}).get("total-pages")) or 1


def numbered(chargebacks: Iterable[dict[str, Any]], number: str) -> dict[str, Any] | None:
    """Return the chargeback of a number."""
    return next((each for each in chargebacks if each.get("id") == number), None)


def name_of(chargeback: Mapping[str, Any]) -> PhaseName | None:
    """Return the name of a chargeback's present phase: of PayU's payment and its own number."""
    payment = text_of((object_of(chargeback.get("transaction-details")) or {}).get("payu-id"), 64)
    case = f"{payment}-{text_of(chargeback.get('id'), 64)}"
    if parts_of(case) is None or not is_payu_id(payment):
        return None
    return PhaseName(case, _phase(chargeback.get("chargeback-type")))


def word_of(
    chargeback: Mapping[str, Any], phase: DisputePhase
) -> DisputeWord | NothingThere | None:
    """Return the news of one phase of a chargeback; None for one that cannot be used.

    A lost one is decided once PayU has debited it.
    """
    now = name_of(chargeback)
    payment = object_of(chargeback.get("transaction-details")) or {}
    original = text_of(payment.get("transaction-id"), 64)
    standing = _STANDINGS.get(_letters(chargeback.get("status")).replace("closedin", "closed"))
    amount = paise_of(chargeback.get("chargeback-amount"))
    if now is None or standing is None or not amount or not _is_ours(original):
        return None
    if phase is not now.phase:
        other = standing_of_other(now.phase, phase)
        if isinstance(other, NothingThere):
            return other
        return DisputeWord(PhaseName(now.case, phase), original, other, Money(amount))
    if standing is Standing.LOST and _day(chargeback.get("debit-date")) is None:
        standing = Standing.TAKING
    is_lost = standing is Standing.LOST
    return DisputeWord(
        now,
        original,
        standing,
        Money(amount),
        reason=text_of(chargeback.get("chargeback-reason")),
        respond_by=_deadline(chargeback.get("reply-before")),
        taken_paise=amount if is_lost else 0,
        rrn=text_of(chargeback.get("id"), 64) if is_lost else "",
    )


def accepting_reason(answer: Mapping[str, Any]) -> str | None:
    """Return PayU's reason of one who accepts and says no more; None where it asks for more."""
    reasons = [
        each
        for each in entries(answer) or []
        if each.get("reason-type") == ACCEPTING
        and not any(field.get("mandatory") for field in objects_of(each.get("form-data")))
    ]
    reasons.sort(key=lambda each: each.get("reason-text") != OTHERS)
    return next(filter(None, (text_of(each.get("identifier"), 64) for each in reasons)), None)


def webhook_name(
    headers: Mapping[str, str], body: bytes, key: str, salt: str
) -> tuple[PhaseName, str] | None:
    """Return the phase that a signed webhook is about, and our reference where it has one."""
    webhook = read_object(body) if is_sound(body) else None
    if webhook is None or webhook.get("event") != "dispute":
        return None
    signed = [text_of(webhook.get(name)) for name in SIGNED]
    digest = hash_of(key, *signed[:-1], signed[-1].replace(" ", ""), salt).encode()
    given = (headers.get(name, "").lower().encode() for name in SIGNATURES)
    if not any(compare_digest(each, digest) for each in given):
        return None
    payment, number = signed[0], text_of(webhook.get("cb_id"), 64)
    case = f"{payment}-{number}"
    if parts_of(case) is None:
        return None
    name = PhaseName(case, _phase(webhook.get("cb_type")))
    return name, payment if _is_ours(payment) else ""


def _is_ours(reference: str) -> bool:
    """Return whether a text can be our reference; PayU's numbers have no hyphen."""
    return "-" in reference and rules.is_reference(reference)


def _letters(text: object) -> str:
    return re.sub("[^a-z]", "", text_of(text).lower())


def _phase(kind: object) -> DisputePhase:
    word = _letters(kind)
    return next(
        (phase for begins, phase in _PHASES.items() if word.startswith(begins)),
        DisputePhase.CHARGEBACK,
    )


def _deadline(text: object) -> datetime | None:
    """Return the beginning of the day before which PayU wants an answer."""
    day = _day(text)
    return datetime.combine(day, time(), INDIA).astimezone(UTC) if day else None


def _day(text: object) -> date | None:
    """Read a day as 24-Feb-2023."""
    match = _DAY.match(text_of(text))
    if match is None or match[2] not in _MONTHS:
        return None
    try:
        return date(int(match[3]), _MONTHS.index(match[2]) + 1, int(match[1]))
    except ValueError:
        return None
