"""The disputes of a simulation's bank: it raises phases, records answers, and decides."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi.acquirers.port.answers import Declined, NothingThere
from hundi.acquirers.port.disputes import (
    DECIDED,
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    PhaseName,
    Standing,
)
from hundi.kernel.money import Money
from hundi.kernel.states import DisputePhase
from hundi_testbed.simulation.world import World

RESPOND_WITHIN = {
    DisputePhase.RETRIEVAL: timedelta(days=2),
    DisputePhase.CHARGEBACK: timedelta(days=2),
    DisputePhase.PRE_ARBITRATION: timedelta(days=1),
    DisputePhase.ARBITRATION: timedelta(days=1),
}
REVIEW_S = (60.0, 20 * 3600.0)
"""How long the bank reviews an answer."""
WINS, LOSES = 0.4, 0.35
"""Probabilities that a contesting merchant keeps all, and loses all; else it loses a part."""
PAGE = 5
"""Phases on one page of the list."""
AT_STAKE = frozenset(DisputePhase) - {DisputePhase.RETRIEVAL}
"""The phases in which the bank claims money."""


@dataclass(slots=True)
class SimulatedDispute:
    """One phase of a dispute. will: the amount that the bank takes when it decides.

    taken: whether it took that.
    """

    name: PhaseName
    original: str
    paise: int
    respond_by: datetime
    standing: Standing = Standing.OPEN
    changed_at: datetime | None = None
    answer: DisputeAnswer | None = None
    will_paise: int = 0
    taken_paise: int = 0
    rrn: str = ""


class BankDisputes:
    """The disputes at the bank.

    phases: by case and phase. tell: sends a callback about a reference, under an event's id.
    events: the phase of each event. take: books the amount that the bank takes, and returns the
    RRN.
    """

    def __init__(
        self, world: World, tell: Callable[[str, str], None], take: Callable[[str, int], str]
    ) -> None:
        """Start without disputes."""
        self._world = world
        self._tell = tell
        self._take = take
        self.phases: dict[PhaseName, SimulatedDispute] = {}
        self.events: dict[str, PhaseName] = {}
        self._numbers = 0

    def of(self, original: str) -> list[SimulatedDispute]:
        """Return the phases of a payment, oldest first."""
        return [each for each in self.phases.values() if each.original == original]

    def taken_paise(self, original: str) -> int:
        """Return the amount that the bank took of a payment."""
        return sum(each.taken_paise for each in self.of(original))

    def raise_phase(self, original: str, paise: int, phase: DisputePhase) -> None:
        """Raise a dispute, or its next phase."""
        before = self.of(original)
        phases = list(DisputePhase)
        goes_on = bool(before) and phases.index(before[-1].name.phase) < phases.index(phase)
        if not goes_on:
            self._numbers += 1
        case = before[-1].name.case if goes_on else f"DSP{self._numbers:06d}"
        new = SimulatedDispute(
            PhaseName(case, phase), original, paise, self._world.now + RESPOND_WITHIN[phase]
        )
        self.phases[new.name] = new
        self._world.done[f"dispute: {phase}"] += 1
        self._changed(new, Standing.OPEN)
        self._world.loop.call_later(RESPOND_WITHIN[phase].total_seconds(), self._run_out, new)

    def _changed(self, dispute: SimulatedDispute, standing: Standing) -> None:
        dispute.standing, dispute.changed_at = standing, self._world.now
        self._world.note(
            f"bank: {dispute.name.case} {dispute.name.phase} of {dispute.paise} is {standing}"
        )
        event_id = f"dispute-event-{len(self.events) + 1}"
        self.events[event_id] = dispute.name
        self._tell(event_id, dispute.original)

    def _run_out(self, dispute: SimulatedDispute) -> None:
        if dispute.standing is Standing.OPEN:
            dispute.will_paise = dispute.paise
            self._decide(dispute)

    def answer(self, reply: DisputeAnswer) -> DisputeWord | Declined:
        """Record a merchant's answer, once."""
        dispute = self.phases[reply.name]
        if dispute.answer is not None and dispute.answer.reference != reply.reference:
            return Declined("61", "It has another answer")
        if dispute.answer is None and dispute.standing is Standing.OPEN:
            dispute.answer = reply
            accepted = reply.accepted.paise
            drawn = self._world.random.random()
            left = dispute.paise - accepted
            lost = 0 if drawn < WINS else left if drawn < WINS + LOSES else left // 2
            dispute.will_paise = accepted + lost
            self._changed(dispute, Standing.UNDER_REVIEW)
            wait_s = 0.0 if not left else self._world.between(*REVIEW_S)
            self._world.loop.call_later(wait_s, self._decide, dispute)
        return self.word(dispute)

    def _decide(self, dispute: SimulatedDispute) -> None:
        if dispute.standing in DECIDED:
            return
        if dispute.name.phase is DisputePhase.RETRIEVAL:
            self._changed(dispute, Standing.CLOSED)
            return
        dispute.taken_paise = dispute.will_paise
        if dispute.taken_paise:
            dispute.rrn = self._take(dispute.original, dispute.taken_paise)
        self._changed(dispute, Standing.LOST if dispute.taken_paise else Standing.WON)

    def word(self, dispute: SimulatedDispute) -> DisputeWord:
        """Return the bank's answer about one phase."""
        return DisputeWord(
            dispute.name,
            dispute.original,
            dispute.standing,
            Money(dispute.paise),
            reason="10.4",
            respond_by=dispute.respond_by,
            taken_paise=dispute.taken_paise,
            rrn=dispute.rrn,
        )

    def inquire(self, name: PhaseName) -> DisputeWord | NothingThere:
        """Return the state of one phase."""
        dispute = self.phases.get(name)
        return self.word(dispute) if dispute else NothingThere()

    def page(self, since: datetime, after: str) -> DisputePage:
        """Return a page of undecided phases, and of those changed since a time."""
        listed = [
            each
            for each in self.phases.values()
            if each.standing not in DECIDED or _since(each, since)
        ]
        begins = int(after or 0)
        words = tuple(self.word(each) for each in listed[begins : begins + PAGE])
        return DisputePage(words, str(begins + PAGE) if begins + PAGE < len(listed) else "")


def _since(dispute: SimulatedDispute, moment: datetime) -> bool:
    return dispute.changed_at is not None and dispute.changed_at >= moment
