"""Debits of subscriptions."""
