-- When a worker fetches the settlement reports of each acquirer next, and how the last time went (decision 0062).
-- wanted_at: since when a run is wanted; it stays while tries fail. due_at: of the next try, or the end of a run's lease.
-- last_day: up to which all days were fetched. error: why the last try failed, '' when it did not.
CREATE TABLE report_fetches (
    connector text PRIMARY KEY CHECK (length(connector) BETWEEN 1 AND 63),
    wanted_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    error text NOT NULL DEFAULT '' CHECK (length(error) <= 300),
    last_day date,
    fetched_at timestamptz,
    CHECK ((failures = 0) = (error = ''))
);
