"""Which answers to disputes an acquirer takes from us, and which in its own dashboard; pure."""

from collections.abc import Mapping

from hundi.acquirers.port.disputes import AcceptsDisputes, ContestsDisputes, DividesDisputes
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.payments.disputes.rules import Stage

ANSWERS: Mapping[str, type] = {
    "accept": AcceptsDisputes,
    "contest": ContestsDisputes,
    "part": DividesDisputes,
}
"""What an acquirer must be able to do, by the answer that it takes from us."""


def capability_for(stage: Stage, accepted_paise: int) -> type:
    """Return what an acquirer must be able to do, to take an answer from us."""
    if accepted_paise >= stage.amount.paise:
        return ANSWERS["accept"]
    return ANSWERS["part" if accepted_paise > 0 else "contest"]


def capability_of(stage: Stage) -> type:
    """Return what an acquirer must be able to do, to get a stage's answer from us."""
    return capability_for(stage, stage.accepted_paise)


def elsewhere(stage: Stage) -> Refusal:
    """Return the refusal of an answer that has to be given in the acquirer's own dashboard."""
    return Refusal(
        RefusalCode.DISPUTE_ELSEWHERE,
        field="dispute",
        received=stage.connector,
        allowed=f"in its dashboard, until {stage.respond_by:%d/%m %H:%M} UTC",
    )
