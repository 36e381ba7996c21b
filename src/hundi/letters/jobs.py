"""Later work on letters: send what is due."""

from functools import partial

from hundi.infra.background.due import Clock, DueLoop, Pace
from hundi.infra.background.due_rows import Claim, Due, LeasedWork
from hundi.kernel.clock import utc_now
from hundi.letters import actions, store
from hundi.letters.actions import LetterContext
from hundi.letters.rules import Letter

PACE = Pace(poll_s=1.0, in_flight_max=12, peer_in_flight_max=8, idle_s=15.0)


def letters(context: LetterContext, *, clock: Clock = utc_now) -> DueLoop[Letter]:
    """Return the loop that sends letters; a relay has at most a few at once."""
    db = context.db
    claim = Claim(actions.LEASE, partial(store.claim, db), partial(store.put_back, db))
    work = LeasedWork(
        "letters",
        PACE,
        partial(store.due, db),
        claim,
        partial(actions.send, context),
        due=_due,
        able=lambda _: True,
    )
    return DueLoop(work, listen=partial(db.listen, actions.DUE_CHANNEL), clock=clock)


def _due(letter: Letter) -> Due:
    return Due(letter.merchant_id, letter.letter_id, letter.channel)
