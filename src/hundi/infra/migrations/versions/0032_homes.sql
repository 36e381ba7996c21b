-- A mark counts transactions of one node, as long as the merchant's rows stay there. A merchant that was moved to
-- another node of a Citus cluster and back has rows of that node's transactions, which may lie below the mark. A move
-- makes the tables of its pieces anew, so the table that holds the mark is part of its name: no mark is ever compared
-- with numbers from before a move.
CREATE FUNCTION this_home(place oid) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT this_cluster() || '/' || place
$$;

-- Marks from before this version name the server alone: on one server nothing can have moved. On a cluster they say
-- nothing, so everything is compared once, and what a move has hidden is found.
CREATE FUNCTION is_home(mark text, place oid) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT mark = this_home(place)
        OR mark IN ('', this_cluster()) AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
$$;

-- Adds a merchant's new postings to its checkpoints, and returns how many. Every transaction before a snapshot's xmin
-- has ended, so no posting ever comes below the mark; each statement after the first has a snapshot from after the lock.
-- What another cluster counted (a restore, a merchant that was moved to another node) is forgotten first.
-- Who counts anew begins with what is in the archive.
CREATE OR REPLACE FUNCTION roll_up(owner bigint, at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    here text;
    old_mark xid8;
    new_mark xid8;
    side record;
    rolled bigint := 0;
BEGIN
    INSERT INTO ledger_rolls (merchant_id, through, rolled_at, cluster) VALUES (owner, '0', at, '')
    ON CONFLICT (merchant_id) DO UPDATE SET rolled_at = excluded.rolled_at;
    SELECT this_home(r.tableoid), CASE WHEN is_home(r.cluster, r.tableoid) THEN r.through END,
        pg_snapshot_xmin(pg_current_snapshot())
    INTO here, old_mark, new_mark FROM ledger_rolls r WHERE r.merchant_id = owner;
    IF old_mark IS NULL OR old_mark > new_mark THEN
        DELETE FROM ledger_checkpoints WHERE merchant_id = owner;
        INSERT INTO ledger_checkpoints (merchant_id, account, currency, debit_paise, credit_paise)
        SELECT owner, account, currency, debit_paise, credit_paise FROM archived_sums WHERE merchant_id = owner;
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
