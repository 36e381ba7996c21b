-- Reports that somebody asked for, or a schedule did: the worker writes the file, which is kept for some weeks in parts.
CREATE TABLE report_files (
    merchant_id bigint NOT NULL,
    report_id gateway_id NOT NULL,
    kind text NOT NULL CHECK (kind ~ '^[a-z_]{1,20}$'),
    form text NOT NULL CHECK (form IN ('csv', 'xlsx', 'pdf')),
    first_day date NOT NULL,
    last_day date NOT NULL CHECK (last_day >= first_day),
    settlement_id bigint NOT NULL DEFAULT 0,
    schedule_no integer NOT NULL DEFAULT 0,
    asked_by text NOT NULL CHECK (length(asked_by) BETWEEN 1 AND 254),
    asked_at timestamptz NOT NULL,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'made', 'failed', 'expired')),
    tries integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    problem text NOT NULL DEFAULT '' CHECK (length(problem) <= 300),
    made_at timestamptz,
    line_count integer NOT NULL DEFAULT 0,
    size_bytes bigint NOT NULL DEFAULT 0,
    digest bytea NOT NULL DEFAULT '',
    PRIMARY KEY (merchant_id, report_id),
    CONSTRAINT report_files_ended CHECK ((state IN ('failed', 'expired')) = (due_at IS NULL)),
    CONSTRAINT report_files_made CHECK ((state IN ('made', 'expired')) = (made_at IS NOT NULL))
);
CREATE INDEX report_files_due ON report_files (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE report_parts (
    merchant_id bigint NOT NULL,
    report_id gateway_id NOT NULL,
    part_no ordinal NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (merchant_id, report_id, part_no)
);

-- A report of each month that is over, for people of the merchant. people: their ids.
CREATE TABLE report_schedules (
    merchant_id bigint NOT NULL,
    schedule_no ordinal NOT NULL,
    kind text NOT NULL CHECK (kind ~ '^[a-z_]{1,20}$'),
    form text NOT NULL CHECK (form IN ('csv', 'xlsx', 'pdf')),
    day_of_month integer NOT NULL CHECK (day_of_month BETWEEN 1 AND 28),
    people bigint[] NOT NULL CHECK (cardinality(people) BETWEEN 1 AND 20),
    set_by text NOT NULL CHECK (length(set_by) BETWEEN 1 AND 254),
    set_at timestamptz NOT NULL,
    due_at timestamptz,
    ended_at timestamptz,
    PRIMARY KEY (merchant_id, schedule_no),
    CONSTRAINT report_schedules_ended CHECK ((ended_at IS NULL) = (due_at IS NOT NULL))
);
CREATE INDEX report_schedules_due ON report_schedules (due_at) WHERE due_at IS NOT NULL;

-- Statements that a person looks at before the worker imports them. The content goes when they are, or after a day.
CREATE TABLE statement_uploads (
    upload_id gateway_id PRIMARY KEY,
    connector text NOT NULL,
    format text NOT NULL CHECK (format IN ('csv', 'mt940', 'camt053')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    size_bytes integer NOT NULL,
    uploaded_by text NOT NULL,
    uploaded_at timestamptz NOT NULL,
    state text NOT NULL DEFAULT 'uploaded' CHECK (state IN ('uploaded', 'asked', 'imported', 'refused', 'forgotten')),
    mapping jsonb,
    asked_by text NOT NULL DEFAULT '',
    result jsonb NOT NULL DEFAULT '{}',
    problem text NOT NULL DEFAULT '' CHECK (length(problem) <= 300),
    sealed_content bytea,
    CONSTRAINT statement_uploads_kept CHECK ((state IN ('uploaded', 'asked')) = (sealed_content IS NOT NULL))
);
