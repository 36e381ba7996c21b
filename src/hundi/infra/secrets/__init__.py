"""What is kept sealed, and the keys that open it."""
