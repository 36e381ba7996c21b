"""The disputes of a simulation's bank: it raises phases, records answers, and decides."""

from datetime import timedelta

from hundi_testbed.bank.disputes import rules
from hundi_testbed.bank.disputes.messages import (
    AnswerRequest,
    BankDisputeAnswer,
    DisputeBody,
    DisputeList,
    DisputeQuestion,
    ListRequest,
)
from hundi_testbed.bank.disputes.rules import (
    BankDispute,
    ContestVerdict,
    DisputeClaim,
    Phase,
    PhaseStanding,
)
from hundi_testbed.bank.messages import DeclinedAnswer
from hundi_testbed.simulation.bank_books import SimulatedBooks
from hundi_testbed.simulation.world import World

PhaseKey = tuple[str, Phase]
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
    """The disputes at the bank. phases: by case number and phase."""

    def __init__(self, world: World, books: SimulatedBooks) -> None:
        """Start without disputes."""
        self._world = world
        self._books = books
        self.phases: dict[PhaseKey, BankDispute] = {}

    def of(self, original: str) -> list[BankDispute]:
        """Return the phases of a payment, oldest first."""
        return [each for each in self.phases.values() if each.original == original]

    def taken_paise(self, original: str) -> int:
        """Return the amount that the bank took of a payment."""
        return sum(each.taken_paise for each in self.of(original))

    def raise_phase(self, original: str, paise: int, phase: Phase) -> None:
        """Raise a dispute, or its next phase."""
        before, now = self.of(original), self._world.now
        case_no = f"DSP{len({case for case, _ in self.phases}) + 1:012d}"
        claim = DisputeClaim(phase, original, paise, "INR", "10.4")
        until = now + RESPOND_WITHIN[phase]
        raised = rules.raised(claim, before[-1] if before else None, case_no, now, until)
        self._world.done[f"dispute: {phase}"] += 1
        self._keep(raised)
        self._world.loop.call_later(
            RESPOND_WITHIN[phase].total_seconds(), self._run_out, (raised.case_no, phase)
        )

    def _keep(self, dispute: BankDispute) -> None:
        """Keep a new or changed phase, and tell of it."""
        self.phases[dispute.case_no, dispute.phase] = dispute
        self._world.note(
            f"bank: {dispute.case_no} {dispute.phase} of {dispute.amount_paise}"
            f" is {dispute.standing}"
        )
        news = DisputeBody.of(self._books.event_id(), dispute, dispute.original)
        self._books.send(news, dispute.original, of_dispute=True)

    def _run_out(self, key: PhaseKey) -> None:
        if self.phases[key].standing is PhaseStanding.OPEN:
            self._end(key)

    def answer(self, request: AnswerRequest) -> BankDisputeAnswer | DeclinedAnswer:
        """Record a merchant's answer, once."""
        key, accepted = (request.dispute, request.phase), request.accepted_paise
        dispute = self.phases[key]
        if dispute.answer and dispute.answer != request.answer:
            return DeclinedAnswer("61", "It has another answer")
        if not dispute.answer and dispute.standing is PhaseStanding.OPEN:
            drawn, now = self._world.random.random(), self._world.now
            verdict = ContestVerdict.LOSES if drawn < WINS + LOSES else ContestVerdict.LOSES_HALF
            verdict = ContestVerdict.WINS if drawn < WINS else verdict
            self._keep(rules.answered(dispute, request.answer, accepted, verdict, now, 0.0))
            whole = accepted == dispute.amount_paise
            wait_s = 0.0 if whole else self._world.between(*REVIEW_S)
            self._world.loop.call_later(wait_s, self._end, key)
        return _told(self.phases[key])

    def _end(self, key: PhaseKey) -> None:
        dispute = self.phases[key]
        if dispute.standing in rules.ENDED:
            return
        paise, rrn = rules.taken_at_end(dispute), ""
        if paise:
            rrn = self._books.number()
            self._books.write("chargeback", dispute.original, rrn, paise)
        self._keep(rules.ended(dispute, rrn, self._world.now))

    def inquire(self, request: DisputeQuestion) -> BankDisputeAnswer:
        """Return the state of one phase."""
        dispute = self.phases.get((request.dispute, request.phase))
        return _told(dispute) if dispute else BankDisputeAnswer("not_found")

    def page(self, request: ListRequest) -> DisputeList:
        """Return a page of undecided phases, and of those changed since a time."""
        listed = sorted(
            (each.case_no, each.phase, each)
            for each in self.phases.values()
            if each.standing not in rules.ENDED or each.changed_at >= request.since
        )
        after = [each for *name, each in listed if tuple(name) > request.after]
        return DisputeList([_told(each) for each in after[:PAGE]])


def _told(dispute: BankDispute) -> BankDisputeAnswer:
    return BankDisputeAnswer.of(dispute, dispute.original)
