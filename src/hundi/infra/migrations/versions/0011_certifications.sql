-- What accounts at acquirers were tried with, and what came back: evidence for people, which decides about no payment.

-- An entry is about one step of `hundi acquirer certify` as account and Hundi were then. number: makes the step's references, which
-- are of no merchant. moved_reference, moved_paise: what later steps go on with. exchanges: calls, masked before they come here.
CREATE TABLE certification_evidence (
    account text NOT NULL CHECK (length(account) BETWEEN 1 AND 63),
    evidence_id bigint NOT NULL CHECK (evidence_id > 0),
    step text NOT NULL CHECK (step ~ '^[a-z0-9_-]{1,48}$'),
    subject text NOT NULL CHECK (length(subject) BETWEEN 1 AND 64),
    verdict text NOT NULL CHECK (verdict IN ('begun', 'passed', 'failed', 'open', 'unavailable', 'skipped')),
    words text NOT NULL CHECK (length(words) <= 500),
    number bigint NOT NULL CHECK (number >= 0),
    moved_reference text NOT NULL CHECK (length(moved_reference) <= 40),
    moved_paise bigint NOT NULL CHECK (moved_paise >= 0 AND (moved_paise = 0) = (moved_reference = '')),
    kind text NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
    settings_digest text NOT NULL CHECK (settings_digest ~ '^[0-9a-f]{64}$'),
    version text NOT NULL CHECK (length(version) BETWEEN 1 AND 64),
    is_live boolean NOT NULL,
    exchanges jsonb NOT NULL CHECK (jsonb_typeof(exchanges) = 'array'),
    at timestamptz NOT NULL,
    PRIMARY KEY (account, evidence_id),
    CHECK (verdict <> 'skipped' OR words <> '')
);
CREATE TRIGGER certification_evidence_append_only BEFORE UPDATE OR DELETE ON certification_evidence
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER certification_evidence_never_emptied BEFORE TRUNCATE ON certification_evidence
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Webhooks with a right proof about references of certifications, and whether the same ones, changed on their way, were refused.
CREATE TABLE certification_webhooks (
    account text NOT NULL CHECK (length(account) BETWEEN 1 AND 63),
    reference text NOT NULL CHECK (length(reference) BETWEEN 1 AND 40),
    refused boolean NOT NULL,
    covers boolean NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account, reference)
);
CREATE TRIGGER certification_webhooks_append_only BEFORE UPDATE OR DELETE ON certification_webhooks
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER certification_webhooks_never_emptied BEFORE TRUNCATE ON certification_webhooks
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
