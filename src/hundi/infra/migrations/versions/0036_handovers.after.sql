-- What acquirers handed over by the files of some days: the console looks for the settlement that a credit of our account is.
DROP INDEX CONCURRENTLY IF EXISTS statement_handovers_by_file;
CREATE INDEX CONCURRENTLY statement_handovers_by_file ON statement_handovers (file_id);
