-- The identifier of the database cluster that counts transactions here. A function, so that a statement that is sent to
-- a worker of a Citus cluster hears of that worker.
CREATE FUNCTION this_cluster() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT system_identifier::text FROM pg_control_system()
$$;

-- On Citus a column's default is evaluated on the coordinator, whose transactions are not those of the worker that has
-- the row. So `hundi migrate --citus` makes a trigger of this function, which runs where the row is written.
CREATE FUNCTION stamp_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.xact := pg_current_xact_id();
    RETURN NEW;
END $$;

-- Whose transactions `through` counts. '' is of a roll-up from before this column: this cluster, as far as is known.
ALTER TABLE ledger_rolls ADD COLUMN cluster text NOT NULL DEFAULT '';

-- Adds a merchant's new postings to its checkpoints, and returns how many. Every transaction before a snapshot's xmin
-- has ended, so no posting ever comes below the mark; each statement after the first has a snapshot from after the lock.
-- What another cluster counted (a restore, a merchant that was moved to another node) is forgotten first.
CREATE FUNCTION roll_up(owner bigint, at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    here text := this_cluster();
    old_mark xid8;
    new_mark xid8;
    side record;
    rolled bigint := 0;
BEGIN
    INSERT INTO ledger_rolls (merchant_id, through, rolled_at, cluster) VALUES (owner, '0', at, here)
    ON CONFLICT (merchant_id) DO UPDATE SET rolled_at = excluded.rolled_at;
    SELECT CASE WHEN r.cluster IN ('', here) THEN r.through END, pg_snapshot_xmin(pg_current_snapshot())
    INTO old_mark, new_mark FROM ledger_rolls r WHERE r.merchant_id = owner;
    IF old_mark IS NULL OR old_mark > new_mark THEN
        DELETE FROM ledger_checkpoints WHERE merchant_id = owner;
        old_mark := '0';
    END IF;
    FOR side IN
        SELECT s.account, s.currency, sum(s.debited) AS debited, sum(s.credited) AS credited, sum(s.postings) AS postings
        FROM (
            SELECT debit AS account, currency, sum(amount_paise) AS debited, 0 AS credited, count(*) AS postings
            FROM ledger_postings WHERE merchant_id = owner AND xact >= old_mark AND xact < new_mark
            GROUP BY debit, currency
            UNION ALL
            SELECT credit, currency, 0, sum(amount_paise), 0
            FROM ledger_postings WHERE merchant_id = owner AND xact >= old_mark AND xact < new_mark
            GROUP BY credit, currency
        ) AS s
        GROUP BY s.account, s.currency
    LOOP
        INSERT INTO ledger_checkpoints AS c (merchant_id, account, currency, debit_paise, credit_paise)
        VALUES (owner, side.account, side.currency, side.debited, side.credited)
        ON CONFLICT (merchant_id, account, currency) DO UPDATE
        SET debit_paise = c.debit_paise + excluded.debit_paise, credit_paise = c.credit_paise + excluded.credit_paise;
        rolled := rolled + side.postings;
    END LOOP;
    UPDATE ledger_rolls SET through = new_mark, cluster = here WHERE merchant_id = owner;
    RETURN rolled;
END $$;
