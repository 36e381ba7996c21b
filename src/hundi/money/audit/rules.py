"""The rules that the books must keep, each with a name for its violation."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

SAMPLES_MAX = 20
"""Violations shown of each name; all are counted."""
SLACK = timedelta(seconds=120)
"""Beyond the inquiry schedule: a worker's restart, a busy moment."""
SEALED_WITHIN = timedelta(minutes=15)
"""An event or posting is sealed within this: the schedule's period, and one run that was missed."""


class Violation(StrEnum):
    """The names of what must never be found; each member's text is what was promised."""

    POSTING_MISSING = "posting_missing"
    """A paid or overpaid attempt has its posting."""
    POSTING_DIFFERS = "posting_differs"
    """A posting has its attempt's amount and currency, and the accounts of its kind."""
    POSTING_ORPHAN = "posting_orphan"
    """A posting's attempt exists and moved money the way the posting says."""
    CAUSE_MISSING = "cause_missing"
    """What came in has the event by which it came, what is owed back its own, and a posting one of
    its time.
    """
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
    EVENT_DIFFERS = "event_differs"
    """An event is by whom and leads where its kind says, names an attempt of its payment, and
    follows in time.
    """
    LATE_MONEY_DIFFERS = "late_money_differs"
    """Money after its order's end is named late, and goes back where the merchant keeps none."""
    ATTEMPT_UNEXPLAINED = "attempt_unexplained"
    """An attempt has the events that began it and brought it into its state, and is settled at the
    time of one.
    """
    SCHEDULE_TOO_LATE = "schedule_too_late"
    """Nothing that is still to be done is put off further than a schedule of ours would."""
    REFUNDED_DIFFERS = "refunded_differs"
    """What a payment counts as refunded is the sum of its refunds that did not fail, and no more
    than was captured.
    """
    REFUND_POSTING_DIFFERS = "refund_posting_differs"
    """A refund has the postings of its state, with its amount and its accounts, and no others."""
    CAPTURED_DIFFERS = "captured_differs"
    """A captured authorisation has a posting of what it captured, and any other has none."""
    COMPLETION_DIFFERS = "completion_differs"
    """A capture or void has the event by which it was asked for, and captured what it asked for."""
    COMPLETION_FORGOTTEN = "completion_forgotten"
    """A capture or void that is not settled has a time at which somebody asks about it."""
    DEBT_FORGOTTEN = "debt_forgotten"
    """What is owed back to a customer has a refund that is done, under way or finally failed."""
    ANSWER_DIFFERS = "answer_differs"
    """A refund that was asked for under a request id is the answer that was kept under it."""
    SPLIT_DIFFERS = "split_differs"
    """The parts of a split and what stays with the merchant are together what was shared."""
    REFUND_FORGOTTEN = "refund_forgotten"
    """A refund that is not settled has a time at which somebody goes on with it."""
    LINK_DIFFERS = "link_differs"
    """What counts as paid of a payment link is what its orders count, each of which was paid under
    its own id.
    """
    DEBIT_DIFFERS = "debit_differs"
    """A debit of a subscription is done if its order is paid, the amount is the same, and its
    notice was in time.
    """
    DEBIT_UNEXPLAINED = "debit_unexplained"
    """A debit that ended has the event of its end, and one that was tried has its order."""
    SUBSCRIPTION_DIFFERS = "subscription_differs"
    """A subscription is in the state that its events give, and is that of its order."""
    NOTICE_DIFFERS = "notice_differs"
    """A debit is of the amount that the merchant was told of, and its notice was given when its
    event says.
    """
    DEBIT_FORGOTTEN = "debit_forgotten"
    """A debit that has not ended, or an active subscription with further periods, is due."""
    PAYOUT_POSTING_DIFFERS = "payout_posting_differs"
    """A payout has the postings of its state, with its amount and its accounts, and no others."""
    PAYOUT_CAUSE_DIFFERS = "payout_cause_differs"
    """A payout is of a share that was posted.

    One that left went to a verified account, released by two people.
    """
    PAID_OUT_TWICE = "paid_out_twice"
    """A share has at most one payout that stands, and its tries are numbered 1, 2, 3 …."""
    PAYOUT_UNEXPLAINED = "payout_unexplained"
    """A payout has the events that brought it into its state, by whom and when it says."""
    PAYOUT_FORGOTTEN = "payout_forgotten"
    """A payout that is released and not settled, and an account to check, are due at some time."""
    PAYOUT_BATCH_DIFFERS = "payout_batch_differs"
    """A payout goes by the rail of its amount, and is in a file if it left in one."""
    ACCOUNT_DIFFERS = "account_differs"
    """A beneficiary has one bank account that counts.

    Those before were replaced when the next one came.
    """
    DISPUTE_POSTING_DIFFERS = "dispute_posting_differs"
    """A phase of a dispute has the postings of its state, with its amounts and its accounts, and no
    others.
    """
    DISPUTE_UNEXPLAINED = "dispute_unexplained"
    """Whatever happened to a dispute has its event on the payment, and every such event its
    dispute.
    """
    DISPUTE_DIFFERS = "dispute_differs"
    """A phase of a dispute is in the state that its times and amounts give, and is of its payment.
    """
    DISPUTED_TOO_MUCH = "disputed_too_much"
    """What is held and was taken for disputes, and what was refunded, is no more than was captured.
    """
    DISPUTE_FORGOTTEN = "dispute_forgotten"
    """A dispute that has not ended has a time at which somebody goes on with it, and none is open
    past its deadline.
    """
    EVIDENCE_DIFFERS = "evidence_differs"
    """A document belongs to a phase of a dispute, and was added before its answer."""
    DELIVERY_MISSING = "delivery_missing"
    """An event that the merchant is to be told of has its delivery."""
    DELIVERY_ORPHAN = "delivery_orphan"
    """A delivery has its event, and says of it what happened."""
    DELIVERY_UNPROVEN = "delivery_unproven"
    """A delivery has each of its tries.

    One that counts as delivered has a try that was answered 2xx.
    """
    DELIVERY_FACTS_DIFFER = "delivery_facts_differ"
    """A notification says of the order, the money and the refund what the books say."""
    CHECKPOINT_DIFFERS = "checkpoint_differs"
    """A checkpoint is the sum of the postings it covers."""
    TRIAL_BALANCE = "trial_balance"
    """All checkpoints of a merchant together are zero in each currency."""
    ITEM_MISSING = "item_missing"
    """A posting on what a merchant is owed has its item once it was collected."""
    ITEM_DIFFERS = "item_differs"
    """An item is one posting on what the merchant is owed, with its amount and time.

    Fee, tax and net add up to it.
    """
    ITEM_FORGOTTEN = "item_forgotten"
    """An item that has been ready for a week is in the settlement that is made then, or in one
    before.
    """
    SETTLEMENT_DIFFERS = "settlement_differs"
    """A settlement is the sum of its items, and with what it carries leaves in its shares to the
    paisa.
    """
    SETTLEMENT_POSTING_DIFFERS = "settlement_posting_differs"
    """A settlement has posted its fee, its tax, its reserve and its shares, and nothing else has
    such postings.
    """
    CARRIED_DIFFERS = "carried_differs"
    """Settlements are numbered 1, 2, 3 …, carry on what the one before left, and release in time
    what was held.
    """
    PART_DIFFERS = "part_differs"
    """A linked account is owed of a settled payment what its split says, less after refunds."""
    FEE_DIFFERS = "fee_differs"
    """A fee and its tax are what the rule of its price plan gives, to the paisa."""
    FEE_RULE_DIFFERS = "fee_rule_differs"
    """A fee is by the one rule that is for its payment, of the plan that was in force on its day.
    """
    INVOICE_DIFFERS = "invoice_differs"
    """An invoice is what was posted as fees and as tax in its month."""
    INVOICE_GAP = "invoice_gap"
    """The invoices of a financial year are numbered 1, 2, 3 …, each number once."""
    TRAIL_BROKEN = "trail_broken"
    """What people did is numbered 1, 2, 3 … for each merchant, and each entry has the digest over
    the one before.
    """
    DECISION_UNTOLD = "decision_untold"
    """Requests and decisions about them are in the trail: by whom, when, about what."""
    ROLE_UNTOLD = "role_untold"
    """Who has which role at a merchant is what the trail's newest entry about them there says."""
    PERSON_UNTOLD = "person_untold"
    """A person was invited, or taken over from an earlier version, under their address and name."""
    TRAIL_FORGED = "trail_forged"
    """An entry of the trail was written by who has the key, as every later one was."""
    MERCHANT_UNTOLD = "merchant_untold"
    """A merchant's name, state and settings are what the newest entry about them in its trail says.
    """
    KEYS_UNTOLD = "keys_untold"
    """A merchant's secrets are those of the newest entry about them.

    None that ended is there again.
    """
    ACCOUNT_UNTOLD = "account_untold"
    """A bank account is what the newest entry about it says, and none that was told of is gone."""
    PLAN_UNTOLD = "plan_untold"
    """A price plan is what was told when it was published, and none that was told of is gone."""
    TERMS_UNTOLD = "terms_untold"
    """Settlement terms are what was told when they were agreed on, and none that were told of are
    gone.
    """
    LINKED_UNTOLD = "linked_untold"
    """A linked account is what the newest entry about it says, and none that was told of is gone.
    """
    PARTNER_UNTOLD = "partner_untold"
    """A partner's name, state, settings and secrets are what the newest entry about it says."""
    ACQUIRER_UNTOLD = "acquirer_untold"
    """An account at an acquirer is what the newest entry about it says, its secrets included."""
    ROOT_UNTOLD = "root_untold"
    """Each root that the trail tells of is here, and each root here was told of."""
    PUBLISHED_UNTOLD = "published_untold"
    """Routing plans and risk rules are in their owner's trail as published.

    By whom, when, which text; none is gone.
    """
    ARCHIVE_DIFFERS = "archive_differs"
    """A payment is in one place, its order id is nobody else's, and the archive holds what it
    counts.
    """
    HANDOVER_DIFFERS = "handover_differs"
    """A hand-over and its fee are posted as their statement's line says, and only for a line that
    was matched.
    """
    HANDOVER_UNFOUNDED = "handover_unfounded"
    """What counts as handed over with a transfer came to our bank account with that transfer."""
    STATEMENT_DIFFERS = "statement_differs"
    """A statement has its lines and they its sums, and what counts as matched has its payment's
    amount.
    """
    CORRECTION_DIFFERS = "correction_differs"
    """A correction is posted as one person proposed and another approved, and ends its item."""
    SEALED_ROW_DIFFERS = "sealed_row_differs"
    """A row that was sealed is there as it was, and no row was put among those that are sealed."""
    CHAIN_BROKEN = "chain_broken"
    """A block's hash is that of its links and of the block before, and the blocks are numbered 1,
    2, 3 ….
    """
    ROOT_DIFFERS = "root_differs"
    """A day's root is that of the newest blocks of the day and of the root before, and its
    signature holds.
    """
    KEPT_ROOT_DIFFERS = "kept_root_differs"
    """A root that was kept elsewhere is the root of its day here."""
    BANK_KNOWS_NOTHING = "bank_knows_nothing"
    """Money that counts as moved here was moved by the bank."""
    BANK_MOVED_MORE = "bank_moved_more"
    """Money the bank moved for an attempt of ours counts as moved here."""
    BANK_AMOUNT_DIFFERS = "bank_amount_differs"
    """The bank and we have the same amount for an attempt."""
    BANK_RRN_DIFFERS = "bank_rrn_differs"
    """The RRN of what moved is the bank's."""
    BANK_REFUNDS_DIFFER = "bank_refunds_differ"
    """What the bank gave back from an attempt is what we count as refunded from it."""
    BANK_DISPUTES_DIFFER = "bank_disputes_differ"
    """What the bank took for disputes of an attempt is what we count as taken."""
    BANK_ENDINGS_DIFFER = "bank_endings_differ"
    """What the bank captured of an authorisation, or gave back of it, is what we count."""
    BANK_PAYOUTS_DIFFER = "bank_payouts_differ"
    """What the bank paid out is what we count as paid out, under the same UTR."""
    BANK_REFERENCE_UNKNOWN = "bank_reference_unknown"
    """Money the bank moved names an attempt of ours."""


BANK_VIOLATIONS = frozenset(
    {
        Violation.BANK_KNOWS_NOTHING,
        Violation.BANK_MOVED_MORE,
        Violation.BANK_AMOUNT_DIFFERS,
        Violation.BANK_RRN_DIFFERS,
        Violation.BANK_REFUNDS_DIFFER,
        Violation.BANK_DISPUTES_DIFFER,
        Violation.BANK_ENDINGS_DIFFER,
        Violation.BANK_PAYOUTS_DIFFER,
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
    DEBTS_LEFT = "debts_left"
    """Attempts whose refunds failed so often that they are left to people."""
    REFUNDS_UNDER_WAY = "refunds_under_way"
    """Refunds that are to be sent or whose outcome the bank has not said."""
    PAYOUTS_WAITING = "payouts_waiting"
    """Payouts that wait to be released, or to be sent."""
    PAYOUTS_UNDER_WAY = "payouts_under_way"
    """Payouts that the bank has not confirmed; of those in files it says so in a report."""
    SHARES_UNPAID = "shares_unpaid"
    """Shares of settlements that no payout stands for: is the bank account there and verified?"""
    DISPUTES_OPEN = "disputes_open"
    """Phases of disputes that wait for the merchant's answer."""
    DISPUTES_UNDECIDED = "disputes_undecided"
    """Phases of disputes that wait for the bank."""
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
    TRAIL_NOT_CHECKED = "trail_not_checked"
    """Entries of the trail whose marks nobody checked, as the keys are not here."""
    BANK_NOT_COMPARED = "bank_not_compared"
    """Acquirers whose books were not compared with ours: they show none, or could not be read."""
    RECONCILIATION_OPEN = "reconciliation_open"
    """Lines of statements, and payments without a line, that are left to people (`hundi reconcile
    work`).
    """
    TURNAROUND_DUE = "turnaround_due"
    """Payments and refunds whose time by regulation ends within a day or has ended (`hundi
    reconcile clocks`).
    """
    UNSEALED = "unsealed"
    """Events and postings that should have been sealed by now: is a worker running?"""
    CHAIN_RESTORED = "chain_restored"
    """Blocks that continue a chain in another database cluster.

    The books were restored from a dump.
    """


@dataclass(frozen=True, slots=True)
class Sample:
    """One place where a rule is broken. subject: such as `merchant-payment`.

    found: the value there.
    """

    subject: str
    found: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found: how many violations, and the first of them."""

    violation: Violation
    count: int
    samples: tuple[Sample, ...] = ()


class BankComparison(StrEnum):
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

    checked: every check that was made, also those that found nothing. notes: what to know. figures:
    what was looked at. acquirers: by name, whether its books were compared.
    """

    at: datetime
    checked: tuple[CheckResult, ...]
    notes: Mapping[Note, int]
    figures: Mapping[str, int]
    acquirers: Mapping[str, BankComparison]

    @property
    def holds(self) -> bool:
        """Return whether every promise is kept."""
        return not any(each.count for each in self.checked)
