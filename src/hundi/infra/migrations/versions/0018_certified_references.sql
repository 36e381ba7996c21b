-- What later steps of a certification refund, debit or ask about is never a merchant's payment.
ALTER TABLE certification_evidence
    ADD CONSTRAINT certification_evidence_moved_is_nobodys CHECK (moved_reference = '' OR moved_reference LIKE '0-%');
