"""Payouts on a real database."""
