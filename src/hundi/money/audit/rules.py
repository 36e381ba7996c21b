"""The rules that the books must keep, each with a name for its violation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from hundi.acquirers.books import BookEntry
from hundi.kernel.states import AttemptState

SAMPLES_MAX = 20
"""Violations shown of each name; all are counted."""
SLACK = timedelta(seconds=120)
"""Beyond the inquiry schedule: a worker's restart, a busy moment."""
ACCOUNTS_ASKED_EVERY = timedelta(minutes=30)
"""Money whose news is lost, at an account or for a voucher, is found within this.

See docs/spec/payment-interfaces.md#virtual-accounts.
"""


class Violation(StrEnum):
    """The names of what must never be found; each member's text is what was promised."""

    POSTING_MISSING = "posting_missing"
    """A paid or overpaid attempt has its posting."""
    POSTING_DIFFERS = "posting_differs"
    """A posting has its attempt's amount and currency, and the accounts of the chart for its kind."""
    POSTING_ORPHAN = "posting_orphan"
    """A posting's attempt exists and moved money the way the posting says."""
    CAUSE_MISSING = "cause_missing"
    """What came in has the event by which it came, and what is owed back has the one that made it owed."""
    SECOND_SUCCESS = "second_success"
    """An order has at most one successful attempt."""
    PAYMENT_STATE_DIFFERS = "payment_state_differs"
    """A payment's state is the one its attempts give."""
    PAID_AMOUNT_DIFFERS = "paid_amount_differs"
    """What a paid order was asked for, what came in, and what counts as captured are one amount."""
    ATTEMPT_FORGOTTEN = "attempt_forgotten"
    """An attempt whose outcome is open has a time at which the bank is asked again."""
    EVENT_GAP = "event_gap"
    """A payment's events are numbered 1, 2, 3 … up to its revision."""
    EVENT_ORPHAN = "event_orphan"
    """An event's payment exists."""
    EVENT_STATE_DIFFERS = "event_state_differs"
    """A payment's last event left it in the state it is in."""
    REFUNDED_DIFFERS = "refunded_differs"
    """What a payment counts as refunded is the sum of its refunds that did not fail, and no more than was captured."""
    REFUND_POSTING_DIFFERS = "refund_posting_differs"
    """A refund has the postings of its state, with its amount and its accounts, and no others."""
    CAPTURED_DIFFERS = "captured_differs"
    """A captured authorisation has a posting of what it captured, and one that was not captured has none."""
    COMPLETION_FORGOTTEN = "completion_forgotten"
    """A capture or void that is not settled has a time at which somebody asks about it."""
    SPLIT_DIFFERS = "split_differs"
    """The parts of a split and what stays with the merchant are together what was shared."""
    REFUND_FORGOTTEN = "refund_forgotten"
    """A refund that is not settled has a time at which somebody goes on with it."""
    DEBIT_DIFFERS = "debit_differs"
    """A debit of a subscription is done if its order is paid, the amount is the same, and its notice was in time."""
    DEBIT_FORGOTTEN = "debit_forgotten"
    """A debit that has not ended, and an active subscription that has further periods, is due at some time."""
    DELIVERY_MISSING = "delivery_missing"
    """An event that the merchant is to be told of has its delivery."""
    DELIVERY_ORPHAN = "delivery_orphan"
    """A delivery has its event, and says of it what happened."""
    DELIVERY_UNPROVEN = "delivery_unproven"
    """A delivery that counts as delivered has a try that was answered 2xx."""
    CHECKPOINT_DIFFERS = "checkpoint_differs"
    """A checkpoint is the sum of the postings it covers."""
    TRIAL_BALANCE = "trial_balance"
    """All checkpoints of a merchant together are zero in each currency."""
    BANK_KNOWS_NOTHING = "bank_knows_nothing"
    """Money that counts as moved here was moved by the bank."""
    BANK_MOVED_MORE = "bank_moved_more"
    """Money the bank moved for an attempt of ours counts as moved here."""
    BANK_AMOUNT_DIFFERS = "bank_amount_differs"
    """The bank and we have the same amount for an attempt."""
    BANK_REFUNDS_DIFFER = "bank_refunds_differ"
    """What the bank gave back from an attempt is what we count as refunded from it."""
    BANK_ENDINGS_DIFFER = "bank_endings_differ"
    """What the bank captured of an authorisation, or gave back of it, is what we count."""
    BANK_REFERENCE_UNKNOWN = "bank_reference_unknown"
    """Money the bank moved names an attempt of ours."""


BANK_VIOLATIONS = frozenset(
    {
        Violation.BANK_KNOWS_NOTHING,
        Violation.BANK_MOVED_MORE,
        Violation.BANK_AMOUNT_DIFFERS,
        Violation.BANK_REFUNDS_DIFFER,
        Violation.BANK_ENDINGS_DIFFER,
        Violation.BANK_REFERENCE_UNKNOWN,
    }
)


class Note(StrEnum):
    """The names of what a person should know and nobody has done wrong."""

    IN_FLIGHT = "in_flight"
    """Attempts whose outcome is open."""
    NOT_ASKED = "not_asked"
    """Attempts whose inquiry is overdue: is a worker running?"""
    OWED_BACK = "owed_back"
    """Attempts whose money an order could not keep: owed back to customers."""
    REFUNDS_UNDER_WAY = "refunds_under_way"
    """Refunds that are to be sent or whose outcome the bank has not said."""
    UNCAPTURED = "uncaptured"
    """Authorisations that were neither captured nor given back."""
    UNDER_REVIEW = "under_review"
    """Payments that wait for an operator's review."""
    DELIVERIES_WAITING = "deliveries_waiting"
    """Deliveries that are still to be sent."""
    DELIVERIES_OVERDUE = "deliveries_overdue"
    """Deliveries that should have been sent by now: is a worker running?"""
    DELIVERIES_EXHAUSTED = "deliveries_exhausted"
    """Deliveries that ran out of their schedule; they can be replayed."""
    DELIVERIES_WITHOUT_ENDPOINT = "deliveries_without_endpoint"
    """Deliveries of merchants without a notification address; they can be replayed."""
    ENDPOINTS_FAILING = "endpoints_failing"
    """Merchants' endpoints that are only probed."""
    BANK_BEHIND = "bank_behind"
    """Differences with the bank that the inquiry schedule may still settle."""
    BANK_NOT_COMPARED = "bank_not_compared"
    """Acquirers whose books were not compared with ours: they show none, or could not be read."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One place where a rule is broken. subject: such as `merchant-payment`. found: the value there."""

    subject: str
    found: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What one check found: how many violations, and the first of them."""

    violation: Violation
    count: int
    samples: tuple[Sample, ...] = ()


class Compared(StrEnum):
    """What became of the comparison with one acquirer's books."""

    COMPARED = "compared"
    """Every entry was compared."""
    UNREACHABLE = "unreachable"
    """Its books could not be read now."""
    NO_BOOKS = "no_books"
    """Its connector cannot read its books."""
    NOT_CONFIGURED = "not_configured"
    """Attempts name it, and it is not configured here."""


@dataclass(frozen=True, slots=True)
class Report:
    """The whole audit.

    checked: every check that was made, also those that found nothing. notes: what to know. figures: what was looked at.
    acquirers: by name, whether its books were compared.
    """

    at: datetime
    checked: tuple[Checked, ...]
    notes: Mapping[Note, int]
    figures: Mapping[str, int]
    acquirers: Mapping[str, Compared]

    @property
    def holds(self) -> bool:
        """Return whether every promise is kept."""
        return not any(each.count for each in self.checked)


@dataclass(slots=True)
class BankTotal:
    """What the bank moved for one reference: paise in all, and when it moved last.

    settled_paise: what another currency than the rupee comes to in rupees, else 0.
    """

    paise: int
    at: datetime
    currency: str = "INR"
    settled_paise: int = 0

    @property
    def words(self) -> str:
        """Return what two books have to agree on."""
        return _words(self.paise, self.currency, self.settled_paise)


@dataclass(frozen=True, slots=True)
class OurAttempt:
    """One attempt to compare. settled_at: when its outcome was recorded. asked_at: the next inquiry.

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


_NOTHING = "0 paise"


def _words(paise: int, currency: str, settled_paise: int) -> str:
    return f"{paise} paise" if currency == "INR" or not paise else f"{paise} in {currency}, {settled_paise} paise"


_MOVED_HERE = frozenset({AttemptState.PAID, AttemptState.AUTHORISED, AttemptState.OVERPAID})
_MOVED_THERE = frozenset({"debit", "authorise"})
_GIVEN_BACK_THERE = frozenset({"refund"})
_CAPTURED_THERE = frozenset({"capture"})
_VOIDED_THERE = frozenset({"void"})


@dataclass(slots=True)
class BankBooks:
    """The bank's books, collected by RRN while they are read: a changed entry is listed again later."""

    _entries: dict[str, BookEntry] = field(default_factory=dict)

    def add(self, entry: BookEntry) -> None:
        """Take one entry; a later one of the same RRN replaces it."""
        self._entries[entry.rrn] = entry

    def __len__(self) -> int:
        """Return how many movements there are."""
        return len(self._entries)

    def moved(self) -> dict[str, BankTotal]:
        """Return what customers were debited (or had held) for each reference."""
        return self._totals(_MOVED_THERE)

    def given_back(self) -> dict[str, BankTotal]:
        """Return what customers were given back of each reference."""
        return self._totals(_GIVEN_BACK_THERE)

    def captured(self) -> dict[str, BankTotal]:
        """Return what was collected of each authorisation."""
        return self._totals(_CAPTURED_THERE)

    def voided(self) -> dict[str, BankTotal]:
        """Return what was given back of each authorisation."""
        return self._totals(_VOIDED_THERE)

    def _totals(self, kinds: frozenset[str]) -> dict[str, BankTotal]:
        totals: dict[str, BankTotal] = {}
        for entry in self._entries.values():
            if entry.kind not in kinds or entry.state != "done":
                continue
            total = totals.setdefault(entry.reference, BankTotal(0, entry.at, entry.currency))
            total.paise += entry.amount_paise
            total.settled_paise += entry.settled_paise
            total.at = max(total.at, entry.at)
        return totals


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between the bank and us about an attempt.

    settled_by: until then the inquiries may settle it.
    """

    violation: Violation
    sample: Sample
    settled_by: datetime


def released(ours: OurAttempt, held: BankTotal | None, given_back: BankTotal | None) -> bool:
    """Return whether the bank held an unwanted amount and has released all of it: no difference is left."""
    if ours.state in _MOVED_HERE or held is None or given_back is None:
        return False
    return held.paise == given_back.paise


def compare(ours: OurAttempt, theirs: BankTotal | None, patience: timedelta) -> Difference | None:
    """Return how the bank's books differ from ours about one attempt, or None.

    patience: how long the connector's inquiry schedule runs, slack included; a difference younger than that is in
    flight.
    """
    moved = ours.state in _MOVED_HERE
    here = _words(ours.received_paise, ours.currency, ours.settled_paise) if moved else _NOTHING
    there = theirs.words if theirs else _NOTHING
    if here == there:
        return None
    if theirs is None:
        violation, since = Violation.BANK_KNOWS_NOTHING, ours.settled_at or ours.expires_at
    else:
        violation = Violation.BANK_AMOUNT_DIFFERS if moved else Violation.BANK_MOVED_MORE
        since = max(theirs.at, ours.settled_at or theirs.at)
        if ours.state is AttemptState.OFFERED:
            # A QR is asked about at its end at the latest.
            since = max(since, ours.expires_at)
    settled_by = max(since + patience, (ours.asked_at or since) + SLACK)
    return Difference(violation, Sample(ours.reference, f"{ours.state}: {here} here, {there} at the bank"), settled_by)


def compare_totals(
    violation: Violation, word: str, ours: Mapping[str, BankTotal], theirs: Mapping[str, BankTotal], patience: timedelta
) -> list[Difference]:
    """Return where the bank's sums by reference differ from ours; `at` of ours is when it last went on."""
    differences: list[Difference] = []
    for reference in ours.keys() | theirs.keys():
        totals = ours.get(reference), theirs.get(reference)
        here, there = (total.words if total else _NOTHING for total in totals)
        if here != there:
            settled_by = max(total.at for total in totals if total) + patience
            sample = Sample(reference, f"{here} {word} here, {there} at the bank")
            differences.append(Difference(violation, sample, settled_by))
    return differences


def unknown_reference(reference: str, theirs: BankTotal, patience: timedelta) -> Difference:
    """Return the difference that money of no attempt of ours is."""
    sample = Sample(reference, f"{theirs.words} at the bank")
    return Difference(Violation.BANK_REFERENCE_UNKNOWN, sample, theirs.at + max(patience, ACCOUNTS_ASKED_EVERY + SLACK))


def graded(differences: list[Difference], now: datetime) -> tuple[tuple[Checked, ...], int]:
    """Return the violations among the differences with the bank by name, and how many may still settle."""
    checked: list[Checked] = []
    for violation in Violation:
        if violation in BANK_VIOLATIONS:
            late = [each.sample for each in differences if each.violation is violation and each.settled_by < now]
            checked.append(Checked(violation, len(late), tuple(late[:SAMPLES_MAX])))
    return tuple(checked), sum(each.settled_by >= now for each in differences)
