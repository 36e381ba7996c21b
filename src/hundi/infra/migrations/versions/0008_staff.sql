-- People who work with Hundi: merchants' and the operator's (decision 0040).

CREATE DOMAIN staff_role AS text CHECK (VALUE IN ('owner', 'finance', 'support', 'developer', 'reader',
    'operator', 'operator_finance', 'operator_reader'));
CREATE DOMAIN person_state AS text CHECK (VALUE IN ('invited', 'active', 'ended'));
CREATE DOMAIN session_stage AS text CHECK (VALUE IN ('password', 'complete'));
CREATE DOMAIN link_purpose AS text CHECK (VALUE IN ('invitation', 'reset', 'demo'));
CREATE DOMAIN approval_state AS text CHECK (VALUE IN ('waiting', 'approved', 'done', 'failed', 'rejected', 'expired'));

-- password_hash: argon2id with its own parameters, '' until the invitation is accepted. totp_step: the time step of the
-- newest code that was taken, so that none is taken twice. handle: what passkeys know a person by.
CREATE TABLE people (
    person_id gateway_id PRIMARY KEY,
    email text NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    handle bytea NOT NULL UNIQUE CHECK (length(handle) = 32),
    state person_state NOT NULL,
    password_hash text NOT NULL DEFAULT '',
    sealed_totp bytea,
    totp_step bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    CONSTRAINT people_active CHECK (state <> 'active' OR (password_hash <> '' AND sealed_totp IS NOT NULL))
);

CREATE TABLE passkeys (
    credential_id bytea PRIMARY KEY CHECK (length(credential_id) BETWEEN 1 AND 1023),
    person_id gateway_id NOT NULL REFERENCES people,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    created_at timestamptz NOT NULL,
    used_at timestamptz
);
CREATE INDEX passkeys_of_person ON passkeys (person_id);

-- Codes for who lost the second factor; each is good once.
CREATE TABLE recovery_codes (
    person_id gateway_id NOT NULL REFERENCES people,
    code_hash sha256_digest NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (person_id, code_hash)
);

-- Addresses that are good once: an invitation, a reset, the demo's signed-in link. link_hash: of the random part.
CREATE TABLE one_time_links (
    link_hash sha256_digest PRIMARY KEY,
    person_id gateway_id NOT NULL REFERENCES people,
    purpose link_purpose NOT NULL,
    made_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    used_at timestamptz
);

-- A browser that is signed in, or has shown the password only. session_hash: of the random token in its cookie.
-- factor_at: when the second factor was shown last. challenge: of a passkey that is being asked for.
CREATE TABLE staff_sessions (
    session_hash sha256_digest PRIMARY KEY,
    person_id gateway_id NOT NULL REFERENCES people,
    stage session_stage NOT NULL,
    began_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    factor_at timestamptz,
    challenge bytea,
    network text NOT NULL,
    browser text NOT NULL CHECK (length(browser) <= 200),
    CONSTRAINT staff_sessions_complete CHECK ((stage = 'complete') = (factor_at IS NOT NULL))
);
CREATE INDEX staff_sessions_of_person ON staff_sessions (person_id);

-- Wrong tries, by the keyed hash of who was named and from which kind of browser. Forgotten when they are old.
CREATE TABLE sign_in_failures (
    subject sha256_digest PRIMARY KEY,
    failures times NOT NULL,
    first_at timestamptz NOT NULL
);

-- Who has which role where. merchant_id 0: the operator's own people.
CREATE TABLE memberships (
    merchant_id bigint NOT NULL,
    person_id gateway_id NOT NULL,
    role staff_role NOT NULL,
    added_at timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, person_id),
    CONSTRAINT memberships_operator CHECK ((merchant_id = 0) = (role IN ('operator', 'operator_finance', 'operator_reader')))
);
CREATE INDEX memberships_of_person ON memberships (person_id);

-- The trail: what people did, each entry's digest made over the one before in its merchant. merchant_id 0: the operator's.
-- person_id 0: the command line. detail: JSON as text, because the digest is over its letters.
CREATE TABLE trail_entries (
    merchant_id bigint NOT NULL,
    entry_no ordinal NOT NULL,
    at timestamptz NOT NULL,
    person_id bigint NOT NULL,
    person text NOT NULL,
    act text NOT NULL CHECK (act ~ '^[a-z_]+\.[a-z_]+$'),
    about text NOT NULL CHECK (length(about) <= 200),
    detail text NOT NULL CHECK (length(detail) <= 10000),
    network text NOT NULL,
    digest sha256_digest NOT NULL,
    PRIMARY KEY (merchant_id, entry_no)
);
CREATE TRIGGER trail_entries_append_only BEFORE UPDATE OR DELETE ON trail_entries
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER trail_entries_no_truncate BEFORE TRUNCATE ON trail_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What one person asks for and another decides. payload: what the act of this kind needs. result: what it came to.
CREATE TABLE approvals (
    merchant_id bigint NOT NULL,
    approval_id gateway_id NOT NULL,
    kind text NOT NULL CHECK (kind ~ '^[a-z_]+$'),
    title text NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    payload jsonb NOT NULL,
    state approval_state NOT NULL,
    made_by gateway_id NOT NULL,
    maker text NOT NULL,
    reason text NOT NULL CHECK (length(reason) <= 500),
    made_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    decided_by gateway_id,
    checker text NOT NULL DEFAULT '',
    decided_at timestamptz,
    note text NOT NULL DEFAULT '',
    result text NOT NULL DEFAULT '',
    PRIMARY KEY (merchant_id, approval_id),
    CONSTRAINT approvals_two_people CHECK (decided_by <> made_by),
    CONSTRAINT approvals_decided CHECK ((decided_by IS NULL) = (decided_at IS NULL)
        AND (state NOT IN ('approved', 'done', 'failed', 'rejected') OR decided_by IS NOT NULL))
);
CREATE INDEX approvals_waiting ON approvals (merchant_id, approval_id) WHERE state IN ('waiting', 'approved');
