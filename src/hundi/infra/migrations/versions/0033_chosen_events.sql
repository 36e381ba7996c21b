-- A delivery that its merchant does not hear of ends as unwanted.
ALTER DOMAIN delivery_state DROP CONSTRAINT delivery_state_check;
ALTER DOMAIN delivery_state ADD CONSTRAINT delivery_state_check CHECK (VALUE IN ('waiting', 'sending', 'delivered',
    'exhausted', 'no_endpoint', 'unwanted', 'superseded')) NOT VALID;

-- Whoever had asked for more events than everybody was told of had looked at them: it hears on what it heard. For all others
-- nothing was chosen, and the safe events count.
UPDATE merchants
SET settings = jsonb_set(settings - 'extra_events', '{events}', $$[
"paid", "failed", "authorised", "captured", "voided", "under_review", "late_success", "refund_done", "refund_failed",
"refund_reversed", "excess_payment", "mandate_approved", "mandate_failed", "mandate_paused", "mandate_resumed",
"mandate_changed", "mandate_cancelled", "mandate_completed", "debit_announced", "debit_failed", "debit_skipped",
"debit_missed", "excess_refunded", "excess_refund_failed", "dispute_opened", "dispute_due_soon", "dispute_contested",
"dispute_accepted", "dispute_expired", "dispute_won", "dispute_lost", "dispute_partly_lost", "dispute_closed"
]$$::jsonb || (settings -> 'extra_events'))
WHERE jsonb_array_length(settings -> 'extra_events') > 0;
