-- Price plans, and the days on which banks settle.

-- A price plan as its operator wrote it, in versions. document: JSON of rules (docs/fees.md). first_day: the Indian
-- business day from which on it prices payments.
CREATE TABLE fee_plans (
    merchant_id bigint NOT NULL,
    plan_no ordinal NOT NULL,
    first_day date NOT NULL,
    document jsonb NOT NULL,
    published_by text NOT NULL,
    published_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, plan_no),
    CONSTRAINT fee_plans_object CHECK (jsonb_typeof(document) = 'object')
);
CREATE TRIGGER fee_plans_append_only BEFORE UPDATE OR DELETE ON fee_plans
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER fee_plans_no_truncate BEFORE TRUNCATE ON fee_plans
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Days on which the banks of a centre are closed, or work although they would be closed. IN is every centre.
CREATE TABLE bank_days (
    centre text NOT NULL,
    day date NOT NULL,
    working boolean NOT NULL,
    name text NOT NULL,
    written_by text NOT NULL,
    written_at timestamptz NOT NULL,
    PRIMARY KEY (centre, day),
    CONSTRAINT bank_days_centre CHECK (centre ~ '^[A-Z]{2}$')
);

-- National holidays as the library holidays 0.109 knows them; an operator mends them (hundi calendar).
INSERT INTO bank_days (centre, day, working, name, written_by, written_at) VALUES
    ('IN', '2025-01-26', false, 'Republic Day', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-02-26', false, 'Maha Shivaratri', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-03-14', false, 'Holi', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-03-31', false, 'Eid al-Fitr', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-04-10', false, 'Mahavira''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-04-14', false, 'Dr. B. R. Ambedkar''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-04-18', false, 'Good Friday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-05-12', false, 'Buddha Purnima', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-06-07', false, 'Eid al-Adha', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-07-06', false, 'Ashura', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-08-15', false, 'Independence Day', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-08-16', false, 'Janmashtami (Vaishnava)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-09-05', false, 'Prophet''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-10-02', false, 'Dussehra, Mahatma Gandhi''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-10-20', false, 'Diwali', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-11-05', false, 'Guru Nanak''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2025-12-25', false, 'Christmas', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-01-26', false, 'Republic Day', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-03-04', false, 'Holi', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-03-21', false, 'Eid al-Fitr', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-03-26', false, 'Ram Navami', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-03-31', false, 'Mahavira''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-04-03', false, 'Good Friday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-04-14', false, 'Dr. B. R. Ambedkar''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-05-01', false, 'Buddha Purnima', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-05-27', false, 'Eid al-Adha', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-06-26', false, 'Ashura', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-08-15', false, 'Independence Day', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-08-26', false, 'Prophet''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-09-04', false, 'Janmashtami (Vaishnava)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-10-02', false, 'Mahatma Gandhi''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-10-20', false, 'Dussehra', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-11-08', false, 'Diwali', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-11-24', false, 'Guru Nanak''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2026-12-25', false, 'Christmas', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-01-26', false, 'Republic Day', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-03-06', false, 'Maha Shivaratri', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-03-10', false, 'Eid al-Fitr (estimated)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-03-22', false, 'Holi', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-03-26', false, 'Good Friday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-04-14', false, 'Dr. B. R. Ambedkar''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-04-15', false, 'Ram Navami', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-04-18', false, 'Mahavira''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-05-17', false, 'Eid al-Adha (estimated)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-05-20', false, 'Buddha Purnima', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-06-16', false, 'Ashura (estimated)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-08-15', false, 'Independence Day, Prophet''s Birthday (estimated)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-08-25', false, 'Janmashtami (Vaishnava)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-10-02', false, 'Mahatma Gandhi''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-10-09', false, 'Dussehra', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-10-29', false, 'Diwali', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-11-14', false, 'Guru Nanak''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2027-12-25', false, 'Christmas', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-01-26', false, 'Republic Day', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-02-23', false, 'Maha Shivaratri', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-02-27', false, 'Eid al-Fitr (estimated)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-03-11', false, 'Holi', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-04-03', false, 'Ram Navami', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-04-07', false, 'Mahavira''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-04-14', false, 'Dr. B. R. Ambedkar''s Birthday, Good Friday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-05-06', false, 'Eid al-Adha (estimated)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-05-08', false, 'Buddha Purnima', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-06-04', false, 'Ashura (estimated)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-08-04', false, 'Prophet''s Birthday (estimated)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-08-13', false, 'Janmashtami (Vaishnava)', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-08-15', false, 'Independence Day', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-09-27', false, 'Dussehra', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-10-02', false, 'Mahatma Gandhi''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-10-17', false, 'Diwali', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-11-02', false, 'Guru Nanak''s Birthday', 'holidays 0.109', '2026-11-22 00:00Z'),
    ('IN', '2028-12-25', false, 'Christmas', 'holidays 0.109', '2026-11-22 00:00Z');
