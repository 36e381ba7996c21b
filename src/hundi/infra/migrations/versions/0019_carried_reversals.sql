-- A reversal that travels with the refund that asks for it: the acquirer takes the parties' parts with the refund.

ALTER DOMAIN share_reversal_state DROP CONSTRAINT share_reversal_state_check;
ALTER DOMAIN share_reversal_state ADD CONSTRAINT share_reversal_state_check CHECK (VALUE IN (
    'sent', 'unknown', 'done', 'owed', 'cancelled')) NOT VALID;

-- refund_id: the refund that carries it, null where it is a call of its own. cancelled: that refund failed, so nothing was taken.
ALTER TABLE share_reversals ADD COLUMN refund_id gateway_id;
ALTER TABLE share_reversals DROP CONSTRAINT share_reversals_end;
ALTER TABLE share_reversals ADD CONSTRAINT share_reversals_end CHECK ((ended_at IS NOT NULL) = (state IN ('done', 'cancelled'))
    AND (state <> 'cancelled' OR refund_id IS NOT NULL) AND (state <> 'owed' OR refund_id IS NULL));
ALTER TABLE share_reversals ADD FOREIGN KEY (merchant_id, refund_id) REFERENCES refunds (merchant_id, refund_id);
DROP INDEX share_reversals_one_open;
CREATE UNIQUE INDEX share_reversals_one_open ON share_reversals (merchant_id, share_id)
    WHERE state <> 'done' AND refund_id IS NULL;
CREATE UNIQUE INDEX share_reversals_carried ON share_reversals (merchant_id, refund_id, share_id) WHERE refund_id IS NOT NULL;

CREATE OR REPLACE FUNCTION refuse_wrong_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.state IN ('done', 'cancelled') OR (OLD.merchant_id, OLD.reversal_id, OLD.share_id,
            OLD.amount_paise, OLD.created_at, OLD.refund_id) IS DISTINCT FROM (NEW.merchant_id, NEW.reversal_id, NEW.share_id,
            NEW.amount_paise, NEW.created_at, NEW.refund_id) OR OLD.state = 'owed' AND NEW.state = 'unknown' THEN
        RAISE EXCEPTION 'share reversal %: this change is refused in state %', OLD.reversal_id, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
