"""Translation of Easebuzz's answers and webhooks into the port's; see docs/easebuzz.md."""

import re
from collections.abc import Mapping
from typing import Any

from hundi.acquirers.calls.aggregators import (
    PlainWords,
    form_fields,
    object_of,
    objects_of,
    paise_of,
    pays,
    read_object,
    text_of,
)
from hundi.acquirers.calls.form_hashes import answer_hash, holds
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.calls.pages import PaymentRecord, RefundAnswer, UnlessRecorded
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import Trigger
from hundi.kernel.money import Money

PLAIN_NAME, PLAIN_PRODUCT = PlainWords("A-Za-z0-9 &'._()/,@-"), PlainWords("A-Za-z0-9 -")
PLAIN_EMAIL, PLAIN_PHONE = PlainWords("A-Za-z0-9._@+-"), PlainWords("0-9")
LEFT = frozenset({"usercancelled", "bounced"})
"""The customer cancelled, or never chose how to pay."""
FAILED = frozenset({"failure", "failed"}) | LEFT
OPEN = frozenset({"pending", "initiated", "in_process", "in process"})
REFUNDED = frozenset({"refunded", "settled"})
NOT_REFUNDED = frozenset({"cancelled", "failed", "reverse chargeback"})
_YES = frozenset({"1", "true"})
_REFERENCE = re.compile(r"[A-Za-z0-9_|/-]{1,40}\Z")
_ACCESS_KEY = re.compile(r"[a-f0-9]{64}\Z")
_NUMBER = re.compile(r"[A-Za-z0-9]{1,40}\Z")


def succeeded(answer: Mapping[str, Any]) -> bool:
    """Return whether a call was carried out: Easebuzz writes 1, "1" or true."""
    return str(answer.get("status")).lower() in _YES


def refusal(answer: Mapping[str, Any]) -> Unknown:
    """Return Unknown, for an answer that decides nothing; Easebuzz has words and no codes."""
    names = ("error_desc", "reason", "msg", "message", "data")
    words = next((answer[each] for each in names if isinstance(answer.get(each), str)), "")
    return Unknown(message=text_of(words))


def access_key(answer: Mapping[str, Any]) -> str | Unknown:
    """Return the key of a page."""
    key = text_of(answer.get("data"), 65)
    return key if succeeded(answer) and _ACCESS_KEY.match(key) else refusal(answer)


def page(url: str, key: str, reference: str) -> Redirect:
    """Return the page of an access key."""
    return Redirect(f"{url}/pay/{key}", reference)


def upi_url(answer: Mapping[str, Any], order_amount: Money) -> str | Unknown:
    """Return the UPI link of a seamless call, wherever it is: its answer is not published."""
    inner = object_of(answer.get("data")) or answer
    links = (text_of(each, 4096) for each in inner.values())
    link = next((each for each in links if pays(each, order_amount)), None)
    return link or Unknown(message="Easebuzz gives no link that can be used")


def payment_record(answer: Mapping[str, Any], reference: str, unknown_words: str) -> PaymentRecord:
    """Translate the state of a transaction.

    unknown_words: Easebuzz's for one that it does not have.
    """
    entry = object_of(answer.get("msg"))
    if entry is None:
        unknown = refusal(answer)
        is_absent = unknown_words and unknown.message == unknown_words and not succeeded(answer)
        return PaymentRecord(NothingThere() if is_absent else unknown)
    number = text_of(entry.get("easepayid"), 64)
    if not succeeded(answer) or entry.get("txnid") != reference:
        return PaymentRecord(refusal(answer))
    state, words = text_of(entry.get("status"), 64).strip(), text_of(entry.get("error_Message"))
    if state.lower() == "success" and _NUMBER.match(number):
        amount = _amount(entry)
        if amount is None:
            return PaymentRecord(Unknown(state, "Easebuzz's amounts contradict each other"))
        rrn = text_of(entry.get("bank_ref_num"), 64) or number
        return PaymentRecord(Approved(amount, rrn), {"easepay_id": number})
    if state.lower() in FAILED:
        code = text_of(entry.get("error"), 64) or state
        return PaymentRecord(Declined(code, words, left=state.lower() in LEFT))
    # "dropped" is one of these: it is published nowhere that such a customer cannot pay later.
    return PaymentRecord(Unknown(state, words, awaiting_customer=state.lower() in OPEN))


def refund_accepted(answer: Mapping[str, Any]) -> Unknown | UnlessRecorded:
    """Return what a refund that was sent waits for, or why it may have been refused."""
    unknown = refusal(answer)
    return Unknown("accepted", unknown.message) if succeeded(answer) else UnlessRecorded(unknown)


def refund_outcome(answer: Mapping[str, Any], reference: str, number: str) -> RefundAnswer:
    """Return the outcome of our refund, among those of a transaction."""
    is_of_it = answer.get("easebuzz_id", number) == number
    if not succeeded(answer) or not is_of_it or not isinstance(answer.get("refunds"), list):
        return refusal(answer)
    ours = [
        each
        for each in objects_of(answer.get("refunds"))
        if each.get("merchant_refund_id") == reference
    ]
    if not ours:
        return NothingThere()
    state, paise = text_of(ours[0].get("refund_status"), 64), paise_of(ours[0].get("refund_amount"))
    is_one = len(ours) == 1
    if is_one and state.lower() in REFUNDED and paise:
        return Approved(Money(paise), text_of(ours[0].get("refund_id"), 64) or reference)
    if is_one and state.lower() in NOT_REFUNDED:
        return Declined(state, "Easebuzz did not refund.")
    return Unknown(state)


def trigger(body: bytes, key: str, salt: str) -> Trigger | None:
    """Return the trigger of an authentic webhook about a payment: a form, or JSON."""
    form = _json_fields(body) if body.lstrip()[:1] == b"{" else form_fields(body)
    if form is None or form.get("key") != key or not holds(form, [answer_hash(form, salt)]):
        return None
    txnid = form.get("txnid", "")
    return Trigger("", (txnid,)) if _REFERENCE.match(txnid) else None


def _json_fields(body: bytes) -> dict[str, str] | None:
    answer = read_object(body) if is_sound(body) else None
    inner = object_of((answer or {}).get("data")) or answer
    if inner is None:
        return None
    return {name: value for name, value in inner.items() if isinstance(value, str)}


def _amount(entry: Mapping[str, Any]) -> Money | None:
    """Return what was paid for the order: its amount, where no less was debited.

    What is debited beyond it is Easebuzz's charge, which its answers do not name.
    """
    amount, debited = paise_of(entry.get("amount")), entry.get("net_amount_debit")
    is_less = debited is not None and paise_of(debited) < amount
    return Money(amount) if amount and not is_less else None
