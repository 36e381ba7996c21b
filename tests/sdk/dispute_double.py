"""Disputes as a gateway answers about them, for tests of the SDK."""

from collections.abc import Mapping
from datetime import UTC, datetime

from hundi.kernel.records import replace
from hundi.wire.merchant.disputes import (
    Dispute,
    DisputeAcceptance,
    DisputeContest,
    DisputeName,
    DisputePhase,
    DisputesBefore,
    Evidence,
    NewEvidence,
)
from hundi.wire.message import read_request, write_reply
from hundi.wire.strict_json import JsonValue

DOCUMENT = Evidence(
    evidence_id="217383559070002",
    name="bill.pdf",
    type="application/pdf",
    bytes=8,
    sha256="ab" * 32,
    added_at=datetime(2026, 11, 24, 4, 30, tzinfo=UTC),
    sent_at=None,
)
PHASE = DisputePhase(
    phase="chargeback",
    state="open",
    amount_paise=149_950,
    held_paise=149_950,
    taken_paise=0,
    accepted_paise=0,
    fee_paise=50_000,
    tax_paise=9_000,
    reason="10.4",
    opened_at=datetime(2026, 11, 23, 4, 30, tzinfo=UTC),
    respond_by=datetime(2026, 11, 26, 4, 30, tzinfo=UTC),
    answered_at=None,
    sent_at=None,
    ended_at=None,
)
DISPUTED = Dispute(
    now=PHASE,
    dispute_id="217383559070001",
    transaction_id="217383559059812",
    order_id="ORD-1001",
    currency="INR",
    phases=(PHASE,),
    evidence=(DOCUMENT,),
)


def answered(path: str, fields: Mapping[str, JsonValue]) -> dict[str, JsonValue] | None:
    """Return `data` of a reply about disputes, None for what is about something else."""
    if "/api/dispute/" not in path:
        return None
    verb = path.rstrip("/").rpartition("/")[2]
    match verb:
        case "list":
            found = [] if read_request(DisputesBefore, fields).state == "won" else [DISPUTED]
            return {
                "disputes": [write_reply(replace(each, phases=(), evidence=())) for each in found]
            }
        case "evidence":
            document = read_request(NewEvidence, fields)
            return write_reply(replace(DOCUMENT, name=document.name, bytes=len(document.content)))
        case "accept":
            part = read_request(DisputeAcceptance, fields).amount_paise
            return _in(
                state="under_review" if part else "accepting",
                accepted_paise=part or PHASE.amount_paise,
            )
    _ = read_request(DisputeContest if verb == "contest" else DisputeName, fields)
    return _in(state="under_review" if verb == "contest" else "open")


def _in(**changes: object) -> dict[str, JsonValue]:
    return write_reply(replace(DISPUTED, now=replace(PHASE, **changes)))
