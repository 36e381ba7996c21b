"""Subscriptions under their lock."""
