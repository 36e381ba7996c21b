-- What the coordinator gave as a default would look like a row's own.
ALTER TABLE ledger_postings ALTER COLUMN xact DROP DEFAULT;
ALTER TABLE payment_events ALTER COLUMN xact DROP DEFAULT;
ALTER TABLE settlements ALTER COLUMN xact DROP DEFAULT;
