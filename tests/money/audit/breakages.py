"""A statement for each promise of the audit that breaks it."""

from hundi.money.audit.rules import Violation
from tests.bent import moved
from tests.money.audit.books import MERCHANT

_BENT_CHECKPOINT = (
    "UPDATE ledger_checkpoints SET debit_paise = debit_paise + 1 WHERE account = 'payable'"
)


def _posted(kind: str, debit: str, credit: str) -> str:
    """Return the change that posts something without its cause."""
    return (
        "INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise,"
        " currency, at, xact)"
        f" SELECT merchant_id, 99, '{kind}', '{debit}', '{credit}', 1, 'INR', at, xact FROM"
        " ledger_postings LIMIT 1"
    )


_INVOICE = f"""
    INSERT INTO fee_invoices (merchant_id, month, financial_year, serial_no, issued_on, supplier,
        recipient, taxable_paise, exempt_paise, other_paise, cgst_paise, sgst_paise, igst_paise,
    total_paise)
    VALUES ({MERCHANT}, '2026-11-01', 2026, 1, '2026-12-01', '{{}}', '{{}}', 100, 0, 0, 9, 9, 0,
        118)
"""

BREAKAGES = {
    Violation.ARCHIVE_DIFFERS: f"""
        INSERT INTO archived_orders (merchant_id, order_id, payment_id, marked_at)
        SELECT {MERCHANT}, order_id, 999, now() FROM payments WHERE payment_id = 3""",
    Violation.POSTING_MISSING: "DELETE FROM ledger_postings WHERE cause_id = 51",
    Violation.POSTING_DIFFERS: (
        "UPDATE ledger_postings SET amount_paise = 49901 WHERE cause_id = 51"
    ),
    Violation.POSTING_ORPHAN: """
        INSERT INTO ledger_postings SELECT merchant_id, 31, kind, debit, credit, amount_paise,
        currency, at, xact
        FROM ledger_postings WHERE cause_id = 51
    """,
    Violation.CAUSE_MISSING: (
        f"UPDATE ledger_postings SET at = {moved('at', '1 second')} WHERE cause_id = 51"
    ),
    Violation.SECOND_SUCCESS: """
        DROP INDEX attempts_one_success;
        UPDATE attempts SET state = 'paid', received_paise = 49900 WHERE attempt_id = 52
    """,
    Violation.PAYMENT_STATE_DIFFERS: (
        "UPDATE payments SET state = 'failed', captured_paise = 0 WHERE payment_id = 1"
    ),
    Violation.PAID_AMOUNT_DIFFERS: "UPDATE payments SET captured_paise = 1 WHERE payment_id = 1",
    Violation.ATTEMPT_FORGOTTEN: "UPDATE attempts SET inquire_at = NULL WHERE attempt_id = 41",
    Violation.EVENT_GAP: "DELETE FROM payment_events WHERE payment_id = 2 AND event_no = 2",
    Violation.EVENT_ORPHAN: """
        INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor, xact)
        SELECT merchant_id, 99, 1, at, kind, state, actor, xact FROM payment_events
        WHERE payment_id = 6 AND event_no = 2
    """,
    Violation.EVENT_STATE_DIFFERS: (
        "UPDATE payment_events SET state = 'open' WHERE payment_id = 6 AND event_no = 2"
    ),
    Violation.REFUNDED_DIFFERS: (
        "UPDATE payments SET refunds = 1, refunded_paise = 100 WHERE payment_id = 1"
    ),
    Violation.REFUND_POSTING_DIFFERS: (
        "DELETE FROM ledger_postings WHERE cause_id = 71 AND kind = 'refund_begun'"
    ),
    Violation.CAPTURED_DIFFERS: "UPDATE payments SET captured_paise = 39999 WHERE payment_id = 8",
    Violation.COMPLETION_FORGOTTEN: "UPDATE completions SET due_at = NULL WHERE payment_id = 10",
    Violation.SPLIT_DIFFERS: "UPDATE split_parts SET amount_paise = amount_paise - 1",
    Violation.DISPUTE_POSTING_DIFFERS: "DELETE FROM ledger_postings WHERE cause_id = 811",
    Violation.DISPUTE_UNEXPLAINED: (
        f"UPDATE dispute_stages SET reminded_at = {moved('opened_at', '1 second')}"
    ),
    Violation.DISPUTE_DIFFERS: "UPDATE dispute_stages SET rate_micros = 2",
    Violation.DISPUTED_TOO_MUCH: """
        UPDATE dispute_stages SET amount_paise = 49901, held_paise = 49901,
            held_settled_paise = 49901
    """,
    Violation.DISPUTE_FORGOTTEN: "UPDATE dispute_stages SET due_at = NULL",
    Violation.EVIDENCE_DIFFERS: (
        f"UPDATE dispute_evidence SET added_at = {moved('added_at', '-1 day')}"
    ),
    Violation.REFUND_FORGOTTEN: "UPDATE refunds SET due_at = NULL WHERE refund_id = 71",
    Violation.DEBIT_DIFFERS: (
        "UPDATE subscription_debits SET amount_paise = 49901 WHERE period_no = 1"
    ),
    Violation.DEBIT_FORGOTTEN: "UPDATE subscription_debits SET due_at = NULL WHERE period_no = 2",
    Violation.DELIVERY_MISSING: "DELETE FROM deliveries WHERE payment_id = 3",
    Violation.DELIVERY_ORPHAN: "UPDATE deliveries SET kind = 'paid' WHERE payment_id = 3",
    Violation.DELIVERY_UNPROVEN: "UPDATE delivery_attempts SET status = 500 WHERE payment_id = 1",
    Violation.CHECKPOINT_DIFFERS: _BENT_CHECKPOINT,
    Violation.TRIAL_BALANCE: _BENT_CHECKPOINT,
    Violation.COMPLETION_DIFFERS: (
        "DELETE FROM payment_events WHERE payment_id = 10 AND event_no = 3"
    ),
    Violation.SUBSCRIPTION_DIFFERS: "UPDATE subscriptions SET order_id = 'another'",
    Violation.NOTICE_DIFFERS: "UPDATE subscription_debits SET amount_paise = 1 WHERE period_no = 1",
    Violation.DEBIT_UNEXPLAINED: "UPDATE subscription_debits SET tries = 1 WHERE period_no = 2",
    Violation.EVENT_DIFFERS: (
        "UPDATE payment_events SET actor = 'clock' WHERE payment_id = 1 AND event_no = 2"
    ),
    Violation.LATE_MONEY_DIFFERS: (
        "UPDATE payment_events SET kind = 'paid' WHERE payment_id = 2 AND event_no = 3"
    ),
    Violation.ATTEMPT_UNEXPLAINED: "UPDATE attempts SET state = 'expired' WHERE attempt_id = 31",
    Violation.SCHEDULE_TOO_LATE: (
        "UPDATE attempts SET inquire_at = '2099-01-01' WHERE attempt_id = 41"
    ),
    Violation.DEBT_FORGOTTEN: "DELETE FROM refunds WHERE refund_id = 73",
    Violation.ANSWER_DIFFERS: "UPDATE refunds SET request_id = 'R1' WHERE refund_id = 71",
    Violation.DELIVERY_FACTS_DIFFER: """
        UPDATE deliveries SET facts = facts || '{"rrn": "1"}' WHERE payment_id = 1
    """,
    Violation.ITEM_MISSING: "DELETE FROM settlement_items WHERE cause_id = 51",
    Violation.ITEM_DIFFERS: """
        UPDATE settlement_items SET gross_paise = gross_paise + 1, net_paise = net_paise + 1
            WHERE cause_id = 51""",
    Violation.ITEM_FORGOTTEN: """
        UPDATE settlement_items SET settlement_id = NULL, ready_on = '2026-11-01'
            WHERE cause_id = 51""",
    Violation.SETTLEMENT_DIFFERS: """
        UPDATE settlement_items SET fee_paise = 1, net_paise = net_paise - 1 WHERE cause_id = 51""",
    Violation.SETTLEMENT_POSTING_DIFFERS: (
        "DELETE FROM ledger_postings WHERE credit = 'settlement_due'"
    ),
    Violation.CARRIED_DIFFERS: "UPDATE settlements SET settlement_no = 2",
    Violation.PART_DIFFERS: "UPDATE settlement_parts SET amount_paise = amount_paise - 1",
    Violation.HANDOVER_DIFFERS: _posted("acquirer_fee", "acquirer_cost", "receivable:sandbox"),
    Violation.HANDOVER_UNFOUNDED: """
        INSERT INTO statement_handovers VALUES ('sandbox', 'U1', 1, 1, 5);
        INSERT INTO statement_steps VALUES (1, 'handed_over', 'U1', now())
    """,
    Violation.STATEMENT_DIFFERS: """
        INSERT INTO account_lines (line_id, account, day, utr, net_paise)
            VALUES (1, 'A1', '2026-11-20', 'U1', 5)
    """,
    Violation.CORRECTION_DIFFERS: _posted("correction", "escrow", "receivable:sandbox"),
    Violation.FEE_DIFFERS: (
        "UPDATE settlement_items SET fee_paise = 1, net_paise = net_paise - 1 WHERE cause_id = 51"
    ),
    Violation.LINK_DIFFERS: f"""
        INSERT INTO payment_links (merchant_id, link_id, code, reference, content_hash,
            amount_paise, minimum_paise, paid_paise, description, surplus, buyer, made_by,
        created_at, expires_at)
        VALUES ({MERCHANT}, 1, '0123456789abcdef', 'L1', decode(repeat('00', 32), 'hex'), 100, 0,
            100, 'Tea', 'keep',
            '{{}}', 'Asha', '2026-11-20', '2026-11-30')""",
    Violation.FEE_RULE_DIFFERS: "UPDATE settlement_items SET rule = 'credit' WHERE cause_id = 51",
    Violation.INVOICE_DIFFERS: _INVOICE,
    Violation.INVOICE_GAP: _INVOICE,
    Violation.SEALED_ROW_DIFFERS: "UPDATE payments SET custom_var = 'another' WHERE payment_id = 1",
    Violation.CHAIN_BROKEN: "UPDATE chain_blocks SET upto_id = upto_id + 1 WHERE book = 'postings'",
}
