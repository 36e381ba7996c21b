"""The disputes of a simulation's bank: it raises phases, records answers, and decides."""

from collections.abc import Callable
from datetime import datetime, timedelta

from hundi.acquirers.port.answers import Declined, NothingThere
from hundi.acquirers.port.disputes import (
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    PhaseName,
    Standing,
)
from hundi.kernel.money import Money
from hundi.kernel.states import DisputePhase
from hundi_testbed.bank.disputes import rules
from hundi_testbed.bank.disputes.messages import DisputeBody
from hundi_testbed.bank.disputes.rules import (
    BankDispute,
    DisputeClaim,
    Phase,
    PhaseStanding,
    Verdict,
)
from hundi_testbed.simulation.world import World

RESPOND_WITHIN = {
    Phase.RETRIEVAL: timedelta(days=2),
    Phase.CHARGEBACK: timedelta(days=2),
    Phase.PRE_ARBITRATION: timedelta(days=1),
    Phase.ARBITRATION: timedelta(days=1),
}
"""Shorter than at the running bank: a case goes through its phases while faults happen."""
REVIEW_S = (60.0, 20 * 3600.0)
"""How long the bank reviews an answer."""
WINS, LOSES = 0.4, 0.35
"""Probabilities that a contesting merchant keeps all, and loses all; else it loses a half."""
PAGE = 5
"""Phases on one page of the list."""


class BankDisputes:
    """The disputes at the bank.

    phases: by case and phase. tell: sends a callback about a reference. take: books the amount that
    the bank takes, and returns the RRN.
    """

    def __init__(
        self,
        world: World,
        tell: Callable[[DisputeBody, str], None],
        take: Callable[[str, int], str],
    ) -> None:
        """Start without disputes."""
        self._world = world
        self._tell = tell
        self._take = take
        self.phases: dict[PhaseName, BankDispute] = {}
        self._events = 0

    def of(self, original: str) -> list[BankDispute]:
        """Return the phases of a payment, oldest first."""
        return [each for each in self.phases.values() if each.original == original]

    def taken_paise(self, original: str) -> int:
        """Return the amount that the bank took of a payment."""
        return sum(each.taken_paise for each in self.of(original))

    def raise_phase(self, original: str, paise: int, phase: Phase) -> None:
        """Raise a dispute, or its next phase."""
        before, now = self.of(original), self._world.now
        case_no = f"DSP{len({each.case for each in self.phases}) + 1:06d}"
        claim = DisputeClaim(phase, original, paise, "INR", "10.4")
        until = now + RESPOND_WITHIN[phase]
        raised = rules.raised(claim, before[-1] if before else None, case_no, now, until)
        self._world.done[f"dispute: {phase}"] += 1
        self._keep(raised)
        self._world.loop.call_later(
            RESPOND_WITHIN[phase].total_seconds(), self._run_out, name_of(raised)
        )

    def _keep(self, dispute: BankDispute) -> None:
        """Keep a new or changed phase, and tell of it."""
        self.phases[name_of(dispute)] = dispute
        self._world.note(
            f"bank: {dispute.case_no} {dispute.phase} of {dispute.amount_paise}"
            f" is {dispute.standing}"
        )
        self._events += 1
        event_id = f"dispute-event-{self._events}"
        news = DisputeBody.of(event_id, dispute, dispute.original)
        self._tell(news, dispute.original)

    def _run_out(self, name: PhaseName) -> None:
        if self.phases[name].standing is PhaseStanding.OPEN:
            self._end(name)

    def answer(self, reply: DisputeAnswer) -> DisputeWord | Declined:
        """Record a merchant's answer, once."""
        dispute = self.phases[reply.name]
        if dispute.answer and dispute.answer != reply.reference:
            return Declined("61", "It has another answer")
        if not dispute.answer and dispute.standing is PhaseStanding.OPEN:
            drawn, accepted = self._world.random.random(), reply.accepted.paise
            verdict = Verdict.LOSES if drawn < WINS + LOSES else Verdict.LOSES_HALF
            verdict = Verdict.WINS if drawn < WINS else verdict
            whole = accepted == dispute.amount_paise
            self._keep(
                rules.answered(dispute, reply.reference, accepted, verdict, self._world.now, 0.0)
            )
            wait_s = 0.0 if whole else self._world.between(*REVIEW_S)
            self._world.loop.call_later(wait_s, self._end, reply.name)
        return word(self.phases[reply.name])

    def _end(self, name: PhaseName) -> None:
        dispute = self.phases[name]
        if dispute.standing not in rules.ENDED:
            paise = rules.taken_at_end(dispute)
            rrn = self._take(dispute.original, paise) if paise else ""
            self._keep(rules.ended(dispute, rrn, self._world.now))

    def inquire(self, name: PhaseName) -> DisputeWord | NothingThere:
        """Return the state of one phase."""
        dispute = self.phases.get(name)
        return word(dispute) if dispute else NothingThere()

    def page(self, since: datetime, after: str) -> DisputePage:
        """Return a page of undecided phases, and of those changed since a time."""
        listed = [
            each
            for each in self.phases.values()
            if each.standing not in rules.ENDED or each.changed_at >= since
        ]
        begins = int(after or 0)
        words = tuple(word(each) for each in listed[begins : begins + PAGE])
        return DisputePage(words, str(begins + PAGE) if begins + PAGE < len(listed) else "")


def name_of(dispute: BankDispute) -> PhaseName:
    """Return the name of a phase in the port's form."""
    return PhaseName(dispute.case_no, DisputePhase(dispute.phase))


def word(dispute: BankDispute) -> DisputeWord:
    """Return the bank's answer about one phase, in the port's form."""
    return DisputeWord(
        name_of(dispute),
        dispute.original,
        Standing(dispute.standing),
        Money(dispute.amount_paise),
        dispute.reason,
        dispute.respond_by,
        taken_paise=dispute.taken_paise,
        rrn=dispute.rrn,
    )
