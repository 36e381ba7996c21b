"""Orders as they are opened."""
