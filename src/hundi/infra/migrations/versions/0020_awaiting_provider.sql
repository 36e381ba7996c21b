-- Approved payouts that no provider may carry wait in a state of their own.

ALTER DOMAIN payout_state DROP CONSTRAINT payout_state_check;
ALTER DOMAIN payout_state ADD CONSTRAINT payout_state_check CHECK (VALUE IN ('prepared', 'proposed', 'approved',
    'awaiting_balance', 'awaiting_provider', 'sent', 'unknown', 'awaiting_approval', 'queued', 'processing', 'deemed',
    'done', 'refused', 'returned', 'reversed', 'held_back', 'paid_late', 'paid_twice')) NOT VALID;
ALTER TABLE payouts DROP CONSTRAINT payouts_sent;
ALTER TABLE payouts ADD CONSTRAINT payouts_sent CHECK (sent_at IS NOT NULL OR state IN ('prepared', 'proposed', 'approved',
    'awaiting_balance', 'awaiting_provider', 'held_back')) NOT VALID;

CREATE OR REPLACE FUNCTION refuse_wrong_payout() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (OLD.merchant_id, OLD.payout_id, OLD.share_id, OLD.try_no, OLD.beneficiary, OLD.account_no,
            OLD.amount_paise, OLD.source, OLD.connector, OLD.created_at) IS DISTINCT FROM
            (NEW.merchant_id, NEW.payout_id, NEW.share_id, NEW.try_no, NEW.beneficiary, NEW.account_no,
            NEW.amount_paise, NEW.source, NEW.connector, NEW.created_at)
        OR OLD.maker <> '' AND NEW.maker <> OLD.maker OR OLD.checker <> '' AND NEW.checker <> OLD.checker
        OR (OLD.late_utr, OLD.late_at) IS DISTINCT FROM (NEW.late_utr, NEW.late_at) AND OLD.late_at IS NOT NULL
        OR (OLD.sent_by, OLD.sent_rail) IS DISTINCT FROM (NEW.sent_by, NEW.sent_rail) AND NEW.state <> 'sent'
        OR (NEW.state <> OLD.state AND NOT (CASE OLD.state
            WHEN 'prepared' THEN NEW.state IN ('proposed', 'held_back')
            WHEN 'proposed' THEN NEW.state IN ('approved', 'held_back')
            WHEN 'approved' THEN NEW.state IN ('awaiting_balance', 'awaiting_provider', 'sent', 'held_back')
            WHEN 'awaiting_balance' THEN NEW.state IN ('awaiting_provider', 'sent', 'held_back')
            WHEN 'awaiting_provider' THEN NEW.state IN ('awaiting_balance', 'sent', 'held_back')
            WHEN 'unknown' THEN NEW.state IN ('sent', 'awaiting_approval', 'queued', 'processing', 'deemed', 'done',
                'refused', 'returned')
            WHEN 'done' THEN NEW.state = 'reversed'
            WHEN 'refused' THEN NEW.state IN ('paid_late', 'paid_twice')
            WHEN 'paid_late' THEN NEW.state = 'reversed'
            WHEN 'paid_twice' THEN NEW.state = 'reversed'
            ELSE OLD.state IN ('sent', 'awaiting_approval', 'queued', 'processing', 'deemed')
                AND NEW.state IN ('unknown', 'awaiting_approval', 'queued', 'processing', 'deemed', 'done', 'refused',
                    'returned')
            END)) THEN
        RAISE EXCEPTION 'payout %: this change is refused in state %', OLD.payout_id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
