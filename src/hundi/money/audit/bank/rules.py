"""Differences between an acquirer's books and ours, and how long inquiries may settle them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from hundi.acquirers.port.books import BookEntry
from hundi.kernel.states import AttemptState
from hundi.money.audit.rules import (
    BANK_VIOLATIONS,
    SAMPLES_MAX,
    SLACK,
    CheckResult,
    Sample,
    Violation,
)

ACCOUNTS_ASKED_EVERY = timedelta(minutes=30)
"""How soon money at a virtual account or for a voucher is found when its callback is lost.

See docs/spec/payment-interfaces.md#virtual-accounts.
"""


@dataclass(slots=True)
class BankTotal:
    """What the bank moved for one reference: the sum in paise, and the time of the last movement.

    settled_paise: the sum in INR for another currency, else 0.
    rrns: of the movements.
    """

    paise: int
    at: datetime
    currency: str = "INR"
    settled_paise: int = 0
    rrns: set[str] = field(default_factory=set)

    @property
    def words(self) -> str:
        """Return the amounts on which two books must agree, as text."""
        return _words(self.paise, self.currency, self.settled_paise)


@dataclass(frozen=True, slots=True)
class OurAttempt:
    """One attempt to compare.

    settled_at: when its outcome was recorded.
    asked_at: the next inquiry.
    settled_paise: as in BankTotal.
    """

    reference: str
    state: AttemptState
    received_paise: int
    expires_at: datetime
    settled_at: datetime | None
    asked_at: datetime | None
    currency: str = "INR"
    settled_paise: int = 0
    rrn: str = ""


_NOTHING = "0 paise"


def _words(paise: int, currency: str, settled_paise: int) -> str:
    return (
        f"{paise} paise"
        if currency == "INR" or not paise
        else f"{paise} in {currency}, {settled_paise} paise"
    )


_MOVED_HERE = frozenset({AttemptState.PAID, AttemptState.AUTHORISED, AttemptState.OVERPAID})
_MOVED_THERE = frozenset({"debit", "authorise"})
_GIVEN_BACK_THERE = frozenset({"refund"})
_CAPTURED_THERE = frozenset({"capture"})
_TAKEN_THERE = frozenset({"chargeback"})
_VOIDED_THERE = frozenset({"void"})
_PAID_OUT_THERE = frozenset({"payout"})


@dataclass(slots=True)
class BankBooks:
    """The bank's books by RRN, collected while they are read.

    A changed entry is listed again later.
    """

    _entries: dict[str, BookEntry] = field(default_factory=dict)

    def add(self, entry: BookEntry) -> None:
        """Add one entry; it replaces an earlier one of the same RRN."""
        self._entries[entry.rrn] = entry

    def __len__(self) -> int:
        """Return the number of movements."""
        return len(self._entries)

    def moved(self) -> dict[str, BankTotal]:
        """Return what customers were debited (or had held), by reference."""
        return self._totals(_MOVED_THERE)

    def given_back(self) -> dict[str, BankTotal]:
        """Return what customers were given back, by reference."""
        return self._totals(_GIVEN_BACK_THERE)

    def captured(self) -> dict[str, BankTotal]:
        """Return what was captured, by authorisation."""
        return self._totals(_CAPTURED_THERE)

    def disputed(self) -> dict[str, BankTotal]:
        """Return what was taken for disputes, by reference."""
        return self._totals(_TAKEN_THERE)

    def voided(self) -> dict[str, BankTotal]:
        """Return what was released, by authorisation."""
        return self._totals(_VOIDED_THERE)

    def paid_out(self) -> dict[str, BankTotal]:
        """Return what was paid out and did not come back, by payout."""
        return self._totals(_PAID_OUT_THERE)

    def _totals(self, kinds: frozenset[str]) -> dict[str, BankTotal]:
        totals: dict[str, BankTotal] = {}
        for entry in self._entries.values():
            if entry.kind not in kinds or entry.state != "done":
                continue
            total = totals.setdefault(entry.reference, BankTotal(0, entry.at, entry.currency))
            total.paise += entry.amount_paise
            total.settled_paise += entry.settled_paise
            total.at = max(total.at, entry.at)
            total.rrns.add(entry.rrn)
        return totals


@dataclass(frozen=True, slots=True)
class BooksDifference:
    """A difference between the bank and us about an attempt.

    settled_by: inquiries may settle it until then.
    """

    violation: Violation
    sample: Sample
    settled_by: datetime


def released(ours: OurAttempt, held: BankTotal | None, given_back: BankTotal | None) -> bool:
    """Return whether the bank held an unwanted amount and has released all of it."""
    if ours.state in _MOVED_HERE or held is None or given_back is None:
        return False
    return held.paise == given_back.paise


def compare(
    ours: OurAttempt, theirs: BankTotal | None, patience: timedelta
) -> BooksDifference | None:
    """Return how the bank's books differ from ours about one attempt, or None.

    patience: how long the connector's inquiry schedule runs, slack included; a younger difference
    is in flight.
    """
    moved = ours.state in _MOVED_HERE
    here = _words(ours.received_paise, ours.currency, ours.settled_paise) if moved else _NOTHING
    there = theirs.words if theirs else _NOTHING
    if here == there:
        return _other_rrn(ours, theirs, patience) if moved and theirs else None
    if theirs is None:
        violation, since = Violation.BANK_KNOWS_NOTHING, ours.settled_at or ours.expires_at
    else:
        violation = Violation.BANK_AMOUNT_DIFFERS if moved else Violation.BANK_MOVED_MORE
        since = max(theirs.at, ours.settled_at or theirs.at)
        if ours.state is AttemptState.OFFERED:
            # A QR is asked about when it expires, at the latest.
            since = max(since, ours.expires_at)
    settled_by = max(since + patience, (ours.asked_at or since) + SLACK)
    return BooksDifference(
        violation,
        Sample(ours.reference, f"{ours.state}: {here} here, {there} at the bank"),
        settled_by,
    )


def _other_rrn(ours: OurAttempt, theirs: BankTotal, patience: timedelta) -> BooksDifference | None:
    # A transfer or cash at a counter has the same number in both books: it is the RRN here.
    if ours.rrn in theirs.rrns or ours.rrn == ours.reference:
        return None
    difference = f"RRN {ours.rrn or 'none'} here, {', '.join(sorted(theirs.rrns))} at the bank"
    return BooksDifference(
        Violation.BANK_RRN_DIFFERS, Sample(ours.reference, difference), theirs.at + patience
    )


def compare_totals(
    violation: Violation,
    word: str,
    ours: Mapping[str, BankTotal],
    theirs: Mapping[str, BankTotal],
    patience: timedelta,
) -> list[BooksDifference]:
    """Return where the bank's sums by reference differ from ours.

    `at` of our sums is the time of their last change.
    """
    differences: list[BooksDifference] = []
    for reference in ours.keys() | theirs.keys():
        totals = ours.get(reference), theirs.get(reference)
        here, there = (total.words if total else _NOTHING for total in totals)
        if here != there:
            settled_by = max(total.at for total in totals if total) + patience
            sample = Sample(reference, f"{here} {word} here, {there} at the bank")
            differences.append(BooksDifference(violation, sample, settled_by))
        elif (our := totals[0]) and (their := totals[1]) and not our.rrns <= their.rrns:
            words = (
                f"{word} with RRN {', '.join(sorted(our.rrns - their.rrns))}, which the bank does"
                " not have"
            )
            differences.append(
                BooksDifference(
                    Violation.BANK_RRN_DIFFERS, Sample(reference, words), their.at + patience
                )
            )
    return differences


def unknown_reference(reference: str, theirs: BankTotal, patience: timedelta) -> BooksDifference:
    """Return a difference for money that belongs to no attempt of ours."""
    sample = Sample(reference, f"{theirs.words} at the bank")
    return BooksDifference(
        Violation.BANK_REFERENCE_UNKNOWN,
        sample,
        theirs.at + max(patience, ACCOUNTS_ASKED_EVERY + SLACK),
    )


def graded(
    differences: list[BooksDifference], now: datetime
) -> tuple[tuple[CheckResult, ...], int]:
    """Return the violations among the differences by name, and how many may still settle."""
    checked: list[CheckResult] = []
    for violation in Violation:
        if violation in BANK_VIOLATIONS:
            late = [
                each.sample
                for each in differences
                if each.violation is violation and each.settled_by < now
            ]
            checked.append(CheckResult(violation, len(late), tuple(late[:SAMPLES_MAX])))
    return tuple(checked), sum(each.settled_by >= now for each in differences)
