"""Requests about UPI mandates, and the meaning of PayU's answers; pure (docs/payu.md#mandates)."""

from collections.abc import Mapping
from typing import Any

import msgspec

from hundi.acquirers.calls.aggregators import (
    MESSAGE_MAX,
    form_fields,
    read_object,
    rupees_text,
    text_of,
)
from hundi.acquirers.calls.form_hashes import hash_of, holds
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.payu import rules
from hundi.acquirers.port.answers import Declined, Unknown
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.mandates import (
    MandateDebit,
    MandateNotice,
    MandateRequest,
    MandateStanding,
    MandateState,
    NoticeGiven,
)
from hundi.kernel.clock import business_day

CYCLES = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
"""The network's words that PayU has as well. Any other period is ad hoc."""
NOT_ACTIVE = "Mandate is not active"
_STATES = {
    "active": MandateState.ACTIVE,
    "pause": MandateState.PAUSED,
    "paused": MandateState.PAUSED,
    "revoked": MandateState.ENDED,
    "cancelled": MandateState.ENDED,
    "discarded": MandateState.ENDED,
}
"""Published words of `status`."""
_TOLD = ("status", "action", "authpayuid", "dateTime", "amount", "endDate")
"""What the hash of a webhook about a UPI mandate is over, before the salt."""


def approved(mandate: MandateRequest) -> dict[str, str]:
    """Return the fields by which a payment approves a mandate, too."""
    details = {
        "billingAmount": rupees_text(mandate.maximum),
        "billingCurrency": mandate.maximum.currency,
        "billingCycle": mandate.recur if mandate.recur in CYCLES else "ADHOC",
        "billingInterval": 1,
        "billingRule": "MAX",
        "billingLimit": "AFTER",
        "paymentStartDate": mandate.valid_from.isoformat(),
        "paymentEndDate": mandate.valid_until.isoformat(),
    }
    return {"si": "1", "api_version": "7", "si_details": msgspec.json.encode(details).decode()}


def question(payu_id: str, request_id: str) -> str:
    """Return the request of a command about a mandate."""
    return _text({"authPayuId": payu_id, "requestId": request_id})


def notice(of: MandateNotice, payu_id: str, *, again: str = "") -> str:
    """Return the request of a notice, for the day of its debit in India.

    again: after an answer that was lost, the end of another number: PayU has had the first one, and
    tells of the notice of that day, or gives it now.
    """
    repeated = {"requestId": f"{of.reference}-{again}", "action": "retrieve"} if again else {}
    return _text(
        {
            "authPayuId": payu_id,
            "requestId": of.reference,
            "debitDate": business_day(of.debit_at).isoformat(),
            "amount": rupees_text(of.amount),
            **repeated,
        }
    )


def debit(of: MandateDebit, payu_id: str, contact: Customer) -> str:
    """Return the request of a debit."""
    return _text(
        {
            "authpayuid": payu_id,
            "invoiceDisplayNumber": of.notice_name,
            "amount": rupees_text(of.amount),
            "txnid": of.reference,
            "phone": contact.phone,
            "email": contact.email,
        }
    )


def standing(answer: Mapping[str, Any], payu_id: str) -> MandateStanding | Unknown:
    """Return how a mandate stands."""
    status = text_of(answer.get("status"), 64).strip().lower()
    state = _STATES.get(status)
    if state is None or text_of(answer.get("authpayuid"), 64) != payu_id:
        return Unknown(status, _message(answer))
    return MandateStanding(state, payu_id)


def notice_outcome(answer: Mapping[str, Any]) -> NoticeGiven | Declined | Unknown:
    """Return whether a customer was told.

    `status` is 1, or the code of the bank or of NPCI that refused, or 0 where PayU itself did.
    """
    if rules.succeeded(answer):
        return NoticeGiven(text_of(answer.get("invoiceId"), 64).strip())
    status, words = text_of(answer.get("status"), 64), _message(answer)
    if not status or answer.get("action") != "MANDATE_PRE_DEBIT":
        return Unknown(status, words)
    return Declined(status, words, mandate_over=words == NOT_ACTIVE)


def told_mandate(headers: Mapping[str, str], body: bytes, account: tuple[str, str]) -> str | None:
    """Return PayU's number of the mandate that a webhook is about; None for another, or a forgery.

    Its page says "HTTP form" and shows JSON: either is read. account: its key and salt.
    """
    is_form = "x-www-form-urlencoded" in headers.get("content-type", "")
    told = form_fields(body) if is_form else read_object(body) if is_sound(body) else None
    key, salt = account
    if told is None or told.get("key", key) != key:
        return None
    form = {name: text_of(told.get(name), MESSAGE_MAX) for name in (*_TOLD, "hash")}
    number = form["authpayuid"]
    return number if holds(form, [hash_of(*(form[name] for name in _TOLD), salt)]) else None


def debit_refused(answer: Mapping[str, Any]) -> Declined | Unknown:
    """Return the answer to a debit of which PayU has no record."""
    status, words = text_of(answer.get("status"), 64), _message(answer)
    if status != "0":
        return Unknown(status, words)
    return Declined("refused", words, mandate_over=words == NOT_ACTIVE)


def _message(answer: Mapping[str, Any]) -> str:
    return text_of(answer.get("message", answer.get("msg")), MESSAGE_MAX).strip()


def _text(request: Mapping[str, object]) -> str:
    return msgspec.json.encode(request).decode()
