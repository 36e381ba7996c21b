"""Merchants: who they are, their keys and settings, and access for their requests."""
