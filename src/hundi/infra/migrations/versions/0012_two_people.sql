-- Payouts, accounts and corrections name only people who have an approval, two of them by the key (decision 0038).

INSERT INTO payout_approvals (merchant_id, payout_id, person_key, person, amount_paise, account_no, at)
SELECT p.merchant_id, p.payout_id, person_key(s.person), s.person, p.amount_paise, p.account_no, e.at
FROM payouts p CROSS JOIN LATERAL (VALUES (p.maker, 'proposed'), (p.checker, 'approved')) AS s (person, state)
    JOIN payout_events e ON e.merchant_id = p.merchant_id AND e.payout_id = p.payout_id AND e.state = s.state
WHERE s.person <> '';
INSERT INTO accepted_names (merchant_id, beneficiary, account_no, person, at)
SELECT merchant_id, beneficiary, account_no, accepted_by, checked_at FROM bank_accounts WHERE accepted_by <> '';

-- Whoever is named as having released has an approval; nobody, where the column is null.
ALTER TABLE payouts ADD COLUMN maker_named text GENERATED ALWAYS AS (nullif(maker, '')) STORED;
ALTER TABLE payouts ADD COLUMN checker_named text GENERATED ALWAYS AS (nullif(checker, '')) STORED;
ALTER TABLE payouts DROP CONSTRAINT payouts_two_people;
ALTER TABLE payouts
    ADD CONSTRAINT payouts_two_people CHECK ((person_key(maker) <> person_key(checker) OR maker = '')
        AND (state IN ('prepared', 'held_back') OR maker <> '')
        AND (state IN ('prepared', 'proposed', 'held_back') OR checker <> ''));
ALTER TABLE payouts
    ADD CONSTRAINT payouts_made FOREIGN KEY (merchant_id, payout_id, maker_named, amount_paise, account_no)
        REFERENCES payout_approvals (merchant_id, payout_id, person, amount_paise, account_no);
ALTER TABLE payouts
    ADD CONSTRAINT payouts_checked FOREIGN KEY (merchant_id, payout_id, checker_named, amount_paise, account_no)
        REFERENCES payout_approvals (merchant_id, payout_id, person, amount_paise, account_no);
ALTER TABLE bank_accounts ADD COLUMN accepted_named text GENERATED ALWAYS AS (nullif(accepted_by, '')) STORED;
ALTER TABLE bank_accounts DROP CONSTRAINT bank_accounts_accepted;
ALTER TABLE bank_accounts
    ADD CONSTRAINT bank_accounts_accepted CHECK (person_key(accepted_by) <> person_key(added_by)
        AND (state <> 'unverified' OR (checked_at IS NULL AND accepted_by = '')));
ALTER TABLE bank_accounts
    ADD CONSTRAINT bank_accounts_passed FOREIGN KEY (merchant_id, beneficiary, account_no, accepted_named)
        REFERENCES accepted_names (merchant_id, beneficiary, account_no, person);
ALTER TABLE reconciliation_proposals DROP CONSTRAINT reconciliation_two_people;
ALTER TABLE reconciliation_proposals
    ADD CONSTRAINT reconciliation_two_people CHECK (person_key(decided_by) <> person_key(proposed_by)
        AND person_key(decided_by) <> '' AND person_key(proposed_by) <> '');

CREATE TRIGGER payout_approvals_append_only BEFORE UPDATE OR DELETE ON payout_approvals
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER accepted_names_append_only BEFORE UPDATE OR DELETE ON accepted_names
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- A name that differs passes by a person alone; checked anew, its bank is asked again.
CREATE TRIGGER bank_accounts_pass BEFORE UPDATE ON bank_accounts FOR EACH ROW
    WHEN (OLD.state = 'name_differs' AND NEW.state = 'verified' AND NEW.accepted_by = '')
    EXECUTE FUNCTION refuse_change();
