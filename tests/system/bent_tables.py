"""Which tables and columns are about money, and which lies in them nobody can see."""

from hundi.money.audit.rules import Violation
from tests.money.audit import test_bent_rows as rows
from tests.money.audit.reconciliation import test_bent_statements as statements
from tests.money.payouts import test_bent as payouts
from tests.payments.disputes import test_bent_disputes as disputes

_ALL = "true"

_MOVED = "state IN ('paid', 'authorised', 'overpaid')"

MONEY = {
    "attempts": ("state", _MOVED),
    "attempts unpaid": ("state", f"NOT {_MOVED}"),
    "chain_blocks": ("book", "links > 0"),
    "chain_blocks empty": ("book", "links = 0"),
    "chain_links": ("book", _ALL),
    "chain_roots": ("day", _ALL),
    "completions": ("kind", _ALL),
    "deliveries": ("kind", _ALL),
    "delivery_attempts": ("attempt_no", _ALL),
    "ledger_checkpoints": ("account", _ALL),
    "ledger_postings": ("kind", _ALL),
    "ledger_rolls": ("merchant_id", _ALL),
    "payment_events": ("kind", _ALL),
    "payments": ("state", "state IN ('paid', 'captured')"),
    "payments unpaid": ("state", "state NOT IN ('paid', 'captured')"),
    "refund_requests": ("code", _ALL),
    "refunds": ("state", _ALL),
    "settlement_items": ("kind", "settlement_id IS NOT NULL"),
    "settlement_parts": ("identifier", _ALL),
    "settlement_shares": ("beneficiary", _ALL),
    "settlements": ("kind", _ALL),
    "split_configurations": ("request_id", _ALL),
    "split_parts": ("place", _ALL),
    "subscription_debits": ("state", _ALL),
    "subscriptions": ("state", _ALL),
}
"""The tables whose rows are bent, with what tells rows apart, of which one each is, and which rows.
"""

OF_CHAIN = {Violation.SEALED_ROW_DIFFERS, Violation.CHAIN_BROKEN}

ELSEWHERE = {
    each.partition(" ")[0] for bent in (rows, statements, payouts, disputes) for each in bent.TABLES
}
"""The tables that another test bends column by column."""

NO_MONEY = {
    "bent by tests/payments/archive, where it is": (
        *("archived_links", "archived_orders", "archived_payments", "archived_sums"),
    ),
    "bent by tests/system/test_payment_links.py: what was paid of a link is derived": (
        *("payment_link_orders", "payment_links"),
    ),
    "bent by tests/payments/direct_shares/test_audit.py, lie by lie": (
        *("direct_share_events", "direct_shares", "linked_parties", "share_reversals"),
    ),
    "bent by tests/staff/test_trail.py": ("approvals", "trail_entries"),
    "says on which days people remind, and which file named a link: no money follows from it": (
        *("payment_link_batch_lines", "payment_link_batches", "payment_link_reminders"),
    ),
    "a picture that is shown only by its own digest, which the trail has": ("merchant_logos",),
    "lets somebody in by a mark that the database cannot make: tests/staff/test_proofs.py": (
        *("one_time_links", "passkeys", "recovery_codes", "staff_sessions"),
    ),
    "opens nothing by a mark that the database cannot make: tests/system/test_assistants.py": (
        "assistant_keys",
    ),
    "the same: tests/merchants/bearer_keys/test_actions.py": ("bearer_keys",),
    "names what an earlier request made: its answer shows that, and nothing is posted by it": (
        "idempotency_keys",
    ),
    "opens nothing without the merchant's keys": ("access_tokens",),
    "says where to look for postings without an item, which the audit does everywhere": (
        "settlement_marks",
    ),
    "opens a payment's page by a code that no row has: tests/system/test_where.py": (
        "payer_requests",
    ),
    "what payers wrote and merchants answered: no money follows from it": ("complaints",),
    "what a worker saw, how a file is read, which text is sent and who agreed: moves no money": (
        *("certificate_looks", "message_consents", "message_templates", "page_languages"),
        *("statement_mappings",),
    ),
    "made from payments, at any time anew": (
        *("day_tallies", "hour_tallies", "search_keys", "search_marks", "tally_marks"),
    ),
    "says where the switch of the console's header leads, and lets nobody in there": (
        "merchant_twins",
    ),
    "what an acquirer calls a payment or a call: a name that is none of its is not answered": (
        *("acquirer_numbers", "acquirer_words", "saved_cards"),
    ),
    "counts, and lets nobody do more than a limit does": (
        *(
            "address_checks",
            "partner_lookups",
            "risk_cards",
            "risk_counts",
            "sign_in_failures",
            "token_failures",
        ),
    ),
    "says what is to be tried next, and decides nothing about money": (
        *(
            "acquirer_troubles",
            "payout_balances",
            "demo_clock",
            "failing_endpoints",
            "report_fetches",
            "report_schedules",
            "schedules",
        ),
    ),
    "what further addresses are told, beside the audited deliveries; addresses are sealed": (
        *("endpoint_deliveries", "endpoint_tries", "webhook_endpoints"),
    ),
    "what people are told by mail: no money follows from it; docs/audit-limits.md says the rest": (
        *("dead_addresses", "letter_choices", "letters"),
    ),
    "copies of the books for people, each with its digest: made from them, at any time anew": (
        *("report_files", "report_parts"),
    ),
    "a person's own way to a list, which shows nobody more than the list does": ("saved_filters",),
    "says how a file is read, of a sealed content; what it became is bent as statement_lines": (
        "statement_uploads",
    ),
    "what an acquirer said, for people: nothing is posted by it": ("settlement_totals",),
    "a record of what somebody asked, for people": (
        *(
            "identity_consents",
            "identity_requests",
            "lead_events",
            "partner_calls",
            "partner_events",
        ),
        *("certification_evidence", "certification_webhooks"),
        *("refused_requests", "risk_blocks"),
    ),
    "what a partner brought: no money of ours is in it": (
        "leads",
        "offers",
        "pos_sales",
        "pos_terminals",
    ),
    "a decision whose event is sealed with its payment, and whose act is in the trail": (
        "review_decisions",
    ),
    "its certificate has to be that of the first signed root, and its key is sealed": (
        "signing_keys",
    ),
    "says on which day money leaves, not where to": ("bank_days",),
    "papers about the books: the audit counts invoices and compares them with what was posted": (
        *("fee_invoices", "invoice_series", "tax_parties"),
    ),
    "what everybody reads of the gateway: no money is in it": (
        *("status_announcements", "status_names", "status_spells", "status_watch"),
    ),
    "the schema's own revision": ("schema_version",),
}
"""Why a table is not bent here → the tables."""

_CLOCK = "says when, decides nothing"

_COUNT = "counts questions, and decides only when the next one is asked, within a day"

_CLAIM = "what an outsider's server said to us: nobody else knows"

_PAGE = "of what moved no money: what the page shows until it is paid"

_CHOICE = "why an acquirer was chosen; which one it was is sealed where money moved"

_NAMED = "the acquirer's own name of it: one that is none of its is not answered"

_TERMS = "the acquirer's own bound: a debit past it is declined there"

_WISH = "the merchant may change it at any time; of each debit the customer is told the amount"

UNSEEN = {
    "attempts.expires_at": _CLOCK,
    "attempts.hastened_at": _COUNT,
    "attempts.inquiries": _COUNT,
    "attempts.route": _CHOICE,
    "attempts unpaid.approval_code": _PAGE,
    "attempts unpaid.authentication_id": _PAGE,
    "attempts unpaid.bank_code": _PAGE,
    "attempts unpaid.bank_message": _PAGE,
    "attempts unpaid.card": _PAGE,
    "attempts unpaid.charged_at": _COUNT,
    "attempts unpaid.expires_at": _PAGE,
    "attempts unpaid.hastened_at": _COUNT,
    "attempts unpaid.inquiries": _COUNT,
    "attempts unpaid.payer_vpa": _PAGE,
    "attempts unpaid.rate_micros": _PAGE,
    "attempts unpaid.route": _CHOICE,
    "attempts unpaid.rrn": _PAGE,
    "attempts unpaid.state": (
        "among those in which nothing is paid; the bank's books tell of money that moved"
    ),
    "attempts unpaid.voucher": _PAGE,
    "chain_blocks.sealed_at": _CLOCK,
    "chain_blocks empty -": (
        "the newest block, without rows: it says nothing yet, until the root of its day"
    ),
    "chain_blocks empty.sealed_at": _CLOCK,
    "chain_roots.made_at": _CLOCK,
    "completions.inquiries": _COUNT,
    "deliveries.delivered_at": _CLAIM,
    "deliveries.due_at": "of a notification that was taken: it is never due again",
    "deliveries.scheduled_from": _COUNT,
    "deliveries.tries_before": _COUNT,
    "delivery_attempts.answer": _CLAIM,
    "delivery_attempts.at": _CLAIM,
    "delivery_attempts.latency_ms": _CLAIM,
    "delivery_attempts.status": _CLAIM,
    "delivery_attempts.url": _CLAIM,
    "ledger_rolls.cluster": "another cluster's marks are not believed: the sums are made anew",
    "ledger_rolls.rolled_at": _CLOCK,
    "ledger_rolls.through": (
        "a mark of the future is taken for another cluster's: the sums are made anew"
    ),
    "payments.expires_at": _CLOCK,
    "payments.settled_at": "the pay-out is not ours yet",
    "payments unpaid.bank_code": _PAGE,
    "payments unpaid.bank_message": _PAGE,
    "payments unpaid.expires_at": _PAGE,
    "payments unpaid.method": _PAGE,
    "payments unpaid.settled_at": "the pay-out is not ours yet",
    "refunds.inquiries": _COUNT,
    "subscription_debits.debit_until": _TERMS,
    "subscription_debits.notice_name": _NAMED,
    "subscriptions.amount_paise": _WISH,
    "subscriptions.ask_at": _COUNT,
    "subscriptions.due_at": "while a debit waits; it is seen when that has ended",
    "subscriptions.mandate_name": _NAMED,
    "subscriptions.next_period": "periods that passed while it was paused have no debit",
    "subscriptions.notice_before": "read anew from the acquirer's terms before each notice",
    "subscriptions.paused_at_bank": "says only who may resume it; the acquirer is asked again",
    "subscriptions.retries_max": _WISH,
}
"""`table.column`, or `table -` for a row less, that nobody can name, and why."""
