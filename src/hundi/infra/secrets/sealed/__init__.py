"""What the database holds sealed, by key."""
