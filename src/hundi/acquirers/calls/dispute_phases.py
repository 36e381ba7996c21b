"""Where the other phases of a dispute stand, of which an acquirer tells the latest alone; pure."""

from hundi.acquirers.port.answers import NothingThere
from hundi.acquirers.port.disputes import Standing
from hundi.kernel.states import DisputePhase

_ORDER = tuple(DisputePhase)


def standing_of_other(now: DisputePhase, asked: DisputePhase) -> Standing | NothingThere:
    """Return where another phase stands than the one that a dispute is in.

    A later one has not begun. An earlier one has ended: pre-arbitration and arbitration follow a
    chargeback that was won, as acquirers define them.
    """
    assert now is not asked
    if _ORDER.index(now) < _ORDER.index(asked):
        return NothingThere()
    return Standing.CLOSED if asked is DisputePhase.RETRIEVAL else Standing.WON
