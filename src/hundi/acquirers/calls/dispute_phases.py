"""The standing of a dispute's other phases, where an acquirer tells only the latest; pure."""

from hundi.acquirers.port.answers import NothingThere
from hundi.acquirers.port.disputes import Standing
from hundi.kernel.states import DisputePhase

_ORDER = tuple(DisputePhase)


def standing_of_other(now: DisputePhase, other: DisputePhase) -> Standing | NothingThere:
    """Return the standing of a phase other than the dispute's current one.

    A later one has not begun. An earlier one has ended: pre-arbitration and arbitration follow a
    chargeback that was won, as acquirers define them.
    """
    assert now is not other
    if _ORDER.index(now) < _ORDER.index(other):
        return NothingThere()
    return Standing.CLOSED if other is DisputePhase.RETRIEVAL else Standing.WON
