"""Lies that somebody tells in all of our tables alike, and the promise whose check finds each."""

PAID = (
    "(SELECT attempt_id FROM attempts a JOIN payments p USING (merchant_id, payment_id) WHERE"
    " a.state = 'paid'"
    " AND p.kind = 'sale' AND p.refunds = 0 ORDER BY attempt_id LIMIT 1)"
)
OF_PAID = f"(SELECT payment_id FROM attempts WHERE attempt_id = {PAID})"
LIES = {
    "another amount, told by all of ours": (
        "bank_amount_differs",
        f"""
        CREATE TEMPORARY TABLE lie ON COMMIT DROP AS SELECT {PAID} AS attempt_id,
        {OF_PAID} AS payment_id;
        UPDATE attempts SET amount_paise = 5, received_paise = 5 FROM lie
            WHERE attempts.attempt_id = lie.attempt_id;
        UPDATE payments SET amount_paise = 5, captured_paise = 5 FROM lie
            WHERE payments.payment_id = lie.payment_id;
        UPDATE ledger_postings SET amount_paise = 5 FROM lie WHERE cause_id = lie.attempt_id;
        UPDATE split_configurations SET base_paise = 5, primary_paise = 5 FROM lie
            WHERE split_configurations.payment_id = lie.payment_id;
        UPDATE split_parts SET amount_paise = 0;
        UPDATE ledger_checkpoints c SET debit_paise = s.debit, credit_paise = s.credit FROM (
            SELECT merchant_id, account, sum(debit) AS debit, sum(credit) AS credit FROM (
                SELECT merchant_id, debit AS account, amount_paise AS debit, 0 AS credit
                    FROM ledger_postings
                UNION ALL SELECT merchant_id, credit, 0, amount_paise FROM ledger_postings) AS side
                    GROUP BY 1, 2
        ) AS s WHERE s.merchant_id = c.merchant_id AND s.account = c.account;
        UPDATE deliveries SET facts = facts || '{{"amount_paise": 5, "captured_paise": 5}}' FROM lie
            WHERE deliveries.payment_id = lie.payment_id
        """,
    ),
    "another RRN and payer, told by all of ours": (
        "bank_rrn_differs",
        f"""
        UPDATE deliveries SET facts = facts || '{{"rrn": "999", "payer_vpa": "a@b"}}'
            WHERE payment_id = {OF_PAID};
        UPDATE attempts SET rrn = '999', payer_vpa = 'a@b' WHERE attempt_id = {PAID}
        """,
    ),
    "a payment that never was": (
        "bank_reference_unknown",
        f"""
        CREATE TEMPORARY TABLE lie ON COMMIT DROP AS SELECT {PAID} AS attempt_id,
        {OF_PAID} AS payment_id;
        DELETE FROM ledger_checkpoints; DELETE FROM ledger_rolls;
        DELETE FROM ledger_postings USING lie WHERE cause_id = lie.attempt_id;
        DELETE FROM delivery_attempts a USING lie WHERE a.payment_id = lie.payment_id;
        DELETE FROM deliveries a USING lie WHERE a.payment_id = lie.payment_id;
        DELETE FROM payment_events a USING lie WHERE a.payment_id = lie.payment_id;
        DELETE FROM split_parts; DELETE FROM split_configurations;
        DELETE FROM attempts a USING lie WHERE a.attempt_id = lie.attempt_id;
        DELETE FROM payments a USING lie WHERE a.payment_id = lie.payment_id
        """,
    ),
    "a debt to a customer, with posting and event": (
        "late_money_differs",
        f"""
        UPDATE payment_events SET kind = 'late_refund_due' WHERE attempt_id = {PAID}
            AND kind = 'paid';
        DELETE FROM ledger_checkpoints; DELETE FROM ledger_rolls;
        INSERT INTO ledger_postings SELECT merchant_id, cause_id, 'late_refund_due', 'payable',
            'owed_back', amount_paise, currency, at, xact FROM ledger_postings
            WHERE cause_id = {PAID} AND kind = 'payment'
        """,
    ),
    "a refund that never was": (
        "bank_refunds_differ",
        """
        DELETE FROM ledger_checkpoints; DELETE FROM ledger_rolls;
        DELETE FROM ledger_postings WHERE kind LIKE 'refund%';
        DELETE FROM refund_requests;
        UPDATE payments SET refunds = 0, refunded_paise = 0, revision = revision - 2
            WHERE refunds > 0;
        DELETE FROM delivery_attempts WHERE (payment_id, event_no) IN (SELECT payment_id, event_no
            FROM payment_events
            WHERE kind LIKE 'refund%');
        DELETE FROM deliveries WHERE (payment_id, event_no) IN (SELECT payment_id, event_no
            FROM payment_events
            WHERE kind LIKE 'refund%');
        DELETE FROM payment_events WHERE kind LIKE 'refund%';
        DELETE FROM refunds
        """,
    ),
    "a row beyond every schedule": (
        "schedule_too_late",
        "UPDATE schedules SET due_at = '2099-01-01'",
    ),
}
"""Lies that all of our tables tell alike, before a worker sealed anything.

What else tells, and how.
"""
