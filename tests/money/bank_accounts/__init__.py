"""Bank accounts that are paid out to."""
