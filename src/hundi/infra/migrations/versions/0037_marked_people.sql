-- Marks of what people sign in with and of their roles, under a key that the database never holds. What is older has
-- none and does not hold: `hundi staff mark` shows it to the operator, and marks it.
ALTER TABLE people ADD mark bytea NOT NULL DEFAULT '';
ALTER TABLE recovery_codes ADD mark bytea NOT NULL DEFAULT '';
ALTER TABLE memberships ADD mark bytea NOT NULL DEFAULT '';
