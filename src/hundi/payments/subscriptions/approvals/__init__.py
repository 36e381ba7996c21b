"""Approvals of subscriptions by their customers."""
