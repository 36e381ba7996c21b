"""The promises that the books must keep, each with a name for its violation."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

SAMPLES_MAX = 20
"""Samples shown of each violation; all are counted."""
SLACK = timedelta(seconds=120)
"""Time beyond the inquiry schedule, for a worker's restart or a busy moment."""
SEALED_WITHIN = timedelta(minutes=15)
"""Within this an event or posting is sealed: the schedule's period and one missed run."""


class Violation(StrEnum):
    """The names of violations; each member's docstring is the promise that must hold."""

    POSTING_MISSING = "posting_missing"
    """A paid or overpaid attempt has its posting."""
    POSTING_DIFFERS = "posting_differs"
    """A posting has its attempt's amount and currency, and the accounts of its kind."""
    POSTING_ORPHAN = "posting_orphan"
    """A posting's attempt exists and moved money the way the posting says."""
    CAUSE_MISSING = "cause_missing"
    """Money in, and money owed back, each has its event; a posting has an event of its time."""
    SECOND_SUCCESS = "second_success"
    """An order has at most one successful attempt."""
    PAYMENT_STATE_DIFFERS = "payment_state_differs"
    """A payment's state is the one its attempts give."""
    PAID_AMOUNT_DIFFERS = "paid_amount_differs"
    """What a paid order asked for, what came in and what counts as captured are one amount."""
    ATTEMPT_FORGOTTEN = "attempt_forgotten"
    """An attempt whose outcome is open has a time at which the bank is asked again."""
    EVENT_GAP = "event_gap"
    """A payment's events are numbered 1, 2, 3 … up to its revision."""
    EVENT_ORPHAN = "event_orphan"
    """An event's payment exists."""
    EVENT_STATE_DIFFERS = "event_state_differs"
    """A payment's last event says the state that the payment is in."""
    EVENT_DIFFERS = "event_differs"
    """An event has its kind's actor and state, an attempt of its payment, and follows in time."""
    LATE_MONEY_DIFFERS = "late_money_differs"
    """Money after an order's end is marked late, and goes back unless the merchant keeps it."""
    ATTEMPT_UNEXPLAINED = "attempt_unexplained"
    """An attempt has the events that led to its state, and the time of one as its settlement."""
    SCHEDULE_TOO_LATE = "schedule_too_late"
    """Open work is due no later than our schedules allow."""
    REFUNDED_DIFFERS = "refunded_differs"
    """A payment's refunded amount is the sum of its refunds that did not fail.

    It is not above the captured amount.
    """
    REFUND_POSTING_DIFFERS = "refund_posting_differs"
    """A refund has the postings of its state, with its amount and its accounts, and no others."""
    CAPTURED_DIFFERS = "captured_differs"
    """A captured authorisation has a posting of the captured amount; any other has none."""
    COMPLETION_DIFFERS = "completion_differs"
    """A capture or void has the event that requested it, and the amount of the request."""
    COMPLETION_FORGOTTEN = "completion_forgotten"
    """An open capture or void has a time of its next inquiry."""
    DEBT_FORGOTTEN = "debt_forgotten"
    """Money owed back to a customer has a refund that is done, under way or finally failed."""
    ANSWER_DIFFERS = "answer_differs"
    """A refund under a request id is the answer that was stored for that id."""
    SPLIT_DIFFERS = "split_differs"
    """The parts of a split and the merchant's rest add up to the shared amount."""
    REFUND_FORGOTTEN = "refund_forgotten"
    """An open refund has a time of its next step."""
    LINK_DIFFERS = "link_differs"
    """A payment link's paid amount is that of its orders, each paid under its own id."""
    DEBIT_DIFFERS = "debit_differs"
    """A done debit has a paid order of the same amount, and its notice was given in time."""
    DEBIT_UNEXPLAINED = "debit_unexplained"
    """A debit that ended has the event of its end, and one that was tried has its order."""
    SUBSCRIPTION_DIFFERS = "subscription_differs"
    """A subscription has the state that its events give, and belongs to its order."""
    NOTICE_DIFFERS = "notice_differs"
    """A debit has the amount of its notice, which was given at the time of its event."""
    DEBIT_FORGOTTEN = "debit_forgotten"
    """An open debit, or an active subscription with further periods, has a due time."""
    PAYOUT_POSTING_DIFFERS = "payout_posting_differs"
    """A payout has the postings of its state, with its amount and its accounts, and no others."""
    PAYOUT_CAUSE_DIFFERS = "payout_cause_differs"
    """A payout is for a posted share; it left to a verified account, released by two people."""
    PAID_OUT_TWICE = "paid_out_twice"
    """A share has at most one payout that stands; its tries are numbered 1, 2, 3 …."""
    PAYOUT_UNEXPLAINED = "payout_unexplained"
    """A payout has the events that led to its state, and a UTR that no other one has."""
    PAYOUT_FORGOTTEN = "payout_forgotten"
    """A released payout that is not settled, and an account to check, have a due time."""
    PAYOUT_BATCH_DIFFERS = "payout_batch_differs"
    """A payout uses the rail for its amount; one sent in a file belongs to that file."""
    DIRECT_POSTING_DIFFERS = "direct_posting_differs"
    """A direct share has the postings of its state and of its reversals, and no others."""
    DIRECT_SHARE_DIFFERS = "direct_share_differs"
    """A direct share is a part of its split, at its payment's acquirer, to the party there."""
    CARRIED_REVERSAL_DIFFERS = "carried_reversal_differs"
    """What a refund takes of direct shares is of its attempt, ends with it, and is not more."""
    DIRECT_SHARE_UNEXPLAINED = "direct_share_unexplained"
    """A direct share has the events of its state; an open one has a due time."""
    SHARE_SETTLED_TWICE = "share_settled_twice"
    """A part of a payment is settled by its acquirer or by us, never by both."""
    CHECK_COST_DIFFERS = "check_cost_differs"
    """What a check of a bank account or a payout cost is posted, once, and nothing else is."""
    ACCOUNT_DIFFERS = "account_differs"
    """A beneficiary has one current bank account.

    Each older one was replaced when the next came.
    """
    DISPUTE_POSTING_DIFFERS = "dispute_posting_differs"
    """A dispute's phase has the postings of its state, amounts and accounts, and no others."""
    DISPUTE_UNEXPLAINED = "dispute_unexplained"
    """Each change of a dispute has its event on the payment, and each such event its dispute."""
    DISPUTE_DIFFERS = "dispute_differs"
    """A dispute's phase has the state that its times and amounts give, and its own payment."""
    DISPUTED_TOO_MUCH = "disputed_too_much"
    """Disputed (held or taken) and refunded amounts are together within the captured amount."""
    DISPUTE_FORGOTTEN = "dispute_forgotten"
    """An open dispute has a due time, and is not past its deadline."""
    EVIDENCE_DIFFERS = "evidence_differs"
    """A document belongs to a phase of a dispute, and was added before its answer."""
    DELIVERY_MISSING = "delivery_missing"
    """An event to announce has its delivery to the merchant."""
    DELIVERY_ORPHAN = "delivery_orphan"
    """A delivery has its event, and says what the event says."""
    DELIVERY_UNPROVEN = "delivery_unproven"
    """A delivery has each of its tries; a delivered one has a try that was answered 2xx."""
    DELIVERY_FACTS_DIFFER = "delivery_facts_differ"
    """A notification has the same order, money and refund as the books."""
    CHECKPOINT_DIFFERS = "checkpoint_differs"
    """A checkpoint is the sum of the postings it covers."""
    TRIAL_BALANCE = "trial_balance"
    """All checkpoints of a merchant add up to zero in each currency."""
    ITEM_MISSING = "item_missing"
    """A collected posting on the merchant's account has its item."""
    ITEM_DIFFERS = "item_differs"
    """An item is one posting on the merchant's account; fee, tax and net add up to its amount."""
    ITEM_FORGOTTEN = "item_forgotten"
    """An item that was ready for a week before a settlement is in that one or an earlier one."""
    SETTLEMENT_DIFFERS = "settlement_differs"
    """A settlement is the sum of its items; with the carried amount it equals its shares."""
    SETTLEMENT_POSTING_DIFFERS = "settlement_posting_differs"
    """A settlement has the postings of its fee, tax, reserve and shares; nothing else has such."""
    CARRIED_DIFFERS = "carried_differs"
    """Settlements are numbered 1, 2, 3 …, carry the earlier rest and release reserves in time."""
    PART_DIFFERS = "part_differs"
    """A linked account's part of a settled payment follows the payment's split, less refunds."""
    FEE_DIFFERS = "fee_differs"
    """A fee and its tax are what the rule of its price plan gives, to the paisa."""
    FEE_RULE_DIFFERS = "fee_rule_differs"
    """A fee uses the rule for its payment, from the plan that was in force on its day."""
    INVOICE_DIFFERS = "invoice_differs"
    """An invoice is the sum of the fees and the tax posted in its month."""
    INVOICE_GAP = "invoice_gap"
    """The invoices of a financial year are numbered 1, 2, 3 …, each number once."""
    TRAIL_BROKEN = "trail_broken"
    """Entries of a trail are numbered 1, 2, 3 …, each with a digest over the one before."""
    DECISION_UNTOLD = "decision_untold"
    """Requests and decisions are in the trail, with the person, the time and the subject."""
    ROLE_UNTOLD = "role_untold"
    """A person's role at a merchant is the one in the newest entry about them there."""
    PERSON_UNTOLD = "person_untold"
    """A person was invited, or migrated from an earlier version, with the same address and name."""
    TRAIL_FORGED = "trail_forged"
    """An entry of the trail was written with the key, as was every later one."""
    MERCHANT_UNTOLD = "merchant_untold"
    """A merchant's name, state and settings are those of the newest entry in its trail."""
    KEYS_UNTOLD = "keys_untold"
    """A merchant's secrets are those of the newest entry about them; no ended one is back."""
    ACCOUNT_UNTOLD = "account_untold"
    """A bank account is what the newest entry about it says, and no recorded one is missing."""
    PLAN_UNTOLD = "plan_untold"
    """A price plan is what its entry says, and no recorded one is missing."""
    TERMS_UNTOLD = "terms_untold"
    """Settlement terms are what their entry says, and no recorded ones are missing."""
    LINKED_UNTOLD = "linked_untold"
    """A linked account is what the newest entry about it says, and no recorded one is missing."""
    PARTNER_UNTOLD = "partner_untold"
    """A partner's name, state, settings and secrets are what the newest entry about it says."""
    ACQUIRER_UNTOLD = "acquirer_untold"
    """An account at an acquirer is what the newest entry about it says, its secrets included."""
    ROOT_UNTOLD = "root_untold"
    """Each root in the trail is here, and each root here is in the trail."""
    PUBLISHED_UNTOLD = "published_untold"
    """Routing plans and risk rules are as their owner's trail has them: person, time and text."""
    ARCHIVE_DIFFERS = "archive_differs"
    """A payment is in one place, its order id is unique, and the archive holds what it counts."""
    HANDOVER_DIFFERS = "handover_differs"
    """A hand-over and its fee are posted as a matched line of the statement says."""
    HANDOVER_UNFOUNDED = "handover_unfounded"
    """A hand-over's transfer arrived in our bank account."""
    STATEMENT_DIFFERS = "statement_differs"
    """A statement has its lines and their sums; a match has its payment's amount."""
    CORRECTION_DIFFERS = "correction_differs"
    """A correction is posted as one person proposed and another approved, and closes its item."""
    SEALED_ROW_DIFFERS = "sealed_row_differs"
    """A sealed row is unchanged, and no row was added among sealed ones."""
    CHAIN_BROKEN = "chain_broken"
    """A block's hash covers its links and the block before; blocks are numbered 1, 2, 3 …."""
    ROOT_DIFFERS = "root_differs"
    """A day's root covers its newest blocks and the root before, and its signature verifies."""
    KEPT_ROOT_DIFFERS = "kept_root_differs"
    """A root that was kept elsewhere equals the root of its day here."""
    BANK_KNOWS_NOTHING = "bank_knows_nothing"
    """Money that counts as moved here was moved by the bank."""
    BANK_MOVED_MORE = "bank_moved_more"
    """Money that the bank moved for an attempt counts as moved here."""
    BANK_AMOUNT_DIFFERS = "bank_amount_differs"
    """The bank and we have the same amount for an attempt."""
    BANK_RRN_DIFFERS = "bank_rrn_differs"
    """A movement has the bank's RRN."""
    BANK_REFUNDS_DIFFER = "bank_refunds_differ"
    """The amount the bank gave back of an attempt is the amount we count as refunded."""
    BANK_DISPUTES_DIFFER = "bank_disputes_differ"
    """The amount the bank took for an attempt's disputes is the amount we count as taken."""
    BANK_ENDINGS_DIFFER = "bank_endings_differ"
    """The amount the bank captured or released of an authorisation is the amount we count."""
    BANK_PAYOUTS_DIFFER = "bank_payouts_differ"
    """The bank paid out what we count as paid out, with the same UTR."""
    BANK_REFERENCE_UNKNOWN = "bank_reference_unknown"
    """Money that the bank moved belongs to an attempt of ours."""


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
    """The names of facts that a person should know although nothing is wrong."""

    IN_FLIGHT = "in_flight"
    """Attempts whose outcome is open."""
    NOT_ASKED = "not_asked"
    """Attempts whose inquiry is overdue: is a worker running?"""
    OWED_BACK = "owed_back"
    """Attempts whose money an order could not keep: owed back to customers."""
    DEBTS_LEFT = "debts_left"
    """Attempts whose refunds failed so often that they are left to people."""
    REFUNDS_UNDER_WAY = "refunds_under_way"
    """Refunds that wait to be sent, or for the bank's outcome."""
    PAYOUTS_WAITING = "payouts_waiting"
    """Payouts that wait for release, or to be sent."""
    PAYOUTS_UNDER_WAY = "payouts_under_way"
    """Payouts that the bank has not confirmed; files are confirmed by a report."""
    PAYOUTS_TWICE = "payouts_twice"
    """Payouts that a bank refused and paid after all, while another one had paid the share."""
    SHARES_UNPAID = "shares_unpaid"
    """Shares without a standing payout: is the bank account there and verified?"""
    DIRECT_SHARES_OPEN = "direct_shares_open"
    """Shares that an acquirer is to settle, and has not confirmed."""
    REVERSALS_OWED = "reversals_owed"
    """Reversals of such shares that the linked account could not pay: the merchant lent them."""
    DISPUTES_OPEN = "disputes_open"
    """Phases of disputes that wait for the merchant's answer."""
    DISPUTES_UNDECIDED = "disputes_undecided"
    """Phases of disputes that wait for the bank."""
    UNCAPTURED = "uncaptured"
    """Authorisations that were neither captured nor released."""
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
    """Merchants' endpoints that get only probes."""
    BANK_BEHIND = "bank_behind"
    """Differences with the bank that the inquiry schedule may still settle."""
    TRAIL_NOT_CHECKED = "trail_not_checked"
    """Entries of the trail whose marks were not checked, because the keys are not here."""
    BANK_NOT_COMPARED = "bank_not_compared"
    """Acquirers whose books were not compared: they have none, or could not be read."""
    RECONCILIATION_OPEN = "reconciliation_open"
    """Lines of statements, and payments without a line, that wait for people.

    `hundi reconcile work` lists them.
    """
    TURNAROUND_DUE = "turnaround_due"
    """Payments and refunds whose regulatory time ends within a day or has ended.

    `hundi reconcile clocks` lists them.
    """
    UNSEALED = "unsealed"
    """Events and postings that should have been sealed by now: is a worker running?"""
    CHAIN_RESTORED = "chain_restored"
    """Blocks that continue a chain in another database cluster, after a restore from a dump."""
    COUNTER_BEHIND = "counter_behind"
    """Transactions by which the server's counter is behind the books (docs/database.md#counter)."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One place where a promise is broken. subject: such as `merchant-payment`.

    found: its value.
    """

    subject: str
    found: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check: the number of violations, and the first of them."""

    violation: Violation
    count: int
    samples: tuple[Sample, ...] = ()


class BankComparison(StrEnum):
    """The result of a comparison with one acquirer's books."""

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

    checked: every check that ran. notes: facts to know. figures: numbers of checked rows.
    acquirers: by name, whether its books were compared. since: the first business day from which
    payments and settlements were checked, None for all of them.
    """

    at: datetime
    checked: tuple[CheckResult, ...]
    notes: Mapping[Note, int]
    figures: Mapping[str, int]
    acquirers: Mapping[str, BankComparison]
    since: date | None = None

    @property
    def holds(self) -> bool:
        """Return whether every promise is kept."""
        return not any(each.count for each in self.checked)
