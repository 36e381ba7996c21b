-- Invoices for fees (docs/reports.md#invoices).

-- Who is named on an invoice, in versions: merchants, and under 0 the operator. state: by its GST code. gstin: '' where
-- there is none.
CREATE TABLE tax_parties (
    merchant_id bigint NOT NULL,
    party_no ordinal NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    address text NOT NULL CHECK (length(address) BETWEEN 1 AND 300),
    state text NOT NULL CHECK (state ~ '^[0-9]{2}$'),
    gstin text NOT NULL,
    pan text NOT NULL,
    written_by text NOT NULL,
    written_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, party_no)
);
CREATE TRIGGER tax_parties_append_only BEFORE UPDATE OR DELETE ON tax_parties
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- The last number that was given to an invoice of a financial year, such as 2026: of all merchants, without a gap.
CREATE TABLE invoice_series (
    financial_year integer PRIMARY KEY,
    last_no ordinal NOT NULL
);

-- One month's fees of one merchant. supplier, recipient: as they were named then. other_paise: what bears no tax because it
-- is a lender's interest. The sums are those of the books.
CREATE TABLE fee_invoices (
    merchant_id bigint NOT NULL,
    month date NOT NULL,
    financial_year integer NOT NULL,
    serial_no ordinal NOT NULL,
    issued_on date NOT NULL,
    supplier jsonb NOT NULL,
    recipient jsonb NOT NULL,
    taxable_paise paise NOT NULL,
    exempt_paise paise NOT NULL,
    other_paise paise NOT NULL,
    cgst_paise paise NOT NULL,
    sgst_paise paise NOT NULL,
    igst_paise paise NOT NULL,
    total_paise paise_above_zero NOT NULL,
    PRIMARY KEY (merchant_id, month),
    CONSTRAINT fee_invoices_add_up CHECK (taxable_paise + exempt_paise + other_paise + cgst_paise + sgst_paise
        + igst_paise = total_paise AND (igst_paise = 0 OR cgst_paise + sgst_paise = 0))
);
CREATE TRIGGER fee_invoices_append_only BEFORE UPDATE OR DELETE ON fee_invoices
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER fee_invoices_no_truncate BEFORE TRUNCATE ON fee_invoices
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
