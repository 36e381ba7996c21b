-- What has no mark is not believed: whoever is signed in signs in again, and a link that is not used yet is made anew.
ALTER TABLE staff_sessions ADD COLUMN mark bytea DEFAULT ''::bytea NOT NULL;
ALTER TABLE staff_sessions ADD COLUMN factor_mark bytea DEFAULT ''::bytea NOT NULL;
ALTER TABLE one_time_links ADD COLUMN mark bytea DEFAULT ''::bytea NOT NULL;
