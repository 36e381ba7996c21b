"""What follows from how a mandate stands, for connectors that ask so before each call about it."""

from hundi.acquirers.port.answers import Declined, NothingThere, Unknown
from hundi.acquirers.port.mandates import MandateStanding, MandateState

OVER = Declined("mandate_over", "The mandate is over.", mandate_over=True)
PAUSED = Declined("mandate_paused", "The customer paused the mandate.", mandate_paused=True)
_OVER = frozenset({MandateState.ENDED, MandateState.FAILED})


def hindrance(found: MandateStanding | NothingThere | Unknown) -> Declined | Unknown | None:
    """Return why a mandate takes neither notice nor debit, None where it does."""
    if isinstance(found, Unknown):
        return found
    if isinstance(found, NothingThere) or is_over(found):
        return OVER
    if found.state is MandateState.PENDING:
        return Unknown("pending", "nobody has approved the mandate yet")
    return PAUSED if found.state is MandateState.PAUSED else None


def is_over(found: MandateStanding | NothingThere | Unknown) -> bool:
    """Return whether a mandate debits nothing any more."""
    return isinstance(found, NothingThere) or (
        isinstance(found, MandateStanding) and found.state in _OVER
    )
