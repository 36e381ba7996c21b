"""The calls of acquirers to us."""
