-- A mark of each entry's digest, under a key that the database never holds: the digests alone chain entries that anybody
-- could write. Entries before this have none, and are proved by the next one that has.
ALTER TABLE trail_entries ADD mark bytea NOT NULL DEFAULT '';
ALTER TABLE trail_entries ADD CONSTRAINT trail_entries_marked CHECK (length(mark) = 32) NOT VALID;
