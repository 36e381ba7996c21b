-- What has no mark is not believed: who has a passkey signs in with password and code once, and makes it anew.
ALTER TABLE passkeys ADD COLUMN mark bytea DEFAULT ''::bytea NOT NULL;
