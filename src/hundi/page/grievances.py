"""The part of a payment's page where its payer complains, and reads the answer; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from hundi.kernel.clock import business_day
from hundi.merchants.directory.rules import Merchant
from hundi.page.payer_screens import ComplaintBox, ComplaintLine
from hundi.page.texts import Say
from hundi.payments.complaints.rules import (
    ANSWER_WITHIN,
    Complaint,
    ComplaintKind,
    ComplaintState,
    may_complain,
)

KINDS: Mapping[ComplaintKind, str] = {kind: f"complaint_{kind.value}" for kind in ComplaintKind}
"""The text of each kind of complaint, by key."""


@dataclass(frozen=True, slots=True)
class RefusedComplaint:
    """A form that was refused: what was chosen and typed, without numbers of cards."""

    kind: str
    words: str


def complaint_box(
    complaints: Sequence[Complaint],
    merchant: Merchant,
    addresses: tuple[str, str],
    say: Say,
    now: datetime,
    refused: RefusedComplaint | None = None,
) -> ComplaintBox:
    """Return what a payer wrote, and the form for more where one more may be written.

    complaints: oldest first. addresses: of the form, and of the button that closes it all.
    """
    lines = tuple(_line(each, merchant, say, now) for each in complaints)
    solved = addresses[1] if any(each.closed_at is None for each in complaints) else ""
    if not may_complain(complaints):
        return ComplaintBox(lines, solved=solved)
    by = business_day(now + ANSWER_WITHIN)
    return ComplaintBox(
        lines,
        action=addresses[0],
        intro=say("complaint_what", merchant=merchant.name, date=by),
        kinds=tuple((kind.value, say(KINDS[kind])) for kind in ComplaintKind),
        button=say("complaint_send", merchant=merchant.name),
        solved=solved,
        typed=refused.words if refused else "",
        kind=refused.kind if refused else "",
        error=say("complaint_wrong") if refused else "",
    )


def _line(complaint: Complaint, merchant: Merchant, say: Say, now: datetime) -> ComplaintLine:
    by = business_day(complaint.answer_by)
    names = {"merchant": merchant.name, "when": complaint.made_at, "date": by}
    lines = [say("complaint_late" if complaint.is_late(now) else "complaint_open", **names)]
    if complaint.state is not ComplaintState.OPEN:
        lines = [say("complaint_made", when=complaint.made_at)]
    if complaint.kind is ComplaintKind.NOT_ME:
        lines.append(say("complaint_not_me_do"))
    if complaint.closed_at is not None:
        lines.append(say("complaint_closed", when=complaint.closed_at))
    # Last: the answer stands below it.
    if complaint.answered_at is not None:
        lines.append(say("complaint_answered", merchant=merchant.name, when=complaint.answered_at))
    return ComplaintLine(
        say(KINDS[complaint.kind]), complaint.words, tuple(lines), complaint.answer
    )
