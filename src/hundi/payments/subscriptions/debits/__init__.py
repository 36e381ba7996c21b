"""Debits."""
