"""Backups of the database."""
