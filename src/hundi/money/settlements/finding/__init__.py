"""Settlements as they are shown: lists of them, and one with its rows."""
