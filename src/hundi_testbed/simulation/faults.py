"""The faults of a simulation: each by name, with its probability and its count."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random


class Fault(StrEnum):
    """One kind of fault."""

    CALL_REFUSED = "call refused"
    """A merchant's, customer's or bank's call never reaches the gateway, and the caller knows it.
    """
    CALL_LOST = "call lost"
    """It never reaches the gateway, and the caller waits for nothing."""
    CALL_TWICE = "call sent twice"
    """It arrives twice, the second time later."""
    CALL_LATE = "call late"
    """It arrives after others that were sent later."""
    REPLY_LOST = "reply lost"
    """The gateway acted, and its reply never arrives."""
    BANK_REFUSED = "bank refused connection"
    """The gateway's call never reaches the bank, and the gateway knows it."""
    BANK_CALL_LOST = "bank call lost"
    """The gateway's call never reaches the bank, and the gateway does not know it."""
    BANK_CALL_LATE = "bank call late"
    """The gateway's call reaches the bank after the gateway stopped waiting."""
    BANK_CALL_TWICE = "bank call sent twice"
    """The bank gets the gateway's call twice."""
    BANK_REPLY_LOST = "bank reply lost"
    """The bank acted, and its reply never arrives."""
    BANK_SLOW = "bank undecided"
    """The bank says that a payment is pending, and decides it minutes or hours later."""
    BANK_FORGETS = "bank knows nothing"
    """The bank says that it has no record of a payment, and finds it hours later.

    A late success.
    """
    CALLBACK_LOST = "callback lost"
    """The bank believes that it told the gateway, and did not."""
    CALLBACK_TWICE = "callback sent twice"
    """The bank tells the same twice."""
    SHOP_DOWN = "merchant's server down"
    """The merchant's server takes no notification."""
    SHOP_REPLY_LOST = "merchant's reply lost"
    """The merchant's server took a notification, and its answer never arrives."""
    WAKEUP_LOST = "wake-up lost"
    """A process does not hear that something is due."""
    DATABASE_LOST = "database connection lost"
    """A statement is not run, and the process's connection ends."""
    COMMIT_UNHEARD = "commit unheard"
    """A statement or transaction is committed, and the connection ends before the process hears it.
    """
    CLOCK_JUMP = "clock jump"
    """A process's clock is moved by seconds or minutes, back or ahead."""
    KILL_API = "api killed"
    """A process that serves interfaces is killed."""
    KILL_WORKER = "worker killed"
    """A worker is killed."""
    KILL_BETWEEN = "killed at a statement"
    """A process is killed between two statements, or before it hears of a commit."""


USUAL: Mapping[Fault, float] = {
    Fault.CALL_REFUSED: 0.02,
    Fault.CALL_LOST: 0.02,
    Fault.CALL_TWICE: 0.04,
    Fault.CALL_LATE: 0.05,
    Fault.REPLY_LOST: 0.03,
    Fault.BANK_REFUSED: 0.03,
    Fault.BANK_CALL_LOST: 0.03,
    Fault.BANK_CALL_LATE: 0.03,
    Fault.BANK_CALL_TWICE: 0.04,
    Fault.BANK_REPLY_LOST: 0.04,
    Fault.BANK_SLOW: 0.12,
    Fault.BANK_FORGETS: 0.04,
    Fault.CALLBACK_LOST: 0.15,
    Fault.CALLBACK_TWICE: 0.08,
    Fault.SHOP_DOWN: 0.08,
    Fault.SHOP_REPLY_LOST: 0.05,
    Fault.WAKEUP_LOST: 0.1,
    Fault.DATABASE_LOST: 0.0004,
    Fault.COMMIT_UNHEARD: 0.0004,
    Fault.KILL_BETWEEN: 0.0002,
    Fault.CLOCK_JUMP: 1.0,
    Fault.KILL_API: 1.5,
    Fault.KILL_WORKER: 2.0,
}
"""Probability of each fault where it can happen.

Of kills and clock jumps, the number in an hour.
"""
SLOW: Mapping[Fault, float] = {
    Fault.DATABASE_LOST: 0.003,
    Fault.COMMIT_UNHEARD: 0.003,
    Fault.KILL_BETWEEN: 0.003,
    Fault.CLOCK_JUMP: 0.1,
    Fault.KILL_API: 0.1,
    Fault.KILL_WORKER: 0.2,
}
"""Other probabilities for the days of settlements, payouts and disputes.

Less happens, so more of it fails.
"""
NONE: Mapping[Fault, float] = {}


@dataclass(slots=True)
class Faults:
    """Draws and counts faults.

    weights: as in USUAL; a missing fault never happens.
    """

    random: Random
    weights: Mapping[Fault, float]
    counted: Counter[Fault] = field(default_factory=Counter)

    def strikes(self, fault: Fault) -> bool:
        """Return whether a fault happens here and now."""
        weight = self.weights.get(fault, 0.0)
        # Drawn also where it cannot happen: another weight then leaves the rest of a run unchanged.
        struck = self.random.random() < weight
        self.counted[fault] += struck
        return struck

    def first(self, *faults: Fault) -> Fault | None:
        """Return the first of several faults that happens, at most one."""
        struck = [each for each in faults if self.random.random() < self.weights.get(each, 0.0)]
        if struck:
            self.counted[struck[0]] += 1
            return struck[0]
        return None

    def heal(self) -> None:
        """End all faults."""
        self.weights = NONE
