-- The identifier of the database cluster that counts transactions here. A function, so that a statement that is sent to
-- a worker of a Citus cluster hears of that worker.
CREATE FUNCTION this_cluster() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT system_identifier::text FROM pg_control_system()
$$;

-- Whose transactions `through` counts. '' is of a roll-up from before this column: this cluster, as far as is known.
ALTER TABLE ledger_rolls ADD COLUMN cluster text NOT NULL DEFAULT '';
