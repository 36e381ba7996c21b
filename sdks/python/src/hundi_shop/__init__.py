"""Hundi in a shop's framework: a checked notification is handed over exactly once."""
