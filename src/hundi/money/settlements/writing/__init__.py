"""Writes a settlement with its shares and postings."""
