"""The sealed values in the database, by key."""
