"""Rules of approvals: one person makes a request, another decides; pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

LIFE = timedelta(days=7)
"""How long a request waits for a second person."""
REASON_LENGTH_MAX = 500

ApprovalState = Literal["waiting", "approved", "done", "failed", "rejected", "expired"]


@dataclass(frozen=True, slots=True)
class Approval:
    """A request of one person that another decides.

    payload: the input of its act. act_id: the number of the form, "" for none.
    """

    merchant_id: int
    approval_id: int
    kind: str
    title: str
    payload: Mapping[str, Any]
    state: ApprovalState
    made_by: int
    maker: str
    reason: str
    made_at: datetime
    ends_at: datetime
    decided_by: int | None = None
    checker: str = ""
    decided_at: datetime | None = None
    note: str = ""
    result: str = ""
    act_id: str = ""


def decision_fault(
    approval: Approval, person_id: int, linkers: Collection[int], now: datetime
) -> str | None:
    """Return in words why a person cannot decide about a request, or None.

    linkers: people who may have made the link by which this person last chose a password, and so
    may have chosen it instead.
    """
    if approval.state != "waiting":
        return f"It is {approval.state} already."
    if now >= approval.ends_at:
        return "It waited too long and is over. It has to be asked for again."
    if approval.made_by == person_id:
        return "You asked for it yourself: another person has to decide."
    if approval.made_by in linkers:
        return "Your own link to sign in was made by who asked: somebody else has to decide."
    return None
