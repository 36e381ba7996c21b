-- Whoever accepts an account by its papers names each one that they looked at. papers: their ids, the smallest first; none
-- where a bank's name was accepted. Accounts that papers verified before have all that there were then.
ALTER TABLE accepted_names ADD COLUMN papers bigint[] NOT NULL DEFAULT '{}';
DROP TRIGGER accepted_names_append_only ON accepted_names;
UPDATE accepted_names n SET papers = (SELECT array_agg(p.paper_id::bigint ORDER BY p.paper_id) FROM account_papers p
    WHERE p.merchant_id = n.merchant_id AND p.beneficiary = n.beneficiary AND p.account_no = n.account_no)
WHERE EXISTS (SELECT FROM bank_accounts a WHERE a.merchant_id = n.merchant_id AND a.beneficiary = n.beneficiary
        AND a.account_no = n.account_no AND a.accepted_by = n.person AND a.registered_name = '' AND a.state = 'verified')
    AND EXISTS (SELECT FROM account_papers p
    WHERE p.merchant_id = n.merchant_id AND p.beneficiary = n.beneficiary AND p.account_no = n.account_no);
CREATE TRIGGER accepted_names_append_only BEFORE UPDATE OR DELETE ON accepted_names
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- As before, and: the papers that were accepted are all that the account has.
CREATE OR REPLACE FUNCTION refuse_without_papers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.registered_name <> '' AND NEW.accepted_by = '' AND EXISTS (SELECT FROM account_checks c
            WHERE c.merchant_id = NEW.merchant_id AND c.check_id = NEW.check_id AND c.outcome = 'name') THEN
        RETURN NEW;
    END IF;
    IF NEW.registered_name <> '' OR NEW.accepted_by = ''
        OR EXISTS (SELECT FROM account_checks c WHERE c.merchant_id = NEW.merchant_id
            AND c.beneficiary = NEW.beneficiary AND c.account_no = NEW.account_no)
        OR (SELECT array_agg(p.paper_id::bigint ORDER BY p.paper_id) FROM account_papers p WHERE p.merchant_id = NEW.merchant_id
            AND p.beneficiary = NEW.beneficiary AND p.account_no = NEW.account_no)
            IS DISTINCT FROM (SELECT n.papers FROM accepted_names n WHERE n.merchant_id = NEW.merchant_id
            AND n.beneficiary = NEW.beneficiary AND n.account_no = NEW.account_no AND n.person = NEW.accepted_by
            AND cardinality(n.papers) > 0)
        OR NOT EXISTS (SELECT FROM account_papers p WHERE p.merchant_id = NEW.merchant_id
            AND p.beneficiary = NEW.beneficiary AND p.account_no = NEW.account_no)
        OR EXISTS (SELECT FROM account_papers p WHERE p.merchant_id = NEW.merchant_id
            AND p.beneficiary = NEW.beneficiary AND p.account_no = NEW.account_no
            AND person_key(p.added_by) = person_key(NEW.accepted_by)) THEN
        RAISE EXCEPTION 'account %: the bank''s word, or all its papers and another person who accepts them', NEW.beneficiary
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
