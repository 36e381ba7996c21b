"""The allowed moves of payments and attempts, and groups of their states; pure.

The moves are those of docs/spec/states-and-codes.md#payment-moves.
"""

from collections.abc import Mapping

from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P

LIVE = frozenset({A.SENT, A.AUTHENTICATING, A.AUTHORISING, A.PENDING})
"""The states of an attempt at a bank: its outcome is open."""
SUCCESSFUL = frozenset({A.PAID, A.AUTHORISED})
MOVED = SUCCESSFUL | {A.OVERPAID}
"""The states in which the bank moved or holds the money; no later answer changes that."""

_CAME_TO_NOTHING = frozenset({A.FAILED, A.NOT_REGISTERED, A.EXPIRED})
OUTCOMES = MOVED | _CAME_TO_NOTHING | {A.UNKNOWN}
"""The outcomes of an attempt, though a late answer of the bank may still change one."""
ATTEMPT_MOVES: Mapping[A, frozenset[A]] = {
    A.OFFERED: OUTCOMES | {A.PENDING},
    A.SENT: OUTCOMES | {A.AUTHENTICATING, A.PENDING},
    A.AUTHENTICATING: OUTCOMES | {A.AUTHORISING, A.PENDING},
    A.AUTHORISING: OUTCOMES | {A.PENDING},
    A.PENDING: OUTCOMES,
    A.FAILED: MOVED,
    A.NOT_REGISTERED: MOVED,
    A.EXPIRED: MOVED,
    A.UNKNOWN: MOVED | _CAME_TO_NOTHING,
    A.PAID: frozenset({A.OVERPAID}),  # only a review that rejects the payment
    A.AUTHORISED: frozenset(),
    A.OVERPAID: frozenset(),
}

_TO_SUCCESS = frozenset({P.PAID, P.AUTHORISED, P.UNDER_REVIEW})
_ENDINGS = frozenset({P.FAILED, P.NOT_REGISTERED, P.ABANDONED, P.UNKNOWN, P.EXPIRED})
PAYMENT_MOVES: Mapping[P, frozenset[P]] = {
    P.OPEN: frozenset({P.IN_PROCESS}) | _TO_SUCCESS | _ENDINGS,
    P.IN_PROCESS: frozenset({P.OPEN}) | _TO_SUCCESS | _ENDINGS,
    P.FAILED: frozenset({P.OPEN, P.IN_PROCESS}) | _TO_SUCCESS,
    P.NOT_REGISTERED: frozenset({P.OPEN, P.IN_PROCESS}) | _TO_SUCCESS,
    P.ABANDONED: frozenset({P.OPEN, P.IN_PROCESS}) | _TO_SUCCESS,
    P.EXPIRED: frozenset({P.OPEN, P.IN_PROCESS}) | _TO_SUCCESS,
    P.UNKNOWN: frozenset({P.FAILED, P.NOT_REGISTERED, P.ABANDONED, P.EXPIRED}) | _TO_SUCCESS,
    P.UNDER_REVIEW: frozenset({P.PAID, P.AUTHORISED, P.FAILED, P.CAPTURED, P.VOIDED}),
    P.AUTHORISED: frozenset({P.CAPTURED, P.VOIDED}),
    P.PAID: frozenset(),
    P.CAPTURED: frozenset(),
    P.VOIDED: frozenset(),
}
UNPAID_AND_ENDED = _ENDINGS
"""The states in which nothing can be paid any more: money that comes now is late.

See docs/spec/states-and-codes.md#late-success.
"""
REOPENABLE = frozenset({P.OPEN}) | _ENDINGS - {P.UNKNOWN}
"""The states from which the same order, sent again, opens the payment once more.

Not an unanswered one: the bank may have the money.
"""
