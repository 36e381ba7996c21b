-- The public status page: what was seen of each component, what an operator announces, and by which names acquirers stand there.

-- The states of components, each from its beginning to its end; ended_at NULL: it goes on, and was last seen at looked_at.
-- Between two spells of a component nobody looked.
CREATE TABLE status_spells (
    component text NOT NULL CHECK (length(component) BETWEEN 1 AND 48),
    began_at timestamptz NOT NULL,
    state text NOT NULL CHECK (
        state IN ('operational', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance')),
    ended_at timestamptz CHECK (ended_at >= began_at),
    PRIMARY KEY (component, began_at)
);
CREATE UNIQUE INDEX status_spells_go_on ON status_spells (component) WHERE ended_at IS NULL;
CREATE INDEX status_spells_ended ON status_spells (ended_at);

-- When a worker last looked at all components; of several workers, the one that locks the row writes.
CREATE TABLE status_watch (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    looked_at timestamptz
);
INSERT INTO status_watch DEFAULT VALUES;

-- component: '' for all of the gateway. ends_at NULL: an incident that goes on.
CREATE TABLE status_announcements (
    announcement_id gateway_id PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('incident', 'maintenance')),
    component text NOT NULL CHECK (length(component) <= 48),
    sentence text NOT NULL CHECK (length(sentence) BETWEEN 1 AND 200),
    begins_at timestamptz NOT NULL,
    ends_at timestamptz CHECK (ends_at >= begins_at),
    CHECK (kind = 'incident' OR ends_at IS NOT NULL)
);

-- public_name '': the acquirer does not stand on the page. Without a row: under its brand.
CREATE TABLE status_names (
    acquirer text PRIMARY KEY CHECK (length(acquirer) BETWEEN 1 AND 32),
    public_name text NOT NULL CHECK (length(public_name) <= 60)
);
