-- What belongs to the gateway as a whole, on one node.

-- Keys that this gateway signs documents with; one of each purpose.
CREATE TABLE signing_keys (
    purpose text PRIMARY KEY,
    sealed_key bytea NOT NULL,
    certificate bytea NOT NULL,
    created_at timestamptz NOT NULL
);

-- How far a demo's clock is ahead of the world's; no row where there is no demo.
CREATE TABLE demo_clock (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    ahead interval NOT NULL CHECK (ahead >= interval '0')
);

-- Work of the whole gateway that runs once a period. The rows belong to no merchant and stay on one node.
CREATE TABLE schedules (
    name text PRIMARY KEY CHECK (name ~ '^[a-z_]{1,50}$'),
    due_at timestamptz NOT NULL,
    leased_until timestamptz
);
COMMENT ON COLUMN schedules.leased_until IS 'set while a worker runs it; when it has passed, that worker is dead';
