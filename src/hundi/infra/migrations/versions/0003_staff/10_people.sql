-- People who work with Hundi: merchants' and the operator's (decision 0040).

CREATE DOMAIN staff_role AS text CHECK (VALUE IN ('owner', 'finance', 'support', 'developer', 'reader',
    'operator', 'operator_finance', 'operator_reader'));
CREATE DOMAIN person_state AS text CHECK (VALUE IN ('invited', 'active', 'ended'));
CREATE DOMAIN session_stage AS text CHECK (VALUE IN ('password', 'complete'));
CREATE DOMAIN link_purpose AS text CHECK (VALUE IN ('invitation', 'reset', 'demo'));

-- password_hash: argon2id with its own parameters, '' until the invitation is accepted. totp_step: the time step of the
-- newest code that was taken, so that none is taken twice. handle: what passkeys know a person by.
-- mark: of what a person signs in with, under a key that the database never holds; so are those of passkeys, recovery
-- codes, links and sessions. What has no mark is not believed. generation: the number of the password setting that this
-- row has: the trail tells the newest, so an older row that somebody puts back counts for nothing.
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
    mark bytea NOT NULL DEFAULT '',
    generation integer NOT NULL DEFAULT 0 CHECK (generation >= 0),
    CONSTRAINT people_active CHECK (state <> 'active' OR (password_hash <> '' AND sealed_totp IS NOT NULL))
);

CREATE TABLE passkeys (
    credential_id bytea PRIMARY KEY CHECK (length(credential_id) BETWEEN 1 AND 1023),
    person_id gateway_id NOT NULL REFERENCES people,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    created_at timestamptz NOT NULL,
    used_at timestamptz,
    mark bytea NOT NULL DEFAULT ''
);
CREATE INDEX passkeys_of_person ON passkeys (person_id);

-- Codes for who lost the second factor; each is good once.
CREATE TABLE recovery_codes (
    person_id gateway_id NOT NULL REFERENCES people,
    code_hash sha256_digest NOT NULL,
    used_at timestamptz,
    mark bytea NOT NULL DEFAULT '',
    PRIMARY KEY (person_id, code_hash)
);

-- Addresses that are good once: an invitation, a reset, the demo's signed-in link. link_hash: of the random part.
-- made_by: who makes somebody's link could choose the password in their place, and decides nothing with it. 0: the
-- command line.
CREATE TABLE one_time_links (
    link_hash sha256_digest PRIMARY KEY,
    person_id gateway_id NOT NULL REFERENCES people,
    purpose link_purpose NOT NULL,
    made_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    used_at timestamptz,
    made_by bigint NOT NULL,
    mark bytea NOT NULL DEFAULT ''
);
CREATE INDEX one_time_links_of_person ON one_time_links (person_id);

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
    mark bytea NOT NULL DEFAULT '',
    factor_mark bytea NOT NULL DEFAULT '',
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

-- What the audit may see of people: how they are called, and nothing of what they sign in with.
CREATE FUNCTION people_by_name() RETURNS TABLE (person_id bigint, email text, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT person_id, email, name FROM people WHERE state <> 'ended'
$$;
