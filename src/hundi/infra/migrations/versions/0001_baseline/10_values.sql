-- Values that columns may hold, as domains.
--
-- PostgreSQL reads the text of every CHECK of a table anew at each statement that writes to the table; what a domain
-- allows it keeps in memory. On the way of a payment that is a fifth of the database's work. So what one column may hold
-- is a domain, and constraints over several columns stay with their tables, one each. The column by which rows are
-- sharded (merchant_id, affiliate) is never a domain: Citus finds no rows by one (decision 0003).

CREATE DOMAIN gateway_id AS bigint CHECK (VALUE BETWEEN 1 AND 999999999999999);
CREATE DOMAIN order_reference AS text CHECK (VALUE ~ '^[A-Za-z0-9_.-]{1,64}$');
CREATE DOMAIN sha256_digest AS bytea CHECK (length(VALUE) = 32);
CREATE DOMAIN paise_above_zero AS bigint CHECK (VALUE > 0);
CREATE DOMAIN paise AS bigint CHECK (VALUE >= 0);
CREATE DOMAIN times AS integer CHECK (VALUE >= 0);
CREATE DOMAIN ordinal AS integer CHECK (VALUE > 0);
CREATE DOMAIN currency_letters AS text CHECK (VALUE ~ '^[A-Z]{3}$');
CREATE DOMAIN account_name AS text CHECK (VALUE ~ '^[a-z_]+(:[a-z0-9_]+)?$');

CREATE DOMAIN payment_kind AS text CHECK (VALUE IN ('sale', 'authorise', 'moto', 'subscription'));
CREATE DOMAIN payment_state AS text CHECK (VALUE IN ('open', 'in_process', 'authorised', 'captured', 'paid',
    'under_review', 'failed', 'not_registered', 'expired', 'unknown', 'abandoned', 'voided'));
CREATE DOMAIN attempt_method AS text CHECK (VALUE IN ('upi_qr', 'upi_collect', 'card', 'card_moto', 'card_emi',
    'netbanking', 'wallet', 'pay_later', 'virtual_account', 'rtgs_account', 'remittance', 'cash_voucher', 'upi_autopay', 'card_mandate',
    'enach', 'enach_debit'));
CREATE DOMAIN attempt_state AS text CHECK (VALUE IN ('offered', 'sent', 'authenticating', 'authorising', 'pending',
    'paid', 'authorised', 'overpaid', 'failed', 'not_registered', 'expired', 'unknown'));
CREATE DOMAIN refund_state AS text CHECK (VALUE IN ('initiated', 'sent', 'unknown', 'done', 'failed'));
CREATE DOMAIN refund_cause AS text CHECK (VALUE IN ('merchant', 'overpaid', 'late'));
CREATE DOMAIN subscription_period AS text CHECK (VALUE IN ('day', 'week', 'month', 'year', 'as_presented'));
CREATE DOMAIN subscription_state AS text CHECK (VALUE IN ('created', 'active', 'paused', 'cancelled', 'completed',
    'failed'));
CREATE DOMAIN debit_state AS text CHECK (VALUE IN ('announced', 'sent', 'retrying', 'done', 'failed', 'skipped',
    'missed'));
CREATE DOMAIN completion_kind AS text CHECK (VALUE IN ('capture', 'void'));
CREATE DOMAIN completion_state AS text CHECK (VALUE IN ('sent', 'unknown', 'done', 'failed'));
CREATE DOMAIN posting_kind AS text CHECK (VALUE IN ('payment', 'overpaid', 'late_refund_due', 'capture',
    'refund_begun', 'refund_done', 'refund_failed', 'review_held', 'review_released', 'review_rejected'));
CREATE DOMAIN delivery_state AS text
    CHECK (VALUE IN ('waiting', 'sending', 'delivered', 'exhausted', 'no_endpoint', 'superseded'));

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;
