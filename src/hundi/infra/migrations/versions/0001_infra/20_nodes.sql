-- Which node counts the transactions of a row.

-- The identifier of the database cluster that counts transactions here. A function, so that a statement that is sent to
-- a worker of a Citus cluster hears of that worker.
CREATE FUNCTION this_cluster() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT system_identifier::text FROM pg_control_system()
$$;

-- A mark counts transactions of one node, as long as the merchant's rows stay there. A merchant that was moved to
-- another node of a Citus cluster and back has rows of that node's transactions, which may lie below the mark. A move
-- makes the tables of its pieces anew, so the table that holds the mark is part of its name: no mark is ever compared
-- with numbers from before a move.
CREATE FUNCTION this_home(place oid) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT this_cluster() || '/' || place
$$;

-- Whether a mark is of the node and the table where its rows are now. A mark that names the server alone counts where
-- nothing can have moved; on a cluster it says nothing, so everything is compared once.
CREATE FUNCTION is_home(mark text, place oid) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT mark = this_home(place)
        OR mark IN ('', this_cluster()) AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
$$;

-- On Citus a column's default is evaluated on the coordinator, whose transactions are not those of the worker that has
-- the row. So `hundi migrate --citus` makes a trigger of this function, which runs where the row is written.
-- What comes back from the archive keeps the transaction that it was sealed with.
CREATE FUNCTION stamp_transaction() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- What comes back from the archive has its own.
    NEW.xact := coalesce(NEW.xact, pg_current_xact_id());
    RETURN NEW;
END $$;
