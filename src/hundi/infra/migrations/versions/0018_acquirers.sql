-- NOT VALID: what is there already was allowed by the list before, and is not read again under a lock.
ALTER DOMAIN attempt_method DROP CONSTRAINT attempt_method_check;
ALTER DOMAIN attempt_method ADD CONSTRAINT attempt_method_check CHECK (VALUE IN ('upi_qr', 'upi_collect', 'upi_link',
    'card', 'card_direct', 'card_page', 'card_moto', 'card_emi', 'netbanking', 'wallet', 'pay_later', 'virtual_account',
    'rtgs_account', 'remittance', 'cash_voucher', 'upi_autopay', 'card_mandate', 'enach', 'enach_debit')) NOT VALID;

-- Cards and UPI never carry a surcharge, whichever way they are charged (docs/spec/domain.md#surcharge).
ALTER TABLE attempts ADD CONSTRAINT attempts_without_surcharge
    CHECK (surcharge_paise = 0 OR method NOT IN ('upi_link', 'card_direct', 'card_page')) NOT VALID;

-- By what names an acquirer knows an attempt or a refund of ours: its order, its payment, the link it made.
-- Written once: another name would ask the acquirer about somebody else's money.
CREATE TABLE acquirer_words (
    merchant_id bigint NOT NULL,
    reference text NOT NULL CHECK (length(reference) BETWEEN 1 AND 40),
    name text NOT NULL CHECK (name ~ '^[a-z_]{1,32}$'),
    value text NOT NULL CHECK (length(value) BETWEEN 1 AND 2048),
    written_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, reference, name)
);
CREATE TRIGGER acquirer_words_append_only BEFORE UPDATE OR DELETE ON acquirer_words
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER acquirer_words_never_emptied BEFORE TRUNCATE ON acquirer_words
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
