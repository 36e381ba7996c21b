"""Disputes by the SDK: list, one, evidence, contest, accept.

See docs/spec/payment-interfaces.md#dispute-operations.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from hundi.sdk import errors, incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.incoming import Record
from hundi.sdk.outgoing import Message, Payload, amount_text, checked
from hundi.wire.merchant import disputes as wire

_PATH = "/gateway/pay/v4/api/dispute/{}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A document for the answer to a dispute. sent_at: when the bank took it."""

    evidence_id: str
    name: str
    type: str
    bytes: int
    sha256: str
    added_at: datetime | None
    sent_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputePhase:
    """One phase of a dispute.

    phase: retrieval, chargeback, pre_arbitration or arbitration. state: open, under_review, accepting, expired, won,
    lost, accepted, partly_accepted or closed. held_paise: of amount_paise, what is held back; taken_paise: what the
    bank took. accepted_paise: what your answer gave up. fee_paise, tax_paise: what it cost you, in rupees.
    respond_by: answer before.
    """

    phase: str
    state: str
    amount_paise: int
    held_paise: int
    taken_paise: int
    accepted_paise: int
    fee_paise: int
    tax_paise: int
    reason: str
    opened_at: datetime | None
    respond_by: datetime | None
    answered_at: datetime | None
    sent_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A dispute.

    now: the phase that it is in. phases: all of them, oldest first; they and evidence are empty in a list.
    """

    dispute_id: str
    transaction_id: str
    order_id: str
    currency: str
    now: DisputePhase
    phases: tuple[DisputePhase, ...]
    evidence: tuple[Evidence, ...]

    @property
    def is_open(self) -> bool:
        """It waits for your answer."""
        return self.now.state == "open"


def listing(calls: Calls, state: str, before: str) -> Steps[tuple[Dispute, ...]]:
    """Return disputes, newest first."""
    payload = _sent({"state": state, "before": before})
    _ = checked(wire.parse_list, payload)
    envelope = yield from calls.ask(_PATH.format("list"), payload)
    listed = incoming.data(envelope, "dispute/list").get("disputes")
    return tuple(map(_read, incoming.records(listed, "dispute/list")))


def status(calls: Calls, dispute_id: str) -> Steps[Dispute]:
    """Return one dispute with its phases and documents."""
    return (yield from _ask(calls, "status", wire.parse_dispute, {"dispute_id": dispute_id}))


def add_evidence(calls: Calls, dispute_id: str, content: bytes, name: str) -> Steps[Evidence]:
    """Keep a document for the answer."""
    payload = _sent({"dispute_id": dispute_id, "name": name, "content": base64.b64encode(content).decode()})
    _ = checked(wire.parse_evidence, payload)
    # The same document is kept once. As JSON: percent-encoding would make a large body larger.
    envelope = yield from calls.ask(_PATH.format("evidence"), payload, as_json=True)
    return _document(incoming.data(envelope, "dispute/evidence"))


def contest(calls: Calls, dispute_id: str, note: str) -> Steps[Dispute]:
    """Contest a dispute; the same answer again changes nothing."""
    payload = _sent({"dispute_id": dispute_id, "note": note})
    return (yield from _ask(calls, "contest", wire.parse_contest, payload))


def accept(calls: Calls, dispute_id: str, amount_paise: int | None, note: str) -> Steps[Dispute]:
    """Accept a dispute, wholly or in part; the same answer again changes nothing."""
    amount = "" if amount_paise is None else amount_text(amount_paise)
    payload = _sent({"dispute_id": dispute_id, "amount": amount, "note": note})
    return (yield from _ask(calls, "accept", wire.parse_accept, payload))


def _sent(fields: dict[str, str]) -> Payload:
    return {name: value for name, value in fields.items() if value}


def _ask(calls: Calls, verb: str, parse: Callable[[Payload], Message], payload: Payload) -> Steps[Dispute]:
    _ = checked(parse, payload)
    envelope = yield from calls.ask(_PATH.format(verb), payload)
    found, asked = _read(incoming.data(envelope, f"dispute/{verb}")), str(payload["dispute_id"])
    if found.dispute_id != asked.lstrip("0"):
        raise errors.MismatchError("dispute_id", asked, found.dispute_id)
    return found


def _read(record: Record) -> Dispute:
    return Dispute(
        dispute_id=incoming.demanded(record, "dispute_id"),
        transaction_id=incoming.demanded(record, "ap_transactionid"),
        order_id=incoming.text(record, "orderid"),
        currency=incoming.demanded(record, "iso_currency"),
        now=_phase(record),
        phases=tuple(map(_phase, incoming.records(record.get("phases"), "dispute"))),
        evidence=tuple(map(_document, incoming.records(record.get("evidence"), "dispute"))),
    )


def _phase(record: Record) -> DisputePhase:
    def amount(name: str) -> int:
        return incoming.paise(incoming.demanded(record, name), name)

    def moment(name: str) -> datetime | None:
        return incoming.moment(incoming.text(record, name), name)

    return DisputePhase(
        phase=incoming.demanded(record, "phase"),
        state=incoming.demanded(record, "state"),
        amount_paise=amount("amount"),
        held_paise=amount("held_amount"),
        taken_paise=amount("taken_amount"),
        accepted_paise=amount("accepted_amount"),
        fee_paise=amount("fee_amount"),
        tax_paise=amount("tax_amount"),
        reason=incoming.text(record, "reason"),
        opened_at=moment("opened_at"),
        respond_by=moment("respond_by"),
        answered_at=moment("answered_at"),
        sent_at=moment("sent_at"),
        ended_at=moment("ended_at"),
    )


def _document(record: Record) -> Evidence:
    return Evidence(
        evidence_id=incoming.demanded(record, "evidence_id"),
        name=incoming.text(record, "name"),
        type=incoming.demanded(record, "type"),
        bytes=incoming.whole(record, "bytes"),
        sha256=incoming.demanded(record, "sha256"),
        added_at=incoming.moment(incoming.text(record, "added_at"), "added_at"),
        sent_at=incoming.moment(incoming.text(record, "sent_at"), "sent_at"),
    )
