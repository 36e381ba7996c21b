"""Payments at the pages of a bank or wallet."""
