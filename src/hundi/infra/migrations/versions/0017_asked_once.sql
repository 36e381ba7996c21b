-- One form asks a second person once, however often it is sent: act_id is the form's number, "" where there is none.

ALTER TABLE approvals ADD COLUMN act_id text DEFAULT '' NOT NULL;
ALTER TABLE approvals ADD CONSTRAINT approvals_act_id_check CHECK (act_id ~ '^[0-9]{0,15}$');
CREATE UNIQUE INDEX approvals_once ON approvals (merchant_id, kind, act_id) WHERE act_id <> '';
CREATE TRIGGER approvals_act BEFORE UPDATE ON approvals FOR EACH ROW WHEN (OLD.act_id <> NEW.act_id)
    EXECUTE FUNCTION refuse_change();
