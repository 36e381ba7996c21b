-- Why a released payout waits, as it was found when it was last looked at; '' for one that does not wait.
ALTER TABLE payouts ADD COLUMN wait_reason text NOT NULL DEFAULT '';
