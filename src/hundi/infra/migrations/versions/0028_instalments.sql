-- Instalments at an acquirer's own page (emi_page), and of a card that its acquirer charges at once (emi_direct).
-- NOT VALID: what is there already was allowed by the list before, and is not read again under a lock.
ALTER DOMAIN attempt_method DROP CONSTRAINT attempt_method_check;
ALTER DOMAIN attempt_method ADD CONSTRAINT attempt_method_check CHECK (VALUE IN ('upi_qr', 'upi_collect', 'upi_link',
    'card', 'card_direct', 'card_page', 'card_moto', 'card_emi', 'emi_page', 'emi_direct', 'netbanking', 'wallet',
    'pay_later', 'virtual_account', 'rtgs_account', 'remittance', 'cash_voucher', 'upi_autopay', 'card_mandate',
    'enach', 'enach_debit')) NOT VALID;

-- Cards never carry a surcharge, in instalments neither (docs/spec/domain.md#surcharge).
ALTER TABLE attempts DROP CONSTRAINT attempts_without_surcharge;
ALTER TABLE attempts ADD CONSTRAINT attempts_without_surcharge
    CHECK (surcharge_paise = 0 OR method NOT IN ('upi_link', 'card_direct', 'card_page', 'emi_page', 'emi_direct'))
    NOT VALID;
