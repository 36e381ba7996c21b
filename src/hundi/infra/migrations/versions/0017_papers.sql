-- Papers never overrule a bank. An account becomes verified by the check that it has now, which named a holder, or by
-- papers where no check ever said anything of this version of it.
CREATE OR REPLACE FUNCTION refuse_without_papers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.registered_name <> '' AND NEW.accepted_by = '' AND EXISTS (SELECT FROM account_checks c
            WHERE c.merchant_id = NEW.merchant_id AND c.check_id = NEW.check_id AND c.outcome = 'name') THEN
        RETURN NEW;
    END IF;
    IF NEW.registered_name <> '' OR NEW.accepted_by = ''
        OR EXISTS (SELECT FROM account_checks c WHERE c.merchant_id = NEW.merchant_id
            AND c.beneficiary = NEW.beneficiary AND c.account_no = NEW.account_no)
        OR NOT EXISTS (SELECT FROM account_papers p WHERE p.merchant_id = NEW.merchant_id
            AND p.beneficiary = NEW.beneficiary AND p.account_no = NEW.account_no)
        OR EXISTS (SELECT FROM account_papers p WHERE p.merchant_id = NEW.merchant_id
            AND p.beneficiary = NEW.beneficiary AND p.account_no = NEW.account_no
            AND person_key(p.added_by) = person_key(NEW.accepted_by)) THEN
        RAISE EXCEPTION 'account %: the bank''s word, or papers and another person who accepts them', NEW.beneficiary
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER bank_accounts_papers ON bank_accounts;
CREATE TRIGGER bank_accounts_papers BEFORE UPDATE ON bank_accounts FOR EACH ROW
    WHEN (OLD.state = 'unverified' AND NEW.state = 'verified')
    EXECUTE FUNCTION refuse_without_papers();
