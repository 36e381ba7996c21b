"""Versions of the table of handled events."""
