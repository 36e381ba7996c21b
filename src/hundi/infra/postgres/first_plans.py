"""Tells PostgreSQL of tables that it has not looked at yet, so that they are read by whole keys.

Every key begins with the merchant. Of a table without statistics PostgreSQL takes the merchant alone for as good as the
whole key, reads by whichever index it finds first, and keeps that plan: of a hundred shops it read 24 payments in place
of one, until it looked at the tables itself a minute later.
"""

from hundi.infra.postgres.database import Connection

ASSUME = """
DO $$
DECLARE
    told record;
BEGIN
    -- Older than PostgreSQL 18: there is no way to tell, and the first minute is as it was.
    IF to_regproc('pg_restore_attribute_stats') IS NULL THEN
        RETURN;
    END IF;
    FOR told IN
        SELECT c.relname::text FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'merchant_id' AND NOT a.attisdropped
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
            AND NOT EXISTS (
                SELECT FROM pg_stats s
                WHERE s.schemaname = 'public' AND s.tablename = c.relname AND s.attname = 'merchant_id')
    LOOP
        PERFORM pg_restore_attribute_stats('schemaname', 'public', 'relname', told.relname, 'attname', 'merchant_id',
            'inherited', false, 'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real);
    END LOOP;
END $$
"""
"""Says of each table without statistics that its rows are one merchant's: its own look says better soon."""


async def assume(connection: Connection) -> None:
    """Have tables without statistics read by their whole keys. The role has to own them."""
    await connection.execute(ASSUME)
