-- How acquirers do is read of the latest attempts for which one was chosen: the others are not in it.
DROP INDEX CONCURRENTLY IF EXISTS attempts_routed;
CREATE INDEX CONCURRENTLY attempts_routed ON attempts (created_at) WHERE route <> '{}'::jsonb;
