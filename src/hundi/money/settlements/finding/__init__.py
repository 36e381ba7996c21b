"""Settlements for display: lists of them, and one with its rows."""
