"""Which answers to disputes an acquirer takes from us, and which in its own dashboard; pure."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from hundi.acquirers.port.disputes import AcceptsDisputes, ContestsDisputes, DividesDisputes
from hundi.acquirers.port.payments import Connector
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.payments.disputes.rules import Stage

ANSWERS: Mapping[str, type] = {
    "accept": AcceptsDisputes,
    "contest": ContestsDisputes,
    "part": DividesDisputes,
}
"""What an acquirer must be able to do, by the answer that it takes from us."""

NOT_TAKEN = "the acquirer takes no such answer: give it in its own dashboard"
"""The words of an answer that was taken here and cannot be sent."""

_MARK_MAX = 10**15
"""What a form's number may be: a text of ids looks like numbers of cards, which are masked."""


def mark_of(evidence_ids: Iterable[int]) -> int:
    """Return a number that says which documents somebody saw; other documents have another one."""
    ids = " ".join(map(str, sorted(evidence_ids)))
    return int(sha256(ids.encode()).hexdigest(), 16) % _MARK_MAX


def kind_of(stage: Stage, accepted_paise: int) -> str:
    """Return the answer that gives so much up: accept, contest or part."""
    if accepted_paise >= stage.amount.paise:
        return "accept"
    return "part" if accepted_paise > 0 else "contest"


def capability_of(stage: Stage) -> type:
    """Return what an acquirer must be able to do, to get a stage's answer from us."""
    return ANSWERS[kind_of(stage, stage.accepted_paise)]


def taken_here(stage: Stage, acquirers: Sequence[Connector]) -> frozenset[str]:
    """Return which answers a stage's acquirer takes from us: accept, contest, part."""
    own = [connector for connector in acquirers if connector.name == stage.connector]
    return frozenset(
        answer
        for answer, capability in ANSWERS.items()
        if any(isinstance(connector, capability) for connector in own)
    )


def elsewhere(stage: Stage) -> Refusal:
    """Return the refusal of an answer that has to be given in the acquirer's own dashboard."""
    return Refusal(
        RefusalCode.DISPUTE_ELSEWHERE,
        field="dispute",
        received=stage.connector,
        allowed=f"in its dashboard, until {stage.respond_by:%d/%m %H:%M} UTC",
    )
